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
	var last units.Time                  // bit of the last packet at the far end
	for _, leg := range legs {
		var free units.Time
		for i, s := range sizes {
			start := max(free, at[i])
			free, last = start+leg.Rate.Serialise(s), start+leg.Rate.Serialise(s)+leg.Delay
			at[i] = last
			if leg.Header > 0 {
				at[i] = start + leg.Rate.Serialise(min(s, leg.Header)) + leg.Delay
			}
		}
	}
	return last
}

func TestIdealEqualsTheRecursionOverAllPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{MTU: rapid.SampledFrom([]int{256, 1000, 1024, 4096}).Draw(t, "mtu")}
		size := units.Bytes(rapid.IntRange(0, 100_000).Draw(t, "size"))
		messages := rapid.IntRange(1, 3).Draw(t, "messages")
		var legs []Leg
		for range rapid.IntRange(1, 6).Draw(t, "hops") {
			legs = append(legs, Leg{
				Rate:   rapid.SampledFrom([]units.Rate{10, 25, 30, 100, 101, 400}).Draw(t, "rate") * units.Gbps,
				Delay:  units.Time(rapid.IntRange(0, 1_000_000).Draw(t, "delay")),
				Header: rapid.SampledFrom([]int{0, 64, 128, 1000}).Draw(t, "header"),
			})
		}
		got, _ := c.Ideal(size, messages, legs, nil)
		if want := dumbIdeal(c.Cut(Class{}).runs(size, messages), legs); got != want {
			t.Fatalf("ideal %v, by the recursion %v", got, want)
		}
	})
}
