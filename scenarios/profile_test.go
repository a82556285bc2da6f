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

// What recovers in a way that the other simulator does not have is refused, of hosts and of flows alike.
func TestProfilesRefuseTheirUnknownRecoveries(t *testing.T) {
	const text = `name: recovery
topology: {kind: pair, link: {rate: 100Gbps, delay: 500ns}}
workloads: [{kind: flows, flows: [{from: h0, to: h1, size: 1MB, recovery: go-back-n}]}]
`
	for _, profile := range []string{"htsim", "hpcc-ns3"} {
		if _, err := Parse("recovery.yaml", []byte(text), "profile="+profile); err != nil {
			t.Errorf("%s: %v", profile, err)
		}
		for _, key := range []string{"host.recovery", "workloads[0].flows[0].recovery"} {
			for _, recovery := range []string{"selective-repeat", "adaptive"} {
				_, err := Parse("recovery.yaml", []byte(text), "profile="+profile, key+"="+recovery)
				want := fmt.Sprintf("--set %s: not with profile %s: that simulator has nothing like it; leave it out", key, profile)
				if err == nil || err.Error() != want {
					t.Errorf("%s, %s: %v, want %s", profile, recovery, err, want)
				}
			}
		}
	}
}
