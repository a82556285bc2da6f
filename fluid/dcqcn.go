// Package fluid has fluid models of congestion controls: what they come to when packets are infinitely small and marks
// fall on all of them alike. The simulation is held against them; it does not use them.
package fluid

import (
	"math"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// DCQCN is the fluid model of DCQCN (Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY",
// CoNEXT 2016): n flows share a bottleneck, and each of their packets is marked with probability p.
type DCQCN struct {
	n        float64
	capacity float64 // packets/s
	rai      float64 // R_AI, packets/s
	bytes    float64 // B, packets
	timer    float64 // T, s
	tau      float64 // least time between CNPs, s
	tauAlpha float64 // α timer, s
	f        float64 // F
}

// OfDCQCN returns the model of n flows with the parameters c through a line of the given rate, with packets of so many
// bytes on the wire.
func OfDCQCN(n int, c *dcqcn.Config, line units.Rate, packet units.Bytes) DCQCN {
	bits, bytes := 8*float64(packet), float64(packet)
	return DCQCN{
		n: float64(n), capacity: float64(line) / bits, rai: float64(c.RAI) / bits, bytes: float64(c.ByteCounter) / bytes,
		timer: c.RateTimer.Seconds(), tau: c.CNPInterval.Seconds(), tauAlpha: c.AlphaTimer.Seconds(), f: float64(c.F),
	}
}

// Alpha returns α at marking probability p.
func (m DCQCN) Alpha(p float64) float64 { return 1 - math.Pow(1-p, m.tauAlpha*m.capacity/m.n) }

// FixedPoint returns the marking probability at which the rates stand still, by bisection.
func (m DCQCN) FixedPoint() float64 {
	low, high := 1e-6, .5
	for range 100 {
		if p := (low + high) / 2; m.surplus(p) < 0 {
			low = p
		} else {
			high = p
		}
	}
	return (low + high) / 2
}

// surplus returns by how much reduction outweighs increase at marking probability p; it is 0 at the fixed point.
func (m DCQCN) surplus(p float64) float64 {
	r := m.capacity / m.n
	survive := func(packets float64) float64 { return math.Pow(1-p, packets) }
	a := 1 - survive(m.tau*r)
	perBytes := r * p / (1/survive(m.bytes) - 1)
	perTimer := r * p / (1/survive(m.timer*r) - 1)
	raise := m.rai * (perBytes*survive(m.f*m.bytes) + perTimer*survive(m.f*m.timer*r))
	return r*m.Alpha(p)*a/(2*m.tau) - m.tau*raise/a/2*(perBytes+perTimer)
}

// Queue is the length at which a queue marks with probability p on the line from (kmin, 0) to (kmax, pmax); false if it is
// beyond kmax.
func Queue(p float64, kmin, kmax units.Bytes, pmax float64) (units.Bytes, bool) {
	return kmin + units.Bytes(p/pmax*float64(kmax-kmin)), p <= pmax
}
