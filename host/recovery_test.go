package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// losing loses the copies of one packet that are sent for the first, second … time.
func losing(psn wire.PSN, copies ...int) func(*wire.Packet, units.Time) bool {
	sent := 0
	return func(p *wire.Packet, _ units.Time) bool {
		if !isData(p) || p.PSN != psn {
			return false
		}
		sent++
		return slices.Contains(copies, sent)
	}
}

// tenPackets is a message of ten packets over links of 1 us, each acknowledged, with
// the given retransmission timer.
func tenPackets(timeout int) *simtest.Net {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.AckEvery, n.NIC.Timeout = 1, timeout
	return n
}

const (
	// ninthAck is when the ninth acknowledgement of ten is at the sender: two links for
	// the packets, of which the first holds the others up, and two for the acknowledgement.
	ninthAck = 2*firstFrame + 8*fullFrame + 2*ackFrame + 4*units.Microsecond
	// roundTrip of the tenth packet alone.
	roundTrip = 2*fullFrame + 2*ackFrame + 4*units.Microsecond
)

// The last packet of ten is lost: nothing follows it that could reveal the gap, and
// the timer of 4.096 us·2^t, restarted by the ninth acknowledgement, has to.
func TestALostTailWaitsForTheTimer(t *testing.T) {
	for _, tc := range []struct {
		exponent int
		timer    float64 // ns
	}{{14, 67_108_864}, {8, 1_048_576}} {
		n := tenPackets(tc.exponent)
		c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
		simtest.Watch(c, 0, 0).Lose = losing(9, 1)
		mustBe(t, n.Finish(t, c), host.Done)
		if got, want := c.Transfer(0).End, ninthAck+ns(tc.timer)+roundTrip; got != want {
			t.Errorf("timeout %d: completes at %v, want %v", tc.exponent, got, want)
		}
		if sent := sender(c, 0); sent.Timeouts != 1 || sent.Retransmitted != 1 || sent.Naks != 0 {
			t.Errorf("timeout %d: %+v", tc.exponent, sent)
		}
	}
}

// Lost eight times with seven retries: the eighth expiry ends the queue pair, and
// the work request completes with RETRY_EXC_ERR. What was posted behind it, of which
// every packet was lost too, and what is posted later is flushed.
func TestRetriesAreExhaustedAfterTheEighthExpiry(t *testing.T) {
	n := tenPackets(8)
	const later = 9 * units.Millisecond
	behind := onLane(simtest.Flow(0, 1, 4096), 1)
	flows := []host.Flow{onLane(simtest.Flow(0, 1, 10*4096), 1), behind, behind}
	flows[2].Start = later
	c := n.Cluster(t, flows...)
	simtest.Watch(c, 0, 0).Lose = func(p *wire.Packet, _ units.Time) bool { return p.PSN >= 9 }
	mustBe(t, n.Finish(t, c), host.Failed)
	end := ninthAck + 8*ns(1_048_576)
	for flow, want := range []struct {
		status rnic.Status
		end    units.Time
	}{{rnic.RetryExceeded, end}, {rnic.FlushError, end}, {rnic.FlushError, later}} {
		if got := c.Transfer(flow); got.Status != want.status || got.End != want.end {
			t.Errorf("message %d: %v at %v, want %v at %v", flow, got.Status, got.End, want.status, want.end)
		}
	}
	if sent := sender(c, 0); sent.Timeouts != 8 {
		t.Errorf("%d expiries, want 8", sent.Timeouts)
	}
}

// The seventh copy is lost, the eighth comes through: the budget of seven retries is
// just enough, and progress fills it up again for the next message.
func TestProgressRenewsTheRetries(t *testing.T) {
	n := tenPackets(8)
	c := n.Cluster(t, onLane(simtest.Flow(0, 1, 10*4096), 1), onLane(simtest.Flow(0, 1, 10*4096), 1))
	first, second := losing(9, 1, 2, 3, 4, 5, 6, 7), losing(19, 1, 2, 3, 4, 5, 6, 7)
	simtest.Watch(c, 0, 0).Lose = func(p *wire.Packet, now units.Time) bool { return first(p, now) || second(p, now) }
	mustBe(t, n.Finish(t, c), host.Done)
}

// The final acknowledgement is lost. The sender repeats what it covered; for the
// receiver that is a duplicate, and it answers with what it has received so far.
func TestADuplicateIsAcknowledged(t *testing.T) {
	n := tenPackets(8)
	n.NIC.AckEvery = 0 // one acknowledgement, of the message
	c := n.Cluster(t, simtest.Flow(0, 1, 10*4096))
	acks := 0
	simtest.Watch(c, 1, 0).Lose = func(*wire.Packet, units.Time) bool { acks++; return acks == 1 }
	mustBe(t, n.Finish(t, c), host.Done)
	got := receiver(c, 0)
	if got.Packets != 10 || got.Duplicates == 0 || got.NaksSent != 0 || got.Acks != got.Duplicates+1 {
		t.Errorf("received %+v; want 10 packets, and each duplicate acknowledged", got)
	}
	// The timer runs from the first packet on; the acknowledgement of the first
	// duplicate covers everything.
	if got, want := c.Transfer(0).End, ns(1_048_576)+2*firstFrame+2*ackFrame+4*units.Microsecond; got != want {
		t.Errorf("completes at %v, want %v", got, want)
	}
}

