package dcqcn_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestFirstMarkIsAnsweredAndThenOneInEachInterval(t *testing.T) {
	var n dcqcn.Notifier
	for _, tc := range []struct {
		at   units.Time
		want bool
	}{
		{0, true}, {1, false}, {50*us - 1, false}, {50 * us, true}, {99 * us, false}, {300 * us, true}, {301 * us, false},
	} {
		if got := n.OnCE(tc.at, 50*us); got != tc.want {
			t.Errorf("mark at %v: CNP %v, want %v", tc.at, got, tc.want)
		}
	}
}

func TestWithoutAnIntervalEachMarkIsAnswered(t *testing.T) {
	var n dcqcn.Notifier
	for range 3 {
		if !n.OnCE(5*us, 0) {
			t.Error("mark not answered")
		}
	}
}

// QPs have notification points of their own: a CNP for one does not hold back that of another.
func TestIntervalIsPerQP(t *testing.T) {
	var a, b dcqcn.Notifier
	if !a.OnCE(1*us, 50*us) || !b.OnCE(2*us, 50*us) {
		t.Error("the first mark of each QP must be answered")
	}
}
