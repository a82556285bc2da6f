package host_test

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// line is two hosts joined by switches, each link of a rate of its own.
func line(delay units.Time, rates ...units.Rate) *simtest.Net {
	nodes := []topology.Node{{Name: "h0"}, {Name: "h1"}}
	var links []topology.Link
	at := 0
	for i, rate := range rates {
		next := 1
		if i < len(rates)-1 {
			next = len(nodes)
			nodes = append(nodes, topology.Node{Name: fmt.Sprint("s", i), Kind: topology.Switch})
		}
		links = append(links, topology.Link{A: at, B: next, Rate: rate * units.Gbps, Delay: delay})
		at = next
	}
	g, err := topology.New(nodes, links)
	if err != nil {
		panic(err)
	}
	return simtest.On(g)
}

// Whatever the rates of the links, their number and the MTU: a lone flow takes what
// the recursion over its packets and links gives, and nothing else knows better.
// 37.5 and 30 Gb/s have no whole picoseconds a byte.
func TestALoneFlowTakesItsPipelineTimeOnAnyPath(t *testing.T) {
	const delay, pipeline = 700 * units.Nanosecond, 300 * units.Nanosecond
	for _, rates := range [][]units.Rate{
		{100, 100}, {100, 25}, {25, 100}, {100, 40, 400}, {10, 100, 400, 25},
		{100, 400, 400, 100}, {100, 100, 100, 100, 100, 100}, {400, 10, 200, 30, 25, 100}, {1600, 1600},
	} {
		for _, mtu := range []int{256, 512, 1000, 1024, 2048, 4096} {
			for _, size := range []units.Bytes{0, 1, 1023, 4096, 100_000, 1_000_001} {
				n := line(delay, rates...)
				n.Fabric.Pipeline, n.NIC.MTU = pipeline, mtu
				c, r := n.Do(t, simtest.Flow(0, 1, size))
				mustBe(t, r, host.Done)
				there, back := legs(rates, delay, pipeline)
				bytes := recursion(wireSizes(size, mtu), there)
				mustTake(t, c, 0, bytes, bytes+recursion([]int{86}, back))
				if i, j := c.Ideal(0); i != bytes || j != c.Transfer(0).End {
					t.Errorf("ideal %v and %v, it took %v and %v", i, j, bytes, c.Transfer(0).End)
				}
				if t.Failed() {
					t.Fatalf("rates %v, MTU %d, %d bytes", rates, mtu, size)
				}
			}
		}
	}
}

// legs are a line's links there and back; each but the last of a way leads into a
// switch and its pipeline.
func legs(rates []units.Rate, delay, pipeline units.Time) (there, back []rnic.Leg) {
	for i := range rates {
		there = append(there, rnic.Leg{Rate: rates[i] * units.Gbps, Delay: delay + pipeline})
		back = append(back, rnic.Leg{Rate: rates[len(rates)-1-i] * units.Gbps, Delay: delay + pipeline})
	}
	there[len(rates)-1].Delay, back[len(rates)-1].Delay = delay, delay
	return there, back
}

// A rate of 37.5 Gb/s makes 213.3 ps of a byte: each frame's time is rounded up to
// a picosecond, once.
func TestAnyRateIsExactWithinAPicosecondAFrame(t *testing.T) {
	const rate, packets = 37_500 * units.Mbps, 1000
	n := simtest.Star(2, rate, units.Microsecond)
	c, _ := n.Do(t, simtest.Flow(0, 1, packets*4096))
	// 4178·8/37.5 = 891.30666 ns; the first frame 4194·8/37.5 = 894.72 ns exactly.
	const frame, first = 891_307, 894_720
	bytes := 2*first + (packets-1)*frame + 2*units.Microsecond
	ack := 2*18_347 + 2*units.Microsecond // 86·8/37.5 = 18.34666 ns
	mustTake(t, c, 0, units.Time(bytes), units.Time(bytes)+units.Time(ack))
}

// A WRITE of no bytes is one packet of 98 bytes on the wire and one acknowledgement
// of 86, and takes one base round trip: 2·(7.84 + 1000) + 2·(6.88 + 1000) ns.
func TestAnEmptyWriteTakesOneRoundTrip(t *testing.T) {
	c, r := simtest.Star(2, gbps100, units.Microsecond).Do(t, simtest.Flow(0, 1, 0))
	mustBe(t, r, host.Done)
	mustTake(t, c, 0, ns(2015.68), ns(4029.44))
	if sent, got := sender(c, 0), receiver(c, 0); sent.Packets != 1 || sent.Acks != 1 || got.Packets != 1 || got.Payload != 0 {
		t.Errorf("sent %+v, received %+v", sent, got)
	}
}

// The sender's link is free after S/B; the last bit is with the receiver L later.
// The latency of a link costs the receiver, not the sender.
func TestTheSenderIsFreeBeforeTheReceiverIsDone(t *testing.T) {
	const packets, latency = 256, 10 * units.Microsecond
	n := simtest.Chain(1, gbps100, latency)
	c := n.Cluster(t, simtest.Flow(0, 1, packets*4096))
	tap := simtest.Watch(c, 0, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	starts := tap.Starts(isData)
	free := starts[len(starts)-1] + fullFrame
	if want := units.Time(firstFrame + (packets-1)*fullFrame); free != want {
		t.Errorf("sender's link is free at %v, want %v", free, want)
	}
	if got := lastByte(c, 0); got != free+latency {
		t.Errorf("receiver is done at %v, want %v later than the sender is free", got, latency)
	}
}

// With nothing that bounds what is in flight, the delay of a link is paid once.
func TestThroughputDoesNotDependOnDelay(t *testing.T) {
	const packets = 1000
	for delay := units.Microsecond; delay <= units.Millisecond; delay *= 10 {
		n := simtest.Star(2, gbps100, delay)
		n.Fabric.Buffer = units.GB // headroom for a millisecond of cable is 25 MB a port
		c, _ := n.Do(t, simtest.Flow(0, 1, packets*4096))
		if got, want := lastByte(c, 0)-2*delay, units.Time(2*firstFrame+(packets-1)*fullFrame); got != want {
			t.Errorf("links of %v: transmission takes %v, want %v", delay, got, want)
		}
	}
}

// Beyond 2^32 bytes, counters of 32 bits would have wrapped. Five pieces of 1 GiB
// at most are five messages with a RETH each.
func TestAFlowBeyondFourGigabytesIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("2.4 million packet-hops")
	}
	const size = 5 * units.GB
	n := simtest.Star(2, 1600*units.Gbps, units.Microsecond)
	c, r := n.Do(t, simtest.Flow(0, 1, size))
	mustBe(t, r, host.Done)
	// 4 GiB are 4·262144 packets; the rest, 705032704 B, are 172127 of 4096 and one of
	// 512 B. At 5 ps a byte, all packets go back to back on both links, but that a first
	// packet, 16 B longer, is the longest through both.
	const packets, firsts, last = 4*262_144 + 172_127, 5, 512 + 82
	ser := units.Time(packets*4178+firsts*16+last) * 5
	if got, want := lastByte(c, 0), ser+firstFrame/16+2*units.Microsecond; got != want {
		t.Errorf("last byte after %v, want %v", got, want)
	}
	if ideal, acked := c.Ideal(0); ideal != lastByte(c, 0) || acked != c.Transfer(0).End {
		t.Errorf("ideal %v and %v, it took %v and %v", ideal, acked, lastByte(c, 0), c.Transfer(0).End)
	}
	if got := receiver(c, 0).Payload; got != uint64(size) {
		t.Errorf("%d bytes received, want %d", got, size)
	}
}
