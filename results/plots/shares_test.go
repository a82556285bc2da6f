package plots

import (
	"errors"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Of many links the busiest on average are drawn, not those with the highest peak.
func TestTheBusiestLinksAreDrawn(t *testing.T) {
	steady := Series{Name: "steady", T: times(0, 1, 2), V: []float64{0.5, 0.5, 0.5}}
	spike := Series{Name: "spike", T: times(0, 1, 2), V: []float64{0, 1, 0}}
	idle := Series{Name: "idle", T: times(0, 2), V: []float64{0.1, 0.1}}
	var names []string
	for _, s := range highestMeans([]Series{idle, spike, steady}, 2) {
		names = append(names, s.Name)
	}
	// The spike holds for the second half of the two microseconds, and so is 0.5 on average too.
	if !slices.Equal(names, []string{"spike", "steady"}) {
		t.Errorf("drawn are %q", names)
	}
}

// A bound needs a value for each instant, and something to bound.
func TestOccupancyWantsABoundForEachInstant(t *testing.T) {
	group := Bounded{Series: Series{Name: "g", T: times(0, 1), V: []float64{1, 2}}, Bound: []float64{3}}
	if _, err := Occupancy([]Bounded{group}, Options{}); err == nil {
		t.Error("one bound for two instants was accepted")
	}
	var none *NoDataError
	if _, err := Occupancy(nil, Options{}); !errors.As(err, &none) {
		t.Errorf("no groups: %v", err)
	}
}

// times are instants in microseconds.
func times(at ...units.Time) []units.Time {
	for i := range at {
		at[i] *= us
	}
	return at
}
