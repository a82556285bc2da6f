package programs_test

import (
	"context"
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// fannedOut has one root ask leaves around one switch without a pipeline, at links of 100 Gb/s and 500 ns, with processors
// that take no time but for what options say.
func fannedOut(t *testing.T, leaves int, o programs.FanOutOptions) programs.FanOutResult {
	t.Helper()
	net := simtest.Star(leaves+1, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	c := net.Cluster(t)
	o.Roots = []int{leaves}
	for i := range leaves {
		o.Leaves = append(o.Leaves, i)
	}
	o.Threads, o.Outstanding = 1, max(1, o.Outstanding)
	if o.Fan == 0 {
		o.Fan = leaves
	}
	if o.Need == 0 {
		o.Need = o.Fan
	}
	o.Request, o.Random = 32, streams
	o.Channel = programs.DefaultChannel()
	o.Channel.Data = simtest.Data
	f, err := programs.NewFanOut(c, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome != host.Done {
		t.Fatalf("%v, %v: %v", r.Outcome, err, c.ThreadWaits(r.Now))
	}
	return f.Result()
}

// Sixteen leaves answer at once with 4000 B, 4114 on the wire: their answers meet at the root's link, and the query is done when
// the last has come through; if eight are enough, when the eighth has.
func TestAnswersOfManyLeavesMeetAtTheRootsLink(t *testing.T) {
	const reply, service = 4000, 5 * units.Microsecond
	wire := (100 * units.Gbps).Serialise(82 + 32 + reply)
	for _, need := range []int{16, 8, 1} {
		r := fannedOut(t, 16, programs.FanOutOptions{Queries: 20, Need: need, Reply: reply, Service: programs.Service{Mean: service}})
		if r.Incast != wire*units.Time(need-1) || r.Bound != r.Empty+service+r.Incast {
			t.Errorf("of %d: %v of incast, at least %v", need, r.Incast, r.Bound)
		}
		// The requests, of 146 B each, go one after the other, in the same order as the answers come; an acknowledgement of 86 B
		// may be on a link when a message wants to be.
		if r.Queries != 20 || r.Answers != 320 || r.Query.Min < r.Bound-2*(100*units.Gbps).Serialise(86) || r.Query.Max > r.Bound+16*(100*units.Gbps).Serialise(146+86) {
			t.Errorf("of %d: %d queries of %v to %v, want at least %v", need, r.Queries, r.Query.Min, r.Query.Max, r.Bound)
		}
	}
}

// Leaves compute for a random time with a density of e^-x, in units of 20 us. The last of n such times comes after 1 + 1/2 + … +
// 1/n in the mean, the last but one 1 earlier; both vary by less than 1.3, so that means over 800 queries are known to 5 % of 20 us.
// How many queries are slower than some answers are follows from these (the tail at scale).
func TestAQueryToManyLeavesIsSlowMoreOftenThanALeaf(t *testing.T) {
	const n, leaves, mean = 800, 20, 20 * units.Microsecond
	harmonic := 0.0
	for i := 1; i <= leaves; i++ {
		harmonic += 1 / float64(i)
	}
	for need, want := range map[int]float64{leaves: harmonic, leaves - 1: harmonic - 1} {
		// In an open loop so slow that no query waits for the one before.
		r := fannedOut(t, leaves, programs.FanOutOptions{
			Queries: n, Need: need, Reply: 32, Service: programs.Service{Shape: programs.Exponential, Mean: mean}, Interval: units.Millisecond,
		})
		for what, got := range map[string]units.Time{"measured": r.Query.Mean, "independent": r.Independent} {
			if of := float64(got-r.Empty) / float64(mean); math.Abs(of-want) > 0.15 {
				t.Errorf("%d of %d: %s %.3f times the mean service, want %.3f", need, leaves, what, of, want)
			}
		}
		for _, tail := range r.Tail {
			if off := math.Abs(tail.Queries - tail.Theory); off > 4*math.Sqrt(tail.Theory*(1-tail.Theory)/n)+1e-9 {
				t.Errorf("%d of %d: %.4f of the queries are slower than %v, want %.4f", need, leaves, tail.Queries, tail.Beyond, tail.Theory)
			}
		}
		if r.Tail[2].PerMille != 990 || math.Abs(r.Tail[2].Answers-0.01) > 0.001 {
			t.Errorf("%.4f of the answers are beyond their 99th percentile", r.Tail[2].Answers)
		}
	}
}

// In a closed loop with one query at a time, which ends with its last answer, queries follow each other without a gap.
func TestQueriesOfAClosedLoopFollowEachOther(t *testing.T) {
	r := fannedOut(t, 4, programs.FanOutOptions{Queries: 50, Reply: 100, Service: programs.Service{Shape: programs.LogNormal, Sigma: 1, Mean: 3 * units.Microsecond}})
	if math.Abs(r.UnderWay-1) > 1e-6 {
		t.Errorf("%v queries are under way", r.UnderWay)
	}
}
