package dcqcn

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// paper is the reaction point of the DCQCN paper (section 3.1).
type paper struct {
	limiter
	alpha alpha
}

func newPaper(c *Config, line cc.Line) *paper {
	return &paper{limiter: newLimiter(c, line), alpha: newAlpha(c)}
}

func (p *paper) Start(units.Time) cc.Pace { return p.answer() }

// OnCNP cuts the rate at once (equation 1): RT = RC, RC = RC·(1−α/2) with the α of before the CNP, and only then
// α = (1−g)·α + g. All clocks start again.
func (p *paper) OnCNP(now units.Time) cc.Pace {
	p.advance(now)
	p.alpha.advance(now)
	p.cut(now, 1-p.alpha.value/2, true)
	p.alpha.absorb()
	p.alpha.restart(now)
	return p.answer()
}

func (p *paper) OnSend(now units.Time, bytes units.Bytes) cc.Pace {
	p.advance(now)
	p.count(bytes)
	for p.full() {
		p.byteStage++
		p.step()
	}
	return p.answer()
}

func (p *paper) OnTimer(now units.Time) cc.Pace {
	p.advance(now)
	return p.answer()
}

func (p *paper) OnAck(now units.Time, _ *cc.Ack) cc.Pace { return p.OnTimer(now) }

func (p *paper) OnLoss(now units.Time, _ cc.Loss) cc.Pace { return p.OnTimer(now) }

func (p *paper) State(now units.Time) cc.State {
	p.advance(now)
	p.alpha.advance(now)
	return p.state(p.alpha.value)
}

// advance takes the steps of the rate timer due at or before now. They count from 1: the stage is raised first.
func (p *paper) advance(now units.Time) {
	for p.due <= now {
		p.due += p.period
		p.timeStage++
		p.step()
	}
}

// step increases the rate; hyper increase grows by R_HAI from step to step: RT += i·R_HAI with i = min(T,BC)−F.
func (p *paper) step() {
	lower, _ := p.stages()
	p.increase(float64(float64(lower-p.f) * p.rhai))
}

func (p *paper) answer() cc.Pace { return p.pace(p.due) }
