package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Queue pairs of one NIC take turns, packet by packet, as long as they have
// something to send.
func TestQueuePairsTakeTurns(t *testing.T) {
	for _, qps := range []int{3, 1000} {
		const packets = 10
		n := simtest.Star(2, gbps100, units.Microsecond)
		var flows []host.Flow
		for range qps {
			flows = append(flows, simtest.Flow(0, 1, packets*4096))
		}
		c := n.Cluster(t, flows...)
		tap := simtest.Watch(c, 0, 0)
		mustBe(t, n.Finish(t, c), host.Done)
		var order []uint32
		for i := range tap.Packets {
			order = append(order, tap.Packets[i].QPN)
		}
		if len(order) != qps*packets {
			t.Fatalf("%d packets sent", len(order))
		}
		// The first one's first packet starts before the others have posted anything. From
		// then on they go round, until that one is done.
		for i := 1; i+qps <= 1+(packets-1)*qps; i++ {
			if turn := slices.Sorted(slices.Values(order[i : i+qps])); len(slices.Compact(turn)) != qps {
				t.Fatalf("%d queue pairs: among packets %d to %d one has two turns", qps, i, i+qps-1)
			}
		}
		// The wire is never idle: the receiver has everything when one flow of so many
		// bytes would be done, but for the RETH of each.
		last := units.Time(0)
		for flow := range c.Flows {
			last = max(last, lastByte(c, flow))
		}
		want := units.Time(qps)*(firstFrame+(packets-1)*fullFrame) + fullFrame + 2*units.Microsecond
		if last < want || last > want+firstFrame-fullFrame {
			t.Errorf("%d queue pairs: last byte at %v, want %v", qps, last, want)
		}
	}
}

// A queue pair that is paced leaves the wire to the others and still gets its rate.
func TestPacedQueuePairsShareTheWire(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Control = &cc.FixedParams{Rate: 25 * units.Gbps}
	var flows []host.Flow
	for range 4 { // of 25 Gb/s each: the wire is full
		flows = append(flows, simtest.Flow(0, 1, units.MB))
	}
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	for flow := range flows {
		// 245 packets at 25 Gb/s; the last, of 576 B payload, does not wait for its own gap.
		paced := 4 * units.Time(firstFrame+243*fullFrame)
		if got := c.Transfer(flow).End; got < paced || got > paced+10*units.Microsecond {
			t.Errorf("flow %d ends at %v, want %v and a round trip", flow, got, paced)
		}
	}
}

