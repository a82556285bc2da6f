package topology

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// ThreeTier is the Clos network of a data centre: racks in pods, each rack's switch cabled to every leaf of its pod, and
// each leaf to its share of the cores: with as many cores as leaves times 16, leaf 0 of each pod to cores 0 to 15, leaf
// 1 to the next 16. The counts and rates set the oversubscription at each tier. Hosts h0, h1 … fill the racks in
// order; switches are pod0-tor0 …, pod0-leaf0 … and core0 … Ports downwards come before ports upwards.
type ThreeTier struct {
	Pods         int         `key:"pods" default:"2" min:"2" max:"1024" doc:"number of pods" source:"assumed"`
	RacksPerPod  int         `key:"racks_per_pod" default:"4" min:"1" max:"1024" doc:"racks in each pod, each with one top-of-rack switch" source:"assumed"`
	HostsPerRack int         `key:"hosts_per_rack" default:"8" min:"1" max:"4096" doc:"hosts in each rack" source:"assumed"`
	NICsPerHost  int         `key:"nics_per_host" default:"1" min:"1" max:"64" doc:"cables from each host to its top-of-rack switch" source:"assumed"`
	LeavesPerPod int         `key:"leaves_per_pod" default:"2" min:"1" max:"1024" doc:"leaves in each pod" source:"assumed"`
	Cores        int         `key:"cores" default:"4" min:"1" max:"16384" doc:"cores in all, a multiple of leaves_per_pod" source:"assumed"`
	HostLink     HostCable   `key:"host_link" doc:"the cables between hosts and top-of-rack switches"`
	LeafLink     FabricCable `key:"leaf_link" doc:"the cables between top-of-rack switches and leaves"`
	CoreLink     FabricCable `key:"core_link" doc:"the cables between leaves and cores"`
	Routing      `key:",inline"`
}

// Validate checks that the leaves of a pod share the cores evenly and that the network fits into memory.
func (t *ThreeTier) Validate() error {
	var problems []error
	if t.LeavesPerPod > 0 && (t.Cores%t.LeavesPerPod != 0 || t.Cores == 0) {
		problems = append(problems, units.Field("cores", t.Cores, fmt.Sprintf("the %d leaves of a pod cannot share them evenly", t.LeavesPerPod),
			fmt.Sprintf("a multiple of %d", t.LeavesPerPod)))
	}
	if ports := t.Pods * t.RacksPerPod * t.HostsPerRack * t.NICsPerHost; ports > maxEndpoints {
		problems = append(problems, tooManyPorts("hosts_per_rack", t.HostsPerRack, ports))
	}
	if links := t.Pods * (t.RacksPerPod*t.LeavesPerPod + t.Cores); links > maxLinks {
		problems = append(problems, tooManyLinks("pods", t.Pods, links))
	}
	return errors.Join(problems...)
}

// Build returns the graph. Nodes stand in the order hosts, pods (top-of-rack switches, then leaves), cores.
func (t *ThreeTier) Build() (*Graph, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	net := plan{routing: t.Routes}
	hosts := t.Pods * t.RacksPerPod * t.HostsPerRack
	for i := range hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	tor := func(pod, i int) int { return hosts + pod*(t.RacksPerPod+t.LeavesPerPod) + i }
	leaf := func(pod, i int) int { return tor(pod, t.RacksPerPod+i) }
	for pod := range t.Pods {
		for i := range t.RacksPerPod {
			net.add(Switch, fmt.Sprintf("pod%d-tor%d", pod, i))
		}
		for i := range t.LeavesPerPod {
			net.add(Switch, fmt.Sprintf("pod%d-leaf%d", pod, i))
		}
	}
	for host := range hosts {
		rack := host / t.HostsPerRack
		net.cable(host, tor(rack/t.RacksPerPod, rack%t.RacksPerPod), t.HostLink, t.NICsPerHost)
	}
	t.cableFabric(&net, tor, leaf)
	return net.graph()
}

// cableFabric adds the cores and the links between switches.
func (t *ThreeTier) cableFabric(net *plan, tor, leaf func(pod, i int) int) {
	for pod := range t.Pods {
		for rack := range t.RacksPerPod {
			for i := range t.LeavesPerPod {
				net.cable(tor(pod, rack), leaf(pod, i), HostCable(t.LeafLink), 1)
			}
		}
	}
	share := t.Cores / t.LeavesPerPod
	for i := range t.Cores {
		core := net.add(Switch, fmt.Sprint("core", i))
		for pod := range t.Pods {
			net.cable(leaf(pod, i/share), core, HostCable(t.CoreLink), 1)
		}
	}
}
