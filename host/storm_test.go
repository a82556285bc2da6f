package host_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// A NIC that breaks down at 10 us repeats its pause after half of its quanta, and ends it
// when it is well again, at 1 ms.
func TestAStormIsAPauseRepeatedOverAndOver(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c := n.Cluster(t, late(simtest.Flow(0, 1, 100*units.KB), 20*units.Microsecond))
	c.Hosts[1].NIC(0).Storm(3, 10*units.Microsecond, units.Millisecond)
	tap, egress := simtest.Watch(c, 1, 0), simtest.Watch(c, 2, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	var want []units.Time
	for at := 10 * units.Microsecond; at < units.Millisecond; at += longestPause / 2 {
		want = append(want, at)
	}
	if got := tap.XOFFs(3); !slices.Equal(got, want) {
		t.Errorf("XOFF at %v, want %v", got, want)
	}
	if got := tap.XONs(3); !slices.Equal(got, []units.Time{units.Millisecond}) {
		t.Errorf("XON at %v, want at the end of the storm", got)
	}
	if got, want := egress.Starts(nil)[0], units.Millisecond+pfcFrame+units.Microsecond; got != want {
		t.Errorf("the switch sends from %v on, want %v", got, want)
	}
}

// Without retransmission nothing would ever move again: the run has stalled, and the
// report says whose fault it is.
func TestAStormThatNeverEndsStallsTheRun(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	c := n.Cluster(t, simtest.Flow(0, 1, 10*units.MB), simtest.Flow(0, 2, units.MB))
	c.Hosts[1].NIC(0).Storm(3, 10*units.Microsecond, units.Never)
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	waits := c.Waits(r.Now)
	if len(waits) == 0 || !strings.Contains(waits[0].Cause, "paused at h0:0 by s0") {
		t.Errorf("waiting: %+v", waits)
	}
	// Of a flow that is held at the last port, the broken NIC itself is named.
	n = simtest.Star(2, gbps100, units.Microsecond)
	c = n.Cluster(t, late(simtest.Flow(0, 1, 40*units.KB), 20*units.Microsecond))
	c.Hosts[1].NIC(0).Storm(3, 10*units.Microsecond, units.Never)
	r = n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	mustWait(t, c, r, 40*units.KB, "paused at s0:1 by h1", "its NIC is broken")
}

// watched is a star with a PFC watchdog of a millisecond for everything.
func watched(hosts int) *simtest.Net {
	n := simtest.Star(hosts, gbps100, units.Microsecond)
	n.NIC.Timeout = 10 // 4.2 ms
	n.Fabric.Watchdog = fabric.Watchdog{
		Enabled: true, Poll: units.Millisecond, Detection: units.Millisecond, Restoration: units.Millisecond,
	}
	return n
}

// A storm from 2.5 to 5.5 ms: declared at 4 ms, after the first whole interval, and over at
// 7 ms. The flow that runs meanwhile loses packets and recovers; the one that starts after
// it takes exactly as long as the one before.
func TestGoodputAfterAStormIsThatBeforeIt(t *testing.T) {
	n := watched(2)
	c := n.Cluster(t,
		simtest.Flow(0, 1, 10*units.MB), late(simtest.Flow(0, 1, 10*units.MB), 2500*units.Microsecond), late(simtest.Flow(0, 1, 10*units.MB), 50*units.Millisecond))
	c.Hosts[1].NIC(0).Storm(3, 2500*units.Microsecond, 5500*units.Microsecond)
	mustBe(t, n.Finish(t, c), host.Done)
	s := c.Net.Switch(2)
	want := []fabric.WatchdogEvent{
		{At: 4 * units.Millisecond, Port: 1, Priority: 3, Begins: true}, {At: 7 * units.Millisecond, Port: 1, Priority: 3},
	}
	if got := s.WatchdogEvents(); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	if got := s.Discarded(1, 3); got.Packets == 0 || sender(c, 1).RetransmittedPayload < uint64(got.Packets-1)*4096 {
		t.Errorf("%d packets discarded, %d B sent again", got.Packets, sender(c, 1).RetransmittedPayload)
	}
	before, after := c.Transfer(0).End, c.Transfer(2).End-50*units.Millisecond
	if before != after {
		t.Errorf("a flow takes %v before the storm and %v after it", before, after)
	}
}

// A watchdog that is about to act keeps a run alive in which nothing else would.
func TestARunWaitsForItsWatchdog(t *testing.T) {
	n := watched(3)
	n.NIC.Timeout = 0
	n.Fabric.Watchdog = fabric.Watchdog{Enabled: true, HostPorts: true} // 200 ms
	c := n.Cluster(t, simtest.Flow(0, 1, 10*units.MB), simtest.Flow(0, 2, units.MB))
	c.Hosts[1].NIC(0).Storm(3, 10*units.Microsecond, units.Never)
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled) // the flow to host 1 has lost packets, and no timer
	if got := c.Net.Switch(3).WatchdogEvents(); len(got) != 1 || got[0].At != 400*units.Millisecond {
		t.Errorf("events %v, want a storm at 400ms: it began within the first interval", got)
	}
	if c.Transfer(1).End == 0 {
		t.Error("the flow to the other host did not end")
	}
}

