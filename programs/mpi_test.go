package programs_test

import (
	"cmp"
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ranks are MPI ranks around one switch without a pipeline, at links of 100 Gb/s and 500 ns, with
// processors that take no time.
func ranks(t *testing.T, n int, o programs.MPIOptions, change ...func(*host.Cluster)) programs.MPIResult {
	t.Helper()
	net := simtest.Star(n, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	c := net.Cluster(t)
	for _, f := range change {
		f(c)
	}
	for i := range n {
		o.Ranks = append(o.Ranks, i)
	}
	if o.Channel.Credits == 0 {
		o.Channel = programs.DefaultChannel()
	}
	o.Channel.Data = simtest.Data
	o.Iterations, o.Warmup = cmp.Or(o.Iterations, 10), cmp.Or(o.Warmup, 2)
	m, err := programs.NewMPI(c, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome != host.Done {
		t.Fatalf("%v, %v: %v", r.Outcome, err, c.ThreadWaits(r.Now))
	}
	return m.Result()
}

// A step is a message of 8 B and its header of 32, 122 B on the wire, over two links. In a ping-pong
// the acknowledgement of 86 B goes before the answer. In an operation one may be on the wire, at either
// link, when the next message wants to be.
func TestAnAllreduceOfAFewBytesTakesAsManyStepsAsDoublingsReachEverybody(t *testing.T) {
	link := (100 * units.Gbps).Serialise
	step := 2*(link(122)+500*units.Nanosecond) + link(86)
	for _, tc := range []struct{ ranks, steps, least int }{
		{2, 1, 1}, {4, 2, 2}, {16, 4, 4},
		// Beyond a power of two there is one step before, and one after. Who has to do with the first
		// is a step ahead of the others when operations follow each other.
		{3, 3, 2}, {5, 4, 3}, {13, 5, 4},
	} {
		r := ranks(t, tc.ranks, programs.MPIOptions{Size: 8, Algorithm: programs.RecursiveDoubling})
		n := units.Time(tc.steps)
		if r.Step != step || r.Bound != n*step {
			t.Errorf("%d ranks: a step of %v, a bound of %v, want %v and %d times that", tc.ranks, r.Step, r.Bound, step, tc.steps)
		}
		if r.Min < units.Time(tc.least)*(step-link(86)) || r.Max > n*(step+2*link(86)) {
			t.Errorf("%d ranks: operations of %v to %v, want about %v", tc.ranks, r.Min, r.Max, r.Bound)
		}
	}
}

func TestABarrierTakesTheLogarithmOfItsRanks(t *testing.T) {
	link := (100 * units.Gbps).Serialise
	step := 2*(link(114)+500*units.Nanosecond) + link(86) // a header only
	for n, rounds := range map[int]units.Time{2: 1, 3: 2, 8: 3, 48: 6} {
		r := ranks(t, n, programs.MPIOptions{Algorithm: programs.Dissemination, Compute: 20 * units.Microsecond})
		// In every round a message meets an acknowledgement at most on each link.
		if r.Bound != rounds*step || r.Median < rounds*(step-link(86)) || r.Median > rounds*(step+link(86)) {
			t.Errorf("%d ranks: %v, want %d rounds of %v", n, r.Median, rounds, step)
		}
		if want := 1 - float64(20*units.Microsecond)/float64(20*units.Microsecond+r.Own); r.Lost < want-0.01 || r.Lost > want+0.01 {
			t.Errorf("%d ranks lose %.3f of their time, want %.3f", n, r.Lost, want)
		}
	}
}

// Ranks are not in step, so that the first of the operations that are measured may have begun before at
// some of them; what is computed in between and what the operation takes is the period all the same.
func TestAPeriodIsComputingAndAnOperation(t *testing.T) {
	for _, iterations := range []int{1, 2, 10} {
		r := ranks(t, 48, programs.MPIOptions{Algorithm: programs.Dissemination, Compute: 20 * units.Microsecond, Warmup: 1, Iterations: iterations})
		if want := 20*units.Microsecond + r.Own; r.Period < want*995/1000 || r.Period > want*1005/1000 {
			t.Errorf("%d barriers: a period of %v, want %v", iterations, r.Period, want)
		}
	}
}

// 2(n-1) pieces of 1/n follow each other, each announced and asked for before: whatever their size,
// a step of the ring is a message between two ranks that have nothing else to do.
func TestARingTakesTwiceAroundInPieces(t *testing.T) {
	for _, size := range []units.Bytes{64 * units.KiB, 8 * units.MiB, 8*units.MiB + 5} {
		r := ranks(t, 8, programs.MPIOptions{Size: size, Algorithm: programs.Ring, Iterations: 3})
		if r.Bound != 14*r.Step {
			t.Errorf("a bound of %v, want 14 steps of %v", r.Bound, r.Step)
		}
		if r.Mean < r.Bound*99/100 || r.Mean > r.Bound*103/100 {
			t.Errorf("%v: %v, want %v and at most 3 %% more", size, r.Mean, r.Bound)
		}
	}
}

func TestAnOperationTakesProcessorsWhatItsMessagesTake(t *testing.T) {
	cost := func(c *host.Cluster) { c.CPU = host.DefaultCPU() }
	r := ranks(t, 16, programs.MPIOptions{Size: 8, Algorithm: programs.RecursiveDoubling, Compute: units.Microsecond}, cost)
	// Four times: post a message, take one, post its receive again. One in some takes another poll, of what has been sent.
	want := 4 * (120 + 60 + 30) * units.Nanosecond
	if r.Processor < want || r.Processor > want+4*15*units.Nanosecond {
		t.Errorf("an operation takes %v of a processor, want %v and a little", r.Processor, want)
	}
}

// Whoever computes is disturbed now and then, and all wait for who is disturbed the longest: of 8 ranks that lose 50 us in one of ten
// phases one does in 1 - 0.9^8 = 57 % of them, for 28.5 us in the mean where each loses 5. With exponential times it is 33.9 us: of k
// that are disturbed the slowest takes 1 + 1/2 + … + 1/k times the mean. Means over 400 operations are known to 8 % at the worst, of 3200 exponential times of which nine in ten are 0; three times that
// is allowed.
func TestNoiseOfOneRankIsWaitedForByAll(t *testing.T) {
	const n, compute, d = 8, 20 * units.Microsecond, 50 * units.Microsecond
	var quiet units.Time
	for _, tc := range []struct {
		noise         programs.Noise
		mean, slowest float64 // us
	}{
		{programs.Noise{}, 0, 0},
		{programs.Noise{Duration: d, Probability: 0.1}, 5, 28.4766},
		{programs.Noise{Duration: d, Probability: 0.1, Exponential: true}, 5, 33.8512},
	} {
		r := ranks(t, n, programs.MPIOptions{Algorithm: programs.Dissemination, Compute: compute, Iterations: 400, Noise: tc.noise, Random: streams})
		near := func(what string, got units.Time, want, within float64) {
			if off := got.Microseconds() - want; off > within*want+1e-3 || -off > within*want+1e-3 {
				t.Errorf("%+v: %s %v, want %.3f us", tc.noise, what, got, want)
			}
		}
		near("expected in the mean", r.NoiseTheory, tc.mean, 1e-5)
		near("expected of the slowest", r.SlowestTheory, tc.slowest, 1e-5)
		near("in the mean", r.Noise, tc.mean, 0.24)
		near("of the slowest", r.Slowest, tc.slowest, 0.24)
		if tc.mean == 0 {
			quiet = r.Period
			continue
		}
		near("period", r.Period, (quiet + r.Slowest).Microseconds(), 0.02)
		if r.PeriodBound != compute+r.SlowestTheory+r.Bound {
			t.Errorf("a period of %v in theory", r.PeriodBound)
		}
	}
}

// A timer that comes every 100 us and takes 10 comes twice while a rank computes for 250 us, or three times, as what it takes makes
// computing longer: once for sure in each of the first two 90 us, and once more with a probability of (250 - 180)/100.
func TestNoiseByATimerComesAsOftenAsItsPeriodFits(t *testing.T) {
	r := ranks(t, 2, programs.MPIOptions{
		Algorithm: programs.Dissemination, Compute: 250 * units.Microsecond, Iterations: 500, Random: streams,
		Noise: programs.Noise{Duration: 10 * units.Microsecond, Period: 100 * units.Microsecond},
	})
	if r.NoiseTheory.Microseconds() != 27 || r.SlowestTheory.Microseconds() != 29.1 {
		t.Errorf("theory %v and %v, want 27 and 29.1 us", r.NoiseTheory, r.SlowestTheory)
	}
	if got := r.Noise.Microseconds(); got < 26.4 || got > 27.6 {
		t.Errorf("it takes %v, want 27 us", r.Noise)
	}
}
