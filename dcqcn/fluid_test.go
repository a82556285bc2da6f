package dcqcn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fluid"
	"github.com/rdmasim/rdmasim/sim/units"
)

// marked is a QP that sends 1000-byte packets without pause for a second, each of them marked with probability p; the receiver's
// CNPs arrive at once. It returns the mean rate and the mean α after 50 ms.
func marked(params *dcqcn.Config, line units.Rate, p float64) (rate units.Rate, alpha float64) {
	const packet, start, end = 1000, 50 * ms, 1050 * ms
	q := &qp{Controller: params.New(cc.Line{Rate: line})}
	q.pace = q.Start(0)
	marks := rand.New(rand.NewPCG(1, 2))
	var np dcqcn.Notifier
	packets, sum := 0, 0.
	for now := units.Time(0); now < end; now += q.pace.Rate.Serialise(packet) {
		q.send(now, packet)
		if marks.Float64() < p && np.OnCE(now, params.CNPInterval) {
			q.cnp(now)
		}
		if now >= start {
			packets++
			sum += q.State(now).Alpha
		}
	}
	return units.Rate(float64(packets*packet*8) / (end - start).Seconds()), sum / float64(packets)
}

// The model says which marking probability holds a QP at its fair share. The machine is held there by one that is near: at
// 30 % less it is faster, at 30 % more slower. (The model knows no randomness; α is to be right within 10 %.) The model lets F
// steps of fast recovery pass, which is the inclusive reading of the boundary.
func TestReactionPointAgreesWithTheFluidModel(t *testing.T) {
	const line = 40 * units.Gbps
	for _, n := range []int{2, 10, 32} {
		t.Run(fmt.Sprintf("%d flows", n), func(t *testing.T) {
			params := with(dcqcn.Paper(), func(c *dcqcn.Config) { c.Boundary = dcqcn.BoundaryInclusive })
			m, share := fluid.OfDCQCN(n, params, line, 1000), line/units.Rate(n)
			p := m.FixedPoint()
			less, _ := marked(params, line, .7*p)
			_, alpha := marked(params, line, p)
			more, _ := marked(params, line, 1.3*p)
			if less <= share || more >= share {
				t.Errorf("fair share %v; %v with less marks and %v with more", share, less, more)
			}
			if want := m.Alpha(p); math.Abs(alpha-want) > .1*want {
				t.Errorf("alpha %.4f, want %.4f", alpha, want)
			}
		})
	}
}
