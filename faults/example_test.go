package faults_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/faults"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A link that flaps, planned by name.
func ExampleLinkDown() {
	link := topology.HostCable{Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond}
	graph, err := (&topology.Star{Hosts: 2, NICsPerHost: 1, Link: link}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	flap := faults.LinkDown{
		Links: []string{"h1-sw0"}, Convergence: units.Millisecond,
		Times: faults.Times{At: 2 * units.Millisecond, For: 100 * units.Microsecond, Count: 2, Period: 10 * units.Millisecond},
	}
	var plan host.Faults
	if err := flap.Plan(&faults.Env{Graph: graph}, "link-down", &plan); err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range plan.Outages {
		fmt.Println("link", o.Link, "down from", o.From, "to", o.To)
	}
	// Output:
	// link 1 down from 2ms to 2.1ms
	// link 1 down from 12ms to 12.1ms
}
