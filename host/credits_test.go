package host_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

// Two hosts on one cable, the sender's credits returned over it: a packet of 1024 bytes
// takes up 17 blocks of the receiver's 512, so that 30 are under way at the most, and the
// credits of each come back T after it began: its own time on the wire, two cables, and the
// time of the flow-control packet. So 30 packets go every T, and all but the first T the wire
// is busy for 30 packets of every T. For a T of 4 us that is 65.28 Gb/s of buffer, of the
// bound of 32,768 B * 8 / 4 us = 65.54.
func TestBufferAndLoopBoundTheRateOfALane(t *testing.T) {
	const (
		first, packet, last = 1070 * 80, 1054 * 80, 1054 * 80 // on a wire of 100 Gb/s
		ack, flowControl    = 34 * 80, 10 * 80
		window              = 30
	)
	const loop = 4 * units.Microsecond
	delay := (loop - packet - flowControl) / 2
	n := simtest.Chain(1, gbps100, delay)
	n.NIC.MTU = 1024
	n.InfiniBand(32 * units.KiB)
	const packets = 3001
	c, r := n.Do(t, simtest.Flow(0, 1, packets*1024))
	mustBe(t, r, host.Done)

	// Packet k*30 begins k loops after the first, and later by as much as that is longer: by
	// its RETH.
	begins := units.Time(packets/window)*loop + first - packet + units.Time(packets%window-1)*packet
	want := begins + last + delay
	if got := lastByte(c, 0); got != want {
		t.Errorf("%d packets take %v, want %v", packets, got, want)
	}
	rate := float64(packets*17*64*8) / lastByte(c, 0).Microseconds() / 1000
	if bound := 65.536; rate > bound || rate < 0.99*bound {
		t.Errorf("%.2f Gb/s of buffer, want up to 1 %% less than %.2f", rate, bound)
	}
	lane, _ := c.Net.Ports(1)[0].Lane(3)
	if lane.Peak != 17 {
		t.Errorf("a receiver that keeps up holds at most %d blocks, want one packet of 17", lane.Peak)
	}
}

// With half the buffer and a quarter of the loop the bound is 16,384 B * 8 / 1 us = 131 Gb/s,
// more than the line: the wire is never idle.
func TestALoopThatIsShortEnoughLeavesTheRateToTheLine(t *testing.T) {
	const packet, first, flowControl = 1054 * 80, 1070 * 80, 10 * 80
	delay := (units.Microsecond - packet - flowControl) / 2
	n := simtest.Chain(1, gbps100, delay)
	n.NIC.MTU = 1024
	n.InfiniBand(16 * units.KiB)
	c, r := n.Do(t, simtest.Flow(0, 1, 3001*1024))
	mustBe(t, r, host.Done)
	if got, want := lastByte(c, 0), units.Time(first+3000*packet)+delay; got != want {
		t.Errorf("3001 packets take %v, want %v at line rate", got, want)
	}
	if lane, _ := c.Net.Ports(0)[0].Lane(3); lane.Stalls != 0 {
		t.Errorf("%d packets waited for credits", lane.Stalls)
	}
}

// creditLoser takes the frames of a kind whose numbers are in its lists, counted from 1.
type creditLoser struct {
	data, grants map[int]bool
	sent, told   int
}

func (l *creditLoser) Loses(p *wire.Packet, _ units.Time) bool {
	l.sent++
	return l.data[l.sent]
}

func (*creditLoser) LosesPFC(*wire.PFC, units.Time) bool { return false }

func (l *creditLoser) LosesCredits(wire.FlowControl, units.Time) bool {
	l.told++
	return l.grants[l.told]
}

func numbers(from, to int) map[int]bool {
	set := map[int]bool{}
	for i := from; i <= to; i++ {
		set[i] = true
	}
	return set
}

// The buffer has room for three packets. Three flow-control packets in a row are lost on
// their way to the sender, which then stands still with packets to send, until 65,536 symbol
// times later, 20.97 us at 100 Gb/s, the next one says all that they said.
func TestLostFlowControlPacketsHeal(t *testing.T) {
	n := simtest.Chain(1, gbps100, 100*units.Nanosecond)
	n.InfiniBand(16 * units.KiB)
	quiet := lastByteOf(t, n, nil, nil)
	lost := lastByteOf(t, n, nil, &creditLoser{grants: numbers(10, 12)})
	symbols := gbps100.Serialise(4 * 65536)
	if after := lost - quiet; after < symbols-units.Microsecond || after > symbols+units.Microsecond {
		t.Errorf("the loss costs %v, want about the %v between two flow-control packets", after, symbols)
	}
}

