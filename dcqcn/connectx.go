package dcqcn

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// connectX is the reaction point of ConnectX adapters, after the descriptions of their registers and the simulator published
// with HPCC. The first CNP of a QP starts two clocks for good: one updates α, the other looks whether a CNP came since its
// last look, and only then the rate is cut.
type connectX struct {
	limiter
	alpha alpha

	reduction float64    // share of α by which a cut reduces: 1/2^(GD−10)
	minDecFac float64    // least share of the rate that a cut leaves
	firstRate float64    // rate from the first CNP on, bit/s; 0 leaves it
	clamp     bool       // each cut sets RT
	clampTime bool       // a cut after a step of the timer sets RT
	every     units.Time // from look to look
	offset    units.Time // of the first look

	cnp  bool       // a CNP came since the last look
	look units.Time // the look that will find it; without one, some look on the clock's grid; Never before the first CNP
}

func newConnectX(c *Config, line cc.Line) *connectX {
	return &connectX{
		limiter: newLimiter(c, line), alpha: newAlpha(c),
		reduction: 1 / float64(int(1)<<(c.GD-10)), minDecFac: c.MinDecFac.Float(), firstRate: float64(c.FirstCNPRate),
		clamp: c.ClampTarget, clampTime: c.ClampTargetAfterTime,
		every: c.DecreasePeriod, offset: c.DecreaseOffset, look: units.Never,
	}
}

func (x *connectX) Start(units.Time) cc.Pace { return x.answer() }

func (x *connectX) OnCNP(now units.Time) cc.Pace {
	x.advance(now)
	if x.look == units.Never {
		x.begin(now)
	} else {
		x.alpha.advance(now)
		x.alpha.cnp = true
	}
	x.flag(now)
	return x.answer()
}

// begin is the first CNP of the QP. It does not count into α, which starts at its initial value.
func (x *connectX) begin(now units.Time) {
	x.alpha.restart(now)
	x.look = now + x.every + x.offset
	if x.firstRate != 0 {
		x.rc = min(max(x.firstRate, x.floor), x.top)
	}
	x.rt = min(x.rc, x.top)
}

// flag remembers the CNP for the first look after now. Looks without a CNP are skipped: they would do nothing.
func (x *connectX) flag(now units.Time) {
	if x.cnp {
		return
	}
	x.cnp = true
	if x.look <= now {
		x.look += ((now-x.look)/x.every + 1) * x.every
	}
}

func (x *connectX) OnSend(now units.Time, bytes units.Bytes) cc.Pace {
	x.advance(now)
	x.count(bytes)
	for x.full() {
		x.increase(x.rhai)
		x.byteStage++
	}
	return x.answer()
}

func (x *connectX) OnTimer(now units.Time) cc.Pace {
	x.advance(now)
	return x.answer()
}

func (x *connectX) OnAck(now units.Time, _ *cc.Ack) cc.Pace { return x.OnTimer(now) }

func (x *connectX) OnLoss(now units.Time, _ cc.Loss) cc.Pace { return x.OnTimer(now) }

func (x *connectX) State(now units.Time) cc.State {
	x.advance(now)
	x.alpha.advance(now)
	return x.state(x.alpha.value)
}

// advance takes what is due at or before now, in the order of time. A cut at the time of an increase comes first, and as it
// starts the rate timer again, the increase falls away: a QP that has been told of congestion does not speed up.
func (x *connectX) advance(now units.Time) {
	for next := x.next(); next <= now; next = x.next() {
		if next == x.nextCut() {
			x.decrease(next)
		} else {
			x.due += x.period
			x.increase(x.rhai)
			x.timeStage++
		}
	}
}

// next returns when the rate may change next without a call from outside.
func (x *connectX) next() units.Time { return min(x.nextCut(), x.due) }

func (x *connectX) nextCut() units.Time {
	if x.cnp {
		return x.look
	}
	return units.Never
}

// decrease is the look at time now that found a CNP: RC = RC·(1−α/2^(GD−10)), at least the share minDecFac of RC. RT follows
// only if something has been regained since the last cut, or if told to always: cuts in a row share one target.
func (x *connectX) decrease(now units.Time) {
	x.alpha.advance(now)
	x.cnp = false
	keep := max(1-float64(x.alpha.value*x.reduction), x.minDecFac)
	x.cut(now, keep, x.clamp || x.byteStage != 0 || x.clampTime && x.timeStage != 0)
}

func (x *connectX) answer() cc.Pace { return x.pace(x.next()) }
