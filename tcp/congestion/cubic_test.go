package congestion_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

func newCUBIC(segments units.Bytes, change func(*congestion.CUBICParams)) *connection {
	params := congestion.CUBIC.Params().(*congestion.CUBICParams)
	if change != nil {
		change(params)
	}
	return open(params.New(), segments)
}

// rfc9438 is a transcription of the formulas of RFC 9438, section 4, for a sender whose window is always full, with the
// library's cube root and segments of which each acknowledgement has one.
type rfc9438 struct {
	cwnd, ssthresh, wMax, cwndPrior, wEst, k float64
	tEpoch, srtt                             float64 // seconds
	avoiding, afterTimeout, timedOut         bool
}

const (
	cubicC     = 0.4
	cubicBeta  = 0.7
	cubicAlpha = 3 * (1 - cubicBeta) / (1 + cubicBeta) // eq. 4 and figure 4
)

func (m *rfc9438) wCubic(t float64) float64 { return cubicC*math.Pow(t-m.k, 3) + m.wMax } // eq. 1

func (m *rfc9438) ack(now, rtt float64) {
	if m.timedOut = false; m.srtt == 0 {
		m.srtt = rtt
	}
	m.srtt = m.srtt*7/8 + rtt/8
	segmentsAcked := 1.0
	if m.cwnd < m.ssthresh { // section 4.10
		inSlowStart := min(1, m.ssthresh-m.cwnd)
		m.cwnd += inSlowStart
		if segmentsAcked -= inSlowStart; segmentsAcked == 0 {
			return
		}
	}
	if !m.avoiding { // section 4.2
		m.avoiding, m.tEpoch, m.wEst = true, now, m.cwnd
		m.k = math.Cbrt((m.wMax - m.cwnd) / cubicC) // eq. 2
		if m.afterTimeout {                         // section 4.8
			m.k, m.wMax, m.afterTimeout = 0, m.cwnd, false
		}
	}
	t := now - m.tEpoch
	if m.wEst >= m.cwndPrior { // section 4.3
		m.wEst += segmentsAcked / m.cwnd
	} else {
		m.wEst += cubicAlpha * segmentsAcked / m.cwnd // eq. 4
	}
	if m.wCubic(t) < m.wEst {
		m.cwnd = max(m.cwnd, m.wEst)
		return
	}
	target := m.wCubic(t + m.srtt)
	switch { // section 4.2
	case target < m.cwnd:
		target = m.cwnd
	case target > 1.5*m.cwnd:
		target = 1.5 * m.cwnd
	}
	m.cwnd += (target - m.cwnd) / m.cwnd * segmentsAcked // sections 4.4 and 4.5
}

func (m *rfc9438) reduce() {
	m.ssthresh = max(m.cwnd*cubicBeta, 2) // section 4.6
	m.cwndPrior = m.cwnd
	if m.cwnd < m.wMax { // section 4.7
		m.wMax = m.cwnd * (1 + cubicBeta) / 2
	} else {
		m.wMax = m.cwnd
	}
	m.avoiding = false
}

func (m *rfc9438) lose() {
	m.reduce()
	m.cwnd = m.ssthresh
}

func (m *rfc9438) timeout() {
	if !m.timedOut {
		m.reduce()
	}
	m.cwnd, m.afterTimeout, m.timedOut = 1, true, true
}

// The window follows the formulas acknowledgement by acknowledgement: through slow start, losses on the way up, losses
// before the last maximum is reached, and timeouts, at round trips of a data centre and of a continent.
func TestCUBICFollowsItsRFCStepByStep(t *testing.T) {
	for _, rtt := range []units.Time{100 * us, 10 * ms, 100 * ms} {
		c := newCUBIC(10, nil)
		m := &rfc9438{cwnd: 10, ssthresh: math.Inf(1)}
		acks := 0
		// Each round of the loop is one of packets; in some of them the network loses one, or everything.
		for round := range 400 {
			switch {
			case round == 8, round == 40, round == 60, round == 61, round%100 == 99:
				c.lose()
				m.lose()
			case round == 200, round == 201, round == 300:
				c.OnTimeout(c.Window(), c.now)
				m.timeout()
			}
			packets := units.Time(max(1, int(m.cwnd)))
			for range packets {
				c.ack(mss, rtt/packets, congestion.Ack{RTT: rtt})
				m.ack(c.now.Seconds(), rtt.Seconds())
				acks++
				// A window is cut to whole bytes; the rest of the difference is rounding.
				if diff := math.Abs(c.segments() - m.cwnd); diff > 1.0/float64(mss)+1e-9*m.cwnd {
					t.Fatalf("round trip %v, round %d, acknowledgement %d: window %v, by the formulas %v", rtt, round, acks, c.segments(), m.cwnd)
				}
			}
		}
		if acks < 10_000 {
			t.Errorf("round trip %v: %d acknowledgements only", rtt, acks)
		}
	}
}

