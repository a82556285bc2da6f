package dcqcn

import (
	"math"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// clocked is the machine of the ConnectX adapters as the simulator published with HPCC
// steps it (rdma-hw.cc, "Mellanox's version of DCQCN"): its three clocks are events,
// rates are whole bits per second, and marks come back on acknowledgements. It never
// stops its clocks, nor takes a rate one bit below the line for the line.
type clocked struct {
	connectX
	alphaDue, lookDue, stepDue units.Time
}

// Clocked are parameters of which the machine is a [cc.Clocked], for serial runs.
type Clocked struct{ *Config }

// Validate refuses, of parameters that are valid for the machine of the adapters, what this one would silently ignore. Its
// error joins a *units.FieldError for each fault. cnp_interval is no such fault: a mark comes back on its acknowledgement.
func (c Clocked) Validate() error {
	if c.Machine != MachineConnectX {
		return units.Field("machine", c.Machine, "the simulator published with HPCC has only ConnectX's machine", "choose profile scaled")
	}
	const problem = "the simulator published with HPCC has no such thing"
	return broken([]rule{
		{c.ByteCounter != 0, "byte_counter", c.ByteCounter, problem, "0B, as in profile scaled"},
		{!c.MinDecFac.IsZero(), "min_dec_fac", c.MinDecFac, problem, "0, as in profile scaled"},
		{c.FirstCNPRate != 0, "rate_on_first_cnp", c.FirstCNPRate, problem, "0bps, as in profile scaled"},
		{!c.ClampTargetAfterTime, "clamp_tgt_rate_after_time_inc", c.ClampTargetAfterTime, "the simulator published with HPCC always does so", "true, as in profile scaled"},
		{c.Boundary != BoundaryStrict, "boundary", c.Boundary, problem, BoundaryStrict + ", as in profile scaled"},
		{c.MaxRate != 0, "max_rate", c.MaxRate, problem, "0bps, as in profile scaled"},
	})
}

// New returns the reaction point of one QP on the given line.
func (c Clocked) New(line cc.Line) cc.Controller { return newClocked(c.Config, line) }

// The clocks, in the order in which one call sets them.
const (
	alphaClock = iota // updates α
	lookClock         // looks whether a CNP came
	stepClock         // increases the rate
)

var _ cc.Clocked = (*clocked)(nil)

func newClocked(c *Config, line cc.Line) *clocked {
	return &clocked{connectX: *newConnectX(c, line), alphaDue: units.Never, lookDue: units.Never, stepDue: units.Never}
}

func (x *clocked) Start(units.Time) cc.Pace { return x.answer() }

func (x *clocked) OnSend(units.Time, units.Bytes) cc.Pace { return x.answer() }

func (x *clocked) OnTimer(units.Time) cc.Pace { return x.answer() }

func (x *clocked) OnLoss(units.Time, cc.Loss) cc.Pace { return x.answer() }

func (x *clocked) OnAck(now units.Time, a *cc.Ack) cc.Pace {
	if a.CE {
		return x.OnCNP(now)
	}
	return x.answer()
}

func (x *clocked) OnCNP(now units.Time) cc.Pace {
	x.cnp = true
	if x.lookDue == units.Never {
		x.alphaDue, x.lookDue = now+x.alpha.period, now+x.every+x.offset
		x.rt = x.rc
	} else {
		x.alpha.cnp = true
	}
	return x.answer()
}

// Due implements [cc.Clocked].
func (x *clocked) Due(clock int) units.Time {
	return [cc.Clocks]units.Time{alphaClock: x.alphaDue, lookClock: x.lookDue, stepClock: x.stepDue}[clock]
}

// Tick implements [cc.Clocked].
func (x *clocked) Tick(clock int, now units.Time) cc.Pace {
	switch clock {
	case alphaClock:
		x.alphaDue = now + x.alpha.period
		x.alpha.tick()
	case lookClock:
		x.lookDue = now + x.every
		if x.cnp {
			x.reduce(now)
		}
	case stepClock:
		x.stepDue = now + x.period
		x.climb()
		x.timeStage++
	}
	return x.answer()
}

// reduce is the cut; the target follows only if something has been regained since the last one.
func (x *clocked) reduce(now units.Time) {
	if x.clamp || x.timeStage != 0 {
		x.rt = x.rc
	}
	x.rc = max(x.floor, math.Floor(x.rc*(1-float64(x.alpha.value*x.reduction))))
	x.timeStage, x.cnp = 0, false
	x.stepDue = now + x.period
	x.cuts++
}

// climb is a step of recovery.
func (x *clocked) climb() {
	switch {
	case x.timeStage == x.f:
		x.rt = min(x.rt+x.rai, x.line)
	case x.timeStage > x.f:
		x.rt = min(x.rt+x.rhai, x.line)
	}
	x.rc = math.Floor(x.rc/2) + math.Floor(x.rt/2)
	x.increases++
}

func (x *clocked) State(units.Time) cc.State { return x.state(x.alpha.value) }

func (x *clocked) answer() cc.Pace {
	return cc.Pace{Rate: units.Rate(x.rc), Timer: units.Never}
}