// lastByteOf runs a flow of 2 MB with faults on the cable away from its sender and from its
// receiver, and gives when its last byte came.
func lastByteOf(t *testing.T, n *simtest.Net, there, back fabric.Fault) units.Time {
	t.Helper()
	c := n.Cluster(t, simtest.Flow(0, 1, 2*units.MB))
	if there != nil {
		c.Net.Ports(0)[0].Break(there)
	}
	if back != nil {
		c.Net.Ports(1)[0].Break(back)
	}
	mustBe(t, n.Finish(t, c), host.Done)
	return lastByte(c, 0)
}

// Data packets that are lost take their credits with them: the receiver has counted too
// little, and grants too little. The sender's own count, in its next flow-control packet,
// gives them back; the counts go round many times.
func TestCreditsOfLostPacketsComeBack(t *testing.T) {
	n := simtest.Chain(1, gbps100, 100*units.Nanosecond)
	n.NIC.Timeout, n.NIC.AckEvery = 8, 4
	n.InfiniBand(16 * units.KiB)
	c := n.Cluster(t, simtest.Flow(0, 1, 20*units.MB))
	c.Net.Ports(0)[0].Break(&creditLoser{data: numbers(100, 102)})
	mustBe(t, n.Finish(t, c), host.Done)
	lane, _ := c.Net.Ports(1)[0].Lane(3)
	if want := uint64(3 * 65); lane.Healed != want {
		t.Errorf("the receiver has found %d blocks to be lost, want the %d of three packets", lane.Healed, want)
	}
	if lane.Came < 4096*10 {
		t.Errorf("only %d blocks came: the counts should go round", lane.Came)
	}
}

// Senders with a buffer of three packets at the switch or of 31: however many come together,
// nothing is dropped, no buffer overflows, and the port they share never stops.
func TestAnIncastOfAnySizeLosesNothing(t *testing.T) {
	for _, senders := range []int{2, 16, 64} {
		for _, buffer := range []units.Bytes{16 * units.KiB, 128 * units.KiB} {
			n := simtest.Star(senders+1, gbps100, 100*units.Nanosecond)
			n.Fabric.Pipeline, n.Fabric.Header = 110*units.Nanosecond, 64
			n.InfiniBand(buffer)
			c, r := n.Do(t, incast(senders, 300*units.KB)...)
			mustBe(t, r, host.Done)
			if got := dropped(c, 3); got != 0 {
				t.Errorf("%d senders, %v a lane: %d packets dropped", senders, buffer, got)
			}
			sw := c.Net.Graph.Switches()[0]
			for i := range c.Net.Ports(sw) {
				lane, _ := c.Net.Ports(sw)[i].Lane(3)
				if lane.Peak > lane.Size || units.Bytes(lane.Size)*64 != buffer {
					t.Errorf("%d senders, port %d: %d of %d blocks were in use", senders, i, lane.Peak, lane.Size)
				}
			}
			var wireTime units.Time // of all that leaves by the port
			for range senders {
				for _, size := range wireSizes(300*units.KB, 4096) {
					wireTime += units.Time(size-82+30) * 80 // 26 bytes around a payload and 4 of gap, in place of 82
				}
			}
			if last := c.Transfer(senders - 1); last.End > wireTime+wireTime/50+2*units.Microsecond {
				t.Errorf("%d senders, %v a lane: done after %v, but the port needs no more than %v", senders, buffer, last.End, wireTime)
			}
		}
	}
}

// A lane is told apart from others: one that is without credits holds up none of them.
func TestALaneWithoutCreditsHoldsUpNoOther(t *testing.T) {
	n := simtest.Star(4, gbps100, 100*units.Nanosecond)
	n.Fabric.Priorities = []int{2, 3}
	n.InfiniBand(16 * units.KiB)
	flows := append(incast(3, units.MB), inClass(simtest.Flow(1, 2, 100*units.KB), 2))
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	if held := c.Net.Ports(1)[0].PausedFor(3, r.Now); held < 10*units.Microsecond {
		t.Errorf("lane 3 of the sender was without credits for %v only", held)
	}
	if held := c.Net.Ports(1)[0].PausedFor(2, r.Now); held != 0 {
		t.Errorf("lane 2 was without credits for %v", held)
	}
}

