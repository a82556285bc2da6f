package workloads

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// arrivals is the process by which one host starts flows, as if it had gone on for ever before the run: the mean number of
// flows in any interval is its length over the mean gap, from the beginning on.
type arrivals interface {
	// first returns the time from the beginning to the first arrival, in picoseconds.
	first(r Rand) float64
	// gap returns the time from an arrival to the next.
	gap(r Rand) float64
}

// poisson has exponential gaps: however long ago the last arrival was, the next is as far as ever.
type poisson struct{ mean float64 }

func (p poisson) first(r Rand) float64 { return p.gap(r) }
func (p poisson) gap(r Rand) float64   { return float64(p.mean * variate.Exponential(r)) }

// paced has equal gaps and begins anywhere in one.
type paced struct{ mean float64 }

func (p paced) first(r Rand) float64 { return float64(p.mean * variate.Uniform(r)) }
func (p paced) gap(Rand) float64     { return p.mean }

// logNormal has log-normal gaps. The beginning is more likely to lie in a long gap than in a short one: in one of length
// x in proportion to x, which makes e^sigma² of the median longer, and anywhere in it.
type logNormal struct{ mean, sigma float64 }

func (l logNormal) first(r Rand) float64 {
	z := variate.LogNormal(r, l.sigma)
	return float64(l.gapBias() * float64(l.mean*z) * variate.Uniform(r))
}

func (l logNormal) gap(r Rand) float64 { return float64(l.mean * variate.LogNormal(r, l.sigma)) }

// gapBias is e^sigma².
func (l logNormal) gapBias() float64 { return variate.Exp(float64(l.sigma * l.sigma)) }

// onOff is bursts: Poisson arrivals while it is on and none while it is off, each for exponential times.
type onOff struct {
	on, off float64 // mean lengths
	inBurst float64 // mean gap while it is on
	left    float64 // of the burst
}

func newOnOff(mean float64, on, off units.Time) *onOff {
	o := &onOff{on: float64(on), off: float64(off)}
	o.inBurst = float64(mean*o.on) / (o.on + o.off)
	return o
}

// first begins in a burst as often as there is one.
func (o *onOff) first(r Rand) float64 {
	silence := 0.0
	if float64(variate.Uniform(r)*(o.on+o.off)) >= o.on {
		silence = float64(o.off * variate.Exponential(r))
	}
	o.left = float64(o.on * variate.Exponential(r))
	return silence + o.gap(r)
}

func (o *onOff) gap(r Rand) float64 {
	wait, passed := float64(o.inBurst*variate.Exponential(r)), 0.0
	for wait > o.left {
		wait -= o.left
		passed += o.left + float64(o.off*variate.Exponential(r))
		o.left = float64(o.on * variate.Exponential(r))
	}
	o.left -= wait
	return passed + wait
}
