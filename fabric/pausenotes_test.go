package fabric

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// fill puts frames of 1000 B of priority 3 into a queue, one from each of the ingress
// ports in turn.
func fill(s *Switch, out, frames int, ingress ...int) {
	q := &s.queues[out*s.lanes+int(s.lane[3])]
	for i := range frames {
		q.packets.Push(&wire.Packet{Frame: 1000, DSCP: 26, Ingress: uint16(ingress[i%len(ingress)])})
		q.bytes += 1000
	}
	s.backlog[out] |= 1 << 3
}

// asks has a port ask for a pause of priority 3, and gives the note of it.
func asks(s *Switch, port int, now units.Time) PauseNote {
	s.note(port, pfc.Message{Classes: 1 << 3, Pause: 1 << 3}, now)
	notes, _ := s.PauseNotes()
	return notes[len(notes)-1]
}

// The queue that matters is the one that holds most of the group's own bytes, be
// another one longer.
func TestAPauseIsPutDownToTheQueueThatHoldsMostOfItsGroup(t *testing.T) {
	s := star(t, 6, func(*Config) {}).Switch(6)
	fill(s, 1, 20, 0, 5)  // 10 frames of port 0
	fill(s, 2, 100, 4, 5) // none
	fill(s, 3, 12, 0)     // 12
	if note := asks(s, 0, 7); note.Egress != 3 || note.Port != 0 || note.Priority != 3 || note.From != 7 || note.To != units.Never || note.Held {
		t.Errorf("note %+v", note)
	}
	if note := asks(s, 4, 8); note.Egress != 2 {
		t.Errorf("note %+v", note)
	}
}

// Of a long queue some packets are looked at. They are not in step with senders that
// take turns: seven in seven find about a seventh each.
func TestSampledSharesAreNotInStepWithSendersThatTakeTurns(t *testing.T) {
	s := star(t, 9, func(*Config) {}).Switch(9)
	for _, frames := range []int{430, 1000, 4097} {
		q := &egress{}
		s.queues[8*s.lanes] = *q
		fill(s, 8, frames, 0, 1, 2, 3, 4, 5, 6)
		for port := range 7 {
			share := float64(s.queues[8*s.lanes].share(port, sampled)) / float64(1000*frames)
			if share < 0.04 || share > 0.29 {
				t.Errorf("port %d holds a seventh of %d frames, the sample says %.2f", port, frames, share)
			}
		}
	}
}

// A group that holds one frame of a long queue is found there all the same.
func TestTheOnlyFrameOfAGroupIsFound(t *testing.T) {
	s := star(t, 4, func(*Config) {}).Switch(4)
	fill(s, 1, 500, 2)
	fill(s, 1, 1, 0)
	fill(s, 1, 500, 2)
	if note := asks(s, 0, 0); note.Egress != 1 {
		t.Errorf("note %+v", note)
	}
}

// A queue of 10 frames takes 800 ns at 100 Gb/s. What waits there at the end of a pause
// is put down to the pause for as long, and then to the link.
func TestABacklogIsPutDownToAPauseForAsLongAsItTakesToSend(t *testing.T) {
	s := star(t, 3, func(*Config) {}).Switch(3)
	fill(s, 1, 10, 0)
	if asks(s, 0, 0).Held {
		t.Error("held by a pause that never was")
	}
	s.ports[1].pauser.Pause(3, 1000, 50_000)
	for _, at := range []struct {
		now  units.Time
		held bool
	}{{1000, true}, {49_999, true}, {50_000, true}, {850_000, true}, {850_001, false}} {
		if got := s.heldAt(1, 3, at.now); got != at.held {
			t.Errorf("at %v held: %v, want %v", at.now, got, at.held)
		}
	}
}

// A note ends with the XON, a refresh changes nothing, and a pause that begins anew is
// another one.
func TestANoteLastsFromXOFFToXON(t *testing.T) {
	s := star(t, 3, func(*Config) {}).Switch(3)
	asks(s, 0, 10)
	s.note(0, pfc.Message{Classes: 1 << 3, Pause: 1 << 3, Refresh: 1 << 3}, 20)
	s.note(0, pfc.Message{Classes: 1 << 3}, 30)
	asks(s, 0, 40)
	notes, missed := s.PauseNotes()
	if len(notes) != 2 || notes[0].From != 10 || notes[0].To != 30 || notes[1].From != 40 || notes[1].To != units.Never || missed != 0 {
		t.Errorf("notes %+v, %d missed", notes, missed)
	}
}

// A switch takes so many notes and counts the rest.
func TestNotesAreBounded(t *testing.T) {
	s := star(t, 3, func(*Config) {}).Switch(3)
	for i := range maxNotes + 3 {
		asks(s, 0, units.Time(2*i))
		s.note(0, pfc.Message{Classes: 1 << 3}, units.Time(2*i+1))
	}
	if notes, missed := s.PauseNotes(); len(notes) != maxNotes || missed != 3 || notes[maxNotes-1].To != 2*maxNotes-1 {
		t.Errorf("%d notes, %d missed, the last %+v", len(notes), missed, notes[len(notes)-1])
	}
}