// Where the cables of a ring wait for each other, buffers fill and none can give credits
// any more: the run ends, the circle is found, and each flow names a lane without credits.
// Along a tree nothing waits in a circle, however small the buffers.
func TestCreditsDeadlockOnACircleOnly(t *testing.T) {
	n, flows := ring()
	n.InfiniBand(16 * units.KiB)
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Stalled)
	if len(r.Deadlocks) != 1 || len(r.Deadlocks[0].Cycle) != 5 {
		t.Fatalf("%d deadlocks, want one of all five switches: %+v", len(r.Deadlocks), r.Deadlocks)
	}
	waits := c.Waits(r.Now)
	if len(waits) != len(flows) {
		t.Fatalf("%d flows wait, want all: %+v", len(waits), waits)
	}
	for _, w := range waits {
		if !strings.Contains(w.Cause, "VL 3 has no credits at ") {
			t.Errorf("flow %d waits for %s", w.Flow, w.Cause)
		}
	}
	if want := "VL 3 has no credits at h0:0 since "; !strings.Contains(waits[0].Cause, want) || !strings.Contains(waits[0].Cause, "s0 holds 195 of 256 blocks") {
		t.Errorf("flow 0 waits for %s, want %q and what s0 holds", waits[0].Cause, want)
	}
	// The same ring with a tree of routes.
	cable := topology.HostCable{Rate: gbps100, Delay: units.Microsecond}
	n = simtest.Build(&topology.Ring{
		Switches: 5, HostsPerSwitch: 1, NICsPerHost: 1, Routes: topology.UpDown, HostLink: cable, SwitchLink: cable,
	})
	n.InfiniBand(16 * units.KiB)
	_, r = n.Do(t, flows...)
	mustBe(t, r, host.Done)
}

// A fat-tree in which all send half the network away and to host 0, through small buffers,
// whose switches cut through: the same events and books on any number of workers.
func TestCreditsAreTheSameBitsOnAnyNumberOfWorkers(t *testing.T) {
	n, flows := permutation(4, 1024, 200*units.KB)
	flows = append(flows, incast(15, 100*units.KB)...)
	n.Fabric.Pipeline, n.Fabric.Header = 110*units.Nanosecond, 64
	n.InfiniBand(8 * units.KiB)
	n.Fabric.Credits.Delay, n.Fabric.HostCredits.Delay = 30*units.Nanosecond, 50*units.Nanosecond
	want := outcomeOf(t, *n, 1, flows)
	mustBe(t, want.report, host.Done)
	for _, workers := range []int{2, 3} {
		if got := outcomeOf(t, *n, workers, flows); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: digest %v, and %v with one", workers, got.report.Digest, want.report.Digest)
		}
	}
}

// A host that takes in 40 of 100 Gb/s has its peer wait: credits come back as its receive
// buffer drains, and nothing is lost.
func TestASlowHostGrantsCreditsAsItDrains(t *testing.T) {
	n := simtest.Star(2, gbps100, 100*units.Nanosecond)
	n.InfiniBand(64 * units.KiB)
	c := n.Cluster(t, simtest.Flow(0, 1, 10*units.MB))
	c.Hosts[1].NIC(0).Limit(rnic.ReceiveBuffer{Drain: 40 * units.Gbps, Size: 64 * units.KiB, XOFF: 64 * units.KiB, Lossless: 1 << 3})
	r := n.Finish(t, c)
	mustBe(t, r, host.Done)
	took := lastByte(c, 0)
	if want := (40 * units.Gbps).Serialise(10 * 1000 * 1000); took < want || took > want+want/100 {
		t.Errorf("10 MB took %v, want the %v at which the host takes them in", took, want)
	}
	if held := c.Net.Ports(0)[0].PausedFor(3, r.Now); held < took/2 {
		t.Errorf("the sender was without credits for %v of %v only", held, took)
	}
}

// An adapter behind a slot gives credits back when payload is on the bus: in a slot of 3.0
// x4, whose 31.5 Gb/s leave some 26 of payload, that is what the sender gets.
func TestAnAdapterGrantsCreditsAsItsSlotTakesPayload(t *testing.T) {
	n := simtest.Star(2, gbps100, 100*units.Nanosecond)
	n.InfiniBand(64 * units.KiB)
	wide, narrow := hardware.New("connectx5"), hardware.New("connectx5")
	narrow.PCIe.Width = 4
	n.NIC.Hardware = wide
	c := n.Cluster(t, simtest.Flow(0, 1, 10*units.MB))
	to := c.Hosts[1].NIC(0)
	to.Equip(narrow)
	to.Limit(rnic.ReceiveBuffer{Size: 64 * units.KiB, XOFF: 64 * units.KiB, XON: 64 * units.KiB, Lossless: 1 << 3})
	r := n.Finish(t, c)
	mustBe(t, r, host.Done)
	took, slot := lastByte(c, 0), narrow.ReceiveRate(4096)
	if want := slot.Serialise(10 * 1000 * 1000); took < want || took > want+want/50 {
		t.Errorf("10 MB took %v, want the %v of the slot's %v", took, want, slot)
	}
}

