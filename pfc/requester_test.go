package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"pgregory.net/rapid"
)

func TestAPauseIsAskedForOnce(t *testing.T) {
	var r pfc.Requester
	if !r.XOFF(3) || r.XOFF(3) {
		t.Error("only the first wish of two is news")
	}
	if got, want := r.Take(), (pfc.Message{Classes: 1 << 3, Pause: 1 << 3}); got != want {
		t.Errorf("message %+v, want %+v", got, want)
	}
	if r.Pending() != 0 {
		t.Errorf("pending %08b after the peer was told", r.Pending())
	}
}

func TestOneFrameSpeaksOfAllClasses(t *testing.T) {
	var r pfc.Requester
	r.XOFF(4)
	r.Take()
	r.XOFF(3)
	r.XON(4)
	r.XOFF(7)
	want := pfc.Message{Classes: 1<<3 | 1<<4 | 1<<7, Pause: 1<<3 | 1<<7}
	if got := r.Take(); got != want {
		t.Errorf("message %+v, want %+v", got, want)
	}
}

func TestAWishWithdrawnInTimeIsNeverSent(t *testing.T) {
	var r pfc.Requester
	r.XOFF(3)
	r.XON(3)
	if r.Pending() != 0 {
		t.Errorf("a pause that nobody was told of is ended: pending %08b", r.Pending())
	}
}

func TestAPauseIsRepeatedWhileItIsWanted(t *testing.T) {
	var r pfc.Requester
	if r.XOFF(3); r.Refresh(3) {
		t.Error("a pause of which the peer does not know yet is repeated")
	}
	r.Take()
	if !r.Refresh(3) {
		t.Error("a pause that lasts is not repeated")
	}
	if got, want := r.Take(), (pfc.Message{Classes: 1 << 3, Pause: 1 << 3, Refresh: 1 << 3}); got != want {
		t.Errorf("message %+v, want %+v", got, want)
	}
	r.XON(3)
	r.Take()
	if r.Refresh(3) {
		t.Error("a pause that was ended is repeated")
	}
}

// The repetition comes due while a resume waits for the wire; the resume is
// withdrawn. Without the repetition the peer's pause would run out.
func TestAWithdrawnResumeKeepsTheRepetition(t *testing.T) {
	var r pfc.Requester
	r.XOFF(3)
	r.Take()
	r.XON(3)
	r.Refresh(3)
	r.XOFF(3)
	if got, want := r.Take(), (pfc.Message{Classes: 1 << 3, Pause: 1 << 3, Refresh: 1 << 3}); got != want {
		t.Errorf("message %+v, want %+v", got, want)
	}
	// Had it not been withdrawn, the resume alone would have been sent.
	r.XON(3)
	r.Refresh(3)
	if got, want := r.Take(), (pfc.Message{Classes: 1 << 3}); got != want {
		t.Errorf("message %+v, want %+v", got, want)
	}
}

// Whatever is asked for and whenever a frame can be sent, the peer ends up knowing
// what is wanted, and no frame tells it what it knows but as a repetition.
func TestThePeerKnowsWhatIsWanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r pfc.Requester
		var want, knows uint8
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			class := rapid.IntRange(0, 7).Draw(t, "class")
			bit := uint8(1) << class
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				r.XOFF(class)
				want |= bit
			case 1:
				r.XON(class)
				want &^= bit
			case 2:
				r.Refresh(class)
			case 3:
				m := r.Take()
				if told := m.Pause &^ m.Refresh & knows; told != 0 {
					t.Fatalf("told of pauses it knew: %08b", told)
				}
				if resumed := m.Classes &^ m.Pause &^ knows; resumed != 0 {
					t.Fatalf("resumed what was not paused: %08b", resumed)
				}
				if knows = knows&^m.Classes | m.Pause; knows != want {
					t.Fatalf("knows %08b, wanted %08b", knows, want)
				}
			}
			if r.Wants(class) != (want&bit != 0) {
				t.Fatalf("class %d wanted: %v", class, r.Wants(class))
			}
		}
	})
}
