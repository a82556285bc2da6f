package variate

import "math/bits"

// MRG32k3a is the first number of each of many streams of the combined multiple
// recursive generator of L'Ecuyer ("Good parameters and implementations for combined
// multiple recursive random number generators", 1999), which ns-3 uses. Stream k starts
// k·2^127 steps from the seed, and its first substream 2^76 steps further on (L'Ecuyer,
// Simard, Chen and Kelton, "An object-oriented random-number package", 2002). A
// simulator that makes a new stream for each number it draws gets these.
type MRG32k3a struct {
	state        [2][3]uint64
	step, stream [2]matrix // one step on, and one stream
}

const (
	modulus1, modulus2 = 4294967087, 4294944443
	streamJump         = 127 // binary logarithm of the distance between streams
	substreamJump      = 76
	unit               = 2.328306549295727688e-10 // 1/(modulus1+1)
)

type matrix [3][3]uint64

// moduli are those of the two recursions.
var moduli = [2]uint64{modulus1, modulus2}

// NewMRG32k3a starts before the given stream, in the first substream of each. All words of the state are the seed, below
// 4294944443; 0, of which nothing but 0 would come, counts as 1.
func NewMRG32k3a(seed uint64, stream int) *MRG32k3a {
	seed = max(1, seed%modulus2)
	g := &MRG32k3a{
		state: [2][3]uint64{{seed, seed, seed}, {seed, seed, seed}},
		step: [2]matrix{
			{{0, 1, 0}, {0, 0, 1}, {modulus1 - 810728, 1403580, 0}},
			{{0, 1, 0}, {0, 0, 1}, {modulus2 - 1370589, 0, 527612}},
		},
	}
	for i := range g.step {
		g.stream[i] = g.step[i].power2(streamJump, moduli[i])
		toSubstream := g.step[i].power2(substreamJump, moduli[i])
		g.state[i] = toSubstream.times(g.state[i], moduli[i])
	}
	for range stream {
		g.Skip()
	}
	return g
}

// Next is the first number of the stream whose turn it is, in (0,1), after which it is the turn of the next one.
func (g *MRG32k3a) Next() float64 {
	first := g.step[0].times(g.state[0], modulus1)[2]
	second := g.step[1].times(g.state[1], modulus2)[2]
	g.Skip()
	if first > second {
		return float64(float64(first-second) * unit)
	}
	return float64(float64(first+modulus1-second) * unit)
}

// Skip goes on to the next stream.
func (g *MRG32k3a) Skip() {
	for i := range g.state {
		g.state[i] = g.stream[i].times(g.state[i], moduli[i])
	}
}

// power2 is the matrix to the power 2^e.
func (m matrix) power2(e int, modulus uint64) matrix {
	for range e {
		var square matrix
		for i := range 3 {
			for j := range 3 {
				square[j][i] = m.times([3]uint64{m[0][i], m[1][i], m[2][i]}, modulus)[j]
			}
		}
		m = square
	}
	return m
}

func (m *matrix) times(v [3]uint64, modulus uint64) (w [3]uint64) {
	for i := range 3 {
		for j := range 3 {
			high, low := bits.Mul64(m[i][j], v[j])
			_, rest := bits.Div64(high, low, modulus)
			w[i] = (w[i] + rest) % modulus
		}
	}
	return w
}
