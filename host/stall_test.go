package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// mustWait fails the test unless exactly the given flows wait, each for something
// that is described by all the words.
func mustWait(t *testing.T, c *host.Cluster, r host.Report, left units.Bytes, words ...string) {
	t.Helper()
	waits := c.Waits(r.Now)
	if len(waits) != 1 || waits[0].Flow != 0 || waits[0].Left != left {
		t.Fatalf("waiting: %+v; want flow 0 with %v left", waits, left)
	}
	for _, w := range words {
		if !strings.Contains(waits[0].Cause, w) {
			t.Errorf("waits for %q; want %q in it", waits[0].Cause, w)
		}
	}
}

// Pauses never expire, no timer is set, and the resume for host 1 is lost: its flow
// can never go on. The run ends, and says which class of which port is paused by whom.
func TestAPauseThatNeverExpiresStallsTheRun(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.Fabric.PFC.Sticky = true
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 20*units.KB
	c := n.Cluster(t, incast(2, units.MB)...)
	simtest.Watch(c, 3, 1).LosePFC = func(f *wire.PFC, _ units.Time) bool { return f.Quanta[3] == 0 }
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	// An acknowledgement is due at the end of the message only, so nothing is acknowledged.
	mustWait(t, c, r, units.MB, "priority 3", "paused at h1:0 by s0", "without expiry")
	if c.Transfer(1).End == 0 {
		t.Error("the other flow did not finish")
	}
}

// Nothing was ever sent: no timer runs, and no packet is on its way.
func TestAPauseBeforeTheFirstPacketStallsTheRun(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.Fabric.PFC.Sticky = true
	flow := simtest.Flow(0, 1, units.MB)
	flow.Start = 2 * units.Microsecond
	c := n.Cluster(t, flow)
	simtest.PauseAtStart(c, 2, 0, 3)
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	mustWait(t, c, r, units.MB, "priority 3", "paused at h0:0 by s0 since 1.00672us")
}

// The pause is in the middle: the first port from the sender on that holds packets
// and may not send them is named, and what the sender has left is what is missing.
func TestAStallIsTracedToThePortThatHolds(t *testing.T) {
	n := simtest.Chain(3, gbps100, units.Microsecond)
	n.Fabric.PFC.Sticky = true
	c := n.Cluster(t, simtest.Flow(0, 1, 40*units.KB))
	simtest.PauseAtStart(c, 1, 0, 3)
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	mustWait(t, c, r, 40*units.KB, "priority 3", "paused at s1:1 by h1")
}

// With the retransmission timer on, the queue pair gives up instead: the run is not
// stalled but failed, and the pause is still named as the likely reason.
func TestAnEndlessPauseEndsTheQueuePair(t *testing.T) {
	n := simtest.Chain(3, gbps100, units.Microsecond)
	n.Fabric.PFC.Sticky, n.NIC.Timeout = true, 8
	c := n.Cluster(t, simtest.Flow(0, 1, 40*units.KB))
	simtest.PauseAtStart(c, 1, 0, 3)
	r := n.Finish(t, c)
	mustBe(t, r, host.Failed)
	mustWait(t, c, r, 40*units.KB, "RETRY_EXC_ERR", "paused at s1:1 by h1")
}

// A window of nothing acknowledged, and the acknowledgement lost: without a timer
// that is a stall too.
func TestALostAcknowledgementStallsAClosedWindow(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Window = 8192
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	simtest.Watch(c, 1, 0).Lose = func(*wire.Packet, units.Time) bool { return true }
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	mustWait(t, c, r, units.MB, "window", "PSN 0", "timeout 0")
}

// Waiting is no stall: for a pause of 3.36 ms at 10 Gb/s that runs out, for the start
// of a flow a long time off.
func TestWhatWillGoOnIsNotStalled(t *testing.T) {
	n := simtest.Star(2, 10*units.Gbps, units.Microsecond)
	late := simtest.Flow(1, 0, units.MB)
	late.Start = 500 * units.Millisecond
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB), late)
	simtest.PauseAtStart(c, 1, 0, 3)
	mustBe(t, n.Finish(t, c), host.Done)
	if got := c.Transfer(0).End; got < 3355*units.Microsecond {
		t.Errorf("the paused flow ends at %v", got)
	}
}

// At the limit frames are on the wire and in the switch's queue; the books balance all
// the same.
func TestTheTimeLimitLeavesWorkUndone(t *testing.T) {
	const limit = 50 * units.Microsecond
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.Run.Limit = limit
	late := simtest.Flow(0, 1, units.MB)
	late.Start = units.Millisecond
	c, r := n.Do(t, append(incast(2, 10*units.MB), late)...)
	mustBe(t, r, host.OutOfTime)
	if waits := c.Waits(r.Now); len(waits) != 3 || waits[2].Left != units.MB || waits[2].Cause != "its start at 1ms" {
		t.Errorf("waiting: %+v; want all three flows, the last one for its start", waits)
	}
	if flying, _ := c.Net.InFlight(); r.Now != limit || flying == 0 || c.Net.Switch(3).Queue(0, 3).Bytes == 0 {
		t.Errorf("ended at %v with %d packets in flight and %v queued", r.Now, flying, c.Net.Switch(3).Queue(0, 3).Bytes)
	}
	if got := receiver(c, 0).Payload; got == 0 || got >= 10_000_000 {
		t.Errorf("%d bytes delivered", got)
	}
}

func TestARunCanBeInterrupted(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := c.Run(ctx, n.Run)
	if err != nil {
		t.Fatal(err)
	}
	mustBe(t, r, host.Interrupted)
}