// The curve after a loss at 100 segments: K = cbrt(100·0.3/0.4) = 4.2172 s, W(0) = 70, W(K/2) = 96.25, W(K) = 100,
// W(2K) = 130 (RFC 9438, eq. 1 and 2). At a round trip of K/2 each acknowledgement of a whole window reaches, within its
// bound of half a window, the value of the curve one round trip later.
func TestCUBICCurveAfterALoss(t *testing.T) {
	for maximum, k := range map[units.Bytes]float64{100: 4.2172, 1000: 9.0856} {
		near(t, "K", congestion.CubeRoot(float64(maximum)*0.3/0.4), k, 5e-5)
		rtt := units.Time(congestion.CubeRoot(float64(maximum)*0.3/0.4) / 2 * float64(units.Second))
		c := newCUBIC(maximum, func(p *congestion.CUBICParams) { p.Friendly = false })
		c.lose()
		near(t, "W(0)", c.segments(), 0.7*float64(maximum), 1e-3)
		near(t, "W_max", float64(c.State().MaxWindow/mss), float64(maximum), 0)
		for i, share := range []float64{0.9625, 1, 1.0375, 1.3} {
			c.ack(c.Window(), rtt*units.Time(min(i, 1)), congestion.Ack{RTT: rtt})
			near(t, "share of the maximum", c.segments()/float64(maximum), share, 1e-4)
		}
	}
}

// Where round trips are short the curve hardly moves, and the window is NewReno's of equal loss rate: 0.5294 segments a
// round (RFC 9438, section 4.3), one after the window before the loss is reached again.
func TestCUBICIsRenoFriendlyInADataCentre(t *testing.T) {
	c := newCUBIC(100, nil)
	c.lose()
	rounds := 0
	for ; c.segments() < 99.5; rounds++ {
		c.round(10 * us)
	}
	// 30 segments at 0.5294 a round, each round of whole packets and of a growing window: 1.5/70 less at most.
	near(t, "rounds to the window before", float64(rounds), 30/0.5294, 2)
	before := c.segments()
	for range 10 {
		c.round(10 * us)
	}
	near(t, "growth in ten more rounds", c.segments()-before, 10, 0.3)
}

// RFC 9438, section 4.7: a connection that loses before it has regained its maximum releases room.
func TestCUBICConvergesFast(t *testing.T) {
	for fast, want := range map[bool]float64{true: 59.5, false: 70} { // 70·1.7/2
		c := newCUBIC(100, func(p *congestion.CUBICParams) { p.FastConvergence = fast })
		c.lose()
		c.lose()
		near(t, "W_max", float64(c.State().MaxWindow)/float64(mss), want, 0.01)
		near(t, "window", c.segments(), 49, 0.01)
	}
}

// RFC 9438, section 5.8: time in which the application sent too little does not move the curve.
func TestCUBICDoesNotCountIdleTime(t *testing.T) {
	for name, pause := range map[string]func(c *connection){
		"application-limited": func(c *connection) {
			for range 100 {
				c.now += 100 * ms
				c.OnAck(&congestion.Ack{Acked: mss, RTT: 100 * ms}, c.now)
			}
		},
		"idle": func(c *connection) {
			c.now += 10 * units.Second
			c.Control.(congestion.Restarter).OnRestart(10*units.Second, 200*ms, c.now)
		},
	} {
		keep := func(p *congestion.CUBICParams) { p.Restart = false }
		paused, busy := newCUBIC(100, keep), newCUBIC(100, keep)
		for _, c := range []*connection{paused, busy} {
			c.lose()
			c.round(100 * ms)
		}
		pause(paused)
		for range 20 {
			paused.round(100 * ms)
			busy.round(100 * ms)
		}
		if paused.Window() != busy.Window() {
			t.Errorf("%s: window %v after the pause, %v without one", name, paused.Window(), busy.Window())
		}
	}
}

func TestCUBICRefusesWhatIsNoCurve(t *testing.T) {
	for want, change := range map[string]func(*congestion.CUBICParams){
		`c: "0": the window would never grow; greater than 0, such as 0.4`:                   func(p *congestion.CUBICParams) { p.C = units.Ratio{} },
		`hystart_min_rtt_thresh: "20ms": above hystart_max_rtt_thresh; at most 16ms`:         func(p *congestion.CUBICParams) { p.MinThreshold = 20 * ms },
		`beta: "1": a loss would leave nothing, or everything; between 0 and 1, such as 0.7`: func(p *congestion.CUBICParams) { p.Beta = units.Ratio{Num: 1, Den: 1} },
		`beta: "0": a loss would leave nothing, or everything; between 0 and 1, such as 0.7`: func(p *congestion.CUBICParams) { p.Beta = units.Ratio{} },
	} {
		params := congestion.CUBIC.Params().(*congestion.CUBICParams)
		change(params)
		if err := params.Validate(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := congestion.CUBIC.Params().(*congestion.CUBICParams).Validate(); err != nil {
		t.Error(err)
	}
}
