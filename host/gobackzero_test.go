package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

// The fifth packet of ten is lost. The sixth shows the gap, all ten are sent by then,
// and all ten are sent again: the four that had come are thrown away.
func TestGoBackZeroBeginsTheMessageAgain(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	n.NIC.Recovery = rnic.GoBackZero
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.Watch(c, 0, 0).Lose = losing(4, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	naked := frameStart(6) + ackFrame + 2*units.Microsecond // the sixth is in, and the NAK back
	last := naked + frameStart(10) + units.Microsecond
	mustTake(t, c, 0, last, last+ackFrame+units.Microsecond)
	if got := sender(c, 0); got.Packets != 20 || got.Retransmitted != 10 || got.Restarts != 1 || got.Naks != 1 {
		t.Errorf("sent %+v", got)
	}
	if got := receiver(c, 0); got.Packets != 14 || got.Abandoned != 4 || got.OutOfSequence != 5 || got.Payload != 10*4096 {
		t.Errorf("received %+v", got)
	}
}

// Go-back-N sends six of them again.
func TestGoBackNGoesBackToThePacketThatIsMissing(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.Watch(c, 0, 0).Lose = losing(4, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	if got := sender(c, 0); got.Packets != 16 || got.Retransmitted != 6 || got.Restarts != 0 {
		t.Errorf("sent %+v", got)
	}
	if got := receiver(c, 0); got.Packets != 10 || got.Abandoned != 0 || got.OutOfSequence != 5 {
		t.Errorf("received %+v", got)
	}
}

// A message that has arrived is not begun again: of three, only the second is hit, and
// the third, which followed it, goes again with it.
func TestGoBackZeroKeepsWholeMessages(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	n.NIC.Recovery = rnic.GoBackZero
	flow := simtest.Flow(0, 1, 4*4096)
	flow.Messages = 3
	c := n.Cluster(t, flow)
	simtest.Watch(c, 0, 0).Lose = losing(5, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	if got := receiver(c, 0); got.Packets != 13 || got.Abandoned != 1 || got.Payload != 3*4*4096 {
		t.Errorf("received %+v", got)
	}
}

// Nothing follows the last packet that could show the gap, or its acknowledgement is
// lost: the timer has the message begun again. In the second case all of it comes as
// duplicates.
func TestGoBackZeroAfterATimeout(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	n.NIC.Recovery, n.NIC.Timeout = rnic.GoBackZero, 8
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.Watch(c, 0, 0).Lose = losing(9, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	if got := receiver(c, 0); got.Packets != 19 || got.Abandoned != 9 || got.Payload != 10*4096 || sender(c, 0).Restarts != 1 {
		t.Errorf("the tail lost: received %+v", got)
	}
	c = n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	acks := 0
	simtest.Watch(c, 1, 0).Lose = func(*wire.Packet, units.Time) bool { acks++; return acks == 1 }
	mustBe(t, n.Finish(t, c), host.Done)
	if got := receiver(c, 0); got.Packets != 10 || got.Abandoned != 0 || got.Duplicates == 0 || got.Payload != 10*4096 {
		t.Errorf("the acknowledgement lost: received %+v", got)
	}
}

// livelocked is the experiment of RDMA over Commodity Ethernet at Scale (SIGCOMM 2016):
// messages of 4 MB through one switch of 40 Gb/s, which loses the packets whose IP
// identification ends in 0xff, one of 256.
func livelocked(t *testing.T, how rnic.Recovery, ackEvery int) (*host.Cluster, host.Report) {
	n := simtest.Star(2, 40*units.Gbps, 100*units.Nanosecond)
	n.NIC.MTU, n.NIC.AckEvery, n.NIC.Timeout, n.NIC.Recovery, n.Fabric.MaxFrame = 1024, ackEvery, 8, how, 1024+78
	flow := simtest.Flow(0, 1, 4*units.MB)
	flow.Messages = 10
	last := uint8(0xff)
	c := injected(t, n, host.Faults{Faults: fabric.Faults{Losses: []fabric.Loss{{
		Node: 2, Port: 1, Span: fabric.Span{To: units.Never}, Frames: 1 << fabric.DataFrame, Pick: &fabric.Pick{First: 1, Every: 1, ID: &last},
	}}}}, flow)
	return c, n.Finish(t, c)
}

// With go-back-0 no message ever gets beyond its first 256 packets: the goodput is
// exactly 0 though the link is busy all the time. The run does not go on for ever: it is
// called stalled, with its reason.
func TestGoBackZeroIsALivelock(t *testing.T) {
	for _, ackEvery := range []int{0, 1, 16} {
		c, r := livelocked(t, rnic.GoBackZero, ackEvery)
		mustBe(t, r, host.Stalled)
		got := receiver(c, 0)
		if got.Payload != 0 || got.Packets == 0 || c.Transfer(0).Open != 10 {
			t.Errorf("an acknowledgement every %d packets: %d bytes of whole messages, %d messages left", ackEvery, got.Payload, c.Transfer(0).Open)
		}
		if busy := c.Net.Ports(2)[1].Busy; float64(busy) < 0.99*float64(r.Now) {
			t.Errorf("the link was busy for %v of %v", busy, r.Now)
		}
		waits := c.Waits(r.Now)
		if len(waits) != 1 || waits[0].Failed {
			t.Errorf("waits %+v", waits)
		}
		mustWait(t, c, r, waits[0].Left, "a message of 3907 packets to get through whole", "begun again")
	}
}

// With go-back-N the same losses cost what goes into the time from a loss to its NAK:
// eta = (1-p)/(1-p+pW) (with W packets sent in that time), here near line rate.
func TestGoBackNIsNot(t *testing.T) {
	c, r := livelocked(t, rnic.GoBackN, 16)
	mustBe(t, r, host.Done)
	const packet = 1106 * 200                             // ps, on each of two links
	const nak = 4*100_000 + 86*200*2 + packet*2           // from the start of the packet behind the lost one until its NAK is back
	const p, w = 1.0 / 256, 1 + (nak+packet-1)/packet*1.0 // as the formula has them
	eta := (1 - p) / (1 - p + p*w)
	line := 40e9 * 1024 / 1106
	goodput := float64(c.Flows[0].Payload()) * 8 / c.Transfer(0).End.Seconds()
	if got := goodput / line; got < eta-0.01 || got > eta+0.01 || eta < 0.97 {
		t.Errorf("goodput %.4f of the line's, want %.4f", got, eta)
	}
}

// Whatever is lost: with short messages go-back-0 gets through too, or the queue pair
// gives up; what arrives is whole. Short is what comes through whole often enough: each
// packet has two cables to pass, so that of eight packets one try in five succeeds if
// one frame in ten is lost, and of thirty only one in 600, which may well be a livelock.
func TestLossNeverHangsGoBackZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := crowded(4)
		n.NIC.Recovery = rnic.GoBackZero
		n.NIC.AckEvery = rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "ack every")
		n.NIC.Retries = rapid.IntRange(0, 7).Draw(t, "retries")
		n.NIC.Window = units.Bytes(rapid.SampledFrom([]int{0, 10_000, 100_000}).Draw(t, "window"))
		n.NIC.NakRearm = rapid.SampledFrom([]units.Time{0, units.Microsecond}).Draw(t, "re-arm")
		rate := rapid.SampledFrom([]float64{1e-3, 1e-2, 0.1}).Draw(t, "rate")
		longest := 30 * 1024
		if rate > 0.05 {
			longest = 8 * 1024
		}
		var flows []host.Flow
		for i := range rapid.IntRange(1, 5).Draw(t, "flows") {
			f := simtest.Flow(1+i%3, 0, units.Bytes(rapid.IntRange(0, longest).Draw(t, "size")))
			f.Messages, f.Lane = rapid.IntRange(1, 3).Draw(t, "messages"), 1+i%2
			flows = append(flows, f)
		}
		c := n.Cluster(t, flows...)
		disturb(c, rapid.Uint64().Draw(t, "seed"), rate)
		r := n.Finish(t, c)
		if r.Outcome != host.Done && r.Outcome != host.Failed {
			t.Fatalf("%v at %v: %+v", r.Outcome, r.Now, c.Waits(r.Now))
		}
		expectHonesty(t, c, r)
	})
}

