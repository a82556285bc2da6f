package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// paused is a host that does nothing for some times.
func paused(h int, spans ...fabric.Span) host.Faults {
	var f host.Faults
	for _, s := range spans {
		f.Pauses = append(f.Pauses, host.Pause{Host: h, Span: s})
	}
	return f
}

// us is a time from so many microseconds to so many.
func us(from, to units.Time) fabric.Span {
	return fabric.Span{From: from * units.Microsecond, To: to * units.Microsecond}
}

// The frame comes at 1.3 us and waits; the host takes it, and answers, when it is back.
func TestAPausedReceiverAnswersLater(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	c := injected(t, n, paused(1, us(1, 10)), simtest.Flow(0, 1, 4096))
	mustBe(t, n.Finish(t, c), host.Done)
	mustTake(t, c, 0, 10*units.Microsecond, 10*units.Microsecond+ackFrame+units.Microsecond)
}

// The frame being sent when the pause begins is sent to its end; the other nine follow
// when it is over.
func TestAPausedSenderSendsNothing(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	c := injected(t, n, paused(0, fabric.Span{From: 100 * units.Nanosecond, To: 5 * units.Microsecond}), simtest.Flow(0, 1, 10*4096))
	mustBe(t, n.Finish(t, c), host.Done)
	last := 5*units.Microsecond + 9*fullFrame + units.Microsecond
	mustTake(t, c, 0, last, last+ackFrame+units.Microsecond)
}

// A pause that begins within another, or just when it ends, prolongs it.
func TestPausesThatTouchAreOne(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	c := injected(t, n, paused(1, us(1, 4), us(3, 6), us(6, 8)), simtest.Flow(0, 1, 4096))
	mustBe(t, n.Finish(t, c), host.Done)
	mustTake(t, c, 0, 8*units.Microsecond, 8*units.Microsecond+ackFrame+units.Microsecond)
}

// The receiver is paused for 5 ms, and the timer of 1 ms runs out again and again:
// what comes is sent again, and not one frame is lost. When it is back it takes the
// first copy of each and answers the others as duplicates.
func TestFramesForAPausedHostWait(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Timeout = 8
	c := injected(t, n, paused(1, us(1, 5000)), simtest.Flow(0, 1, 10*4096))
	mustBe(t, n.Finish(t, c), host.Done)
	if got := receiver(c, 0); got.Packets != 10 || got.Duplicates != 40 || sender(c, 0).Timeouts != 4 {
		t.Errorf("%d packets, %d duplicates after %d timeouts; want 10, 40 after 4", got.Packets, got.Duplicates, sender(c, 0).Timeouts)
	}
}

// A timer that comes up in a pause of its host waits too: one retransmission, not four.
func TestTimersOfAPausedHostWait(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Timeout = 8
	c := injected(t, n, paused(0, us(1, 5000)), simtest.Flow(0, 1, 4096))
	mustBe(t, n.Finish(t, c), host.Done)
	if got := sender(c, 0); got.Timeouts != 0 || got.Packets != 1 {
		t.Errorf("%+v; want the acknowledgement that waits to be taken before the timer", got)
	}
}

// A host that never comes back is what the flow waits for.
func TestAHostPausedForGoodIsNamed(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c := injected(t, n, paused(1, fabric.Span{From: units.Microsecond, To: units.Never}), simtest.Flow(0, 1, 4096))
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	mustWait(t, c, r, 4096, "host h1, which is paused for good")
}

// A host with a receive buffer that matters does not hold any number of frames: while it
// is paused its buffer fills, and its NIC pauses the switch, again and again. Nothing is
// lost, and nothing comes out of order when it is back.
func TestAPausedHostWithAReceiveBufferPausesItsSwitch(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c := injected(t, n, paused(1, us(5, 900)), simtest.Flow(0, 1, units.MB))
	c.Hosts[1].NIC(0).Limit(rnic.ReceiveBuffer{
		Drain: gbps100, Size: 200 * units.KB, XOFF: 100 * units.KB, XON: 80 * units.KB, Lossless: 1 << 3,
	})
	mustBe(t, n.Finish(t, c), host.Done)
	nic := c.Net.Ports(1)[0].Counters
	// Pauses of 335.5 us are repeated after half of that.
	if asked := nic.PauseTx[3]; asked.XOFF == 0 || asked.Refresh < 4 || nic.Class[3].Dropped.Packets != 0 {
		t.Errorf("asked %+v, %d frames dropped", asked, nic.Class[3].Dropped.Packets)
	}
	if got := receiver(c, 0); got.OutOfSequence != 0 || got.Duplicates != 0 || got.Payload != 1_000_000 {
		t.Errorf("received %+v", got)
	}
	if at := lastByte(c, 0); at < 900*units.Microsecond || at > 990*units.Microsecond {
		t.Errorf("the last byte came at %v", at)
	}
}
