package fabric

import "github.com/rdmasim/rdmasim/fabric/topology"

// Pin keeps the packets to an address on a way, from host to host, whatever the routes say or become: a switch on it
// forwards them by the way's port even if the cable there is down, so that they are lost. It must be called before
// the run.
func (n *Network) Pin(way []topology.Step, to Address) {
	for _, step := range way[1 : len(way)-1] {
		s := n.switches[step.Node]
		if s.pins == nil {
			s.pins = map[Address]uint16{}
		}
		s.pins[to] = uint16(step.Port)
	}
}
