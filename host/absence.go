package host

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// absence is what a host that is paused puts off until it is back.
type absence struct {
	until  units.Time   // the pause ends, or ended
	ends   []units.Time // of all its pauses, by number
	work   []postponed  // in the order in which it was due
	frames fabric.Queue[wire.Packet]
}

// postponed is an event that a paused host has put off: a timer, a look for something
// to send, or a frame, which is the next of those that wait.
type postponed struct {
	what  work
	timer sim.Timer
	port  int
}

type work uint8

const (
	timerWork work = iota
	sendWork
	frameWork
)

// absent adds a pause to those to come.
func (h *Host) absent(s fabric.Span) {
	h.timers.Add(s.From, fabric.OwnerTimer(fabric.NodePauses, uint64(len(h.absence.ends))))
	h.absence.ends = append(h.absence.ends, s.To)
}

// pause begins a pause, or prolongs one.
func (h *Host) pause(number uint64, now units.Time) {
	end := h.absence.ends[number]
	h.absence.until = max(h.absence.until, end)
	for _, nic := range h.nics {
		nic.Halt(now)
	}
	if end != units.Never {
		h.timers.Add(end, fabric.OwnerTimer(fabric.NodeResumes, 0))
	}
}

// postpone puts off the event that is due now, given the times of the earliest timer
// and transmission. It happens at its own time, so that frames on links are counted as
// they would be otherwise; only its effect comes later.
func (h *Host) postpone(now, timer, send units.Time) {
	a := &h.absence
	switch now {
	case timer:
		t := h.timers.Pop()
		switch kind, id := fabric.TimerKind(t.Key); kind {
		case fabric.NodePauses:
			h.pause(id, now)
		case fabric.NodeResumes: // of a pause that has been prolonged
		default:
			a.work = append(a.work, postponed{what: timerWork, timer: t})
		}
	case send:
		port := h.transmits.First()
		h.transmits.Set(port, units.Never)
		a.work = append(a.work, postponed{what: sendWork, port: port})
	default:
		h.lastArrival = h.arrivals.FirstAfter(h.lastArrival)
		a.frames.Push(h.receive(h.lastArrival))
		a.work = append(a.work, postponed{what: frameWork, port: h.lastArrival})
	}
}

// resume makes up for what was put off.
func (h *Host) resume(now units.Time) {
	a := &h.absence
	for _, nic := range h.nics {
		nic.Resume(now)
	}
	for _, w := range a.work {
		switch w.what {
		case timerWork:
			h.onTimer(w.timer, now)
		case sendWork:
			h.kick(w.port, now)
		case frameWork:
			h.take(w.port, a.frames.Pop(), now)
		}
	}
	a.work = a.work[:0]
}

// waiting counts the data packets that wait for a paused host.
func (a *absence) waiting() (packets uint64) {
	for i := range a.frames.Len() {
		if a.frames.At(i).Op.IsData() {
			packets++
		}
	}
	return packets
}
