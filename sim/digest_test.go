package sim_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim"
)

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
