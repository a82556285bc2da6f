package rnic

import "github.com/rdmasim/rdmasim/sim/units"

// NoteAt has the NIC note, when the time comes, how much payload of flows it has received
// in order until then. It is to be called before the run, in the order of times.
func (n *NIC) NoteAt(at units.Time) { n.timer(noteTimer, at, 0) }

// Notes are what the NIC noted, in the order of times; those whose time did not
// come are missing.
func (n *NIC) Notes() []units.Bytes { return n.notes }

// Intake is the payload that the NIC has received in order, over all queue pairs.
func (n *NIC) Intake() (payload units.Bytes) {
	for i := range n.qps {
		payload += units.Bytes(n.qps[i].received.Payload)
	}
	return payload
}

// IntakeOfFlows is that of the queue pairs of flows, without those of programs.
func (n *NIC) IntakeOfFlows() (payload units.Bytes) {
	for i := range n.qps {
		if n.qps[i].verbs == nil {
			payload += units.Bytes(n.qps[i].received.Payload)
		}
	}
	return payload
}
