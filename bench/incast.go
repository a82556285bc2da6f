package bench

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// incast is a fat-tree of k ports a switch in which so many hosts send to one: pauses,
// marks and notifications all the time, and few hosts at work.
func incast(name string, k, senders int, size units.Bytes) Case {
	const mtu = 4096
	return Case{
		Name: name, Doc: "many hosts of a fat-tree send to one at once: pauses, marks and notifications",
		Hosts: fatTreeHosts(k), Flow: size.String(), MTU: mtu,
		Setup: func() (*Setup, error) {
			s, err := newSetup(fatTree(k, linkDelay, linkDelay), mtu)
			if err != nil {
				return nil, err
			}
			return s, s.add("incast", &workloads.Incast{To: "h0", FanIn: senders, Transfer: transfer(size)})
		},
	}
}
