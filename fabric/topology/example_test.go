package topology_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

func Example() {
	clos := &topology.LeafSpine{
		Leaves: 4, HostsPerLeaf: 16, NICsPerHost: 1, Oversubscription: units.Ratio{Num: 2, Den: 1},
		HostLink:   topology.HostCable{Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond},
		FabricLink: topology.FabricCable{Rate: 400 * units.Gbps, Delay: 500 * units.Nanosecond},
	}
	graph, err := clos.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(graph)

	routes := topology.NewRoutes(graph)
	src, dst, err := routes.Pair(0, 63, 0) // from the first host to the last
	if err != nil {
		fmt.Println(err)
		return
	}
	lastSpine := func(_, n int) int { return n - 1 }
	for _, step := range routes.Path(src, dst, lastSpine) {
		fmt.Print(graph.PortName(step.Node, step.Port), " ")
	}
	// Output:
	// 64 hosts, 6 switches, 72 links (64 x 100Gbps, 8 x 400Gbps), oversubscription 2:1
	// h0:0 leaf0:17 spine1:3 leaf3:15 h63:0
}
