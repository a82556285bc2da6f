package units_test

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestFieldErrorLeavesOutWhatIsEmpty(t *testing.T) {
	for want, err := range map[string]*units.FieldError{
		`kmin: "400KB": above kmax; at most 200KB`: units.Field("kmin", 400*units.KB, "above kmax", "at most 200KB"),
		`kmin: "400KB": above kmax`:                units.Field("kmin", 400*units.KB, "above kmax", ""),
		`kmin: missing; give a size`:               {Key: "kmin", Problem: "missing", Want: "give a size"},
		`"5us": a time where a size is wanted`:     {Value: "5us", Problem: "a time where a size is wanted"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func ExampleField() {
	kmin, kmax := 1600*units.KB, 400*units.KB
	fmt.Println(units.Field("ecn.kmin", kmin, "above kmax", "at most "+kmax.String()))
	// Output: ecn.kmin: "1.6MB": above kmax; at most 400KB
}
