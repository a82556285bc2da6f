package congestion

import (
	"math"

	"github.com/rdmasim/rdmasim/sim/units"
)

// CUBIC is the control of RFC 9438, which Linux, Windows and macOS have by default.
var CUBIC = Kind{
	Name: "cubic",
	Doc:  "CUBIC (RFC 9438): the window follows a cubic function of the time since the last loss, and is never less than NewReno's",
	Params: func() Params {
		return &CUBICParams{
			C: units.Ratio{Num: 2, Den: 5}, Beta: units.Ratio{Num: 7, Den: 10},
			FastConvergence: true, Friendly: true, Growth: Growth{Restart: true},
			HyStart: HyStart{Enabled: true, MinThreshold: 4 * units.Millisecond, MaxThreshold: 16 * units.Millisecond},
		}
	},
}

// CUBICParams are the parameters of CUBIC.
type CUBICParams struct {
	C               units.Ratio `key:"c" default:"0.4" max:"1000" doc:"steepness of the curve, in segments per cubed second, greater than 0" source:"RFC 9438, section 5"`
	Beta            units.Ratio `key:"beta" default:"0.7" max:"1" doc:"share of the window that a loss or a mark leaves" source:"RFC 9438, section 4.6"`
	FastConvergence bool        `key:"fast_convergence" default:"true" doc:"a window that has not come back to the last maximum aims at less, so that new connections find room" source:"RFC 9438, section 4.7"`
	Friendly        bool        `key:"reno_friendly" default:"true" doc:"where NewReno would have the larger window, have it too" source:"RFC 9438, section 4.3"`
	HyStart         `key:",inline"`
	Growth          `key:",inline"`
}

// Validate refuses a curve that is not one, and a loss that takes nothing or all. Its error is a *units.FieldError.
func (p *CUBICParams) Validate() error {
	switch {
	case p.C.IsZero():
		return units.Field("c", p.C, "the window would never grow", "greater than 0, such as 0.4")
	case p.MinThreshold > p.MaxThreshold:
		return units.Field("hystart_min_rtt_thresh", p.MinThreshold, "above hystart_max_rtt_thresh", "at most "+p.MaxThreshold.String())
	case p.Beta.IsZero() || p.Beta.Num >= p.Beta.Den:
		return units.Field("beta", p.Beta, "a loss would leave nothing, or everything", "between 0 and 1, such as 0.7")
	}
	return nil
}

// New implements [Params].
func (p *CUBICParams) New() Control {
	beta := p.Beta.Float()
	return &cubic{
		c: p.C.Float(), beta: beta, alpha: 3 * (1 - beta) / (1 + beta),
		fast: p.FastConvergence, friendly: p.Friendly, packets: p.ABCLimit, restart: p.Restart, hystart: hystart{HyStart: p.HyStart},
	}
}

// cubic is the state of RFC 9438, section 4.1, in segments and seconds; names are the RFC's.
type cubic struct {
	c, beta, alpha float64
	fast, friendly bool
	restart        bool
	packets        int
	hystart        hystart

	mss, initial, limit units.Bytes

	cwnd, ssthresh float64
	wMax           float64 // window at which the curve is flat
	prior          float64 // window before the last reduction
	wEst           float64 // window NewReno would have
	k              float64 // seconds from the start of the stage to wMax
	flat           bool    // the next stage begins on its own plateau: after slow start without a loss, and after a timeout

	epoch units.Time // start of the stage of avoidance; Never before it
	last  units.Time // last acknowledgement in it
	srtt  units.Time

	recovering, timedOut bool
}

func (c *cubic) Init(mss, initialWindow units.Bytes, _ units.Time) {
	c.mss, c.initial, c.limit = mss, initialWindow, units.Bytes(c.packets)*mss
	c.cwnd, c.ssthresh = c.segments(bounded(initialWindow, mss)), math.Inf(1)
	c.flat, c.epoch = true, units.Never
}

func (c *cubic) segments(n units.Bytes) float64 { return float64(n) / float64(c.mss) }

func (c *cubic) bytes(segments float64) units.Bytes {
	return bounded(units.Bytes(min(float64(segments*float64(c.mss)), float64(MaxWindow))), c.mss)
}

func (c *cubic) OnAck(a *Ack, now units.Time) {
	c.sample(a.RTT)
	if a.Acked > 0 {
		c.timedOut = false
	}
	n := c.segments(counted(a, c.limit))
	if math.IsInf(c.ssthresh, 1) && !a.Recovery {
		if c.hystart.observe(a) {
			c.ssthresh = c.cwnd
		}
		n = c.hystart.share(n)
	}
	if n == 0 {
		c.standStill(now)
		return
	}
	if c.cwnd < c.ssthresh {
		step := min(n, c.ssthresh-c.cwnd)
		c.cwnd += step
		n -= step
	}
	if n > 0 {
		c.avoid(n, now)
	}
	c.cwnd = min(c.cwnd, c.segments(bounded(MaxWindow, c.mss)))
}

