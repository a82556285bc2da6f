package fluid_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fluid"
	"github.com/rdmasim/rdmasim/sim/units"
)

// At the fixed point the rates neither rise nor fall, so that the more flows there are the more is marked, and a flow
// that steps up faster has to be marked more.
func TestMoreFlowsAndBiggerStepsWantMoreMarks(t *testing.T) {
	point := func(n int, rai units.Rate) float64 {
		params := dcqcn.Paper()
		params.RAI = rai
		return fluid.OfDCQCN(n, params, 40*units.Gbps, 1000).FixedPoint()
	}
	before := 0.
	for _, n := range []int{2, 4, 8, 10, 16, 32} {
		p := point(n, 40*units.Mbps)
		if p <= before {
			t.Errorf("%d flows: p %.5f, no more than with fewer", n, p)
		}
		if faster := point(n, 80*units.Mbps); faster <= p {
			t.Errorf("%d flows: p %.5f with twice the step, %.5f without", n, faster, p)
		}
		before = p
	}
}

// A queue marks by its length in a straight line; what wants more than Pmax lies beyond Kmax.
func TestTheQueueStandsWhereItMarksAsOftenAsNeeded(t *testing.T) {
	q, ok := fluid.Queue(.05, 100*units.KB, 400*units.KB, .2)
	if math.Abs(float64(q)-175_000) > 1 || !ok {
		t.Errorf("%v, %v; want 175KB", q, ok)
	}
	if _, ok := fluid.Queue(.21, 100*units.KB, 400*units.KB, .2); ok {
		t.Error("21 % of marks at Pmax 20 %")
	}
}
