package programs

import (
	"math"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Latency is what a latency test reports of one size, by perftest's definitions: of the
// differences of successive times of posting (halved where two ends answer each other) the
// two longest are left out, but for the longest of the rest, which is Max.
type Latency struct {
	Min, Max, Typical, Average, Stdev, P99, P999 units.Time
}

// latencyTail is how many of the longest differences are left out.
const latencyTail = 2

// NewLatency works out the latency from the times at which requests were posted, of which there
// are at least [MinIterations]; roundTrip leaves differences whole.
func NewLatency(posted []units.Time, roundTrip bool) Latency {
	took := make([]float64, len(posted)-1)
	for i := range took {
		took[i] = float64(posted[i+1] - posted[i])
		if !roundTrip {
			took[i] /= 2
		}
	}
	slices.Sort(took)
	n := len(took) - latencyTail
	sum := 0.0
	for _, d := range took[:n] {
		sum += d
	}
	mean := sum / float64(n)
	squares := 0.0
	for _, d := range took[:n] {
		squares += float64((d - mean) * (d - mean))
	}
	at := func(share float64) units.Time {
		return rounded(took[int(math.Ceil(float64(float64(n)*share)))])
	}
	return Latency{
		Min: rounded(took[0]), Max: rounded(took[n]), Typical: rounded(median(took[:n])),
		Average: rounded(mean), Stdev: rounded(math.Sqrt(squares / float64(n))), P99: at(0.99), P999: at(0.999),
	}
}

func median(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 0 {
		return (sorted[n/2] + sorted[n/2-1]) / 2
	}
	return sorted[n/2]
}

func rounded(t float64) units.Time { return units.Time(math.Round(t)) }

// Bandwidth is what a bandwidth test reports of one size.
type Bandwidth struct {
	// Peak is the best over any messages that followed each other; 0 where it was not worked out.
	Peak, Average units.Rate
	// MessageRate is messages a second.
	MessageRate float64
}

// completed is how many messages were complete at a time.
type completed struct {
	messages int
	at       units.Time
}

// newBandwidth works out the bandwidth from when each message was posted and when completions
// came; without the peak if only the times of the first and of the last are there.
func newBandwidth(size units.Bytes, posted []units.Time, done []completed) Bandwidth {
	last := done[len(done)-1]
	took := last.at - posted[0]
	b := Bandwidth{Average: over(size, last.messages, took), MessageRate: perSecond(last.messages, took)}
	if len(posted) < last.messages {
		return b
	}
	best, in := 0.0, 1.0 // messages, and the time in which they were complete
	for _, d := range done {
		for i := range d.messages {
			n, t := float64(d.messages-i), float64(d.at-posted[i])
			if float64(n*in) > float64(best*t) {
				best, in = n, t
			}
		}
	}
	b.Peak = over(size, int(best), units.Time(in))
	return b
}

// over is the rate of so many messages in a time.
func over(size units.Bytes, messages int, in units.Time) units.Rate {
	if in <= 0 {
		return 0
	}
	return units.Rate(float64(size) * 8 * float64(messages) / in.Seconds())
}

func perSecond(messages int, in units.Time) float64 {
	if in <= 0 {
		return 0
	}
	return float64(messages) / in.Seconds()
}

// Load is what one end of a test took of its processors for one size.
type Load struct {
	Busy units.Time // for all messages, Kernel included
	// Kernel is, over TCP, what cores worked by themselves for its connections: in interrupts and
	// softirqs.
	Kernel units.Time
	Cores  float64 // kept from others while it lasted
}

// PerMessage is the time for which processors were busy for each message.
func (l Load) PerMessage(messages int) units.Time {
	return units.Time(math.Round(float64(l.Busy) / float64(max(1, messages))))
}

func (l Load) plus(o Load) Load {
	return Load{Busy: l.Busy + o.Busy, Kernel: l.Kernel + o.Kernel, Cores: l.Cores + o.Cores}
}

// Result is what a test measured with messages of one size.
type Result struct {
	Size units.Bytes
	// Iterations are those of all queue pairs.
	Iterations int
	// Begun and Ended are when the first message was posted and the last complete.
	Begun, Ended units.Time
	Latency      *Latency   // nil for bandwidth
	Bandwidth    *Bandwidth // nil for latency; of both ends where both send
	// Client and Server are the processor time of both ends.
	Client, Server Load
}
