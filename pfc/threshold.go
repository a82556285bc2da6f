package pfc

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Threshold is the limit of a priority group's share of the shared pool: a
// fixed size, or a share alpha of what is left of the pool (Choudhury and
// Hahne, "Dynamic queue length thresholds", 1998), so that M busy groups settle
// at alpha*S/(1+alpha*M) each. The zero value allows nothing.
type Threshold struct {
	static units.Bytes
	num    int64 // alpha = num/den for a dynamic threshold
	den    int64
	shift  uint8 // den = 1<<shift, if quick
	quick  bool  // den is a power of two and num small
}

// StaticThreshold is a limit of a fixed size.
func StaticThreshold(xoff units.Bytes) Threshold { return Threshold{static: xoff} }

// DynamicThreshold is a limit of alpha times the free part of the pool.
func DynamicThreshold(alpha units.Ratio) Threshold {
	t := Threshold{num: alpha.Num, den: alpha.Den}
	if t.den&(t.den-1) == 0 && t.num <= quickNumerator {
		t.shift = uint8(bits.TrailingZeros64(uint64(t.den)))
		t.quick = true
	}
	return t
}

// quickNumerator is the largest numerator whose product with the size of any
// buffer (below 2^43 bytes) fits 63 bits.
const quickNumerator = 1 << 20

// Limit is the threshold when free bytes are left in the pool.
func (t *Threshold) Limit(free units.Bytes) units.Bytes {
	switch {
	case t.num == 0:
		return t.static
	case t.quick:
		return units.Bytes(int64(free) * t.num >> t.shift)
	}
	return units.Ratio{Num: t.num, Den: t.den}.Of(max(free, 0))
}

// IsXOFF tells whether a lossless group must ask for a pause: it has had to use
// its headroom, or its shared bytes have reached the limit.
func IsXOFF(headroom, shared, limit units.Bytes) bool { return headroom > 0 || shared >= limit }

// IsXON tells whether a paused group may let go: its headroom is empty and its
// shared bytes are an offset below the limit, or gone.
func IsXON(headroom, shared, limit, offset units.Bytes) bool {
	return headroom == 0 && (shared == 0 || shared <= limit-offset)
}
