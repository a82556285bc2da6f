package dcqcn_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// everyProfile runs a test for each of the profiles.
func everyProfile(t *testing.T, test func(t *testing.T, params func() *dcqcn.Config)) {
	for _, profile := range dcqcn.Kind.Profiles {
		t.Run(profile.Name, func(t *testing.T) {
			test(t, func() *dcqcn.Config { return dcqcn.Kind.Params(profile.Name).(*dcqcn.Config) })
		})
	}
}

func TestQPAtLineRateHasNoTimerAndCountsNoBytes(t *testing.T) {
	everyProfile(t, func(t *testing.T, params func() *dcqcn.Config) {
		free := cc.Pace{Rate: line100G.Rate, Timer: units.Never}
		q := newQP(params())
		if q.pace != free {
			t.Errorf("before the first CNP: %+v, want %+v", q.pace, free)
		}
		q.cnp(1 * ms)
		q.until(1*ms + 4001*ns)
		if q.pace.Timer == units.Never || q.pace.Rate >= line100G.Rate {
			t.Errorf("after a CNP: %+v, want a lower rate and a timer", q.pace)
		}
		if counts := params().ByteCounter != 0; counts != (q.pace.Bytes != 0) {
			t.Errorf("after a CNP: asks for a report after %d bytes", q.pace.Bytes)
		}
		q.until(1 * units.Second)
		if q.pace != free {
			t.Errorf("recovered: %+v, want %+v", q.pace, free)
		}
	})
}

// Halving the distance never ends by itself. 50 Gb/s below the line, 36 steps bring a QP within 1 bit/s (50e9 < 2^36).
func TestRecoveryEndsWithinOneBitPerSecond(t *testing.T) {
	q := newQP(dcqcn.Paper())
	q.cnp(0)
	q.until(35 * 55 * us)
	if q.pace.Timer == units.Never {
		t.Errorf("free after 35 steps, %v", q.pace.Rate)
	}
	q.until(36 * 55 * us)
	if q.pace.Timer != units.Never || q.pace.Rate != line100G.Rate {
		t.Errorf("after 36 steps: %+v, want line rate and no timer", q.pace)
	}
}

// The same by bytes: what is reported beyond the 36 steps has nothing left to raise, and is no step.
func TestByteCounterStopsAtLineRate(t *testing.T) {
	q := newQP(dcqcn.Paper())
	q.cnp(0)
	q.send(1, 50*10*units.MB)
	if s := q.State(1); s.Increases != 36 || s.Rate != line100G.Rate || q.pace.Bytes != 0 {
		t.Errorf("%v after %d steps, %v more to report; want line rate after 36", s.Rate, s.Increases, q.pace.Bytes)
	}
}

// Bytes count from the cut, in whatever portions they are reported, and what is over counts towards the next step.
func TestByteCounterKeepsWhatIsOver(t *testing.T) {
	q := newQP(dcqcn.Paper()) // 10 MB
	q.send(0, 9*units.MB)     // at line rate: not counted
	q.cnp(1)
	for _, tc := range []struct {
		sent, left units.Bytes
		current    float64
	}{
		{4 * units.MB, 6 * units.MB, 50},
		{5 * units.MB, 1 * units.MB, 50},
		{3 * units.MB, 8 * units.MB, 75},
		{18 * units.MB, 10 * units.MB, 93.75},
	} {
		q.send(1, tc.sent)
		q.expectRates(t, 1, tc.current, 100)
		if q.pace.Bytes != tc.left {
			t.Errorf("asks for a report after %v, want %v", q.pace.Bytes, tc.left)
		}
	}
	q.send(1, 9*units.MB)
	q.cnp(1)
	if q.pace.Bytes != 10*units.MB {
		t.Errorf("after a cut %v are left, want all 10MB", q.pace.Bytes)
	}
}

// A QP limited to less than its line by max_rate falls from there, and is free of limits once it has recovered to there.
func TestMaxRateIsWhereTheLimiterBeginsAndEnds(t *testing.T) {
	q := newQP(with(dcqcn.Paper(), func(c *dcqcn.Config) { c.MaxRate = 80 * units.Gbps }))
	q.expectRates(t, 0, 100, 80)
	q.cnp(0)
	q.expectRates(t, 0, 40, 80)
	q.expectRates(t, 55*us, 60, 80)
	q.expectRates(t, 10*ms, 100, 80)
}

// One QP's CNPs are no business of another's: two QPs with the same parameters keep an α each.
func TestAlphaIsNotSharedBetweenQPs(t *testing.T) {
	const g = 1. / 256
	params := dcqcn.Paper()
	congested, other := newQP(params), newQP(params)
	congested.cnp(0)
	other.cnp(0)
	for at := 10 * us; at <= 550*us; at += 10 * us {
		congested.cnp(at)
	}
	congested.expectAlpha(t, 550*us, 1, 0)
	other.expectAlpha(t, 550*us, pow(1-g, 10), 1e-15)
	if congested.pace.Rate >= other.pace.Rate {
		t.Errorf("congested QP at %v, the other at %v", congested.pace.Rate, other.pace.Rate)
	}
}

// A QP that was quiet for an hour has no memory of congestion, and finding that out takes no time.
func TestAlphaVanishesInTheEnd(t *testing.T) {
	everyProfile(t, func(t *testing.T, params func() *dcqcn.Config) {
		const hour = 3600 * units.Second
		q := newQP(params())
		q.cnp(0)
		q.expectAlpha(t, hour, 0, 0)
		q.cnp(hour)
		q.expectAlpha(t, hour+1*us, params().G.Float(), 1e-4)
	})
}
