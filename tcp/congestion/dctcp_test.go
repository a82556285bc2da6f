package congestion_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

func newDCTCP(segments units.Bytes) *connection {
	return open(congestion.DCTCP.Params().New(), segments)
}

// rfc8257 is a transcription of RFC 8257, section 3.3, on the congestion avoidance of RFC 5681, in segments.
type rfc8257 struct {
	cwnd, ssthresh, alpha    float64
	bytesAcked, bytesMarked  float64
	reducedInThisObservation bool
}

// ack takes an acknowledgement of one segment; end says that it ends the observation window.
func (m *rfc8257) ack(marked, end bool) (reduce bool) {
	m.bytesAcked++
	if marked {
		m.bytesMarked++
	}
	if end {
		const g = 1.0 / 16
		m.alpha = m.alpha*(1-g) + g*m.bytesMarked/m.bytesAcked
		m.bytesAcked, m.bytesMarked, m.reducedInThisObservation = 0, 0, false
	}
	if marked {
		reduce = !m.reducedInThisObservation
		if reduce {
			m.cwnd = max(m.cwnd*(1-m.alpha/2), 2)
			m.ssthresh, m.reducedInThisObservation = m.cwnd, true
		}
		return reduce
	}
	if m.cwnd < m.ssthresh {
		m.cwnd++
	} else {
		m.cwnd += 1 / m.cwnd
	}
	return false
}

func (m *rfc8257) lose() {
	m.ssthresh = max(m.cwnd/2, 2)
	m.cwnd = m.ssthresh
}

// The window and α follow the RFC acknowledgement by acknowledgement, over marks that come in bursts and losses between
// them.
func TestDCTCPFollowsItsRFCStepByStep(t *testing.T) {
	random := rand.New(rand.NewPCG(8257, 1))
	c, m := newDCTCP(10), &rfc8257{cwnd: 10, ssthresh: math.Inf(1), alpha: 1}
	reductions := 0
	for round := range 2000 {
		share := [...]float64{0, 0, 0, 0.1, 0.5, 1}[random.IntN(6)] // of packets that find the queue above its threshold
		if c.segments() > 300 {
			share = 1
		}
		if round%500 == 499 {
			c.lose()
			m.lose()
		}
		packets := int(m.cwnd)
		for i := range packets {
			marked := random.Float64() < share
			a := congestion.Ack{RTT: 100 * us, RoundStart: i == 0}
			if marked {
				a.Marked = mss
			}
			c.ack(mss, us, a)
			if m.ack(marked, i == 0) {
				c.OnECN(c.Window(), c.now)
				reductions++
			}
			near(t, "α", c.State().Alpha, m.alpha, 1e-12)
			// Whole bytes: up to two less at each cut, of which the next leaves 1-α/2; at an α of 1/10 that sums to 40.
			near(t, "window", c.segments(), m.cwnd, 40.0/float64(mss))
			if t.Failed() {
				t.Fatalf("round %d, packet %d", round, i)
			}
		}
	}
	if reductions < 500 {
		t.Errorf("%d reductions only", reductions)
	}
}

// RFC 8257, section 3.3, with g = 1/16: α falls to (15/16)^k in k windows without marks, and comes to the share that is
// marked.
func TestDCTCPEstimatesTheShareOfMarks(t *testing.T) {
	c := newDCTCP(10)
	for k, want := range []float64{15. / 16, 0.87890625, 0.823974609375} {
		c.ack(mss, us, congestion.Ack{RoundStart: true})
		near(t, "α", c.State().Alpha, want, 1e-15)
		_ = k
	}
	for range 200 {
		c.ack(mss, us, congestion.Ack{RoundStart: true, Marked: mss / 4})
	}
	near(t, "α", c.State().Alpha, 0.25, 1e-4)
}

// Before anything is known α is 1: the first mark halves the window and ends slow start.
func TestTheFirstMarkEndsSlowStart(t *testing.T) {
	c := newDCTCP(64)
	c.ack(mss, us, congestion.Ack{Marked: mss})
	c.OnECN(64*mss, c.now)
	if got := c.State(); got.Window != 32*mss || got.Threshold != 32*mss || got.Phase != congestion.Avoidance {
		t.Errorf("%+v", got)
	}
}

// RFC 8257, section 3.5: a loss is a loss.
func TestDCTCPHalvesAtALossWhateverAlpha(t *testing.T) {
	c := newDCTCP(100)
	for range 50 {
		c.ack(mss, us, congestion.Ack{RoundStart: true, Marked: mss / 20})
	}
	window := c.Window()
	c.OnLoss(window, c.now)
	near(t, "window", c.segments(), float64(window)/float64(mss)/2, 0.001)
}

func TestDCTCPWantsEachMark(t *testing.T) {
	each(t, func(t *testing.T, kind congestion.Kind) {
		exact, ok := kind.Params().New().(congestion.ExactMarks)
		if got, want := ok && exact.WantsExactMarks(), kind.Name == "dctcp"; got != want {
			t.Errorf("wants exact marks: %v, want %v", got, want)
		}
	})
}
