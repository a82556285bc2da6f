package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Where all links are of one rate, a flow alone cuts through every switch: it takes
// its bytes once, a header and a pipeline a switch, and the cables; and that is its
// ideal. The first packet, 16 B longer, is ahead of the others and costs 16 B.
func TestAFlowAloneCutsThroughInItsIdealTime(t *testing.T) {
	const delay, pipeline, packets = 500 * units.Nanosecond, 300 * units.Nanosecond, 256
	for links := 2; links <= 6; links++ {
		n := simtest.Chain(links, gbps100, delay)
		n.Fabric.Header, n.Fabric.Pipeline = 64, pipeline
		c, r := n.Do(t, simtest.Flow(0, 1, packets*4096))
		mustBe(t, r, host.Done)
		hops, switches := units.Time(links), units.Time(links-1)
		bytes := firstFrame + (packets-1)*fullFrame + switches*(64*80+pipeline) + hops*delay
		ack := ackFrame + switches*(64*80+pipeline) + hops*delay
		mustTake(t, c, 0, bytes, bytes+ack)
		if i, j := c.Ideal(0); i != bytes || j != bytes+ack {
			t.Errorf("%d links: ideal %v and %v, want %v and %v", links, i, j, bytes, bytes+ack)
		}
	}
}

// The ideal is a bound on any path, and one that is nearly met: what a flow alone
// loses to it is that a switch stores a frame whose header meets a busy output, less
// than a frame at each switch.
func TestNoFlowBeatsItsIdealThroughCutThrough(t *testing.T) {
	for _, rates := range [][]units.Rate{
		{100, 100}, {100, 25}, {25, 100}, {100, 40, 400}, {100, 400, 400, 100}, {400, 10, 200, 30, 25, 100}, {400, 400, 100, 100},
	} {
		for _, size := range []units.Bytes{1, 4096, 4097, 100_000} {
			n := line(700*units.Nanosecond, rates...)
			n.Fabric.Header, n.Fabric.Pipeline = 64, 300*units.Nanosecond
			c, r := n.Do(t, simtest.Flow(0, 1, size))
			mustBe(t, r, host.Done)
			ideal, _ := c.Ideal(0)
			var slack units.Time
			for _, rate := range rates[1:] {
				slack += (rate * units.Gbps).Serialise(4194)
			}
			if got := lastByte(c, 0); got < ideal || got > ideal+slack {
				t.Errorf("rates %v, %d bytes: %v, ideal %v", rates, size, got, ideal)
			}
		}
	}
}

// Cutting through saves nothing where frames wait: eight hosts send to a ninth, and
// the last byte comes when it would without.
func TestCuttingThroughDoesNotChangeAnIncast(t *testing.T) {
	took := func(header int) units.Time {
		n := simtest.Star(9, gbps100, units.Microsecond)
		n.Fabric.Header = header
		c, r := n.Do(t, incast(8, units.MB)...)
		mustBe(t, r, host.Done)
		var last units.Time
		for flow := range c.Flows {
			last = max(last, lastByte(c, flow))
		}
		return last
	}
	if a, b := took(0), took(64); a-b < 0 || a-b > fullFrame {
		t.Errorf("stored and forwarded %v, cut through %v: want at most a frame less", a, b)
	}
}
