package sim

import (
	"math/bits"
	"math/rand/v2"
)

// Stream is a random stream of its own: what one entity draws for one purpose.
// It depends only on the run's seed and its name, so that neither the order in
// which entities are made, nor other entities, nor the number of workers has
// any influence on what it yields.
type Stream struct{ pcg rand.PCG }

// NewStream makes the stream of a purpose ("ecn") of an entity ("leaf0:3").
func NewStream(seed uint64, entity, purpose string) Stream {
	h := fold(fold(fnvOffset^seed, entity), purpose)
	return Stream{*rand.NewPCG(mix(h^seed), mix(h+0x9E3779B97F4A7C15))}
}

const (
	fnvOffset = 0xCBF29CE484222325
	fnvPrime  = 0x100000001B3
)

// fold adds a string and a terminator to an FNV-1a hash.
func fold(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return (h ^ 0xFF) * fnvPrime
}

// mix is the finaliser of MurmurHash3 (64 bits): a bijection that spreads every
// input bit over all output bits.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xFF51AFD7ED558CCD
	x ^= x >> 33
	x *= 0xC4CEB9FE1A85EC53
	return x ^ x>>33
}

// Uint64 draws 64 uniform bits.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Float64 draws a uniform number in [0, 1) with 53 random bits.
func (s *Stream) Float64() float64 { return float64(s.pcg.Uint64()>>11) / (1 << 53) }

// Uint64N draws a uniform whole number in [0, n); n must be positive. The bias
// of a plain multiplication is removed by rejection (Lemire 2019).
func (s *Stream) Uint64N(n uint64) uint64 {
	hi, lo := bits.Mul64(s.pcg.Uint64(), n)
	if lo < n {
		for floor := -n % n; lo < floor; {
			hi, lo = bits.Mul64(s.pcg.Uint64(), n)
		}
	}
	return hi
}
