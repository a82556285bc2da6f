package scenarios

import (
	"strings"
	"testing"
)

// Between the pods of a fat-tree of k = 8 a flow chooses one of 4 ways twice. With
// salts of their own, 1,024 flows reach every link from the aggregation to the cores;
// with one salt for all, the second choice is the first again, and of the four links
// of a switch one is used. That is said before the run.
func TestPolarisationIsFlagged(t *testing.T) {
	const job = `
name: job
topology: {kind: fat-tree, k: 8}
workloads: [{kind: permutation, shift: 64, qps: 8, size: 1KB}]
`
	for _, tc := range []struct {
		overrides []string
		taken     int
		flagged   string
	}{
		{nil, 128, ""},
		{[]string{"switch.ecmp_salt=shared"}, 32, "1024 flows choose a way more than once: after their first choice they take 32 of 128 links"},
		{[]string{"switch.ecmp_salt=shared", "switch_overrides=[{switches: [\"pod[0-7]-agg[0-3]\"], ecmp_seed: 7}]"}, 128, ""},
	} {
		run, err := parsed(t, job, tc.overrides...).Build()
		if err != nil {
			t.Fatal(err)
		}
		later := run.Cluster.LaterChoices()
		if later.Flows != 1024 || later.Taken != tc.taken || later.Links != 128 {
			t.Errorf("%v: %+v, want 1024 flows that take %d of 128 links", tc.overrides, later, tc.taken)
		}
		if flagged := strings.Join(run.Warnings, "\n"); tc.flagged != "" && !strings.Contains(flagged, tc.flagged) {
			t.Errorf("%v: warnings %q, want %q among them", tc.overrides, flagged, tc.flagged)
		}
	}
}