// Polls are no work: a run that stalls with a watchdog that sees nothing wrong ends as soon
// as one without.
func TestPollsOfAWatchdogDoNotKeepARunAlive(t *testing.T) {
	var ends []units.Time
	for _, enabled := range []bool{false, true} {
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.Fabric.Watchdog = fabric.Watchdog{Enabled: enabled, Poll: 100 * units.Microsecond}
		n.NIC.Window = 8192
		c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
		simtest.Watch(c, 1, 0).Lose = func(p *wire.Packet, _ units.Time) bool { return isAck(p) }
		r := n.Finish(t, c)
		mustBe(t, r, host.Stalled)
		ends = append(ends, r.Now)
	}
	if ends[1] > 2*units.Millisecond {
		t.Errorf("stalled at %v without, %v with a watchdog", ends[0], ends[1])
	}
}

// Two hosts send 17.5 % of the rate in each of priorities 3 and 4 and 12.5 % in each of 1
// and 2 to a third, which breaks down for a while. PFC speaks of 3 and 4 only, and these
// lose nothing if their headroom holds. If not, the ports and what they miss are named.
func TestPFCKeepsToLosslessPrioritiesInAStorm(t *testing.T) {
	for _, headroom := range []units.Bytes{-1, 2000} {
		n := simtest.Star(3, 10*units.Gbps, 200*units.Nanosecond)
		n.Fabric.Priorities, n.Fabric.PFC.Lossless = []int{1, 2, 3, 4, 6}, 1<<3|1<<4
		n.Fabric.Buffer, n.Fabric.PFC.XOFF, n.Fabric.PFC.Headroom = units.MB, 50*units.KB, headroom
		n.NIC.MTU, n.Fabric.MaxFrame, n.NIC.Timeout = 1024, 1102, 10
		n.NIC.Control = &cc.FixedParams{Rate: 250 * units.Mbps}
		n.Run.UntilDone, n.Run.Limit = false, 20*units.Millisecond
		var flows []host.Flow
		for src := 1; src <= 2; src++ {
			for priority, qps := range map[int]int{1: 5, 2: 5, 3: 7, 4: 7} {
				for range qps {
					flows = append(flows, inClass(simtest.Flow(src, 0, 10*units.MB), priority))
				}
			}
		}
		slices.SortStableFunc(flows, func(a, b host.Flow) int { return 10*(a.Src-b.Src) + a.Data.Priority - b.Data.Priority })
		c := n.Cluster(t, flows...)
		for _, priority := range []int{3, 4} {
			c.Hosts[0].NIC(0).Storm(priority, 5*units.Millisecond, 15*units.Millisecond)
		}
		n.Finish(t, c)
		for _, port := range c.Net.Ports(3) {
			for priority, sent := range port.Counters.PauseTx {
				if lossless := priority == 3 || priority == 4; !lossless && sent != (fabric.PauseCount{}) {
					t.Errorf("headroom %d: PFC in priority %d: %+v", headroom, priority, sent)
				}
			}
		}
		if xoffs(c, 3) == 0 || xoffs(c, 4) == 0 || dropped(c, 1) == 0 {
			t.Errorf("headroom %d: %d and %d pauses, %d lossy packets dropped: not the storm that was meant", headroom, xoffs(c, 3), xoffs(c, 4), dropped(c, 1))
		}
		lost, short := dropped(c, 3)+dropped(c, 4), c.Net.Shortfalls()
		if headroom < 0 && (lost != 0 || short != nil) {
			t.Errorf("%d lossless packets dropped, shortfalls %v", lost, short)
		}
		if headroom > 0 && (lost == 0 || len(short) != 3 || short[0].Missing() != c.Net.Reaction(3, 0).Headroom()-headroom) {
			t.Errorf("headroom %d: %d lossless packets dropped, shortfalls %v", headroom, lost, short)
		}
	}
}
