package scenarios

import (
	"fmt"
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

// The books balance whenever a run is cut, whatever its order of events.
func TestARunUnderAnyProfileCanBeCutAnywhere(t *testing.T) {
	for _, p := range profiles {
		for ns := 1; ns < 30_000; ns += 997 {
			spec := parsed(t, fmt.Sprintf(`
name: books
profile: %s
stop: {when: time, limit: %dns}
topology: {kind: star, hosts: 5, link: {rate: 100Gbps, delay: 500ns}}
workloads: [{kind: permutation, size: 1MB}]
`, p.name, ns))
			ran(t, spec, 1)
		}
	}
}
