package scenarios

import (
	"context"
	"slices"
	"testing"
)

// slow are the built-in scenarios that take more than a second on one core.
var slow = map[string]bool{"ecmp-two-podsets": true, "websearch-fat-tree": true, "lossy-roce-cliff": true, "irn-vs-pfc": true, "qp-scaling": true, "connections-10-to-10000": true}

func TestTheBuiltInScenariosKeepTheirPromises(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			if (slow[name] || slices.Contains(Claims(), name)) && testing.Short() {
				t.Skip("takes long, as sweeps of claims do")
			}
			session := Session{Spec: load(t, name), Workers: 1}
			summary, err := session.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range summary.Expectations {
				if !e.Met {
					t.Errorf("%s: measured %s", e.Text, e.Measured)
				}
			}
			if code := session.Spec.ExitCode(summary); code != ExitDone {
				t.Errorf("exit code %d: %s, %v", code, summary.Outcome, summary.Reasons)
			}
		})
	}
}

// A claim is found by its name, which no other scenario has, and with its folder.
func TestAClaimIsFoundByItsName(t *testing.T) {
	if len(Claims()) == 0 {
		t.Fatal("there are none")
	}
	for _, name := range Claims() {
		if slices.Contains(namesIn("library"), name) {
			t.Errorf("%s is the name of another scenario too", name)
		}
		short, err := Open(name)
		if err != nil {
			t.Error(err)
		}
		if long, err := Open("claims/" + name); err != nil || string(long) != string(short) {
			t.Errorf("claims/%s is not %s: %v", name, name, err)
		}
		spec := load(t, name)
		if len(spec.Show) == 0 || len(spec.Sweeps) == 0 || len(spec.Expect) == 0 {
			t.Errorf("%s has %d keys to show, %d sweeps and %d expectations, want some of each", name, len(spec.Show), len(spec.Sweeps), len(spec.Expect))
		}
	}
}
