package results

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// 40 flows of 1 to 40 KB, the largest first, with slowdowns equal to their sizes in KB: two a group.
func TestFlowsOfSimilarSizeMakeAGroup(t *testing.T) {
	var sizes []units.Bytes
	var slowdowns []float64
	for i := 40; i >= 1; i-- {
		sizes, slowdowns = append(sizes, units.Bytes(i)*units.KB), append(slowdowns, float64(i))
	}
	groups := GroupBySize(sizes, slowdowns)
	if len(groups) != 20 {
		t.Fatalf("%d groups, want 20", len(groups))
	}
	for i, g := range groups {
		large := 2 * (i + 1)
		s := g.Slowdown
		if g.Percent != 5*(i+1) || g.Largest != units.Bytes(large)*units.KB || s.Samples != 2 ||
			s.P50 != float64(large-1) || s.P99 != float64(large) || s.Max != float64(large) {
			t.Errorf("group %d: %+v", i, g)
		}
	}
}

func TestEveryFlowIsInOneGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOf(rapid.Map(rapid.IntRange(0, 50), func(i int) units.Bytes { return units.Bytes(i) })).Draw(t, "sizes")
		groups := GroupBySize(sizes, make([]float64, len(sizes)))
		n, last := 0, units.Bytes(0)
		for _, g := range groups {
			if g.Largest < last {
				t.Fatalf("a group of up to %v after one of up to %v", g.Largest, last)
			}
			n, last = n+g.Slowdown.Samples, g.Largest
			if least, most := len(sizes)/20, len(sizes)/20+1; g.Slowdown.Samples < least || g.Slowdown.Samples > most {
				t.Fatalf("a group of %d of %d flows", g.Slowdown.Samples, len(sizes))
			}
		}
		if n != len(sizes) {
			t.Fatalf("%d of %d flows are in groups", n, len(sizes))
		}
		if len(groups) > 0 && groups[len(groups)-1].Percent != 100 {
			t.Fatalf("the last group ends at %d %%", groups[len(groups)-1].Percent)
		}
	})
}
