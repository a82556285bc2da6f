package dcqcn

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// limiter is the rate limiter of one QP: the rates and the recovery from a cut, which both machines share. They differ in
// when they cut, by how much, and how they count stages.
type limiter struct {
	line     float64 // rate of the port, bit/s
	top      float64 // rate at which the limiter is free again, bit/s
	floor    float64 // minimum rate, bit/s
	rai      float64 // R_AI, bit/s a step
	rhai     float64 // R_HAI, bit/s a step
	period   units.Time
	perStage units.Bytes // B; 0 without a byte counter
	f        int         // F
	upTo     bool        // fast recovery up to F, not below it

	rc        float64     // RC, the current rate, bit/s
	rt        float64     // RT, the target rate, bit/s
	due       units.Time  // next step of the rate timer; Never while free
	sent      units.Bytes // since the last step of the byte counter
	timeStage int         // T, steps of the rate timer since the last cut
	byteStage int         // BC, steps of the byte counter since the last cut
	cuts      uint64
	increases uint64
}

func newLimiter(c *Config, line cc.Line) limiter {
	rate := float64(line.Rate)
	top := rate
	if c.MaxRate != 0 {
		top = min(rate, float64(c.MaxRate))
	}
	return limiter{
		line: rate, top: top, floor: min(top, float64(c.MinRate)),
		rai: step(c.RAI, c.RAIShare, rate), rhai: step(c.RHAI, c.RHAIShare, rate),
		period: c.RateTimer, perStage: c.ByteCounter, f: c.F, upTo: c.Boundary == BoundaryInclusive,
		rc: rate, rt: top, due: units.Never,
	}
}

// step returns a step of increase in bit/s: the absolute one if given, else a share of the line.
func step(absolute units.Rate, share units.Ratio, line float64) float64 {
	if absolute != 0 {
		return float64(absolute)
	}
	if share.IsZero() {
		return 0
	}
	return line * float64(share.Num) / float64(share.Den)
}

// free reports whether the QP sends at line rate with nothing left to recover.
func (l *limiter) free() bool { return l.due == units.Never }

// cut reduces RC to the share keep of it and starts recovery afresh. If clamp is set, RT follows to the rate before the cut;
// otherwise recovery leads back to where it was going.
func (l *limiter) cut(now units.Time, keep float64, clamp bool) {
	before := min(l.rc, l.top)
	if clamp {
		l.rt = before
	}
	l.rc = max(l.floor, before*keep)
	l.timeStage, l.byteStage, l.sent = 0, 0, 0
	l.due = now + l.period
	l.cuts++
	l.settle()
}

// increase is one step of recovery. The step of hyper increase is the caller's: the paper's grows with the stage.
func (l *limiter) increase(hyper float64) {
	switch l.phase() {
	case additiveIncrease:
		l.rt += l.rai
	case hyperIncrease:
		l.rt += hyper
	}
	l.rt = min(l.rt, l.top)
	l.rc = (l.rc + l.rt) / 2
	l.increases++
	l.settle()
}

// settle frees a limiter that has recovered. Halving the distance to RT never ends; within 1 bit/s, the resolution of a
// pace, it has ended, and a QP that is back at line rate must not keep a timer.
func (l *limiter) settle() {
	if l.rt < l.top || l.rc < l.top-1 {
		return
	}
	l.rc, l.rt = l.line, l.top
	l.due, l.sent = units.Never, 0
}

// phase is a part of recovery.
type phase uint8

const (
	fastRecovery phase = iota
	additiveIncrease
	hyperIncrease
)

// phase returns the part of recovery to which the next step belongs.
func (l *limiter) phase() phase {
	lower, higher := l.stages()
	switch {
	case higher < l.f, l.upTo && higher == l.f:
		return fastRecovery
	case lower > l.f:
		return hyperIncrease
	}
	return additiveIncrease
}

// stages returns min(T,BC) and max(T,BC). Without a byte counter the timer's stage stands for both; otherwise hyper
// increase would never be reached.
func (l *limiter) stages() (lower, higher int) {
	if l.perStage == 0 {
		return l.timeStage, l.timeStage
	}
	return min(l.timeStage, l.byteStage), max(l.timeStage, l.byteStage)
}

// count adds bytes to the byte counter, which runs while there is something to recover.
func (l *limiter) count(bytes units.Bytes) {
	if l.perStage != 0 && !l.free() {
		l.sent += bytes
	}
}

// full reports whether the byte counter has a step due, and takes it off the counter.
func (l *limiter) full() bool {
	if l.perStage == 0 || l.sent < l.perStage {
		return false
	}
	l.sent -= l.perStage
	return true
}

// pace returns what the QP may do, with the time at which it must call.
func (l *limiter) pace(timer units.Time) cc.Pace {
	p := cc.Pace{Rate: max(units.BitPerSecond, units.Rate(l.rc)), Timer: timer}
	if l.perStage != 0 && !l.free() {
		p.Bytes = l.perStage - l.sent
	}
	return p
}

func (l *limiter) state(alpha float64) cc.State {
	return cc.State{
		Rate: max(units.BitPerSecond, units.Rate(l.rc)), Target: max(units.BitPerSecond, units.Rate(l.rt)),
		Alpha: alpha, Cuts: l.cuts, Increases: l.increases,
	}
}
