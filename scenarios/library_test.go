package scenarios

import (
	"context"
	"testing"
	"time"
)

// slow are the built-in scenarios that take more than a second on one core.
var slow = map[string]bool{"ecmp-two-podsets": true, "websearch-fat-tree": true}

func TestTheBuiltInScenariosKeepTheirPromises(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			if slow[name] && testing.Short() {
				t.Skip("takes long")
			}
			session := Session{Spec: load(t, name), Workers: 1}
			run, err := session.Spec.Build()
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if err := session.simulate(context.Background(), run); err != nil {
				t.Fatal(err)
			}
			summary := session.summarise(run, time.Since(began))
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
