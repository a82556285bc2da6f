package hpccns3_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/verify/hpccns3"
)

// Every run of the reference data whose congestion control is there is equal: each
// flow to the nanosecond, each pause frame, each counter.
func TestRunsOfTheReferenceAreEqualToTheNanosecond(t *testing.T) {
	checks, err := hpccns3.Checks(golden.Dir(t, "hpcc-ns3"))
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, c := range checks {
		if c.Full {
			continue // many seeds of one case: verify --full
		}
		t.Run(c.Name, func(t *testing.T) {
			if c.Name == "fat320_ws30_dcqcn" && testing.Short() {
				t.Skip("a fat-tree of 320 hosts takes long")
			}
			rows, err := c.Run(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				if !r.Told {
					judged++
				}
				if !r.Told && !r.Met {
					t.Errorf("%s: expected %s, found %s", r.Rule, r.Expected, r.Found)
				}
			}
		})
	}
	if judged < 60 {
		t.Errorf("only %d comparisons were made", judged)
	}
}
