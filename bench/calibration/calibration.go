package calibration

import (
	"fmt"
	"slices"
	"time"
)

// Version is that of loops and weights together.
const Version = 1

// Speeds is how fast the three loops ran, in operations a second.
type Speeds struct {
	Events float64 `json:"events_per_s" doc:"events of the loop that computes and branches, a second"`
	Near   float64 `json:"near_per_s" doc:"steps of the walk through 1 MiB, a second"`
	Far    float64 `json:"far_per_s" doc:"steps of the walk through 16 MiB, a second"`
}

// Score is how fast the machine is for a simulation: 1 is the reference machine, 2 a
// machine twice as fast.
func (s Speeds) Score() float64 { return Reference.hop() / s.hop() }

// Reference is, in round numbers, a virtual machine on a Xeon of 2023 (Sapphire Rapids). It
// only sets where 1 is.
var Reference = Speeds{Events: 16e6, Near: 70e6, Far: 6.5e6}

// hop is the time, in seconds, that a packet-hop would take if it were so many operations
// of each kind.
func (s Speeds) hop() float64 {
	return float64(eventsPerHop/s.Events) + float64(nearPerHop/s.Near) + float64(farPerHop/s.Far)
}

// The mixture: the one by which figures of one machine scatter least; see docs/bench.md.
const (
	eventsPerHop = 1.0
	nearPerHop   = 0.5
	farPerHop    = 0.125
)

// Operations of one round, in which each loop takes a millisecond or two.
const (
	roundEvents = 20_000
	roundNear   = 100_000
	roundFar    = 10_000
)

// What each loop comes to after its first round.
const (
	eventsSum = 0x314b8d4555f0a8e8
	nearSum   = 0x30d6eadb
	farSum    = 0x4e3758c5
)

// Machine measures the machine. It is made by [New].
type Machine struct {
	agenda    *agenda
	near, far *circle
	clock     func() time.Duration
}

// New prepares the loops, which takes some hundredths of a second and 17 MiB of memory, and
// makes sure that they come to the right sums. Clock is what they are timed with: best the
// processor time of this process, in which nothing of another one is.
func New(clock func() time.Duration) (*Machine, error) {
	m := &Machine{newAgenda(), newCircle(1 << 20), newCircle(16 << 20), clock}
	found := [...]uint64{m.agenda.run(roundEvents), m.near.run(roundNear), m.far.run(roundFar)}
	if want := [...]uint64{eventsSum, nearSum, farSum}; found != want {
		return nil, fmt.Errorf("calibration: the loops came to %x, want %x: this machine or the compiler computes wrongly", found, want)
	}
	return m, nil
}

// Measure runs the loops in turn for about so long, at least once each.
func (m *Machine) Measure(budget time.Duration) Speeds {
	var events, near, far time.Duration
	rounds := 0.0
	for begun := m.clock(); rounds == 0 || m.clock()-begun < budget; rounds++ {
		start := m.clock()
		m.agenda.run(roundEvents)
		first := m.clock()
		m.near.run(roundNear)
		second := m.clock()
		m.far.run(roundFar)
		events, near, far = events+first-start, near+second-first, far+m.clock()-second
	}
	return Speeds{
		Events: rate(rounds*roundEvents, events),
		Near:   rate(rounds*roundNear, near),
		Far:    rate(rounds*roundFar, far),
	}
}

// rate is operations a second; a clock that has not moved has moved by its resolution at
// most.
func rate(operations float64, took time.Duration) float64 {
	return operations / max(took, time.Microsecond).Seconds()
}

// Mean is the speeds over several times of equal work, at least one.
func Mean(all ...Speeds) Speeds { return combine(all, harmonicMean) }

// Median is the speeds of the middle, each by itself; of none, none.
func Median(all []Speeds) Speeds { return combine(all, median) }

func combine(all []Speeds, how func([]float64) float64) Speeds {
	var events, near, far []float64
	for _, s := range all {
		events, near, far = append(events, s.Events), append(near, s.Near), append(far, s.Far)
	}
	return Speeds{Events: how(events), Near: how(near), Far: how(far)}
}

// harmonicMean is the mean of rates at which equal amounts were done.
func harmonicMean(rates []float64) float64 {
	time := 0.0
	for _, r := range rates {
		time += 1 / r
	}
	return float64(len(rates)) / time
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
