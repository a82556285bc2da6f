package hpccns3_test

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/verify"
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

// Of the runs of ConWeave's simulator that in which no coin is drawn is equal, and those
// without loss or with go-back-N lie where runs with other coins do.
func TestRunsOfConWeavesSimulatorAreCompared(t *testing.T) {
	checks, err := hpccns3.Checks(golden.Dir(t, "hpcc-ns3"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]verify.Row{}
	for _, c := range checks {
		if strings.HasPrefix(c.Name, "cw_") {
			if rows[c.Name], err = c.Run(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, judged := range map[string]int{"cw_single_irn": 1, "cw_incast_n8_1MB_irn": 2, "cw_leafspine_s4_perm1MB_irn_ecmp": 2, "cw_lossy_n16_1MB_buf1_gbn": 2} {
		for _, r := range rows[name] {
			if r.Told {
				continue
			}
			if judged--; !r.Met {
				t.Errorf("%s: %s: expected %s, found %s, band %s", name, r.Rule, r.Expected, r.Found, r.Band)
			}
		}
		if judged != 0 {
			t.Errorf("%s: %d comparisons are missing", name, judged)
		}
	}
	if flows := rows["cw_single_irn"]; len(flows) == 0 || flows[0].Found != "5 equal" {
		t.Errorf("of five flows alone: %+v", flows)
	}
}
