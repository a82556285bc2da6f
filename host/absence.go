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

// postponed is an event that a paused host has put off: a timer, or the next of the
// frames that wait, which came by that port.
type postponed struct {
	timer sim.Timer
	port  int
	frame bool
}

// absent adds a pause to those to come.
func (h *Host) absent(s fabric.Span) {
	h.timers.Add(s.From, fabric.OwnerTimer(fabric.NodePauses, uint64(len(h.absence.ends))))
	h.absence.ends = append(h.absence.ends, s.To)
}

// pause begins a pause, or prolongs one.
func (h *Host) pause(number uint64, now units.Time) {
	end := h.absence.ends[number]
	h.absence.until = max(h.absence.until, end)
	if end != units.Never {
		h.timers.Add(end, fabric.OwnerTimer(fabric.NodeResumes, 0))
	}
	for _, nic := range h.nics {
		nic.Halt(now)
	}
}

// postpone puts off the effect of the event that is due now, given the times of the
// earliest timer and transmission. The event itself happens at its time, so that what is
// on links is counted as ever; and the ports go on speaking PFC, which needs no host.
func (h *Host) postpone(now, timer, send units.Time) {
	switch now {
	case timer:
		h.postponeTimer(h.timers.Pop())
	case send:
		port := h.transmits.First()
		h.transmits.Set(port, units.Never)
		h.speak(port, now)
	default:
		h.lastArrival = h.arrivals.FirstAfter(h.lastArrival)
		h.postponeFrame(h.lastArrival, now)
	}
}

func (h *Host) postponeTimer(t sim.Timer) {
	switch kind, id := fabric.TimerKind(t.Key); {
	case kind >= fabric.OwnerTimers:
		h.absence.work = append(h.absence.work, postponed{timer: t})
	case kind == fabric.NodePauses:
		h.pause(id, t.At)
	case kind == fabric.NodeResumes: // of a pause that has been prolonged
	default:
		h.speak(h.onPortTimer(kind, id, t.At), t.At)
	}
}

// postponeFrame keeps a frame: in the receive buffer of its NIC, if that has one, or else
// in a line that has no end.
func (h *Host) postponeFrame(port int, now units.Time) {
	p, priority := h.receive(port, now)
	if nic := h.nics[port]; nic.Limited() {
		nic.Take(p, priority, now)
		h.speak(port, now)
		return
	}
	h.absence.frames.Push(p)
	h.absence.work = append(h.absence.work, postponed{port: port, frame: true})
}

// speak has a port send the PFC frame that it owes its peer, if it can, or wakes it when
// it can.
func (h *Host) speak(port int, now units.Time) {
	p := &h.ports[port]
	switch {
	case !p.Owes():
	case p.FreeAt <= now:
		p.Speak(now)
	default:
		h.transmits.Set(port, p.FreeAt)
	}
}

// resume makes up for what was put off.
func (h *Host) resume(now units.Time) {
	for _, nic := range h.nics {
		nic.Resume(now)
	}
	a := &h.absence
	for _, w := range a.work {
		if w.frame {
			p := a.frames.Pop()
			h.hand(w.port, p, int(h.priorityOf[p.DSCP]), now)
		} else {
			kind, id := fabric.TimerKind(w.timer.Key)
			h.onNICTimer(kind, id, now)
		}
	}
	a.work = a.work[:0]
	for port := range h.ports {
		h.kick(port, now)
	}
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
