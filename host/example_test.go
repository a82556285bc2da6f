package host_test

import (
	"context"
	"fmt"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Two servers on one switch, and a WRITE of 1 MiB from one to the other, in a
// priority without PFC.
func ExampleCluster_Run() {
	cable := topology.HostCable{Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond}
	graph, err := (&topology.Star{Hosts: 2, NICsPerHost: 1, Link: cable}).Build()
	if err != nil {
		panic(err)
	}
	net, err := fabric.New(graph, topology.NewRoutes(graph), fabric.Config{
		Buffer: 16 * units.MiB, Pipeline: 300 * units.Nanosecond, Priorities: []int{0}, MaxFrame: 4174,
		Lossy: fabric.Lossy{Alpha: units.Ratio{Num: 1, Den: 1}},
	})
	if err != nil {
		panic(err)
	}
	cluster := host.NewCluster(net, &rnic.Config{MTU: 4096, Timeout: 14, Retries: 7, Control: cc.None.Params("")})
	if err := cluster.AddFlow(host.Flow{Src: 0, Dst: 1, Size: units.MiB, Messages: 1}); err != nil {
		panic(err)
	}
	report, err := cluster.Run(context.Background(), host.RunOptions{Limit: units.Second, UntilDone: true})
	fmt.Println(report.Outcome, err)
	fmt.Println(cluster.Transfer(0).End)
	// Output:
	// done <nil>
	// 88.516us
}