// A cable that goes down and comes up again takes packets and credits with it; both ends
// then tell each other anew what there is.
func TestALinkThatComesUpAgainHasAllItsCredits(t *testing.T) {
	n := simtest.Star(2, gbps100, 100*units.Nanosecond)
	n.NIC.Timeout, n.NIC.AckEvery = 8, 4
	n.InfiniBand(16 * units.KiB)
	c := n.Cluster(t, simtest.Flow(0, 1, 5*units.MB))
	if err := c.Inject(host.Faults{Faults: fabric.Faults{Outages: []fabric.Outage{
		{Link: 0, Span: fabric.Span{From: 100 * units.Microsecond, To: 300 * units.Microsecond}, Convergence: units.Second},
	}}}); err != nil {
		t.Fatal(err)
	}
	mustBe(t, n.Finish(t, c), host.Done)
	sent, _ := c.Net.Ports(0)[0].Lane(3)
	came, _ := c.Net.Ports(2)[0].Lane(3)
	if sent.Lost == 0 || came.Healed != sent.Lost {
		t.Errorf("%d blocks were lost, and %d found to be", sent.Lost, came.Healed)
	}
}

// drawLanes puts a network that has been drawn on InfiniBand links: what it has of Ethernet
// is taken away, and buffers hold one to four full packets.
func drawLanes(t *rapid.T, n *simtest.Net) {
	n.NIC.Tagged = false
	framing := wire.InfiniBand(rapid.IntRange(0, 8).Draw(t, "gap"))
	largest := units.Bytes(framing.FrameBytes(wire.WriteFirst, n.NIC.MTU, n.NIC.MTU))
	credits := func(whose string) fabric.Credits {
		full := (largest + 63) / 64 * 64
		return fabric.Credits{
			Buffer: full * units.Bytes(rapid.IntRange(1, 4).Draw(t, "packets of buffer of "+whose)),
			Delay:  units.Time(rapid.IntRange(0, 600_000).Draw(t, "credit delay of "+whose)),
		}
	}
	hosts := credits("hosts")
	use := func(f *fabric.Config, whose string) {
		f.ECN, f.Egress, f.Groups, f.MaxFrame = fabric.ECN{}, fabric.Egress{}, nil, largest
		f.UseCredits(credits(whose), hosts, framing)
	}
	use(&n.Fabric, "switches")
	for _, sw := range n.Graph.Switches() {
		if own := n.Fabric.Switches[sw]; own != nil {
			use(own, "one switch")
		}
	}
	n.NIC.Framing = framing
}

// Whatever is lost or held up on links with credits, flow-control packets among it: the run
// ends, the books of the credits balance like all others, nothing is dropped for lack of
// buffer, and any number of workers comes to the same bits.
func TestNoFaultHangsARunOnLanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNet(t)
		if rapid.Bool().Draw(t, "in a ring") {
			n.Graph, n.Fabric.Switches = drawRing(t), nil
		}
		drawRecovery(t, n)
		drawLanes(t, n)
		flows, slow := drawFlows(t, n), drawSlow(t, n)
		var faults host.Faults
		if rapid.Bool().Draw(t, "faulty") {
			faults = drawFaults(t, n.Cluster(t, flows...))
		}
		limit := func(c *host.Cluster) {
			slow(c)
			for _, nic := range c.Hosts[0].NICs() {
				if r, is := nic.ReceiveBufferOf(3); is { // it is the lane's buffer
					r.ReceiveBuffer.Size = n.Fabric.HostCredits.Buffer
					nic.Limit(r.ReceiveBuffer)
				}
			}
		}
		c := injected(t, n, faults, flows...)
		limit(c)
		r := n.Finish(t, c)
		expectHonesty(t, c, r)
		if waits := c.Waits(r.Now); r.Outcome != host.Done && len(waits) == 0 {
			t.Fatalf("%v, and nothing waits", r.Outcome)
		}
		for node := range c.Net.Graph.Nodes {
			for port := range c.Net.Ports(node) {
				for priority := range 8 {
					if got := c.Net.Ports(node)[port].Counters.Class[priority].Dropped; got.Packets > 0 {
						t.Fatalf("%s dropped %d packets of lane %d", c.Net.Graph.PortName(node, port), got.Packets, priority)
					}
				}
			}
		}
		n.Run.Workers, n.Run.Together = 1+rapid.IntRange(1, 3).Draw(t, "workers"), simtest.InTurns()
		again := injected(t, n, faults, flows...)
		limit(again)
		if r2 := n.Finish(t, again); r2.Digest != r.Digest || r2.Now != r.Now || !reflect.DeepEqual(portBooks(again), portBooks(c)) {
			t.Fatalf("%d workers: %+v; one: %+v", n.Run.Workers, r2, r)
		}
	})
}