// Packet 20 of 100 is lost. The receiver says so once, at the next packet, and is
// silent until packet 20 comes; the sender goes back to it and sends everything from
// there again: the packets sent from packet 20 on until the NAK was there.
func TestAGapIsReportedOnceAndTheSenderGoesBack(t *testing.T) {
	const lost = 20
	n := simtest.Star(2, gbps100, units.Microsecond)
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	tap := simtest.Watch(c, 0, 0)
	tap.Lose = losing(lost, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	// Packet 21 is at the receiver, which answers at once; the sender finishes the frame
	// it is sending and goes back with the next one.
	const noticed = 2*firstFrame + (lost+1)*fullFrame + 2*units.Microsecond
	const told = noticed + 2*ackFrame + 2*units.Microsecond
	var again uint64
	for _, at := range tap.Starts(isData)[lost:] {
		if at < told {
			again++
		}
	}
	sent, got := sender(c, 0), receiver(c, 0)
	if sent.Naks != 1 || got.NaksSent != 1 || sent.Timeouts != 0 {
		t.Errorf("%d NAKs sent, %d received, %d timeouts; want one NAK", got.NaksSent, sent.Naks, sent.Timeouts)
	}
	if sent.Retransmitted != again || got.OutOfSequence != again-1 || got.Duplicates != 0 {
		t.Errorf("%d packets sent again, %d out of sequence, %d duplicates; want %d, %d, 0",
			sent.Retransmitted, got.OutOfSequence, got.Duplicates, again, again-1)
	}
	if got.Packets != 100 || got.Payload != 100*4096 {
		t.Errorf("accepted %d packets, %d bytes", got.Packets, got.Payload)
	}
	if sent.Payload != (100+again)*4096 || sent.RetransmittedPayload != again*4096 ||
		c.Transfer(0).Retransmitted != units.Bytes(again*4096) {
		t.Errorf("%d bytes sent, %d of them again, %v by the transfer; want %d and %d",
			sent.Payload, sent.RetransmittedPayload, c.Transfer(0).Retransmitted, (100+again)*4096, again*4096)
	}
	if want := firstFrame + units.Time(99+again)*fullFrame; tap.Packets[len(tap.Packets)-1].At+fullFrame != want {
		t.Errorf("last packet sent by %v, want %v", tap.Packets[len(tap.Packets)-1].At+fullFrame, want)
	}
}

// When the missing packet has come, the next gap is news again.
func TestEachGapIsReported(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	first, second := losing(20, 1), losing(60, 1)
	simtest.Watch(c, 0, 0).Lose = func(p *wire.Packet, now units.Time) bool { return first(p, now) || second(p, now) }
	mustBe(t, n.Finish(t, c), host.Done)
	if got := receiver(c, 0).NaksSent; got != 2 {
		t.Errorf("%d NAKs for two gaps", got)
	}
}

// The same losses around the wrap of the 24-bit sequence number as far from it: the
// same times and the same books.
func TestSequenceNumbersWrapUnnoticed(t *testing.T) {
	type result struct {
		end, last units.Time
		sent      rnic.RequesterCounters
		received  rnic.ResponderCounters
	}
	run := func(initial wire.PSN) result {
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.NIC.InitialPSN, n.NIC.AckEvery, n.NIC.Timeout, n.NIC.Window = initial, 4, 8, 64*units.KB
		c := n.Cluster(t, simtest.Flow(0, 1, 60*4096))
		lost := []func(*wire.Packet, units.Time) bool{
			losing(wire.PSNOf(int64(initial)+14), 1), losing(wire.PSNOf(int64(initial)+16), 1, 2), losing(wire.PSNOf(int64(initial)+59), 1),
		}
		simtest.Watch(c, 0, 0).Lose = func(p *wire.Packet, now units.Time) (loses bool) {
			for _, l := range lost {
				loses = l(p, now) || loses
			}
			return loses
		}
		mustBe(t, n.Finish(t, c), host.Done)
		return result{c.Transfer(0).End, lastByte(c, 0), sender(c, 0), receiver(c, 0)}
	}
	want := run(0)
	if want.sent.Naks == 0 || want.sent.Timeouts == 0 {
		t.Fatalf("no NAK or no timeout: %+v", want.sent)
	}
	for _, initial := range []wire.PSN{0xFFFFF0, 0xFFFFFF, 0x7FFFF8} {
		if got := run(initial); got != want {
			t.Errorf("initial PSN %#x: %+v\nwith 0: %+v", initial, got, want)
		}
	}
}
