package model_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/model"
)

// Three buckets of 10, 10 and 5 MB: 14 messages of 5 us and 7/4 of the size at 100 Gb/s are 1.47, 1.47 and 0.77 ms.
func TestAnExchangeSumsUpBucketsAsTheyBecomeReady(t *testing.T) {
	e := model.Exchange{Ranks: 8, Compute: 30 * units.Millisecond, Gradients: 25 * units.MB, Bucket: 10 * units.MB, Iterations: 1}
	for _, c := range []struct {
		overlap int
		want    units.Time // of a step, in microseconds
	}{
		{0, 30_000 + 1470 + 1470 + 770},
		{100, 30_000 + 770},              // at 10, 20 and 30 ms
		{10, 28_000 + 1470 + 1470 + 770}, // at 28, 29 and 30 ms; each waits for the one before
	} {
		e.Overlap = c.overlap
		p, err := e.Job()
		if err == nil {
			err = p.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, want := takes(p, alphaBeta), c.want*units.Microsecond; !near(got, want) || p.Compute != 30*units.Millisecond {
			t.Errorf("overlap of %d %%: a step takes %v, want %v; of it %v are computed", c.overlap, got, want, p.Compute)
		}
	}
}

func TestAnExchangeOfOneBucketWaitsForStragglers(t *testing.T) {
	e := model.Exchange{Ranks: 4, Compute: 10 * units.Millisecond, Gradients: units.MB, Iterations: 1,
		Stragglers: []model.Straggler{{Rank: 1, Factor: units.Ratio{Num: 6, Den: 5}}, {Rank: 2, Added: units.Millisecond}}}
	p, err := e.Job()
	if err != nil {
		t.Fatal(err)
	}
	got := takes(p, only(collective.AllReduce, units.Millisecond))
	if want := 13 * units.Millisecond; got != want || p.Ranks[0] != p.Ranks[3] || p.Ranks[0] == p.Ranks[1] {
		t.Errorf("a step takes %v, want 12ms of rank 1 and 1ms", got)
	}
}
