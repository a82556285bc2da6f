package scenarios

import (
	"slices"
	"testing"
)

// Values of a sweep may be fractions; the runs at 1/8 and at 1 have names of their own.
func TestASweepOfFractionsNamesItsRunsByThem(t *testing.T) {
	spec := parsed(t, trio+`sweep: [{name: alpha, set: {switch.pfc.alpha: [1/8, 1/2, 1]}, metric: pause.time}]
`)
	names, _ := spec.runs()
	for _, want := range []string{"alpha-1_8", "alpha-1_2", "alpha-1"} {
		if !slices.Contains(names, want) {
			t.Errorf("no run is called %s: %v", want, names)
		}
	}
}
