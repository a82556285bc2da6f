package rnic

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// dumbIdeal is the recursion over every packet and hop, written down.
func dumbIdeal(rs []run, legs []Leg) units.Time {
	var sizes []int
	for _, r := range rs {
		for range r.count {
			sizes = append(sizes, r.wire)
		}
	}
	at := make([]units.Time, len(sizes)) // when each packet is ready at the hop
	for _, leg := range legs {
		var free units.Time
		for i, s := range sizes {
			free = max(free, at[i]) + leg.Rate.Serialise(s)
			at[i] = free + leg.Delay
		}
	}
	return at[len(at)-1]
}

func TestIdealEqualsTheRecursionOverAllPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{MTU: rapid.SampledFrom([]int{256, 1000, 1024, 4096}).Draw(t, "mtu")}
		size := units.Bytes(rapid.IntRange(0, 100_000).Draw(t, "size"))
		messages := rapid.IntRange(1, 3).Draw(t, "messages")
		var legs []Leg
		for range rapid.IntRange(1, 6).Draw(t, "hops") {
			legs = append(legs, Leg{
				Rate:  rapid.SampledFrom([]units.Rate{10, 25, 30, 100, 101, 400}).Draw(t, "rate") * units.Gbps,
				Delay: units.Time(rapid.IntRange(0, 1_000_000).Draw(t, "delay")),
			})
		}
		got, _ := c.Ideal(size, messages, legs, nil)
		if want := dumbIdeal(c.runs(size, messages), legs); got != want {
			t.Fatalf("ideal %v, by the recursion %v", got, want)
		}
	})
}
