package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// At 10 Mb/s a packet starts every 3.3 ms, three times the timer's 1.05 ms, and each is
// acknowledged long before the next: nothing is outstanding, and nothing expires.
func TestTheTimerRunsOnlyWhileSomethingIsOutstanding(t *testing.T) {
	n := tenPackets(8)
	n.NIC.Control = &cc.FixedParams{Rate: 10 * units.Mbps}
	c, r := n.Do(t, simtest.Flow(0, 1, 10*4096))
	mustBe(t, r, host.Done)
	if got := sender(c, 0).Timeouts; got != 0 {
		t.Errorf("%d expiries", got)
	}
}

// A hundred messages of a packet each arrive, and all their acknowledgements are lost.
// The timer goes back to the first; the acknowledgement of that duplicate covers all
// hundred, and the sender, a few messages into repeating them, stops. What is posted
// later goes as if nothing had happened.
func TestALateAcknowledgementCoversWhatWasAboutToBeRepeated(t *testing.T) {
	const timer, later = 1_048_576 * units.Nanosecond, 3 * units.Millisecond
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Timeout = 8
	flow := onLane(simtest.Flow(0, 1, 4096), 1)
	flow.Messages = 100
	next := onLane(simtest.Flow(0, 1, units.MB), 1)
	next.Start = later
	c := n.Cluster(t, flow, next)
	tap := simtest.Watch(c, 0, 0)
	simtest.Watch(c, 1, 0).Lose = func(_ *wire.Packet, now units.Time) bool { return now < timer }
	mustBe(t, n.Finish(t, c), host.Done)
	// A message of one packet is as long as a first packet of many.
	const covered = timer + 2*firstFrame + 2*ackFrame + 4*units.Microsecond
	if got := c.Transfer(0).End; got != covered {
		t.Errorf("completes at %v, want %v", got, units.Time(covered))
	}
	repeated := uint64(len(within(tap.Starts(nil), timer, covered)))
	if got := sender(c, 0).Retransmitted; got != repeated || repeated < 10 || repeated > 20 {
		t.Errorf("%d packets repeated, %d on the wire until the acknowledgement came", got, repeated)
	}
	bytes, acks := c.Ideal(1)
	mustTake(t, c, 1, bytes, acks)
}

// A queue pair that was slowed down by congestion and then had nothing to send has
// recovered meanwhile, as if it had been asked at every step.
func TestAnIdleQueuePairRecoversItsRate(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.NIC.Control = dcqcn.Kind.Params("paper")
	n.Fabric.ECN = fabric.ECN{Kmin: 5 * units.KB, Kmax: 200 * units.KB, Pmax: units.Ratio{Num: 1, Den: 10}}
	flows := []host.Flow{onLane(simtest.Flow(1, 0, 2*units.MB), 1), onLane(simtest.Flow(2, 0, 2*units.MB), 1)}
	later := onLane(simtest.Flow(1, 0, 2*units.MB), 1)
	later.Start = 500 * units.Millisecond
	c, r := n.Do(t, append(flows, later)...)
	mustBe(t, r, host.Done)
	if sender(c, 0).CNPs == 0 {
		t.Fatal("no congestion")
	}
	bytes, acks := c.Ideal(2)
	mustTake(t, c, 2, bytes, acks)
}

// A queue pair gives up while its packets wait in a switch for a pause to run out. The
// run goes on until they have left it.
func TestARunEndsWhenTheNetworkIsEmpty(t *testing.T) {
	n := simtest.Star(2, 10*units.Gbps, units.Microsecond)
	n.NIC.Timeout, n.NIC.Retries = 8, 0
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.PauseAtStart(c, 1, 0, 3)
	r := n.Finish(t, c)
	mustBe(t, r, host.Failed)
	if at := c.Transfer(0).End; at > 2*units.Millisecond || r.Now < 10*longestPause {
		t.Errorf("gave up at %v, the run ended at %v; the pause lasts %v", at, r.Now, 10*longestPause)
	}
	if left := c.Net.Switch(2).Queue(1, 3).Bytes; left != 0 || receiver(c, 0).Packets != 10 {
		t.Errorf("%v left in the switch, %d packets received", left, receiver(c, 0).Packets)
	}
}
