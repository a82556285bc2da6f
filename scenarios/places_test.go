package scenarios

import (
	"strings"
	"testing"
)

// Around a ring of three, clockwise: from the hosts of rack 2 to those of rack 1 by way of rack 0.
func TestRoutesAndPlacesComeFromTheTopology(t *testing.T) {
	const ring = `name: ring
topology: {kind: ring, switches: 3, hosts_per_switch: 2, routes: clockwise}
workloads: [{kind: flows, flows: [{from: "rack2/*", to: rack1/0, size: 1KB}]}]
`
	run, err := parsed(t, ring).Build()
	if err != nil {
		t.Fatal(err)
	}
	for flow, want := range []string{"h4 sw2 sw0 sw1 h2", "h5 sw2 sw0 sw1 h2"} {
		got := ""
		for _, step := range run.Cluster.Path(flow) {
			got += " " + run.Cluster.Net.Graph.Nodes[step.Node].Name
		}
		if got != " "+want {
			t.Errorf("flow %d goes%s, want %s", flow, got, want)
		}
	}
	for text, want := range map[string]string{
		`{kind: star, hosts: 3, routes: up-down}`: `routes: unknown key`,
		`{kind: leaf-spine, routes: clockwise}`:   `topology.routes: "clockwise" is not possible; want one of shortest, up-down`,
		`{kind: ring, routes: anticlockwise}`:     `topology.routes: "anticlockwise" is not possible; did you mean "clockwise"?`,
	} {
		if _, err := Parse("s.yaml", []byte("name: s\ntopology: "+text+"\nworkloads: [{kind: all-to-all, size: 1KB}]\n")); err == nil {
			t.Errorf("%s was accepted", text)
		} else if got := err.Error(); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A workload finds the rates and the racks of its hosts in the topology.
func TestALoadOfTheFabricKnowsTheFabric(t *testing.T) {
	spec := parsed(t, `name: s
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 8, fabric_link: {rate: 200Gbps}}
workloads: [{kind: open-loop, tier: fabric, load: 80%, sizes: fb-hadoop, from: ["rack0/*"], to: ["rack1/*"], duration: 20ms}]
stop: {limit: 1s}
`)
	graph, err := spec.Network()
	if err != nil {
		t.Fatal(err)
	}
	flows, err := spec.Flows(graph)
	if err != nil {
		t.Fatal(err)
	}
	payload := 0.0
	for _, f := range flows {
		payload += float64(f.Size)
	}
	// 80 % of 200 Gb/s for 20 ms is 400 MB: 3,322 flows of 120 KB, with a standard deviation of 10 %.
	if payload < 280e6 || payload > 520e6 {
		t.Errorf("%.0f bytes of payload in %d flows, want 400 MB within three standard deviations", payload, len(flows))
	}
}
