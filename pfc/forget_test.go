package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// When the link goes down both pauses end, the one without expiry too, and count up to
// then; one that had run out before ended when it did.
func TestALinkThatGoesDownEndsAllPauses(t *testing.T) {
	var p pfc.Pauser
	p.Record()
	p.Pause(1, 0, 50)
	p.Pause(3, 10, units.Never)
	p.Pause(4, 20, 500)
	p.Clear(100)
	if got := p.Mask(100); got != 0 {
		t.Errorf("classes %b still paused", got)
	}
	for class, want := range map[int]units.Time{1: 50, 3: 90, 4: 80} {
		if got := p.Total(class, 1000); got != want {
			t.Errorf("class %d was paused for %v, want %v", class, got, want)
		}
	}
	if log := p.Recorded(); len(log) != 3 {
		t.Errorf("logged %v, want three pauses", log)
	}
}

// What is wanted is said again to a peer that has forgotten, as a pause that begins; what
// is not wanted any more need not be taken back.
func TestAPeerThatHasForgottenIsToldAgain(t *testing.T) {
	var r pfc.Requester
	r.XOFF(3)
	r.XOFF(4)
	r.Take()
	r.Refresh(3)
	r.XON(4)
	r.Forget()
	if got, want := r.Take(), (pfc.Message{Classes: 1 << 3, Pause: 1 << 3}); got != want {
		t.Errorf("said %+v, want %+v", got, want)
	}
	if r.Pending() != 0 {
		t.Errorf("%b is still to be said", r.Pending())
	}
}
