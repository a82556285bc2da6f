package dcqcn_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// pow returns x^n by repeated multiplication, as the machine does.
func pow(x float64, n int) float64 {
	y := 1.
	for range n {
		y *= x
	}
	return y
}

const keep = 255. / 256 // 1−g of the profile scaled

// The first CNP starts the clocks; the first look is 4.001 us later, after four updates of α without another CNP.
func TestFirstCNPIsActedOnAtTheFirstLook(t *testing.T) {
	q := newQP(dcqcn.Scaled())
	q.cnp(0)
	if want := 4*us + 1*ns; q.pace.Timer != want {
		t.Fatalf("timer at %v, want %v", q.pace.Timer, want)
	}
	q.expectRates(t, 4*us, 100, 100)
	q.expectAlpha(t, 4*us, .984466, 5e-7)
	q.expectRates(t, 4001*ns, 100*(1-pow(keep, 4)/2), 100)
	if got := q.pace.Rate.Gbps(); math.Abs(got-50.7767) > 5e-5 {
		t.Errorf("rate after the cut %v Gb/s, want 50.7767", got)
	}
}

// CNPs between two looks make one cut; looks stay on the grid of the first; without a CNP they do nothing.
func TestAtMostOneCutInAPeriod(t *testing.T) {
	q := newQP(dcqcn.Scaled())
	for _, at := range []units.Time{0, 1 * us, 2 * us, 3 * us} {
		q.cnp(at)
	}
	q.until(20 * us)
	if got := q.State(20 * us).Cuts; got != 1 {
		t.Errorf("%d cuts for the CNPs of one period, want 1", got)
	}
	q.cnp(21 * us)
	if want := 24*us + 1*ns; q.pace.Timer != want {
		t.Errorf("CNP at 21us is acted on at %v, want %v", q.pace.Timer, want)
	}
}

// A CNP at the very time of a look comes too late for it: the look is over.
func TestCNPAtTheTimeOfALookWaitsForTheNext(t *testing.T) {
	q := newQP(dcqcn.Scaled())
	q.cnp(0)
	q.cnp(8*us + 1*ns)
	if want := 12*us + 1*ns; q.pace.Timer != want {
		t.Errorf("acted on at %v, want %v", q.pace.Timer, want)
	}
}

// Each update of α raises it by g·(1−α) if a CNP came since the last, and lets it decay if not. The first CNP gives α its
// initial value and counts no further.
func TestAlphaFollowsTheShareOfPeriodsWithACNP(t *testing.T) {
	const g = 1. / 256
	q := newQP(dcqcn.Scaled())
	q.cnp(0)
	q.cnp(1500 * ns) // in the second period
	want := keep     // 1 us
	q.expectAlpha(t, 1*us, want, 0)
	want = keep*want + g // 2 us
	q.expectAlpha(t, 2*us, want, 0)
	want = keep * want // 3 us
	q.expectAlpha(t, 3*us, want, 0)
}

// Cuts in a row, with nothing regained in between, keep the target of the first; one after a step of the timer sets it.
func TestTargetRateFollowsOnlyAfterAnIncrease(t *testing.T) {
	first := 100 * (1 - pow(keep, 4)/2)
	for _, tc := range []struct {
		name          string
		clamp, byTime bool
		secondCNP     units.Time
		target        float64
	}{
		{"at the second look, flags as shipped", false, true, 5 * us, 100},
		{"at the second look, clamp_tgt_rate", true, true, 5 * us, first},
		{"after a step of the timer, flags as shipped", false, true, 305 * us, (first + 100) / 2},
		{"after a step of the timer, which does not count", false, false, 305 * us, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := newQP(with(dcqcn.Scaled(), func(c *dcqcn.Config) {
				c.ClampTarget, c.ClampTargetAfterTime = tc.clamp, tc.byTime
			}))
			q.cnp(0)
			q.cnp(tc.secondCNP)
			look := q.pace.Timer
			q.until(look)
			s := q.State(look)
			if s.Cuts != 2 {
				t.Fatalf("%d cuts, want 2", s.Cuts)
			}
			expectGbps(t, look, "target rate", s.Target, tc.target)
		})
	}
}

