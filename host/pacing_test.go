package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// paced is the times at which the packets of a flow start that is paced at a rate.
func paced(t *testing.T, rate units.Rate, mtu, packets int) []units.Time {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.MTU, n.Fabric.MaxFrame = mtu, units.Bytes(mtu+78)
	n.NIC.Control = &cc.FixedParams{Rate: rate}
	c := n.Cluster(t, simtest.Flow(0, 1, units.Bytes(packets*mtu)))
	tap := simtest.Watch(c, 0, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	return tap.Starts(isData)
}

// A packet of b bytes on the wire is followed 8·b/R later: 4178 B at 10 Gb/s every
// 3342.4 ns, 1106 B at 5 Gb/s every 1769.6 ns. After 10,000 packets not a picosecond is
// lost. The first has 16 bytes more.
func TestPacketsArePacedExactly(t *testing.T) {
	for _, tc := range []struct {
		rate       units.Rate
		mtu        int
		first, gap float64 // ns
	}{
		{10 * units.Gbps, 4096, 3355.2, 3342.4},
		{5 * units.Gbps, 1024, 1795.2, 1769.6},
	} {
		for i, at := range paced(t, tc.rate, tc.mtu, 10_000) {
			want := units.Time(0)
			if i > 0 {
				want = ns(tc.first) + units.Time(i-1)*ns(tc.gap)
			}
			if at != want {
				t.Fatalf("%v: packet %d starts at %v, want %v", tc.rate, i, at, want)
			}
		}
	}
}

// At 7 Gb/s a packet of 4178 B takes 4774.857142… ns. The remainder is carried: each
// start is the exact one, rounded down to a picosecond, and does not drift.
func TestPacingCarriesTheRemainder(t *testing.T) {
	const rate = 7 * units.Gbps
	sent := 0
	for i, at := range paced(t, rate, 4096, 10_000) {
		if exact := rate.Serialise(sent); at > exact || at < exact-1 { // Serialise rounds up
			t.Fatalf("packet %d starts at %v, want %v at most a picosecond earlier", i, at, exact)
		}
		sent += 4178
		if i == 0 {
			sent += 16
		}
	}
}

// A pace above the rate of the port is no pace: packets go back to back.
func TestAPaceAboveTheLineIsTheLine(t *testing.T) {
	starts := paced(t, 400*units.Gbps, 4096, 100)
	if got := starts[99]; got != firstFrame+98*fullFrame {
		t.Errorf("the hundredth packet starts at %v, want %v", got, units.Time(firstFrame+98*fullFrame))
	}
}

// The ceiling of small messages: a WRITE of 64 bytes has 162 on the wire, 12.96 ns or 77.16
// million a second at 100 Gb/s.
func TestSmallMessagesAreBoundedByTheirFraming(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	flow := simtest.Flow(0, 1, 64)
	flow.Messages = 1000
	c := n.Cluster(t, flow)
	tap := simtest.Watch(c, 0, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	for i, at := range tap.Starts(isData) {
		if want := units.Time(i) * ns(12.96); at != want {
			t.Fatalf("message %d starts at %v, want %v", i, at, want)
		}
	}
}
