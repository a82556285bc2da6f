package sim_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// Workers get contiguous parts, none of them empty, and none heavier than a fair
// share and one node more.
func TestNodesAreDealtOutByWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(1, 64), 1, 60).Draw(t, "weights")
		workers := rapid.IntRange(1, 9).Draw(t, "workers")
		e := sim.New(make([]sim.Node, len(weights)), func(i int) int { return weights[i] },
			sim.Config{LookAhead: 1, Limit: units.Second, Workers: workers})
		sum, heaviest := 0, 0
		load := make([]int, e.Workers())
		for i, w := range weights {
			if i > 0 && e.WorkerOf(i) != e.WorkerOf(i-1) && e.WorkerOf(i) != e.WorkerOf(i-1)+1 {
				t.Fatalf("node %d belongs to worker %d, the one before to %d", i, e.WorkerOf(i), e.WorkerOf(i-1))
			}
			load[e.WorkerOf(i)] += w
			sum, heaviest = sum+w, max(heaviest, w)
		}
		for worker, l := range load {
			if l == 0 || l > sum/e.Workers()+heaviest {
				t.Fatalf("worker %d carries %d of %d among %d (heaviest node %d)", worker, l, sum, e.Workers(), heaviest)
			}
		}
	})
}

func TestDigestTellsOrderAndTimeApart(t *testing.T) {
	type event struct{ at, what uint64 }
	seen := map[sim.Digest][]event{}
	for _, stream := range [][]event{
		{{0, 0}}, {{0, 1}}, {{1, 0}}, {{1, 2}, {1, 3}}, {{1, 3}, {1, 2}}, {{1, 2}, {2, 3}}, {{1, 2}, {1, 3}, {0, 0}},
	} {
		var d sim.Digest
		for _, e := range stream {
			d.Fold(e.at, e.what)
		}
		if other, taken := seen[d]; taken {
			t.Errorf("%v and %v have the same digest", stream, other)
		}
		seen[d] = stream
	}
	if sim.Combine([]sim.Digest{1, 2}) == sim.Combine([]sim.Digest{2, 1}) {
		t.Error("two nodes exchanged, and the digest is the same")
	}
}
