package topology

import "github.com/rdmasim/rdmasim/sim/units"

// TwoPodset is the network on which RDMA was tried at scale in "RDMA over Commodity Ethernet at Scale" (SIGCOMM 2016,
// section 5.4): two podsets of 24 racks and 4 leaves, 64 spines, 40 Gb/s throughout, oversubscribed 6:1 at the racks with
// their 24 servers and 3:2 at the leaves. It is a [ThreeTier] of two pods.
type TwoPodset struct {
	HostsPerRack int        `key:"hosts_per_rack" default:"24" min:"1" max:"4096" doc:"hosts in each of the 48 racks" source:"SIGCOMM 2016"`
	Rate         units.Rate `key:"rate" default:"40Gbps" min:"1Mbps" doc:"rate of every cable" source:"SIGCOMM 2016"`
	HostDelay    units.Time `key:"host_delay" default:"10ns" min:"1ps" doc:"propagation to the hosts: 2 m" source:"SIGCOMM 2016"`
	LeafDelay    units.Time `key:"leaf_delay" default:"100ns" min:"1ps" doc:"propagation from racks to leaves: 20 m" source:"SIGCOMM 2016"`
	SpineDelay   units.Time `key:"spine_delay" default:"1500ns" min:"1ps" doc:"propagation from leaves to spines: 300 m" source:"SIGCOMM 2016"`
	Routing      `key:",inline"`
}

// The counts of the network of the paper.
const (
	podsets      = 2
	podsetRacks  = 24
	podsetLeaves = 4
	podsetSpines = 64
)

// Build returns the graph. Its switches are called as those of [ThreeTier].
func (t *TwoPodset) Build() (*Graph, error) {
	clos := ThreeTier{
		Pods: podsets, RacksPerPod: podsetRacks, HostsPerRack: t.HostsPerRack, NICsPerHost: 1,
		LeavesPerPod: podsetLeaves, Cores: podsetSpines,
		HostLink: HostCable{Rate: t.Rate, Delay: t.HostDelay},
		LeafLink: FabricCable{Rate: t.Rate, Delay: t.LeafDelay},
		CoreLink: FabricCable{Rate: t.Rate, Delay: t.SpineDelay},
		Routing:  t.Routing,
	}
	return clos.Build()
}
