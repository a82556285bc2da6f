package rnic

import "github.com/rdmasim/rdmasim/sim/units"

// RateSample is the rate a queue pair was allowed at an instant.
type RateSample struct {
	At   units.Time
	QP   int
	Rate units.Rate
}

// rateProbe samples the rates of a NIC's queue pairs at a fixed period, without
// events of its own: the instants up to the next thing that happens are filled
// in before it happens, and only changes are kept.
type rateProbe struct {
	period  units.Time
	next    units.Time
	last    []units.Rate
	samples []RateSample
}

func (p *rateProbe) before(now units.Time, n *NIC) {
	if now <= p.next {
		return
	}
	for len(p.last) < len(n.qps) {
		p.last = append(p.last, 0)
	}
	for i := range n.qps {
		qp := &n.qps[i]
		var rate units.Rate
		if qp.una != qp.end {
			rate = min(qp.pace.Rate, n.port.Rate())
		}
		if rate != p.last[i] {
			p.last[i] = rate
			p.samples = append(p.samples, RateSample{p.next, i, rate})
		}
	}
	p.next = (now + p.period - 1) / p.period * p.period
}

// observe fills in the samples up to what is about to happen now.
func (n *NIC) observe(now units.Time) {
	if n.probe != nil {
		n.probe.before(now, n)
	}
}

// Flush closes the NIC's books at the end of a run.
func (n *NIC) Flush(now units.Time) { n.observe(now) }

// RateSamples are the sampled rates of the NIC's queue pairs.
func (n *NIC) RateSamples() []RateSample {
	if n.probe == nil {
		return nil
	}
	return n.probe.samples
}
