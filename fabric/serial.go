package fabric

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// A serial run ([sim.Serial]) has the same switches, ports and links, but their events
// lie in one agenda: for every frame that its last bit leaves and that it arrives, in
// the order in which other simulators schedule the two. A port whose transmitter is
// busy is free again with the event, and not with the time: what happens at the same
// instant before it still finds the port busy.

// ends is what a link knows of its two ends in a serial run.
type ends struct {
	agenda                *sim.Agenda
	from, to              int // nodes
	free, arrives, obeyed uint64
	chain                 *chain // nil if arrivals are scheduled with the transmission
}

// post puts a packet in flight whose last bit leaves at end.
func (e *ends) post(to *inbox, end, at units.Time, p *wire.Packet) {
	e.agenda.Add(end, e.from, e.free)
	if e.chain != nil {
		e.chain.sent = arrival{at, *p}
		return
	}
	to.data.Push(&arrival{at, *p})
	e.agenda.Add(at, e.to, e.arrives)
}

// postPFC puts a pause frame in flight.
func (e *ends) postPFC(to *inbox, end, at units.Time, f *wire.PFC) {
	if e.chain == nil {
		e.agenda.Add(end, e.from, e.free)
	}
	to.pauses.Push(&pauseArrival{at, *f})
	e.agenda.Add(at, e.to, e.obeyed)
}

// ConnectSerially tells the links that events go into an agenda.
func (n *Network) ConnectSerially(agenda *sim.Agenda) {
	nowhere := new(mailbox)
	for node := range n.ports {
		for i, at := range n.Graph.Ports(node) {
			p := &n.ports[node][i]
			p.out.box = nowhere
			p.out.ends = &ends{
				agenda: agenda, from: node, to: at.Peer,
				free:    timerKey(TransmitterFree, i, 0),
				arrives: timerKey(FrameArrives, at.PeerPort, 0),
				obeyed:  timerKey(PauseArrives, at.PeerPort, 0),
			}
			if n.Config.Chained {
				p.out.ends.chain = &chain{awaited: timerKey(FrameArrives, i, 0)}
			}
		}
		if s := n.switches[node]; s != nil {
			s.has |= serially
			if n.Config.SharedCoins != nil {
				s.owed = make([]Queue[pfc.Message], len(s.ports))
			}
			if n.Config.Chained {
				s.crossing = &crossing{agenda: agenda}
			}
			s.timers.Divert(agenda, node, nil)
		}
	}
}

// Occupy notes in a serial run that the transmitter is busy with what has just been
// sent, until [Port.Release].
func (p *Port) Occupy() { p.FreeAt = units.Never }

// Release notes that its event has come.
func (p *Port) Release(now units.Time) {
	p.FreeAt = now
	if e := p.out.ends; e.chain != nil {
		e.enter(p.out.to)
	}
}

// Handle implements [sim.Handler].
func (s *Switch) Handle(key uint64, now units.Time) {
	s.awake.Say()
	s.events++
	if s.probe != nil {
		s.probe.before(now, s)
	}
	kind, id := TimerKind(key)
	port, _ := TimerPort(id)
	switch kind {
	case FrameArrives:
		s.arrive(port, now)
		s.ports[port].Await()
	case FrameCrosses:
		s.cross(now)
	case TransmitterFree:
		if s.has&holding != 0 {
			s.lastBitLeaves(port, now)
		}
		s.ports[port].Release(now)
		s.transmit(port, now)
	default:
		s.onTimer(sim.Timer{At: now, Key: key})
	}
}

// transmitSerially sends what a port is to send now, if it is free. The buffer is
// given back, and the upstream resumed, before the frame that leaves is scheduled.
func (s *Switch) transmitSerially(port int, now units.Time) {
	out := &s.ports[port]
	if out.FreeAt > now {
		return
	}
	if s.owed != nil && s.owed[port].Len() > 0 {
		m := *s.owed[port].Pop()
		out.say(m, now)
		s.note(port, m, now)
		out.Occupy()
		return
	}
	if out.Requester.Pending() != 0 {
		s.note(port, out.TransmitPFC(now), now)
		out.Occupy()
		return
	}
	ready := s.backlog[port] &^ out.Paused(now)
	if ready == 0 {
		return
	}
	priority := bits.Len8(ready) - 1
	p := s.dequeue(port, priority, now)
	if s.has&holding == 0 {
		s.release(port, p, now)
	}
	out.Transmit(now, p, int(s.priorityOf[p.DSCP]))
	if s.has&holding != 0 {
		s.leaving[port] = *p
	}
	s.hops++
	out.Occupy()
}

// transmitsOtherwise has a port send as in a serial run, or gives the memory back of the
// frame whose last bit has left. It tells whether the port can send nothing more now.
func (s *Switch) transmitsOtherwise(port int, now units.Time) (over bool) {
	if s.has&serially != 0 {
		s.transmitSerially(port, now)
		return true
	}
	return s.lastBitLeaves(port, now) || s.has&credited != 0 && s.speaksOrHolds(port, now)
}
