package sim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
)

// draws takes the first n numbers of a stream.
func draws(s sim.Stream, n int) []uint64 {
	all := make([]uint64, n)
	for i := range all {
		all[i] = s.Uint64()
	}
	return all
}

// What a stream yields is a function of seed, entity and purpose: neither other
// streams nor the order in which they are made or drawn from have any influence.
func TestAStreamIsAFunctionOfItsName(t *testing.T) {
	a := sim.NewStream(1, "leaf0:3", "ecn")
	b := sim.NewStream(2, "spine1:0", "ecn")
	interleaved := []uint64{}
	for range 4 {
		b.Uint64()
		interleaved = append(interleaved, a.Uint64())
	}
	if got, want := fmt.Sprint(draws(sim.NewStream(1, "leaf0:3", "ecn"), 4)), fmt.Sprint(interleaved); got != want {
		t.Errorf("alone %s, among others %s", got, want)
	}
}

func TestStreamsOfDifferentNamesDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(4) {
		for _, entity := range []string{"", "a", "ab", "b", "sw0:1", "sw01"} {
			for _, purpose := range []string{"", "a", "b", "ecn", "ecmp"} {
				name := fmt.Sprintf("%d/%s/%s", seed, entity, purpose)
				s := sim.NewStream(seed, entity, purpose)
				first := s.Uint64()
				if other, taken := seen[first]; taken {
					t.Errorf("%q and %q yield the same", name, other)
				}
				seen[first] = name
			}
		}
	}
}

// chiSquare of counts that should all be equal.
func chiSquare(counts []int) float64 {
	n := 0
	for _, c := range counts {
		n += c
	}
	want, sum := float64(n)/float64(len(counts)), 0.0
	for _, c := range counts {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return sum
}

// The statistic of k-1 degrees of freedom has mean k-1 and variance 2(k-1); five
// standard deviations are far beyond chance and well below any visible bias.
func TestStreamsAreUniform(t *testing.T) {
	const n, cells = 100_000, 64
	for name, cell := range map[string]func(s *sim.Stream) int{
		"low bits":   func(s *sim.Stream) int { return int(s.Uint64() % cells) },
		"high bits":  func(s *sim.Stream) int { return int(s.Uint64() >> 58) },
		"Float64":    func(s *sim.Stream) int { return int(s.Float64() * cells) },
		"Uint64N":    func(s *sim.Stream) int { return int(s.Uint64N(cells)) },
		"of 3·2^62":  func(s *sim.Stream) int { return int(s.Uint64N(3<<62) / (3 << 62 / cells)) },
		"one a name": func() func(*sim.Stream) int { return firstOfEach(cells) }(),
	} {
		counts := make([]int, cells)
		s := sim.NewStream(1, "uniform", name)
		for range n {
			counts[cell(&s)]++
		}
		if x, bound := chiSquare(counts), cells-1+5*math.Sqrt(2*(cells-1)); x > bound {
			t.Errorf("%s: chi-square %.1f over %d cells, above %.1f", name, x, cells, bound)
		}
	}
}

// firstOfEach draws the first number of a new stream each time: streams of
// neighbouring names must not be alike either.
func firstOfEach(cells uint64) func(*sim.Stream) int {
	i := 0
	return func(*sim.Stream) int {
		i++
		s := sim.NewStream(1, fmt.Sprint("sw", i), "ecmp")
		return int(s.Uint64N(cells))
	}
}
