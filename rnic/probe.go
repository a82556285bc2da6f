package rnic

import (
	"cmp"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// RateSample is the rate a queue pair was allowed at an instant.
type RateSample struct {
	At   units.Time
	QP   int
	Rate units.Rate
}

// AlphaSample is the congestion that the control of a queue pair reckoned with at an
// instant.
type AlphaSample struct {
	At    units.Time
	QP    int
	Alpha float64
}

// probes sample the queue pairs of a NIC. Only changes are kept.
type probes struct {
	clock        fabric.SampleClock
	ofRate       bool
	ofAlpha      bool
	rates        []units.Rate // last recorded, by queue pair
	alphas       []float64
	rateSamples  []RateSample
	alphaSamples []AlphaSample
}

// newProbes are the probes of an endpoint that the configuration asks for; nil if it
// asks for none.
func newProbes(cfg *Config, endpoint int32) *probes {
	period := cmp.Or(cfg.RateSamples, cfg.AlphaSamples)
	if period == 0 || cfg.Sampled != nil && !cfg.Sampled(endpoint) {
		return nil
	}
	return &probes{clock: fabric.NewSampleClock(period), ofRate: cfg.RateSamples != 0, ofAlpha: cfg.AlphaSamples != 0}
}

// before is called with the time of the next event. While a queue pair has nothing to
// send its rate is 0, and what congestion was reckoned with last stands.
func (p *probes) before(now units.Time, n *NIC) {
	at, due := p.clock.Due(now)
	if !due {
		return
	}
	for len(p.rates) < len(n.qps) {
		p.rates, p.alphas = append(p.rates, 0), append(p.alphas, 0)
	}
	for i := range n.qps {
		qp := &n.qps[i]
		busy := qp.una != qp.end
		if p.ofRate {
			p.sampleRate(i, at, qp, busy, n.port.Rate())
		}
		if p.ofAlpha && busy {
			p.sampleAlpha(i, at, qp)
		}
	}
}

func (p *probes) sampleRate(i int, at units.Time, qp *QP, busy bool, line units.Rate) {
	var rate units.Rate
	if busy {
		rate = min(qp.pace.Rate, line)
	}
	if rate != p.rates[i] {
		p.rates[i] = rate
		p.rateSamples = append(p.rateSamples, RateSample{at, i, rate})
	}
}

func (p *probes) sampleAlpha(i int, at units.Time, qp *QP) {
	if alpha := qp.controller.State(at).Alpha; alpha != p.alphas[i] {
		p.alphas[i] = alpha
		p.alphaSamples = append(p.alphaSamples, AlphaSample{at, i, alpha})
	}
}

// observe fills in the samples up to what is about to happen now.
func (n *NIC) observe(now units.Time) {
	if n.probe != nil {
		n.probe.before(now, n)
	}
}

// Flush closes the NIC's books at the end of a run.
func (n *NIC) Flush(now units.Time) {
	if n.probe != nil {
		n.probe.before(n.probe.clock.Last(now), n)
	}
}

// RateSamples are the sampled rates of the NIC's queue pairs.
func (n *NIC) RateSamples() []RateSample {
	if n.probe == nil {
		return nil
	}
	return n.probe.rateSamples
}

// AlphaSamples are the sampled estimates of congestion of the NIC's queue pairs.
func (n *NIC) AlphaSamples() []AlphaSample {
	if n.probe == nil {
		return nil
	}
	return n.probe.alphaSamples
}