// The NAK is lost, and no timer is set. A responder that says it once leaves the sender
// to its end, and the run stalls. One that says it again after 50 us, as long as packets
// come, is heard.
func TestANakIsRepeatedIfItIsArmedAgain(t *testing.T) {
	for _, tc := range []struct {
		rearm units.Time
		want  host.Outcome
		naks  uint64
	}{{0, host.Stalled, 1}, {50 * units.Microsecond, host.Done, 2}} {
		n := simtest.Chain(1, gbps100, units.Microsecond)
		n.NIC.NakRearm = tc.rearm
		c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
		simtest.Watch(c, 0, 0).Lose = losing(4, 1)
		naks := 0
		simtest.Watch(c, 1, 0).Lose = func(p *wire.Packet, _ units.Time) bool {
			if p.Syndrome == wire.NakSequence {
				naks++
			}
			return naks == 1
		}
		mustBe(t, n.Finish(t, c), tc.want)
		if got := receiver(c, 0).NaksSent; got != tc.naks {
			t.Errorf("re-arm %v: %d NAKs, want %d", tc.rearm, got, tc.naks)
		}
		if tc.rearm == 0 {
			continue
		}
		// The sixth packet had it sent; the first one 50 us later has it sent again.
		first := frameStart(6) + units.Microsecond
		again := first + (tc.rearm+fullFrame-1)/fullFrame*fullFrame
		rest := (units.MB - 4*4096 + 4095) / 4096
		if want := again + ackFrame + units.Microsecond + units.Time(rest-1)*fullFrame; c.Transfer(0).End < want || c.Transfer(0).End > want+5*units.Microsecond {
			t.Errorf("done at %v, want about %v", c.Transfer(0).End, want)
		}
	}
}