// sample is the smoothed round trip of RFC 6298.
func (c *cubic) sample(rtt units.Time) {
	switch {
	case rtt <= 0:
	case c.srtt == 0:
		c.srtt = rtt
	default:
		c.srtt += (rtt - c.srtt) / 8
	}
}

// standStill keeps time in which the window did not bind the sender out of the curve (RFC 9438, section 5.8).
func (c *cubic) standStill(now units.Time) {
	if c.epoch != units.Never && now > c.last {
		c.epoch += now - c.last
		c.last = now
	}
}

// avoid is congestion avoidance for n acknowledged segments.
func (c *cubic) avoid(n float64, now units.Time) {
	if c.epoch == units.Never {
		c.begin(now)
	}
	c.last = max(c.last, now)
	t := max(now-c.epoch, 0)
	alpha := c.alpha
	if c.wEst >= c.prior {
		alpha = 1
	}
	c.wEst += float64(alpha*n) / c.cwnd
	if c.friendly && c.curve(t) < c.wEst {
		c.cwnd = max(c.cwnd, c.wEst)
		return
	}
	target := min(max(c.curve(t+c.srtt), c.cwnd), 1.5*c.cwnd)
	c.cwnd += float64((target-c.cwnd)*n) / c.cwnd
}

// begin starts a stage of congestion avoidance (RFC 9438, sections 4.2, 4.8 and 4.10).
func (c *cubic) begin(now units.Time) {
	c.epoch, c.last, c.wEst = now, now, c.cwnd
	if c.flat || c.wMax <= c.cwnd {
		c.wMax, c.k = c.cwnd, 0
		c.prior = max(c.prior, c.cwnd)
	} else {
		c.k = cubeRoot((c.wMax - c.cwnd) / c.c)
	}
	c.flat = false
}

// curve is W_cubic(t), eq. 1.
func (c *cubic) curve(t units.Time) float64 {
	d := t.Seconds() - c.k
	return float64(c.c*float64(float64(d*d)*d)) + c.wMax
}

func (c *cubic) OnLoss(inFlight units.Bytes, _ units.Time) {
	c.reduce(inFlight, 2)
	c.recovering = true
}

func (c *cubic) OnECN(inFlight units.Bytes, _ units.Time) { c.reduce(inFlight, 1) }

// reduce is the multiplicative decrease of section 4.6, to no less than some segments, with section 4.7.
func (c *cubic) reduce(inFlight units.Bytes, least float64) {
	left := float64(c.flight(inFlight) * c.beta)
	c.remember()
	c.cwnd, c.ssthresh = max(left, least), max(left, 2)
	c.epoch, c.flat = units.Never, false
}

// flight is what is in flight in segments: the window itself if it is full.
func (c *cubic) flight(inFlight units.Bytes) float64 {
	if inFlight >= c.Window() {
		return c.cwnd
	}
	return c.segments(inFlight)
}

// remember sets W_max and cwnd_prior.
func (c *cubic) remember() {
	c.prior = c.cwnd
	if c.fast && c.cwnd < c.wMax {
		c.wMax = float64(c.cwnd*(1+c.beta)) / 2
	} else {
		c.wMax = c.cwnd
	}
}

func (c *cubic) OnTimeout(inFlight units.Bytes, _ units.Time) {
	if !c.timedOut {
		c.ssthresh = max(float64(c.flight(inFlight)*c.beta), 2)
		c.remember()
	}
	c.cwnd = 1
	c.epoch, c.flat = units.Never, true
	c.timedOut, c.recovering = true, false
}

func (c *cubic) OnRecovered(units.Time) { c.recovering = false }

func (c *cubic) OnRestart(idle, timeout, now units.Time) {
	c.standStill(now)
	if !c.restart || timeout <= 0 || idle <= timeout {
		return
	}
	c.ssthresh = max(c.ssthresh, 0.75*c.cwnd)
	if left := decayed(c.Window(), c.initial, idle, timeout); left < c.Window() {
		c.cwnd = c.segments(left)
		c.epoch = units.Never
	}
}

func (c *cubic) Window() units.Bytes { return c.bytes(c.cwnd) }

func (c *cubic) Threshold() units.Bytes {
	if math.IsInf(c.ssthresh, 1) {
		return Unbounded
	}
	return c.bytes(c.ssthresh)
}

func (c *cubic) Pacing() units.Rate { return 0 }

func (c *cubic) State() State {
	return State{Phase: c.phase(), Window: c.Window(), Threshold: c.Threshold(), MaxWindow: units.Bytes(c.wMax * float64(c.mss))}
}

func (c *cubic) phase() string {
	switch {
	case c.recovering:
		return Recovering
	case c.cwnd < c.ssthresh:
		return SlowStart
	}
	return Avoidance
}
