package bench

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// sparse is a fat-tree of k ports a switch in which a few hosts, spread evenly over it, send
// to one other each. It should cost what a network of the few alone costs.
func sparse(name string, k, talkers int, size units.Bytes) Case {
	const mtu = 4096
	return Case{
		Name: name, Doc: "a few hosts of a large fat-tree talk, the others are idle",
		Hosts: fatTreeHosts(k), Flow: size.String(), MTU: mtu,
		Setup: func() (*Setup, error) {
			s, err := newSetup(fatTree(k, linkDelay, linkDelay), mtu)
			if err != nil {
				return nil, err
			}
			hosts := s.Graph.Hosts()
			var few []string
			for i := range talkers {
				few = append(few, s.Graph.Nodes[hosts[i*len(hosts)/talkers]].Name)
			}
			return s, s.add("permutation", &workloads.Permutation{Hosts: few, Shift: talkers/2 + 1, Transfer: transfer(size)})
		},
	}
}