// A step by bytes always counts as an increase, whatever clamp_tgt_rate_after_time_inc says.
func TestTargetRateFollowsAfterAnIncreaseByBytes(t *testing.T) {
	q := newQP(with(dcqcn.Firmware(), func(c *dcqcn.Config) { c.ClampTargetAfterTime = false }))
	q.cnp(0)
	q.send(4*us, 32767) // free yet: not counted
	q.send(4*us+1, 32767)
	regained := q.pace.Rate
	q.cnp(4*us + 2)
	q.until(8 * us)
	expectGbps(t, 8*us, "target rate", q.State(8*us).Target, float64(regained)/1e9)
}

// Without a byte counter the timer's stage stands for both. With F = 1: fast recovery, additive, then hyper increase by the
// same step each time. R_AI and R_HAI are 20 and 200 Mb/s at 100 Gb/s.
func TestScaledRecoversByTimerAlone(t *testing.T) {
	q := newQP(with(dcqcn.Scaled(), func(c *dcqcn.Config) { c.ClampTarget = true }))
	q.cnp(0)
	q.cnp(5 * us) // at the second look, 8.001 us: target 50.7767
	q.until(8001 * ns)
	s := q.State(8001 * ns)
	current, target := float64(s.Rate)/1e9, float64(s.Target)/1e9
	for i, raise := range []float64{0, .02, .2, .2} {
		target += raise
		current = (current + target) / 2
		q.expectRates(t, 8001*ns+units.Time(i+1)*300*us, current, target)
	}
}

// At 400 Gb/s the steps of the profile scaled are 16 times those of a line of 25 Gb/s, unless they are given as rates.
func TestStepsScaleWithTheLineUnlessGiven(t *testing.T) {
	for _, tc := range []struct {
		name string
		give units.Rate
		want units.Rate
	}{
		{"5 Mb/s for each 25 Gb/s", 0, 80 * units.Mbps},
		{"given", 7 * units.Mbps, 7 * units.Mbps},
	} {
		t.Run(tc.name, func(t *testing.T) {
			params := with(dcqcn.Scaled(), func(c *dcqcn.Config) { c.RAI, c.ClampTarget = tc.give, true })
			line := line100G
			line.Rate = 400 * units.Gbps
			q := &qp{Controller: params.New(line)}
			q.cnp(0)
			q.cnp(5 * us)
			q.until(600 * us) // one step of fast recovery
			before := q.State(600 * us).Target
			q.until(650 * us) // one of additive increase
			if got := q.State(650*us).Target - before; got != tc.want {
				t.Errorf("target raised by %v, want %v", got, tc.want)
			}
		})
	}
}

// The byte counter of the registers is full every 32767 bytes. By bytes alone, fast recovery (one step) is followed by
// additive increase without end: hyper increase needs two steps of the timer too.
func TestFirmwareRecoversByBytes(t *testing.T) {
	q := newQP(with(dcqcn.Firmware(), func(c *dcqcn.Config) { c.ClampTarget = true }))
	q.cnp(0)
	q.cnp(5 * us)
	q.until(8 * us)
	s := q.State(8 * us)
	current, target := float64(s.Rate)/1e9, float64(s.Target)/1e9
	for _, raise := range []float64{0, .005, .005, .005} {
		if q.pace.Bytes != 32767 {
			t.Errorf("asks for a report after %d bytes, want 32767", q.pace.Bytes)
		}
		q.send(9*us, 32767)
		target += raise
		current = (current + target) / 2
		q.expectRates(t, 9*us, current, target)
	}
	for i, raise := range []float64{.005, .005, .05} { // with T = 0, 1 and 2 before the step
		target += raise
		current = (current + target) / 2
		q.expectRates(t, 8*us+units.Time(i+1)*300*us, current, target)
	}
}

