package scenarios

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsSeldomMeantIsAWarning(t *testing.T) {
	cases := []struct {
		name      string
		overrides []string
		want      []string
	}{
		{"as deployed", nil, nil},
		{"data outside the lossless class", []string{"host.dscp.data=8"}, []string{
			"--set host.dscp.data: data DSCP 8 maps to priority 1, which is not lossless"}},
		{"DSCP map", []string{"switch.dscp_map={26: 2}"}, []string{
			"testdata/design.yaml:11:7: host.dscp.data: data DSCP 26 maps to priority 2, which is not lossless",
			"testdata/design.yaml:9:22: switch.pfc.priorities[0]: priority 3 is lossless and no packet uses it: its headroom is lost to the others"}},
		{"CNPs with the data", []string{"host.dscp.cnp=26"}, []string{
			"--set host.dscp.cnp: CNP DSCP 26 maps to priority 3, that of the data: notifications queue and pause with it"}},
		{"DCQCN without ECN", []string{"switch.ecn.enabled=false"}, []string{
			"testdata/design.yaml:11:58: host.congestion_control: dcqcn reacts to ECN marks, and switch.ecn is off"}},
		{"nothing slows senders", []string{"switch.pfc.enabled=false", "host.congestion_control=none"}, []string{
			"--set switch.pfc.enabled: without PFC and with congestion control none nothing slows senders but loss"}},
		{"a lossless class too many", []string{"switch.pfc.priorities=[3, 4]"}, []string{
			"--set switch.pfc.priorities: switch.pfc.priorities[1]: priority 4 is lossless and no packet uses it: its headroom is lost to the others"}},
		{"a class of its own", []string{"switch.pfc.priorities=[3, 4]", "workloads[0].priority=4"}, nil},
		{"a lossy class of its own", []string{"workloads[0].priority=4"}, []string{
			"testdata/design.yaml:13:5: workloads[0]: some flows ask for priority 4, which is not lossless"}},
		{"PFC off", []string{"switch.pfc.enabled=false"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			spec := load(t, "testdata/design.yaml", c.overrides...)
			if diff := cmp.Diff(strings.Join(c.want, "\n"), strings.Join(spec.Warnings, "\n")); diff != "" {
				t.Errorf("warnings differ (-want +got):\n%s", diff)
			}
		})
	}
}
