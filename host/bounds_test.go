package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// mustBeBound fails the test unless what bound a flow is exactly this, and the rest of
// its life the wait for its last acknowledgement.
func mustBeBound(t *testing.T, c *host.Cluster, flow int, want rnic.Bounds) {
	t.Helper()
	tr := c.Transfer(flow)
	want[rnic.ByAck] += tr.End - tr.Start - want.Total()
	if got := c.Conns[flow].From.Bounds(tr, tr.End); got != want {
		t.Errorf("flow %d was bound %v, want %v", flow, got, want)
	}
}

// lastStart is when the last of so many full packets starts that follow each other on
// a wire of 100 Gb/s.
func lastStart(packets int) units.Time { return firstFrame + units.Time(packets-2)*fullFrame }

// A flow alone is bound by its link until its last packet starts, and then by the way
// of that packet and its acknowledgement.
func TestAFlowAloneIsBoundByItsLink(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c, r := n.Do(t, simtest.Flow(0, 1, 50*4096))
	mustBe(t, r, host.Done)
	mustBeBound(t, c, 0, rnic.Bounds{rnic.ByLink: lastStart(50)})
	if sent := c.Transfer(0).Sent; sent != lastStart(50) {
		t.Errorf("last packet sent at %v, want %v", sent, lastStart(50))
	}
	// 4178 B and 86 B over two links of 1 us each; on the second link the packets are late
	// by the 16 B that the first of them has more.
	want := 2*fullFrame + firstFrame - fullFrame + 2*ackFrame + 4*units.Microsecond
	if got := c.Conns[0].From.Bounds(c.Transfer(0), r.Now)[rnic.ByAck]; got != want {
		t.Errorf("waited %v for the last acknowledgement", got)
	}
}

// At 10 Gb/s the last of 50 packets starts after one of 4194 B and 48 of 4178 B.
func TestAPacedFlowIsBoundByItsPace(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Control = &cc.FixedParams{Rate: 10 * units.Gbps}
	c, r := n.Do(t, simtest.Flow(0, 1, 50*4096))
	mustBe(t, r, host.Done)
	mustBeBound(t, c, 0, rnic.Bounds{rnic.ByPacing: 10 * lastStart(50)})
}

// With a window of one packet each but the last waits for an acknowledgement.
func TestAFlowWithASmallWindowIsBoundByIt(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Window = 4096
	c, r := n.Do(t, simtest.Flow(0, 1, 10*4096))
	mustBe(t, r, host.Done)
	const roundTrip = 2*fullFrame + 2*ackFrame + 4*units.Microsecond
	mustBeBound(t, c, 0, rnic.Bounds{rnic.ByWindow: 9*roundTrip + 2*(firstFrame-fullFrame)})
}

// A pause of 100 quanta, 512 ns, holds the flow for as long; no more, though the packet
// on the wire goes on while it begins.
func TestAPausedFlowIsBoundByThePause(t *testing.T) {
	n := simtest.Chain(1, gbps100, 200*units.Nanosecond)
	n.Fabric.PFC.Quanta = 100
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.PauseAtStart(c, 1, 0, 3)
	mustBe(t, n.Finish(t, c), host.Done)
	const paused = pfcFrame + 200*units.Nanosecond
	// The second packet starts when the pause is over, the last eight later.
	const last = paused + 512*units.Nanosecond + 8*fullFrame
	mustBeBound(t, c, 0, rnic.Bounds{rnic.ByPause: 512 * units.Nanosecond, rnic.ByLink: last - 512*units.Nanosecond})
}

// The last of three packets is lost. The timer of 16.384 us runs from the first packet
// on; what was a wait for the acknowledgement was one for the timer, and then all three
// are sent again.
func TestAFlowThatLosesItsLastPacketIsBoundByRecovery(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Timeout = 2
	c := n.Cluster(t, simtest.Flow(0, 1, 3*4096))
	lost := false
	simtest.Watch(c, 0, 0).Lose = func(p *wire.Packet, _ units.Time) bool {
		loses := p.PSN == 2 && !lost
		lost = lost || loses
		return loses
	}
	mustBe(t, n.Finish(t, c), host.Done)
	const timer = 4 * 4096 * units.Nanosecond
	mustBeBound(t, c, 0, rnic.Bounds{rnic.ByLink: lastStart(3), rnic.ByRecovery: timer - lastStart(3) + lastStart(3)})
}

