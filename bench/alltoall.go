package bench

import (
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// allToAll is a fat-tree of so many pods, of 16 hosts each, in which every host sends to
// every other: many queue pairs a NIC.
func allToAll(name string, pods int, size units.Bytes) Case {
	const mtu = 4096
	return Case{
		Name: name, Doc: "every host sends to every other: many queue pairs at each NIC",
		Hosts: 16 * pods, Flow: size.String(), MTU: mtu,
		Setup: func() (*Setup, error) {
			s, err := newSetup(podsOf16(pods), mtu)
			if err != nil {
				return nil, err
			}
			return s, s.add("all-to-all", &workloads.AllToAll{Transfer: transfer(size)})
		},
	}
}

// podsOf16 is a part of a fat-tree of 8 ports a switch: so many of its pods, and its cores.
func podsOf16(pods int) *topology.ThreeTier {
	cable := topology.FabricCable{Rate: linkRate, Delay: linkDelay}
	return &topology.ThreeTier{
		Pods: pods, RacksPerPod: 4, HostsPerRack: 4, NICsPerHost: 1, LeavesPerPod: 4, Cores: 16,
		HostLink: topology.HostCable{Rate: linkRate, Delay: linkDelay}, LeafLink: cable, CoreLink: cable,
	}
}
