package fabric

import (
	"math"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// marker decides which packets of a queue are marked CE, as RED does by the length
// of the queue (Floyd and Jacobson 1993, with the instantaneous
// length that data-centre switches use): none up to kmin, all above kmax, and in
// between with a probability that rises linearly to pmax. With kmin = kmax it is
// DCTCP's step.
type marker struct {
	kmin, kmax units.Bytes
	slope      float64           // pmax/(kmax-kmin), per byte
	coins      *sim.Stream       // of the port
	shared     *variate.MRG32k3a // in place of these, if not nil
}

// noMarker marks nothing.
func noMarker() marker { return marker{kmin: math.MaxInt64} }

func newMarker(kmin, kmax units.Bytes, pmax float64, coins *sim.Stream) marker {
	m := marker{kmin: kmin, kmax: kmax, coins: coins}
	if kmax > kmin {
		m.slope = pmax / float64(kmax-kmin)
	}
	return m
}

// marks decides for a packet at a length of q bytes.
func (m *marker) marks(q units.Bytes) bool {
	switch {
	case q <= m.kmin:
		return false
	case q > m.kmax:
		return true
	}
	if m.shared != nil {
		return m.shared.Next() < float64(q-m.kmin)*m.slope
	}
	return m.coins.Float64() < float64(q-m.kmin)*m.slope
}
