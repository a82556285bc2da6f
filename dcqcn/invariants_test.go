package dcqcn_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// happening is something that happens to a QP.
type happening struct {
	after units.Time // since the one before
	what  string
	bytes units.Bytes
}

// life draws what happens to a QP. Times are drawn from few values, most of them periods of the machines, so that
// things often fall on the same instant.
func life(t *rapid.T) []happening {
	gaps := []units.Time{0, 1, 1 * ns, 1 * us, 4 * us, 4001 * ns, 50 * us, 55 * us, 300 * us, 1 * ms, 40 * ms}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) happening {
		return happening{
			after: rapid.SampledFrom(gaps).Draw(t, "after"),
			what:  rapid.SampledFrom([]string{"cnp", "cnp", "send", "ack", "loss", "nothing"}).Draw(t, "what"),
			bytes: units.Bytes(rapid.Int64Range(1, 30e6).Draw(t, "bytes")),
		}
	}), 1, 200).Draw(t, "life")
}

// meet makes the call that h asks for.
func (q *qp) meet(now units.Time, h happening) {
	switch h.what {
	case "cnp":
		q.pace = q.OnCNP(now)
	case "send":
		q.pace = q.OnSend(now, h.bytes)
	case "ack":
		q.pace = q.OnAck(now, &cc.Ack{Acked: h.bytes, CE: true})
	case "loss":
		q.pace = q.OnLoss(now, cc.Timeout)
	}
}

// check calls property for random lives of a QP of each profile, once for each happening.
func check(t *testing.T, property func(t *rapid.T, params *dcqcn.Config) func(now units.Time, h happening)) {
	everyProfile(t, func(t *testing.T, params func() *dcqcn.Config) {
		rapid.Check(t, func(t *rapid.T) {
			step, now := property(t, params()), units.Time(0)
			for _, h := range life(t) {
				now += h.after
				step(now, h)
			}
		})
	})
}

func TestPaceStaysWithinItsBounds(t *testing.T) {
	check(t, func(t *rapid.T, params *dcqcn.Config) func(units.Time, happening) {
		q := newQP(params)
		return func(now units.Time, h happening) {
			q.until(now)
			q.meet(now, h)
			s := q.State(now)
			switch p := q.pace; {
			case p.Rate < params.MinRate || p.Rate > line100G.Rate:
				t.Fatalf("at %v: rate %v", now, p.Rate)
			case p.Timer <= now:
				t.Fatalf("at %v: timer at %v", now, p.Timer)
			case p.Bytes < 0 || p.Window != 0:
				t.Fatalf("at %v: pace %+v", now, p)
			case s.Alpha < 0 || s.Alpha > 1:
				t.Fatalf("at %v: alpha %v", now, s.Alpha)
			case s.Target < s.Rate || s.Target > line100G.Rate:
				t.Fatalf("at %v: current rate %v, target rate %v", now, s.Rate, s.Target)
			}
		}
	})
}

// A run gives the same bits whether or not a series of rates was recorded.
func TestLookingAtAQPDoesNotChangeIt(t *testing.T) {
	check(t, func(t *rapid.T, params *dcqcn.Config) func(units.Time, happening) {
		alone, watched := newQP(params), newQP(params)
		last := units.Time(0)
		return func(now units.Time, h happening) {
			watched.State(last + (now-last)/3)
			watched.State(now) // before timers of the same time
			alone.until(now)
			watched.until(now)
			watched.State(now)
			alone.meet(now, h)
			watched.meet(now, h)
			if alone.pace != watched.pace {
				t.Fatalf("at %v: pace %+v, watched %+v", now, alone.pace, watched.pace)
			}
			if got, want := watched.State(now), alone.State(now); got != want {
				t.Fatalf("at %v: state %+v, watched %+v", now, want, got)
			}
			last = now
		}
	})
}

// A QP with nothing to send may let its timers pass and make up for them at its next call; its state does not show it.
func TestTimersMayBeMadeUpForLater(t *testing.T) {
	check(t, func(t *rapid.T, params *dcqcn.Config) func(units.Time, happening) {
		punctual, late := newQP(params), newQP(params)
		return func(now units.Time, h happening) {
			punctual.until(now)
			punctual.meet(now, h)
			late.meet(now, h)
			if h.what != "nothing" && punctual.pace != late.pace {
				t.Fatalf("at %v: pace %+v, late %+v", now, punctual.pace, late.pace)
			}
			if want, got := punctual.State(now), late.State(now); got != want {
				t.Fatalf("at %v: state %+v, late %+v", now, want, got)
			}
		}
	})
}

// Acknowledgements and losses are no business of DCQCN.
func TestOnlyCNPsAndBytesMoveTheRate(t *testing.T) {
	check(t, func(t *rapid.T, params *dcqcn.Config) func(units.Time, happening) {
		all, some := newQP(params), newQP(params)
		return func(now units.Time, h happening) {
			all.until(now)
			some.until(now)
			all.meet(now, h)
			if h.what == "cnp" || h.what == "send" {
				some.meet(now, h)
			}
			if all.pace != some.pace {
				t.Fatalf("at %v: pace %+v, without ACKs and losses %+v", now, all.pace, some.pace)
			}
		}
	})
}