// Packets of a higher priority go first, and those of one priority in the order in
// which they were queued.
func TestHigherPrioritiesGoFirst(t *testing.T) {
	n := simtest.Star(4, gbps100, units.Microsecond)
	n.Fabric.Priorities, n.Fabric.PFC.Lossless = []int{1, 3, 5, 6}, 0
	c := n.Cluster(t, inClass(simtest.Flow(1, 0, units.MB), 1), inClass(simtest.Flow(2, 0, units.MB), 5), inClass(simtest.Flow(3, 0, units.MB), 3))
	tap := simtest.Watch(c, 4, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	seen := map[uint8][]wire.PSN{}
	for i := range tap.Packets {
		p := &tap.Packets[i]
		seen[p.DSCP>>3] = append(seen[p.DSCP>>3], p.PSN)
		// All three come at line rate from the start, so the highest never leaves a gap.
		if lower := p.DSCP>>3 < 5; lower && i > 0 && len(seen[5]) < 245 {
			t.Fatalf("packet %d is of priority %d, while priority 5 has packets", i, p.DSCP>>3)
		}
		if p.DSCP>>3 == 1 && len(seen[1]) > 1 && len(seen[3]) < 245 {
			t.Fatalf("packet %d is of priority 1, while priority 3 has packets", i)
		}
	}
	for priority, psns := range seen {
		if !slices.IsSorted(psns) || len(psns) != 245 {
			t.Errorf("priority %d: %d packets, in the order %v", priority, len(psns), psns)
		}
	}
}

// Two queue pairs between hosts with two NICs use both, and each gets a wire of
// its own.
func TestAHostUsesAllItsNICs(t *testing.T) {
	n := simtest.Build(&topology.Star{Hosts: 2, NICsPerHost: 2, Link: topology.HostCable{Rate: gbps100, Delay: units.Microsecond}})
	c, r := n.Do(t, simtest.Flow(0, 1, units.MB), simtest.Flow(0, 1, units.MB))
	mustBe(t, r, host.Done)
	a, b := c.Conns[0], c.Conns[1]
	if a.From == b.From || a.To == b.To {
		t.Fatal("both queue pairs are on the same NIC")
	}
	for flow := range c.Flows {
		bytes, acks := c.Ideal(flow)
		mustTake(t, c, flow, bytes, acks)
	}
}

// An acknowledgement does not queue behind the data of its own class: it leaves with
// the end of the frame that its NIC is sending.
func TestAcknowledgementsGoBeforeData(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	single := simtest.Flow(0, 1, 4096)
	c := n.Cluster(t, single, simtest.Flow(1, 2, units.MB), simtest.Flow(1, 2, units.MB))
	tap := simtest.Watch(c, 1, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	const arrived = 2*firstFrame + 2*units.Microsecond
	ack := tap.Starts(isAck)[0]
	if busy := within(tap.Starts(isData), 0, ack); ack != busy[len(busy)-1]+fullFrame || ack-arrived >= fullFrame {
		t.Errorf("data is there at %v, the acknowledgement leaves at %v, want it after one frame at most", units.Time(arrived), ack)
	}
}

// 300 hosts on one switch, each sending to the next: nobody is in anybody's way, and
// each flow takes its ideal time.
func TestASwitchTakesAnyNumberOfPorts(t *testing.T) {
	const hosts = 300
	n := simtest.Star(hosts, gbps100, units.Microsecond)
	var flows []host.Flow
	for i := range hosts {
		flows = append(flows, simtest.Flow(i, (i+1)%hosts, 100_001))
	}
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	bytes, acks := c.Ideal(0)
	for flow := range flows {
		// The acknowledgement may meet the last frame of the data in its direction.
		if at, end := lastByte(c, flow), c.Transfer(flow).End; at != bytes || end < acks || end > acks+2*firstFrame {
			t.Errorf("flow %d: %v and %v, ideal %v and %v", flow, at, end, bytes, acks)
		}
	}
}

// Four senders, of which the frames of two and two reach a full, lossy switch at the same
// instants, the second pair half a frame after the first: those of a pair lose about as
// many frames each. None of two inputs wins every tie.
func TestNoInputWinsEveryTie(t *testing.T) {
	nodes := []topology.Node{{Name: "h0"}, {Name: "h1"}, {Name: "h2"}, {Name: "h3"}, {Name: "h4"}, {Name: "s0", Kind: topology.Switch}}
	var links []topology.Link
	for i := range 5 {
		links = append(links, topology.Link{A: i, B: 5, Rate: gbps100, Delay: units.Microsecond + units.Time(i/3)*fullFrame/2})
	}
	g, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	n := simtest.On(g)
	n.Fabric.PFC.Lossless, n.Fabric.Buffer, n.NIC.Timeout = 0, 100*units.KB, 8
	n.Fabric.Lossy.Alpha = units.Ratio{Num: 100, Den: 1} // the buffer is shared by whoever comes first
	n.Run.Limit, n.Run.UntilDone = 500*units.Microsecond, false
	c, _ := n.Do(t, incast(4, 20*units.MB)...)
	for _, pair := range [][2]int{{1, 2}, {3, 4}} {
		a, b := c.Net.Ports(5)[pair[0]].Counters.DroppedData, c.Net.Ports(5)[pair[1]].Counters.DroppedData
		if a < 10 || b < 10 || a > 2*b || b > 2*a {
			t.Errorf("hosts %d and %d lose %d and %d packets", pair[0], pair[1], a, b)
		}
	}
}

// Many hosts that send to one with two NICs keep both of them busy, though each of
// them sends on one queue pair only.
func TestAnIncastUsesBothNICsOfItsReceiver(t *testing.T) {
	n := simtest.Build(&topology.Star{
		Hosts: 5, NICsPerHost: 2, Link: topology.HostCable{Rate: 100 * units.Gbps, Delay: units.Microsecond},
	})
	var flows []host.Flow
	for i := range 4 {
		flows = append(flows, simtest.Flow(i+1, 0, units.MB))
	}
	c, _ := n.Do(t, flows...)
	for port, nic := range c.Hosts[0].NICs() {
		if got := len(nic.QueuePairs()); got != 2 {
			t.Errorf("NIC %d has %d queue pairs of 4", port, got)
		}
	}
}
