package bench

import (
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// Permutation is a fat-tree of k ports a switch in which every host sends one flow to the
// host half the network away and one further: all of them through the cores.
func Permutation(k, mtu int, size units.Bytes) (*Setup, error) {
	return permute(fatTree(k, linkDelay, linkDelay), mtu, size)
}

func permutation(name string, k, mtu int, size units.Bytes) Case {
	return Case{
		Name: name, Doc: "all hosts of a fat-tree send to one other each, through its cores",
		Hosts: fatTreeHosts(k), Flow: size.String(), MTU: mtu,
		Setup: func() (*Setup, error) { return Permutation(k, mtu, size) },
	}
}

// The delays of a rack's copper and of 50 m of fibre, and how long a switch looks at a
// frame before it passes it on.
const (
	rackDelay = 25 * units.Nanosecond
	hallDelay = 250 * units.Nanosecond
	pipeline  = 300 * units.Nanosecond
)

// Realistic is a permutation over links as short as real ones.
func Realistic(k, mtu int, size units.Bytes) (*Setup, error) {
	s, err := permute(fatTree(k, rackDelay, hallDelay), mtu, size)
	if err == nil {
		s.Fabric.Pipeline = pipeline
	}
	return s, err
}

func realistic(name string, k, mtu int, size units.Bytes) Case {
	c := permutation(name, k, mtu, size)
	c.Doc = "the same over real links: 25 ns to hosts, 250 ns between switches, which take 300 ns"
	c.Setup = func() (*Setup, error) { return Realistic(k, mtu, size) }
	return c
}

func permute(tree *topology.FatTree, mtu int, size units.Bytes) (*Setup, error) {
	s, err := newSetup(tree, mtu)
	if err != nil {
		return nil, err
	}
	return s, s.add("permutation", &workloads.Permutation{Shift: fatTreeHosts(tree.K)/2 + 1, Transfer: transfer(size)})
}

func fatTree(k int, toHosts, between units.Time) *topology.FatTree {
	return &topology.FatTree{
		K:          k,
		HostLink:   topology.HostCable{Rate: linkRate, Delay: toHosts},
		FabricLink: topology.FabricCable{Rate: linkRate, Delay: between},
	}
}

func fatTreeHosts(k int) int { return k * k * k / 4 }
