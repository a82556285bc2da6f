package bench

import (
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// webSearch is the network and the load with which HPCC (SIGCOMM 2019) compares congestion
// controls: 320 hosts at 100G under racks, leaves and cores joined by 400G, and flows of
// random sizes from random hosts to random others that offer 30 % of the hosts' rate.
func webSearch(name string, duration units.Time) Case {
	const mtu = 1000 // payload of a packet of theirs
	return Case{
		Name: name, Doc: "random flows at 30 % load in the three tiers of HPCC, 100G to hosts and 400G above",
		Hosts: 320, Flow: "WebSearch", MTU: mtu,
		Setup: func() (*Setup, error) {
			uplink := topology.FabricCable{Rate: 4 * linkRate, Delay: linkDelay}
			s, err := newSetup(&topology.ThreeTier{
				Pods: 5, RacksPerPod: 4, HostsPerRack: 16, NICsPerHost: 1, LeavesPerPod: 4, Cores: 16,
				HostLink: topology.HostCable{Rate: linkRate, Delay: linkDelay}, LeafLink: uplink, CoreLink: uplink,
			}, mtu)
			if err != nil {
				return nil, err
			}
			return s, s.add("open-loop", &workloads.OpenLoop{
				Load: units.Ratio{Num: 30, Den: 100}, Tier: "host", Sizes: "websearch", Arrivals: "poisson",
				Duration: duration, Priority: workloads.HostPriority,
			})
		},
	}
}
