package fabric

import (
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// A chained run is a serial run ([sim.Serial]) in which each event schedules the next, as
// the queues and pipes of csg-htsim do it: a transmission its end (queue.cpp), that the
// arrival of the frame if the link is empty, and the arrival that of the next frame on the
// link (pipe.cpp). In a switch it is counted at its input and crosses to its output with
// an event of its own (callback_pipe.cpp), after all others of that instant.

// chain is the frame that a link's transmitter is busy with, and the key of the events
// with which frames come to the port the other way.
type chain struct {
	sent    arrival
	awaited uint64
}

// enter puts the frame of which the last bit has left on the link, if it is not lost.
func (e *ends) enter(to *inbox) {
	if e.chain.sent.Frame == 0 {
		return
	}
	if to.data.Len() == 0 {
		e.agenda.Add(e.chain.sent.at, e.to, e.arrives)
	}
	to.data.Push(&e.chain.sent)
	e.chain.sent.Frame = 0
}

// Entering is the packet, if any, that the port is sending in a chained run and that has
// not entered the link; nil otherwise.
func (p *Port) Entering() *wire.Packet {
	if e := p.out.ends; e != nil && e.chain != nil && e.chain.sent.Frame != 0 {
		return &e.chain.sent.Packet
	}
	return nil
}

// Await schedules, in a chained run, the arrival of the next frame in flight to the port,
// after that of the one before it has been handled.
func (p *Port) Await() {
	if e := p.out.ends; e.chain != nil && p.in.data.Len() > 0 {
		e.agenda.Add(p.in.data.Front().at, e.from, e.chain.awaited)
	}
}

// crossing is the frames that have come in, and have not been queued at their outputs.
type crossing struct {
	agenda *sim.Agenda
	frames Queue[crosser]
}

type crosser struct {
	out, priority int
	wire.Packet
}

// joinSerially queues a frame at its output: with an event of its own in a chained run.
func (s *Switch) joinSerially(out, priority int, p *wire.Packet, now units.Time) {
	c := s.crossing
	if c == nil {
		s.enqueue(out, priority, p, now)
		return
	}
	if c.frames.Len() == 0 {
		c.agenda.Add(now, s.node, timerKey(FrameCrosses, 0, 0))
	}
	c.frames.Push(&crosser{out, priority, *p})
}

// cross queues the first of the frames that cross at its output.
func (s *Switch) cross(now units.Time) {
	c := s.crossing
	f := c.frames.Pop()
	s.enqueue(f.out, f.priority, &f.Packet, now)
	if c.frames.Len() > 0 {
		c.agenda.Add(now, s.node, timerKey(FrameCrosses, 0, 0))
	}
}
