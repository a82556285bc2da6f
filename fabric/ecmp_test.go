package fabric

import (
	"math"
	"testing"
)

// salted is a switch of which only the ECMP salt matters.
func salted(name string) *Switch { return &Switch{salt: saltOf(&Config{PathSeed: 1}, name)} }

// chiSquare of counts that should all be equal: with k counts its mean is k-1 and its
// variance 2(k-1), so that five standard deviations are beyond chance.
func chiSquare(counts []int) (x, bound float64) {
	n, k := 0, float64(len(counts))
	for _, c := range counts {
		n += c
	}
	for _, c := range counts {
		d := float64(c) - float64(n)/k
		x += d * d / (float64(n) / k)
	}
	return x, k - 1 + 5*math.Sqrt(2*(k-1))
}

// Flows of hashes that follow each other, the worst a hash can be given, spread
// evenly over any number of paths.
func TestFlowsSpreadEvenlyOverPaths(t *testing.T) {
	for _, paths := range []int{2, 3, 4, 7, 8, 16, 64} {
		for _, name := range []string{"leaf0", "leaf1", "spine0"} {
			s, counts := salted(name), make([]int, paths)
			for flow := range uint32(100_000) {
				counts[s.Choose(flow, paths)]++
			}
			if x, bound := chiSquare(counts); x > bound {
				t.Errorf("%s, %d paths: chi-square %.1f above %.1f: %v", name, paths, x, bound, counts)
			}
		}
	}
}

// Were two tiers to hash alike, the flows that one of them put on a path would all
// choose the same path again, and the others stay empty ("polarisation").
func TestSwitchesChooseIndependently(t *testing.T) {
	const paths = 8
	leaf, spine := salted("leaf0"), salted("spine0")
	counts := make([]int, paths*paths)
	for flow := range uint32(100_000) {
		counts[leaf.Choose(flow, paths)*paths+spine.Choose(flow, paths)]++
	}
	if x, bound := chiSquare(counts); x > bound {
		t.Errorf("chi-square of the pairs of choices %.1f, above %.1f: %v", x, bound, counts)
	}
}

func TestAFlowKeepsItsPath(t *testing.T) {
	s := salted("leaf0")
	for flow := range uint32(1000) {
		if first := s.Choose(flow, 4); s.Choose(flow, 4) != first {
			t.Fatalf("flow %d changed its path", flow)
		}
	}
}

// Switches that share a salt choose alike: of the ways of a second tier as many as the
// first has, each flow takes that of the same number.
func TestSwitchesWithASharedSaltChooseAlike(t *testing.T) {
	shared := Config{PathSeed: 1, SharedSalt: true}
	leaf, spine := &Switch{salt: saltOf(&shared, "leaf0")}, &Switch{salt: saltOf(&shared, "spine0")}
	for flow := range uint32(1000) {
		if first, second := leaf.Choose(flow, 8), spine.Choose(flow, 8); first != second {
			t.Fatalf("flow %d takes way %d of one tier and %d of the next", flow, first, second)
		}
	}
}
