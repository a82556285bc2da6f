package topology

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// FatTree is the k-ary fat-tree of Al-Fares, Loukissas and Vahdat (SIGCOMM 2008): k pods of k/2 top-of-rack and k/2
// aggregation switches, (k/2)² cores, k/2 hosts at each rack; k³/4 hosts and 5k²/4 switches of k ports. Aggregation
// switch i of each pod is cabled to cores i·k/2 … i·k/2+k/2-1. Ports downwards come before ports upwards. With several NICs
// a host, which the paper does not have, top-of-rack switches have more ports. No number of NICs is one.
type FatTree struct {
	K           int         `key:"k" default:"4" min:"2" max:"64" doc:"ports of a switch, even: k^3/4 hosts" source:"assumed"`
	NICsPerHost int         `key:"nics_per_host" default:"1" min:"1" max:"64" doc:"cables from each host to its top-of-rack switch" source:"assumed"`
	HostLink    HostCable   `key:"host_link" doc:"the cables between hosts and top-of-rack switches"`
	FabricLink  FabricCable `key:"fabric_link" doc:"the cables between switches"`
	Routing     `key:",inline"`
}

// Validate checks that k is even and from 2 to 64, and that the network fits into memory.
func (f *FatTree) Validate() error {
	if f.K%2 != 0 || f.K < 2 || f.K > 64 {
		return units.Field("k", f.K, "no fat-tree of that many ports a switch", "an even number from 2 to 64")
	}
	if ports := f.K * f.K * f.K / 4 * f.NICsPerHost; ports > maxEndpoints {
		return tooManyPorts("nics_per_host", f.NICsPerHost, ports)
	}
	return nil
}

// Build returns the graph. Nodes stand in the order hosts, pods (its top-of-rack, then its aggregation switches), cores.
func (f *FatTree) Build() (*Graph, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	net := plan{routing: f.Routes}
	half := f.K / 2
	hosts := f.K * half * half
	for i := range hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	tor := func(pod, i int) int { return hosts + pod*f.K + i }
	agg := func(pod, i int) int { return tor(pod, half+i) }
	for pod := range f.K {
		for i := range half {
			net.add(Switch, fmt.Sprintf("pod%d-tor%d", pod, i))
		}
		for i := range half {
			net.add(Switch, fmt.Sprintf("pod%d-agg%d", pod, i))
		}
	}
	for host := range hosts {
		rack := host / half
		net.cable(host, tor(rack/half, rack%half), f.HostLink, max(1, f.NICsPerHost))
	}
	f.cableFabric(&net, tor, agg)
	return net.graph()
}

// cableFabric adds the cores and the links between switches.
func (f *FatTree) cableFabric(net *plan, tor, agg func(pod, i int) int) {
	half := f.K / 2
	for pod := range f.K {
		for i := range half * half {
			net.cable(tor(pod, i/half), agg(pod, i%half), HostCable(f.FabricLink), 1)
		}
	}
	for i := range half * half {
		core := net.add(Switch, fmt.Sprint("core", i))
		for pod := range f.K {
			net.cable(agg(pod, i/half), core, HostCable(f.FabricLink), 1)
		}
	}
}
