package host

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// AuditError says that the books of a run do not balance: an error of the
// model, never of its user.
type AuditError struct{ What string }

// Error says which books, and by how much.
func (e *AuditError) Error() string { return "the books do not balance: " + e.What }

// audit checks at the end of a run what must hold of any run: nothing was lost
// or made on a link or in a switch, every data packet a requester sent was
// received, dropped or is on its way, no wire was busy longer than time passed,
// no flow was faster than it would be alone, and what bound each adds up to its life.
// Nodes without any event have done nothing that could be out of balance, but for what
// has been sent to them.
func (c *Cluster) audit(r *Report) error {
	active := c.Net.Active()
	for _, node := range active {
		if s := c.Net.Switch(int(node)); s != nil {
			if err := s.Audit(); err != nil {
				return &AuditError{c.Net.Graph.Nodes[node].Name + ": " + err.Error()}
			}
		}
		for i, at := range c.Net.Graph.Ports(int(node)) {
			if err := c.auditPort(int(node), i, r); err != nil {
				return err
			}
			if _, is := slices.BinarySearch(active, int32(at.Peer)); is {
				continue
			}
			if err := c.auditPort(at.Peer, at.PeerPort, r); err != nil {
				return err
			}
		}
	}
	if err := c.auditPackets(r); err != nil {
		return err
	}
	if err := c.auditFlows(); err != nil {
		return err
	}
	for _, t := range c.Threads {
		if a, is := t.program.(Auditor); is {
			if err := a.Audit(); err != nil {
				return &AuditError{c.Net.Graph.Nodes[t.host.node].Name + ": " + err.Error()}
			}
		}
	}
	return c.auditLives(r)
}

// Auditor is a [Program] that knows what it cannot have measured.
type Auditor interface {
	// Audit is an error that says what cannot be; it is called when the run has ended.
	Audit() error
}

// auditPort checks the link into a port: what was sent has come or is in flight.
func (c *Cluster) auditPort(node, i int, r *Report) error {
	at := c.Net.Graph.Ports(node)[i]
	here, there := &c.Net.Ports(node)[i], &c.Net.Ports(at.Peer)[at.PeerPort]
	var sent, came uint64
	for p := range pfc.Priorities {
		sent += there.Counters.Class[p].Tx.Packets
		came += here.Counters.Class[p].Rx.Packets
	}
	flying, lost := uint64(here.Flying()), there.Counters.Lost.Packets
	if there.Entering() != nil {
		flying++
	}
	if sent != came+flying+lost {
		return &AuditError{fmt.Sprintf("%s: %d packets were sent to it, %d came, %d were lost, %d are in flight",
			c.Net.Graph.PortName(node, i), sent, came, lost, flying)}
	}
	if err := c.Net.AuditCredits(node, i); err != nil {
		return &AuditError{c.Net.Graph.PortName(node, i) + ": " + err.Error()}
	}
	if err := c.auditRate(here, c.Net.Graph.Links[at.Link].Rate, r.Now); err != nil {
		return &AuditError{c.Net.Graph.PortName(node, i) + err.Error()}
	}
	if busy := here.Busy; busy > r.Now+here.Overhang(r.Now) {
		return &AuditError{fmt.Sprintf("%s was busy for %v of %v", c.Net.Graph.PortName(node, i), busy, r.Now)}
	}
	return nil
}

// auditRate checks that a port has not sent more than its wire can carry: the bytes of all packets, with what is between them, by
// the rate of its link, which a fault may have made less for a while. Each packet's time is a whole number of picoseconds, or nanoseconds in another simulator's arithmetic.
func (c *Cluster) auditRate(p *fabric.Port, rate units.Rate, now units.Time) error {
	var sent fabric.ClassCount
	for class := range p.Counters.Class {
		sent.Packets += p.Counters.Class[class].Tx.Packets
		sent.Bytes += p.Counters.Class[class].Tx.Bytes
	}
	onWire := sent.Bytes + sent.Packets*uint64(c.NIC.Framing.Interframe())
	rounding := units.Time(sent.Packets)
	if f := c.NIC.Framing; f != nil && f.WholeNanoseconds {
		rounding *= units.Nanosecond
	}
	over := p.Overhang(now)
	if p.FreeAt == units.Never { // another simulator's arithmetic says only when the packet is away
		_, full := c.NIC.Cut(rnic.Class{}).Full()
		over = rate.Serialise(int(full))
	}
	if least := rate.Serialise(int(onWire)); least != units.Never && least > now+over+rounding {
		return fmt.Errorf(" sent %d bytes on the wire in %v, for which it takes %v", onWire, now, least)
	}
	return nil
}

// auditPackets checks the data packets of all queue pairs together.
func (c *Cluster) auditPackets(r *Report) error {
	var sent, received, taken, waiting uint64
	for h := range c.activeHosts() {
		waiting += h.absence.waiting()
		if k := h.stack; k != nil {
			sent += k.sent
			received += k.received + k.dropped
			taken += k.inside()
		}
		for _, n := range h.nics {
			taken += n.TakenIn()
			received += n.Discarded
			management, _ := n.Management()
			sent += management.Sent
			received += management.Received
			for i := range n.QueuePairs() {
				qp := &n.QueuePairs()[i]
				sent += qp.Sent().Packets
				got := qp.Received()
				received += got.Packets + got.Duplicates + got.OutOfSequence
				if v := qp.Verbs(); v != nil {
					sent += v.Counted.Responses
					received += v.Counted.Answers + v.Counted.StaleAnswers
				}
			}
		}
	}
	dropped, underWay := c.Net.DataPackets()
	underWay += taken + waiting
	if sent != received+dropped+underWay {
		return &AuditError{fmt.Sprintf("%d data packets were sent, %d received, %d dropped, %d are under way",
			sent, received, dropped, underWay)}
	}
	return nil
}

// auditFlows checks that no flow beat its ideal.
func (c *Cluster) auditFlows() error {
	for flow, f := range c.Flows {
		t := c.Transfer(flow)
		if !t.Done() || t.Status != rnic.Success {
			continue
		}
		if _, ideal := c.Ideal(flow); t.End-f.Start < ideal {
			return &AuditError{fmt.Sprintf("flow %d from %s to %s took %v, less than its ideal of %v",
				flow, c.name(f.Src), c.name(f.Dst), t.End-f.Start, ideal)}
		}
	}
	return nil
}

// auditLives checks that what bound each flow adds up to its life, to the picosecond.
func (c *Cluster) auditLives(r *Report) error {
	for flow, f := range c.Flows {
		t := c.Transfer(flow)
		end := r.Now
		if t.Done() {
			end = t.End
		}
		var least, life units.Time
		if t.Open >= 0 {
			life = end - f.Start
		}
		bounds := c.Bounds(flow, r.Now)
		for _, b := range bounds {
			least = min(least, b)
		}
		if sum := bounds.Total(); sum != life || least < 0 {
			return &AuditError{fmt.Sprintf("flow %d from %s to %s lived for %v, of which %v is accounted for (%v)",
				flow, c.name(f.Src), c.name(f.Dst), life, sum, bounds)}
		}
	}
	return nil
}