// INITIAL_ALPHA_VALUE and DCE_TCP_G are fractions of 1024; four updates precede the first look.
func TestFirmwareCutsByItsRegisters(t *testing.T) {
	alpha := 1023. / 1024 * pow(1019./1024, 4)
	for _, tc := range []struct {
		name   string
		change func(*dcqcn.Config)
		want   float64 // Gb/s after the first cut
	}{
		{"as shipped", func(*dcqcn.Config) {}, 100 * (1 - alpha/2)},
		{"gd 10 reduces by all of alpha, min_dec_fac holds it at half", func(c *dcqcn.Config) { c.GD = 10 }, 50},
		{"without min_dec_fac", func(c *dcqcn.Config) { c.GD, c.MinDecFac = 10, units.Ratio{} }, 100 * (1 - alpha)},
		{"min_dec_fac 80%", func(c *dcqcn.Config) { c.MinDecFac = units.Ratio{Num: 4, Den: 5} }, 80},
		{"min_dec_fac 100% never reduces", func(c *dcqcn.Config) { c.MinDecFac = units.Ratio{Num: 1, Den: 1} }, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := newQP(with(dcqcn.Firmware(), tc.change))
			q.cnp(0)
			q.expectRates(t, 4*us, tc.want, 100)
		})
	}
}

func TestRateOnFirstCNPHoldsAtOnce(t *testing.T) {
	q := newQP(with(dcqcn.Scaled(), func(c *dcqcn.Config) { c.FirstCNPRate = 40 * units.Gbps }))
	q.cnp(0)
	q.expectRates(t, 0, 40, 40)
	q.expectRates(t, 4001*ns, 40*(1-pow(keep, 4)/2), 40)

	q.until(1 * units.Second)
	q.cnp(1 * units.Second) // not the first any more
	q.expectRates(t, 1*units.Second, 100, 100)
}

// A CNP is pending when the look and the rate timer fall together: the look at 304.001 us, the timer 300 us after the cut at
// 4.001 us. The cut comes first and restarts the timer, so that there is no increase at that time.
func TestCutPrecedesAnIncreaseOfTheSameTime(t *testing.T) {
	q := newQP(dcqcn.Scaled())
	q.cnp(0)
	q.cnp(302 * us)
	q.until(304001 * ns)
	s := q.State(304001 * ns)
	if s.Cuts != 2 || s.Increases != 0 {
		t.Errorf("%d cuts and %d increases, want 2 and 0", s.Cuts, s.Increases)
	}
	expectGbps(t, 304001*ns, "target rate", s.Target, 100)
	if want := 604001 * ns; q.pace.Timer != want {
		t.Errorf("rate timer at %v, want %v", q.pace.Timer, want)
	}
}

// No number of CNPs brings a QP below the minimum rate.
func TestCutsStopAtTheMinimumRate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		params *dcqcn.Config
		want   units.Rate
	}{
		{"scaled", dcqcn.Scaled(), 100 * units.Mbps},
		{"as published with HPCC", with(dcqcn.Scaled(), func(c *dcqcn.Config) { c.MinRate = units.Gbps }), units.Gbps},
		{"firmware", dcqcn.Firmware(), units.Mbps},
		{"paper", dcqcn.Paper(), 100 * units.Mbps},
		{"above the line", with(dcqcn.Paper(), func(c *dcqcn.Config) { c.MinRate = units.Tbps }), 100 * units.Gbps},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := newQP(tc.params)
			for at := units.Time(0); at < 200*us; at += 1 * us {
				q.cnp(at)
			}
			if q.pace.Rate != tc.want {
				t.Errorf("rate %v, want %v", q.pace.Rate, tc.want)
			}
		})
	}
}

// With a CNP in every period α stays near 1 and each cut halves the rate: 100 Gb/s falls below 1 Gb/s in seven, in 28 us.
func TestSevenCutsReachThePublishedMinimum(t *testing.T) {
	q := newQP(with(dcqcn.Scaled(), func(c *dcqcn.Config) { c.MinRate = units.Gbps }))
	for at := units.Time(0); at < 29*us; at += 1 * us {
		q.cnp(at)
	}
	if s := q.State(29 * us); s.Cuts != 7 || s.Rate != units.Gbps {
		t.Errorf("%v after %d cuts, want 1Gbps after 7", s.Rate, s.Cuts)
	}
}
