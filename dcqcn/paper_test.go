package dcqcn_test

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// The cut uses α as it was before the CNP (equation 1 of the paper); that α is 1 at first, so the rate halves.
func TestFirstCNPHalvesTheRateAtOnce(t *testing.T) {
	q := newQP(dcqcn.Paper())
	q.expectRates(t, 0, 100, 100)
	q.cnp(0)
	q.expectRates(t, 0, 50, 100)
	q.expectAlpha(t, 0, 1, 0)
	q.expectAlpha(t, 55*us-1, 1, 0)
	q.expectAlpha(t, 55*us, 1-1./256, 0)
}

// Five ticks of the timer halve the distance to the target five times, whatever the reading of the boundary: additive
// increase cannot raise a target that is the line.
func TestRecoveryByTimerHalvesTheDistanceToTheLine(t *testing.T) {
	for _, boundary := range []string{dcqcn.BoundaryStrict, dcqcn.BoundaryInclusive} {
		q := newQP(with(dcqcn.Paper(), func(c *dcqcn.Config) { c.Boundary = boundary }))
		q.cnp(0)
		for i, want := range []float64{75, 87.5, 93.75, 96.875, 98.4375} {
			tick := units.Time(i+1) * 55 * us
			q.until(tick - 1)
			if q.pace.Timer != tick {
				t.Errorf("%s: rate timer at %v, want %v", boundary, q.pace.Timer, tick)
			}
			q.expectRates(t, tick, want, 100)
		}
	}
}

// Without CNPs α after k timers is (255/256)^k.
func TestAlphaDecaysGeometrically(t *testing.T) {
	for k, want := range map[int]float64{10: .961617, 100: .676116, 177: .500194, 256: .367160} {
		t.Run(fmt.Sprintf("%d quiet timers", k), func(t *testing.T) {
			q := newQP(dcqcn.Paper())
			q.cnp(0)
			q.expectAlpha(t, units.Time(k)*55*us, want, 5e-7)
		})
	}
}

// With α = 0.5 a CNP takes a quarter off: 80 Gb/s, the rate that max_rate makes the QP start from, becomes 60.
func TestCutTakesHalfOfAlphaOffTheRate(t *testing.T) {
	q := newQP(with(dcqcn.Paper(), func(c *dcqcn.Config) {
		c.InitialAlpha = units.Ratio{Num: 1, Den: 2}
		c.MaxRate = 80 * units.Gbps
	}))
	q.cnp(0)
	q.expectRates(t, 0, 60, 80)
}

// CNPs follow the first at 110 us, when α has decayed twice, and at once after that, with α raised towards 1 by g.
func TestEachCNPCutsFromTheRateBefore(t *testing.T) {
	const g = 1. / 256
	q := newQP(dcqcn.Paper())
	q.cnp(0) // 50
	alpha := (1 - g) * (1 - g)
	q.cnp(110 * us) // the tick at 110 us precedes the CNP: 87.5
	cut := 87.5 * (1 - alpha/2)
	q.expectRates(t, 110*us, cut, 87.5)

	alpha = (1-g)*alpha + g
	q.cnp(110 * us)
	q.expectRates(t, 110*us, cut*(1-alpha/2), cut)
}

// A CNP starts both clocks afresh: neither α nor the rate moves before 55 us have passed again.
func TestCNPRestartsBothTimers(t *testing.T) {
	q := newQP(dcqcn.Paper())
	q.cnp(0)
	q.cnp(54 * us)
	q.expectRates(t, 54*us+55*us-1, 25, 50)
	q.expectAlpha(t, 54*us+55*us-1, 1, 0)
	q.expectRates(t, 54*us+55*us, 37.5, 50)
	q.expectAlpha(t, 54*us+55*us, 255./256, 0)
}

// After two cuts the target is 50 Gb/s, so that increase beyond it shows. Stages count from 1 (the counter is raised before
// it is compared), so "max < F" is F−1 steps of fast recovery and "max <= F" is F.
func TestBoundaryOfFastRecovery(t *testing.T) {
	for _, tc := range []struct {
		boundary string
		target   []float64 // after each step; F = 5, R_AI = 0.04 Gb/s
	}{
		{dcqcn.BoundaryStrict, []float64{50, 50, 50, 50, 50.04, 50.08, 50.12}},
		{dcqcn.BoundaryInclusive, []float64{50, 50, 50, 50, 50, 50.04, 50.08}},
	} {
		t.Run(tc.boundary, func(t *testing.T) {
			q := newQP(with(dcqcn.Paper(), func(c *dcqcn.Config) { c.Boundary = tc.boundary }))
			q.cnp(0)
			q.cnp(0)
			current := 25.
			for i, target := range tc.target {
				current = (current + target) / 2
				q.expectRates(t, units.Time(i+1)*55*us, current, target)
			}
		})
	}
}

// Hyper increase needs more than F steps of both the timer and the byte counter; its step is i·R_HAI, i = min(T,BC)−F.
func TestHyperIncreaseGrowsWithTheStage(t *testing.T) {
	q := newQP(with(dcqcn.Paper(), func(c *dcqcn.Config) { c.F, c.ByteCounter = 2, units.MB }))
	q.cnp(0)
	q.cnp(0) // 25, target 50

	q.send(1, 3*units.MB) // BC = 1: fast recovery, 37.5; BC = 2: additive, 43.77; BC = 3: additive
	current := 46.925
	q.expectRates(t, 1, current, 50.08)

	for i, target := range []float64{
		50.12, // T = 1: additive
		50.16, // T = 2: additive
		50.36, // T = 3, BC = 3: hyper, i = 1
		50.56, // T = 4, BC = 3: i = 1
	} {
		current = (current + target) / 2
		q.expectRates(t, units.Time(i+1)*55*us, current, target)
	}
	q.send(220*us, units.MB) // T = 4, BC = 4: i = 2
	q.expectRates(t, 220*us, (current+50.96)/2, 50.96)
}
