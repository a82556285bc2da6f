package scenarios

import (
	"context"
	"testing"
)

// slow are the built-in scenarios that take more than a second on one core.
var slow = map[string]bool{"ecmp-two-podsets": true, "websearch-fat-tree": true, "lossy-roce-cliff": true, "irn-vs-pfc": true, "qp-scaling": true, "connections-10-to-10000": true}

func TestTheBuiltInScenariosKeepTheirPromises(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			if slow[name] && testing.Short() {
				t.Skip("takes long")
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
