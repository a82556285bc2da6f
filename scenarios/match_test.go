package scenarios

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
)

// Patterns pick nodes with all their ports, or single ports; of queue pairs those of the
// NICs they fit.
func TestMatchPicksNodesAndPorts(t *testing.T) {
	run := built(t, "measure={series: [queue_depth, qp_rate], match: [\"h[1-2]\", \"sw0:3\"]}")
	net := run.Cluster.Net
	var fabricPorts, endpoints []string
	for node := range net.Graph.Nodes {
		for port := range net.Ports(node) {
			if net.Config.Sampled(node, port) {
				fabricPorts = append(fabricPorts, net.Graph.PortName(node, port))
			}
		}
	}
	for i, e := range net.Routes.Endpoints {
		if run.Cluster.NIC.Sampled(int32(i)) {
			endpoints = append(endpoints, net.Graph.Nodes[e.Host].Name)
		}
	}
	if got := strings.Join(fabricPorts, " "); got != "h1:0 h2:0 sw0:3" {
		t.Errorf("ports %s", got)
	}
	if got := strings.Join(endpoints, " "); got != "h1 h2" {
		t.Errorf("NICs of %s", got)
	}
}

func TestAStarFitsAnyLettersAndAQuestionMarkOne(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"leaf*", "leaf12", true}, {"leaf*", "leaf1:4", true}, {"leaf?", "leaf12", false}, {"*", "pod1/leaf2", true},
		{"pod?/leaf*", "pod1/leaf2", true}, {"leaf1", "leaf12", false}, {"*:0", "h3:0", true},
	} {
		if got := fits(c.pattern, c.name); got != c.want {
			t.Errorf("%s fits %s: %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}

// Series are sampled at the period, or on change; a mean over time needs a period.
func TestSeriesComeAtAPeriodOrOnChange(t *testing.T) {
	c := built(t, "measure={series: [queue_depth, pg_occupancy, qp_alpha, pause], every: on-change}").Cluster
	if f, n := c.Net.Config, c.NIC; f.QueueSamples != fabric.OnChange || f.GroupSamples != fabric.OnChange || f.UsageSamples != 0 ||
		n.AlphaSamples != fabric.OnChange || n.RateSamples != 0 || !f.RecordPauses {
		t.Errorf("fabric %+v, NIC %+v", f, n)
	}
	for set, want := range map[string]string{
		"measure={series: [link_utilisation], every: on-change}": `--set measure: measure.every: "on-change": link_utilisation is a mean over some time; give a time, such as 5us`,
		"measure={series: [pause], match: [\"h[\"]}":             `--set measure: measure.match[0]: "h[": "h[": [ without ]; such as leaf*, leaf0:3 or h[0-7]`,
		"measure={series: [pause], match: [sv0]}":                `--set measure: measure.match[0]: "sv0": fits no node and no port; did you mean "sw0"?`,
		"measure={series: [pause], match: [nothing-like-it]}":    `--set measure: measure.match[0]: "nothing-like-it": fits no node and no port; nodes of this network are called such as h0 and sw0`,
		"measure={every: 0.5ns}":                                 `--set measure: measure.every: "0.5ns" is too small; want at least 1ns`,
		"measure={every: always}":                                `--set measure: measure.every: "always": not a number; write a time such as 1.5us, or on-change`,
	} {
		if _, err := Parse("star.yaml", []byte(star), set); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want\n%s", set, err, want)
		}
	}
}
