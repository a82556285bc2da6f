package scenarios

import (
	"reflect"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
)

func TestTheKeyProfileTakesTheNamesOfTheTable(t *testing.T) {
	var names []string
	for _, p := range profiles {
		names = append(names, p.name)
	}
	for _, f := range strictyaml.Fields(reflect.TypeFor[Spec]()) {
		if f.Key == "profile" && !slices.Equal(f.OneOf, names) {
			t.Errorf("the key takes %q, the table has %q", f.OneOf, names)
		}
	}
}

func TestWithoutAProfileFramesAreThoseOfTheWire(t *testing.T) {
	if got := new(Spec).profile(); got.framing != nil {
		t.Errorf("a scenario that asks for no profile has that of %s", got.name)
	}
}