// Of two flows on one queue pair the second waits until the last packet of the first
// starts; the first then waits for its acknowledgement, whatever the second does.
func TestAFlowWaitsForTheEarlierOneOfItsQueuePair(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c, r := n.Do(t, onLane(simtest.Flow(0, 1, 20*4096), 1), onLane(simtest.Flow(0, 1, 30*4096), 1))
	mustBe(t, r, host.Done)
	mustBeBound(t, c, 0, rnic.Bounds{rnic.ByLink: lastStart(20)})
	mustBeBound(t, c, 1, rnic.Bounds{rnic.ByEarlier: lastStart(20), rnic.ByLink: fullFrame + lastStart(30)})
}

// Two queue pairs take turns at one port: the link binds both. The first is in line for
// its second packet before the other begins, and stays one ahead.
func TestQueuePairsThatShareAPortAreBoundByTheLink(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	c, r := n.Do(t, simtest.Flow(0, 1, 20*4096), simtest.Flow(0, 2, 20*4096))
	mustBe(t, r, host.Done)
	mustBeBound(t, c, 0, rnic.Bounds{rnic.ByLink: 2*firstFrame + 35*fullFrame})
	mustBeBound(t, c, 1, rnic.Bounds{rnic.ByLink: 2*firstFrame + 37*fullFrame})
}

// A flow that starts a millisecond after the first on its queue pair leaves it idle in
// between; the books of the queue pair begin with its first flow.
func TestAQueuePairIsIdleBetweenFlows(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	first, second := onLane(simtest.Flow(0, 1, 4096), 1), onLane(simtest.Flow(0, 1, 4096), 1)
	first.Start, second.Start = units.Millisecond, 2*units.Millisecond
	c, r := n.Do(t, first, second)
	mustBe(t, r, host.Done)
	took := c.Transfer(0).End - first.Start
	got := c.Conns[0].From.QPBounds(c.Conns[0].FromQP, r.Now)
	if want := (rnic.Bounds{rnic.ByNothing: r.Now - units.Millisecond - 2*took, rnic.ByAck: 2 * took}); got != want {
		t.Errorf("the queue pair was bound %v, want %v", got, want)
	}
}

// The 20th packet is lost. From the arrival of the NAK on the flow is bound by recovery,
// until the packet is being sent that is the last to be sent again.
func TestAFlowThatGoesBackIsBoundByRecovery(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Timeout = 14
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	lost, out, back := false, simtest.Watch(c, 0, 0), simtest.Watch(c, 2, 0)
	out.Lose = func(p *wire.Packet, _ units.Time) bool {
		loses := p.PSN == 19 && !lost
		lost = lost || loses
		return loses
	}
	mustBe(t, n.Finish(t, c), host.Done)
	nak := back.Starts(func(p *wire.Packet) bool { return p.Syndrome == wire.NakSequence })[0] + ackFrame + units.Microsecond
	starts := within(out.Starts(isData), nak, units.Second)
	again := sender(c, 0).Retransmitted
	got := c.Conns[0].From.Bounds(c.Transfer(0), c.Transfer(0).End)
	if want := starts[again-1] - nak; got[rnic.ByRecovery] != want || again < 5 {
		t.Errorf("bound by recovery for %v, want %v (%d packets sent again)", got[rnic.ByRecovery], want, again)
	}
}

// A host stops for 100 us while it sends, and is stopped when its second flow is to
// start: both are bound by it for that time.
func TestAFlowOfAHostThatStopsIsBoundByIt(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	first, second := simtest.Flow(0, 1, 100*4096), simtest.Flow(0, 1, 100*4096)
	second.Start = 50 * units.Microsecond
	c := n.Cluster(t, first, second)
	const from, to = 10 * units.Microsecond, 110 * units.Microsecond
	if err := c.Inject(host.Faults{Pauses: []host.Pause{{Host: 0, Span: fabric.Span{From: from, To: to}}}}); err != nil {
		t.Fatal(err)
	}
	mustBe(t, n.Finish(t, c), host.Done)
	for flow, want := range []units.Time{to - from, to - second.Start} {
		if got := c.Conns[flow].From.Bounds(c.Transfer(flow), c.Transfer(flow).End)[rnic.ByHost]; got != want {
			t.Errorf("flow %d is bound by its host for %v, want %v", flow, got, want)
		}
	}
}
