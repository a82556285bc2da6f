package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// decided is when a lone stream of 4158 B frames, the first 4174, over 200 ns of cable
// has filled 100 kB of a group that nothing leaves: with the end of its 25th frame.
const decided = firstFrame + 24*fullFrame + 200*units.Nanosecond

// blocked is two hosts, 40 m of cable each, of which the second has paused the switch:
// what the first sends stays there.
func blocked(headroom units.Bytes) *simtest.Net {
	n := simtest.Star(2, gbps100, 200*units.Nanosecond)
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset, n.Fabric.PFC.Headroom = 100*units.KB, 20*units.KB, headroom
	return n
}

// The pause is decided at t and obeyed at t + 206.72 ns, while the frame after the next
// one is on the wire. So exactly two more frames arrive, and 12,474 B are in
// the headroom; the rule's 17,646 B hold them. A frame in the reverse direction that
// has just started delays the pause by more than 261.76 ns, and one more frame comes.
func TestTwoFramesArriveAfterAPauseWasDecided(t *testing.T) {
	for _, tc := range []struct {
		name    string
		reverse bool
		frames  units.Bytes
	}{
		{"reverse direction idle", false, 3},
		{"reverse frame just started", true, 4},
	} {
		n := blocked(-1)
		flows := []host.Flow{simtest.Flow(0, 1, units.MB)}
		if tc.reverse {
			back := simtest.Flow(1, 0, 4096) // one packet, at the switch a nanosecond before t
			back.Start = decided - units.Nanosecond - firstFrame - 200*units.Nanosecond
			flows = append(flows, back)
		}
		c := n.Cluster(t, flows...)
		simtest.PauseAtStart(c, 1, 0, 3)
		mustBe(t, n.Finish(t, c), host.Done)
		g := c.Net.Switch(2).Group(0, 3)
		if g.Headroom != 17_646 || g.PeakHeadroom != tc.frames*4158 {
			t.Errorf("%s: %d B of %d B headroom used, want %d B of 17646 B", tc.name, g.PeakHeadroom, g.Headroom, tc.frames*4158)
		}
		if got := dropped(c, 3); got != 0 {
			t.Errorf("%s: %d packets dropped", tc.name, got)
		}
	}
}

// 6000 B of headroom take the frame that crossed the threshold, and neither of the
// two that follow: both are dropped and counted, and sent again.
func TestTooLittleHeadroomLosesFramesAndCountsThem(t *testing.T) {
	n := blocked(6000)
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	simtest.PauseAtStart(c, 1, 0, 3)
	mustBe(t, n.Finish(t, c), host.Done)
	counted := c.Net.Ports(2)[0].Counters
	if got := counted.Class[3].Dropped; got.Packets != 2 || got.Bytes != 2*4158 || counted.DroppedData != 2 {
		t.Errorf("dropped %+v, of them %d data; want 2 packets of 4158 B", got, counted.DroppedData)
	}
	if got := receiver(c, 0).Payload; got != 1_000_000 {
		t.Errorf("%d bytes received", got)
	}
}

// Even a group without headroom, in which the frame that is lost would have been the
// first above the threshold, asks for a pause: it does not go on losing.
func TestALostFrameAsksForAPause(t *testing.T) {
	n := blocked(0)
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	simtest.PauseAtStart(c, 1, 0, 3)
	tap := simtest.Watch(c, 2, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	if got := tap.XOFFs(3); len(got) == 0 || got[0] != decided {
		t.Errorf("paused at %v, want first at %v", got, units.Time(decided))
	}
	if got := dropped(c, 3); got != 3 {
		t.Errorf("%d packets dropped, want the one that did not fit and two that were under way", got)
	}
}

// A group into which no frame fits asks for nothing: no departure could ever end the
// pause.
func TestAGroupThatHoldsNothingIsNotPaused(t *testing.T) {
	n := blocked(0)
	n.Fabric.PFC.XOFF, n.NIC.Timeout = units.KB, 8
	c, r := n.Do(t, simtest.Flow(0, 1, 4096))
	mustBe(t, r, host.Failed)
	if got := xoffs(c, 3); got != 0 || dropped(c, 3) != 8 {
		t.Errorf("%d pauses, %d packets dropped; want none, and the packet with its seven copies", got, dropped(c, 3))
	}
}

// 10 Gb/s, 100 ns of cable, frames of 1048 B, the response the standard allows. A rule
// in use gives 375 B of headroom, less than a frame, and loses; ours loses nothing.
func TestHeadroomByTheRuleLosesNothingWhereAShorterOneDoes(t *testing.T) {
	for _, tc := range []struct {
		headroom units.Bytes
		loses    bool
	}{{375, true}, {-1, false}} {
		n := simtest.Star(9, 10*units.Gbps, 100*units.Nanosecond)
		n.NIC.MTU, n.NIC.Timeout, n.Fabric.MaxFrame = 1048-78, 8, 1048
		n.Fabric.PFC.XOFF, n.Fabric.PFC.Headroom, n.Fabric.PFC.Response = 20*units.KB, tc.headroom, -1
		c, r := n.Do(t, incast(8, 200*units.KB)...)
		mustBe(t, r, host.Done)
		if got := dropped(c, 3); (got > 0) != tc.loses {
			t.Errorf("headroom %d: %d packets dropped", c.Net.Switch(9).Group(1, 3).Headroom, got)
		}
	}
}
