package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// PG minimum 0, static XOFF 100 kB, XON offset 20 kB. The egress is blocked by a pause;
// when that runs out, the group holds 112,282 B: 24 frames below the threshold, the
// one that crossed it and two that were under way. The pause it asked for ends with
// the frame that brings it to 80 kB or below, the eighth, and not before.
func TestResumeIsSentWhenTheGroupFirstFallsToItsXON(t *testing.T) {
	const delay = 200 * units.Nanosecond
	n := simtest.Star(2, gbps100, delay)
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 20*units.KB
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	simtest.PauseAtStart(c, 1, 0, 3)
	tap := simtest.Watch(c, 2, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	const unblocked = pfcFrame + delay + longestPause
	const eighth = unblocked + firstFrame + 6*fullFrame
	if got := tap.XONs(3); !slices.Equal(got, []units.Time{eighth}) {
		t.Errorf("resumed at %v, want %v", got, units.Time(eighth))
	}
	if got := c.Net.Switch(2).Group(0, 3).Peak; got != 4174+26*4158 {
		t.Errorf("the group held %d B at most, want 112282", got)
	}
}

// Between two pauses a group falls by the hysteresis and fills up again, but for a
// frame: so many bytes pass at least, and pauses cannot chatter.
func TestPausesAreBoundedByTheHysteresis(t *testing.T) {
	const frame = 4174
	for _, offset := range []units.Bytes{10 * units.KB, 20 * units.KB, 80 * units.KB} {
		n := simtest.Star(3, gbps100, units.Microsecond)
		n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, offset
		c, r := n.Do(t, incast(2, 5*units.MB)...)
		mustBe(t, r, host.Done)
		for port := 1; port <= 2; port++ {
			counted := c.Net.Ports(3)[port].Counters
			bound := 1 + counted.Class[3].Rx.Bytes/uint64(offset-frame)
			if got := counted.PauseTx[3].XOFF; got < 5 || got > bound {
				t.Errorf("XON offset %v, port %d: %d pauses, want from 5 to %d", offset, port, got, bound)
			}
		}
	}
}

// Priority 3 fills its group into the headroom; priority 4 by the same port holds a
// tenth of its threshold, above its minimum. Only priority 3 is paused.
func TestOnlyTheClassThatIsFullIsPaused(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.Fabric.Priorities = []int{3, 4, 6}
	n.Fabric.PFC.Lossless = 1<<3 | 1<<4
	n.Fabric.PFC.XOFF, n.Fabric.PFC.Minimum = 100*units.KB, 2*units.KB
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB), inClass(simtest.Flow(0, 1, 10*units.KB), 4))
	simtest.PauseAtStart(c, 1, 0, 3, 4)
	tap := simtest.Watch(c, 2, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	sw := c.Net.Switch(2)
	if full, low := sw.Group(0, 3), sw.Group(0, 4); full.PeakHeadroom == 0 || low.Peak < 10*units.KB || low.Peak > 11*units.KB {
		t.Fatalf("priority 3 used %v of headroom, priority 4 held %v; want some, and 10 kB", full.PeakHeadroom, low.Peak)
	}
	if three, four := tap.XOFFs(3), tap.XOFFs(4); len(three) == 0 || len(four) != 0 {
		t.Errorf("priority 3 paused at %v, priority 4 at %v; want only the first", three, four)
	}
	for _, f := range tap.Pauses {
		if f.Classes != 1<<3 {
			t.Errorf("a PFC frame with class vector %#x, want 0x8", f.Classes)
		}
	}
}

// A pause is repeated once in each refresh interval while it lasts, and not with
// every frame that still arrives. 1000 quanta are 5.12 us, half of them 2.56 us.
func TestAPauseIsRepeatedOnceAnInterval(t *testing.T) {
	const interval = 2560 * units.Nanosecond
	n := simtest.Star(9, gbps100, units.Microsecond)
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset, n.Fabric.PFC.Quanta = 100*units.KB, 20*units.KB, 1000
	c := n.Cluster(t, incast(8, units.MB)...)
	tap := simtest.Watch(c, 9, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	repeated := 0
	for i := range tap.Pauses[1:] {
		first, second := tap.Pauses[i], tap.Pauses[i+1]
		if first.Quanta[3] == 0 || second.Quanta[3] == 0 {
			continue
		}
		repeated++
		if gap := second.At - first.At; gap != interval {
			t.Errorf("paused at %v and again %v later, want %v", first.At, gap, interval)
		}
	}
	if counted := c.Net.Ports(9)[1].Counters.PauseTx[3].Refresh; repeated < 10 || counted != uint64(repeated) {
		t.Errorf("%d repetitions seen, %d counted; want the same, and several", repeated, counted)
	}
	if got := dropped(c, 3); got != 0 {
		t.Errorf("%d packets dropped", got)
	}
}
