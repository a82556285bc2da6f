package fabric

import (
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Forwarding is how a switch passes frames on that nothing holds up: after the
// header bytes, 0 meaning all, and then the pipeline. For [topology.AnySwitch] it is
// the best that any switch does.
func (n *Network) Forwarding(node int) (pipeline units.Time, header int) {
	if node != topology.AnySwitch {
		return n.Pipeline(node), n.Header(node)
	}
	pipeline = units.Never
	for _, sw := range n.Graph.Switches() {
		pipeline = min(pipeline, n.Pipeline(sw))
		if h := n.Header(sw); h > 0 && (header == 0 || h < header) {
			header = h
		}
	}
	return pipeline, header
}

// ForwardingKinds numbers, by node, the switches that forward alike. It is nil if the
// best way through the network does not depend on the switches: all are alike, and
// none cuts through.
func (n *Network) ForwardingKinds() []int {
	type kind struct {
		pipeline units.Time
		header   int
	}
	var known []kind
	kinds := make([]int, len(n.Graph.Nodes))
	for _, sw := range n.Graph.Switches() {
		own := kind{n.Pipeline(sw), n.Header(sw)}
		kinds[sw] = slices.Index(known, own)
		if kinds[sw] < 0 {
			kinds[sw] = len(known)
			known = append(known, own)
		}
	}
	if len(known) == 0 || len(known) == 1 && known[0].header == 0 {
		return nil
	}
	return kinds
}

// CutThrough counts the frames that a switch has passed on before their last bit was
// in, and those that it has stored first. Both are 0 if it stores all.
func (s *Switch) CutThrough() (passed, stored uint64) { return s.passed, s.stored }

// storesFirst decides, when the header of the next frame of a port has come out of
// the pipeline, whether the frame has to come in whole before it is handled, and if
// so puts it off until then. It is handled at once if it can pass through: the
// output is no faster than the input, free, neither paused nor held by a shaper,
// and the frame's queue is empty. Whoever comes after it on that link comes after
// its last bit.
func (s *Switch) storesFirst(port int, now units.Time) bool {
	in := &s.ports[port].in
	head, rest := in.data.Front(), in.rests.Front()
	switch {
	case *rest == 0: // it has been stored, or is all header
		s.stored++
		return false
	case s.passes(port, &head.Packet, now):
		s.passed++
		return false
	}
	head.at += *rest
	*rest = 0
	s.arrivals.Set(port, head.at)
	return true
}

// passes tells whether a frame whose header has come in by a port can go on at once.
func (s *Switch) passes(port int, p *wire.Packet, now units.Time) bool {
	priority, to := int(s.priorityOf[p.DSCP]), s.route(p)
	if to == noRoute {
		return true // it goes no further
	}
	out, bit := &s.ports[to], uint8(1)<<priority
	switch {
	case out.out.rate > s.ports[port].out.rate, out.FreeAt > now, out.Owes():
		return false
	case s.backlog[to]&bit != 0, out.Paused(now)&bit != 0:
		return false
	case s.has&credited != 0 && !out.Affords(priority, units.Bytes(p.Frame), now):
		return false
	}
	return s.has&scheduling == 0 || s.schedulers[to].conforms(priority, units.Bytes(p.Frame), now)
}

// schedule has the scheduler of a port choose among the priorities that are ready,
// and tells it that the choice is sent. If shapers hold all of them the choice is
// -1, and again when the port is to look again.
func (s *Switch) schedule(port int, ready uint8, now units.Time) (priority int, again units.Time) {
	var heads [pfc.Priorities]units.Bytes
	for p := range heads {
		if ready&(1<<p) != 0 {
			heads[p] = units.Bytes(s.front(s.queue(port, p)).Frame)
		}
	}
	priority, again = s.schedulers[port].next(ready, &heads, now)
	if priority >= 0 {
		last := s.queues[s.queue(port, priority)].bytes == heads[priority]
		s.schedulers[port].sent(priority, heads[priority], last, now)
	}
	return priority, again
}

// lastBitLeaves gives back the memory of the frame that a port has sent, now that
// its last bit has left. It tells whether the port has begun to send again, since
// what was given back let it ask for the end of a pause.
func (s *Switch) lastBitLeaves(port int, now units.Time) bool {
	p := s.leaving[port]
	if p.Frame == 0 {
		return false
	}
	s.leaving[port].Frame = 0
	s.release(port, &p, now)
	if s.has&credited != 0 {
		s.freeOnCredit(int(p.Ingress), int(s.priorityOf[p.DSCP]), units.Bytes(p.Frame), now)
	}
	return s.ports[port].FreeAt > now
}
