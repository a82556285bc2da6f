package programs

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// Noise is what an operating system does on a core while a rank computes there (Petrini, Kerbyson and Pakin, "The case of the
// missing supercomputer performance", SC 2003). What it does while the rank waits for messages takes the rank no time.
type Noise struct {
	// Duration is how long it takes each time, less than Period; 0 if there is none.
	Duration units.Time
	// Period is from one time to the next, by a timer of each host that begins at random.
	Period units.Time
	// Probability, in place of Period, is that of a phase of computing to meet it once.
	Probability float64
	// Exponential has it take a random time with this mean, where it has a Probability.
	Exponential bool
}

// noisy is the noise that a rank meets.
type noisy struct {
	of     *Noise
	random Random
	phase  units.Time // of its timer
	taken  []units.Time
}

// newNoisy is that of a rank, which draws from a stream; nil if there is none.
func newNoisy(of *Noise, random func() Random) *noisy {
	if of.Duration == 0 {
		return nil
	}
	n := &noisy{of: of, random: random()}
	if of.Probability == 0 {
		n.phase = units.Time(float64(float64(of.Period) * variate.Uniform(n.random)))
	}
	return n
}

// takes is how much longer a rank computes that has so much to do from a time on.
func (n *noisy) takes(from, work units.Time) (more units.Time) {
	o := n.of
	if o.Probability > 0 {
		if variate.Uniform(n.random) >= o.Probability {
			return 0
		}
		if o.Exponential {
			return units.Time(float64(float64(o.Duration) * variate.Exponential(n.random)))
		}
		return o.Duration
	}
	next := n.phase
	if from > next {
		next += (from - next + o.Period - 1) / o.Period * o.Period
	}
	for ; next < from+work+more; next += o.Period {
		more += o.Duration
	}
	return more
}

// Expected is by how much longer one rank computes for so much work in the mean, and by how much longer the slowest of n does, for
// whom all others wait. Noise that comes with a probability p, always as long, takes the slowest 1-(1-p)^n of its
// duration; with an exponential duration the sum of (1-(1-p)^k)/k for k from 1 to n. A timer comes j+1 times, or more, with a
// probability of (work - j (period - duration)) / period.
func (o *Noise) Expected(n int, work units.Time) (mean, slowest units.Time) {
	d := float64(o.Duration)
	switch {
	case o.Duration == 0:
		return 0, 0
	case o.Probability > 0 && o.Exponential:
		sum, none := 0.0, 1.0
		for k := 1; k <= n; k++ {
			none = float64(none * (1 - o.Probability))
			sum += (1 - none) / float64(k)
		}
		return units.Time(d * o.Probability), units.Time(d * sum)
	case o.Probability > 0:
		return units.Time(d * o.Probability), units.Time(d * (1 - power(1-o.Probability, n)))
	}
	var one, all float64
	for left := work; left > 0; left -= o.Period - o.Duration {
		p := min(1, float64(left)/float64(o.Period))
		one += p
		all += 1 - power(1-p, n)
	}
	return units.Time(d * one), units.Time(d * all)
}
