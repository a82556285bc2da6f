package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// selective is a network whose NICs repeat selectively, with IRN's timers.
func selective(n *simtest.Net) *simtest.Net {
	n.NIC.Recovery, n.NIC.Timeout = rnic.Selective, 14
	n.NIC.Selective = rnic.SelectiveRepeat{TimerLow: 100 * units.Microsecond, TimerHigh: 320 * units.Microsecond, Few: 3}
	return n
}

// Packet 20 of 100 is lost. It alone is sent again, in the midst of the others: the message takes the
// time of one packet longer, and nothing that came behind the gap is thrown away.
func TestSelectiveRepeatSendsAgainWhatIsLost(t *testing.T) {
	n := selective(simtest.Star(2, gbps100, units.Microsecond))
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	tap := simtest.Watch(c, 0, 0)
	tap.Lose = losing(20, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	bytes, acks := c.Ideal(0)
	// Ahead of the gap every packet leaves the switch behind the first, which is longer; behind it none does.
	const more = fullFrame - (firstFrame - fullFrame)
	mustTake(t, c, 0, bytes+more, acks+more)
	sent, got := sender(c, 0), receiver(c, 0)
	if sent.Packets != 101 || sent.Retransmitted != 1 || sent.RetransmittedPayload != 4096 || sent.Timeouts != 0 {
		t.Errorf("sent %+v; want one packet again", sent)
	}
	// What left between the lost packet and its repetition came behind the gap, and each was answered with a NAK.
	again := slices.IndexFunc(tap.Packets[21:], func(p simtest.Packet) bool { return p.PSN == 20 })
	if got.Packets != 100 || got.Payload != 100*4096 || got.OutOfOrder != uint64(again) || got.NaksSent != uint64(again) || again < 5 {
		t.Errorf("received %+v; want all 100, %d of them behind the gap", got, again)
	}
	if got.Duplicates != 0 || got.OutOfSequence != 0 {
		t.Errorf("%d duplicates, %d thrown away", got.Duplicates, got.OutOfSequence)
	}
	if c.Transfer(0).Retransmitted != 4096 {
		t.Errorf("the message counts %v sent again", c.Transfer(0).Retransmitted)
	}
}

// Of three messages of four packets the first lacks its second packet. The others are there
// long before, and complete after it all the same.
func TestMessagesCompleteInOrderWhateverComesFirst(t *testing.T) {
	n := selective(simtest.Star(2, gbps100, units.Microsecond))
	var flows []host.Flow
	for range 3 {
		flows = append(flows, onLane(simtest.Flow(0, 1, 4*4096), 1))
	}
	c := n.Cluster(t, flows...)
	simtest.Watch(c, 0, 0).Lose = losing(1, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	first := lastByte(c, 0)
	for flow := range flows {
		if at := lastByte(c, flow); at != first || c.Transfer(flow).End < at {
			t.Errorf("message %d is whole at %v and completes at %v; the gap was filled at %v", flow, at, c.Transfer(flow).End, first)
		}
	}
	if got := sender(c, 0).Retransmitted; got != 1 {
		t.Errorf("%d packets sent again", got)
	}
}

// The last packet of ten is lost. One packet is in flight when the ninth acknowledgement
// has come: the low timer runs, and then a round trip.
func TestSelectiveRepeatHasAShortTimerForFewPackets(t *testing.T) {
	n := selective(tenPackets(14))
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.Watch(c, 0, 0).Lose = losing(9, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	if got, want := c.Transfer(0).End, ninthAck+100*units.Microsecond+roundTrip; got != want {
		t.Errorf("completes at %v, want %v", got, want)
	}
}

// The last six packets of ten are lost. The timer for more than three packets runs out,
// and all six are sent again at once.
func TestSelectiveRepeatHasALongTimerForMany(t *testing.T) {
	n := selective(tenPackets(14))
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	lost := 0
	simtest.Watch(c, 0, 0).Lose = func(p *wire.Packet, _ units.Time) bool {
		if !isData(p) || p.PSN < 4 || lost == 6 {
			return false
		}
		lost++
		return true
	}
	mustBe(t, n.Finish(t, c), host.Done)
	want := ninthAck - 5*fullFrame + 320*units.Microsecond + roundTrip + 5*fullFrame
	if got := c.Transfer(0).End; got != want {
		t.Errorf("completes at %v, want %v", got, want)
	}
	if sent := sender(c, 0); sent.Timeouts != 1 || sent.Retransmitted != 6 {
		t.Errorf("%+v; want one expiry and six packets again", sent)
	}
}

// A packet that is lost again waits for the timer, which runs from the beginning of its
// recovery: a recovery sends each packet once.
func TestALostRepetitionWaitsForTheTimer(t *testing.T) {
	n := selective(simtest.Star(2, gbps100, units.Microsecond))
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	tap := simtest.Watch(c, 0, 0)
	tap.Lose = losing(20, 1, 2)
	mustBe(t, n.Finish(t, c), host.Done)
	twenty := func(p *wire.Packet) bool { return isData(p) && p.PSN == 20 }
	at := tap.Starts(twenty)
	const told = firstFrame + 22*fullFrame + 2*ackFrame + 4*units.Microsecond // the NAK for the next packet is there
	if len(at) != 3 || at[2] != told+320*units.Microsecond {
		t.Errorf("sent at %v; want the third time at %v", at, told+320*units.Microsecond)
	}
	if sent := sender(c, 0); sent.Timeouts != 1 || sent.Retransmitted != 2 {
		t.Errorf("%+v", sent)
	}
}

// With ten packets in flight at the most, ten go each round trip, as with a window of as
// many bytes.
func TestSelectiveRepeatBoundsThePacketsInFlight(t *testing.T) {
	const delay, packets = 10 * units.Microsecond, 10
	n := selective(simtest.Star(2, gbps100, delay))
	n.NIC.AckEvery, n.NIC.Selective.Window = 1, packets
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	tap := simtest.Watch(c, 0, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	const roundTrip = 2*fullFrame + 2*ackFrame + 4*delay
	starts := tap.Starts(isData)
	for i := packets; i+packets < len(starts)-1; i++ {
		if got := starts[i+packets] - starts[i]; got != roundTrip {
			t.Fatalf("packet %d starts %v after packet %d, want a round trip of %v", i+packets, got, i, units.Time(roundTrip))
		}
	}
}

// A receiver that is gone: the queue pair fails after as long without progress as with
// go-back-N, eight times the timer of exponent 8, and at the expiry of its own timer next to that.
func TestSelectiveRepeatGivesUp(t *testing.T) {
	n := selective(tenPackets(14))
	n.NIC.Timeout, n.NIC.Retries = 8, 7
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.Watch(c, 0, 0).Lose = func(*wire.Packet, units.Time) bool { return true }
	mustBe(t, n.Finish(t, c), host.Failed)
	const after = 8 * 1_048_576 * units.Nanosecond
	got := c.Transfer(0)
	if got.Status != rnic.RetryExceeded || got.End < after || got.End > after+320*units.Microsecond {
		t.Errorf("%v at %v; want RETRY_EXC_ERR at most a timer after %v", got.Status, got.End, units.Time(after))
	}
}

// Flows of two hosts to a third, each with its own recovery: what is lost of one is sent
// again alone, of the other with all that followed.
func TestEachQueuePairRecoversInItsWay(t *testing.T) {
	n := selective(simtest.Star(3, gbps100, units.Microsecond))
	n.NIC.Recovery = rnic.GoBackN
	way := rnic.Selective
	flows := []host.Flow{simtest.Flow(0, 2, 100*4096), simtest.Flow(1, 2, 100*4096)}
	flows[1].Recovery = &way
	c := n.Cluster(t, flows...)
	simtest.Watch(c, 0, 0).Lose = losing(20, 1)
	simtest.Watch(c, 1, 0).Lose = losing(20, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	if got := sender(c, 0).Retransmitted; got < 5 {
		t.Errorf("go-back-N sent %d packets again", got)
	}
	if got := sender(c, 1).Retransmitted; got != 1 {
		t.Errorf("selective repeat sent %d packets again", got)
	}
}

// The adaptive timer tries 16, 32, 64 us and so on: a tail that is lost three times costs the sum
// of three, and not 67 ms.
func TestTheAdaptiveTimerDoubles(t *testing.T) {
	n := tenPackets(14)
	n.NIC.Recovery = rnic.Adaptive
	n.NIC.Adaptive = rnic.AdaptiveTimer{Start: 16 * units.Microsecond, Limit: 16384 * units.Microsecond, Tries: 1}
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.Watch(c, 0, 0).Lose = losing(9, 1, 2, 3)
	mustBe(t, n.Finish(t, c), host.Done)
	if got, want := c.Transfer(0).End, ninthAck+(16+32+64)*units.Microsecond+roundTrip; got != want {
		t.Errorf("completes at %v, want %v", got, want)
	}
}

// It gives up after its ten shorter values and eight times the greatest; a receiver that is gone is
// found out after 16383 times the first and eight times the last.
func TestTheAdaptiveTimerGivesUp(t *testing.T) {
	n := tenPackets(14)
	n.NIC.Recovery = rnic.Adaptive
	n.NIC.Adaptive = rnic.AdaptiveTimer{Start: 16 * units.Microsecond, Limit: 16384 * units.Microsecond, Tries: 1}
	c := n.Cluster(t, simtest.Flow(0, 1, 4096))
	simtest.Watch(c, 0, 0).Lose = func(*wire.Packet, units.Time) bool { return true }
	mustBe(t, n.Finish(t, c), host.Failed)
	if got, want := c.Transfer(0).End, 16*(1023+8*1024)*units.Microsecond; got != want {
		t.Errorf("gives up at %v, want %v", got, want)
	}
}

// The standard lets a timer take up to four times what its exponent says.
func TestATimerMayTakeAMultipleOfItsTime(t *testing.T) {
	n := tenPackets(8)
	n.NIC.TimerFactor = 4
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	simtest.Watch(c, 0, 0).Lose = losing(9, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	if got, want := c.Transfer(0).End, ninthAck+4*ns(1_048_576)+roundTrip; got != want {
		t.Errorf("completes at %v, want %v", got, want)
	}
}

// The window shrinks with the rate, below the twenty packets after which an
// acknowledgement is asked for, while packets are in flight that asked for none. No flow waits
// for the timer, whatever the congestion control: there is none.
func TestAWindowThatShrinksBelowTheAckIntervalDoesNotStall(t *testing.T) {
	for name, control := range map[string]cc.Params{
		"paper": dcqcn.Kind.Params("paper"), "firmware": dcqcn.Kind.Params("firmware"), "scaled": dcqcn.Kind.Params("scaled"),
	} {
		n := simtest.Star(9, gbps100, units.Microsecond)
		n.NIC.MTU, n.Fabric.MaxFrame = 1000, 1078
		n.NIC.AckEvery, n.NIC.Control, n.NIC.Window, n.NIC.WindowByRate = 20, control, 40_000, true
		n.Fabric.ECN.Kmin, n.Fabric.ECN.Kmax, n.Fabric.ECN.Pmax = 5*units.KB, 5*units.KB, units.Ratio{Num: 1, Den: 1}
		c := n.Cluster(t, incast(8, units.MB)...)
		mustBe(t, n.Finish(t, c), host.Done)
		for flow := range 8 {
			if sender(c, flow).Timeouts > 0 {
				t.Errorf("%s: flow %d waited for a timer", name, flow)
			}
		}
	}
}
