package fabric

import (
	"math"
	"math/bits"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// PauseNote is what a switch notes when it asks a peer for a pause: which of its
// output ports kept the packets for which it had no more room. The chain from note
// to note, from switch to switch, leads to the root cause of a pause.
type PauseNote struct {
	// From is when the pause was asked for, To when it was let go; [units.Never] if
	// it has not been.
	From, To units.Time
	// Port is the port by which it was asked for, and by which the packets came in.
	Port int32
	// Egress is the port whose queue held most bytes of the group then, -1 if none
	// held any.
	Egress   int32
	Priority uint8
	// Held tells that the peer of Egress had paused it, if not at that very time then
	// later than it would have taken to send all that waited there: what waited did so
	// for the pause, and not for the wire.
	Held bool
}

// maxNotes bounds the notes of one switch: 2 MB.
const maxNotes = 1 << 16

// pauseNotes are the notes of a switch, in the order of time.
type pauseNotes struct {
	list   []PauseNote
	open   map[int]int // by port and priority: the note of a pause that lasts
	missed uint64      // pauses asked for after the notes were full
}

// note takes down what a PFC frame says that a port has sent.
func (s *Switch) note(port int, m pfc.Message, now units.Time) {
	for set := m.Classes &^ m.Refresh; set != 0; set &= set - 1 {
		priority := bits.TrailingZeros8(set)
		if m.Pause&(1<<priority) != 0 {
			s.notePause(port, priority, now)
		} else {
			s.noteResume(port, priority, now)
		}
	}
}

func (s *Switch) notePause(port, priority int, now units.Time) {
	n := &s.notes
	if len(n.list) == maxNotes {
		n.missed++
		return
	}
	if n.open == nil {
		n.open = map[int]int{}
	}
	n.open[port*pfc.Priorities+priority] = len(n.list)
	egress := s.holder(port, priority)
	n.list = append(n.list, PauseNote{
		From: now, To: units.Never, Port: int32(port), Priority: uint8(priority),
		Egress: int32(egress), Held: egress >= 0 && s.heldAt(egress, priority, now),
	})
}

func (s *Switch) noteResume(port, priority int, now units.Time) {
	if i, noted := s.notes.open[port*pfc.Priorities+priority]; noted {
		s.notes.list[i].To = now
		delete(s.notes.open, port*pfc.Priorities+priority)
	}
}

// sampled is how many packets of a queue are looked at to see whose they are. Of a
// longer queue as many are picked, in runs of neighbours: senders that take turns stand
// side by side, and bursts of one sender apart.
const sampled, neighbours = 64, 8

// holder is the output port whose queue holds most bytes of a priority group, -1 if
// none holds any.
func (s *Switch) holder(port, priority int) int {
	if egress := s.holderBy(sampled, port, priority); egress >= 0 {
		return egress
	}
	return s.holderBy(math.MaxInt, port, priority)
}

// holderBy looks at no more than so many packets of each queue.
func (s *Switch) holderBy(most, port, priority int) (egress int) {
	egress = -1
	var largest units.Bytes
	for out := range s.ports {
		if s.backlog[out]&(1<<priority) == 0 {
			continue
		}
		if held := s.share(s.queue(out, priority), port, most); held > largest {
			egress, largest = out, held
		}
	}
	return egress
}

// share is about how many bytes of a queue came in by a port, by a look at no more
// than so many of its packets.
func (q *egress) share(port, most int) units.Bytes {
	count := q.packets.Len()
	var all, own units.Bytes
	for i := range min(count, most) {
		if count > most {
			i = i/neighbours*(count-neighbours)/(most/neighbours-1) + i%neighbours
		}
		p := q.packets.At(i)
		all += units.Bytes(p.Frame)
		if int(p.Ingress) == port {
			own += units.Bytes(p.Frame)
		}
	}
	return own * q.bytes / max(all, 1)
}

// heldAt tells whether a pause explains what waits in a queue; see [PauseNote.Held].
func (s *Switch) heldAt(port, priority int, now units.Time) bool {
	p, q := &s.ports[port], &s.queues[s.queue(port, priority)]
	at, ever := p.pauser.Latest(priority, now)
	return ever && now-at <= p.out.serialise(int(q.bytes))
}

// PauseNotes are the notes on the pauses that the switch asked for, in the order of
// time, and how many more pauses there were for which it had no more room.
func (s *Switch) PauseNotes() (notes []PauseNote, missed uint64) { return s.notes.list, s.notes.missed }
