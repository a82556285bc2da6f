package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Two senders at line rate into one port, XOFF at 100 kB a group: of each stream
// half is stored, so that 100 kB of 4158 B frames take 100,000/(4158 B/334.24 ns/2) =
// 16.08 us from the first bit, up to a packet or two of rounding; nothing is lost.
func TestTwoSendersFillTheirGroupsAtHalfTheirRate(t *testing.T) {
	const delay = units.Microsecond
	n := simtest.Star(3, gbps100, delay)
	n.Fabric.PFC.XOFF = 100 * units.KB
	c := n.Cluster(t, incast(2, units.MB)...)
	taps := []*simtest.Tap{simtest.Watch(c, 3, 1), simtest.Watch(c, 3, 2)}
	mustBe(t, n.Finish(t, c), host.Done)
	// With the end of the 47th, 48th or 49th frame of a stream: 15.71, 16.04, 16.38 us.
	possible := []units.Time{firstFrame + 46*fullFrame, firstFrame + 47*fullFrame, firstFrame + 48*fullFrame}
	for i, tap := range taps {
		if got := tap.XOFFs(3)[0] - delay; !slices.Contains(possible, got) {
			t.Errorf("sender %d: first XOFF %v after its first bit was at the switch, want one of %v", i, got, possible)
		}
	}
	if got := dropped(c, 3); got != 0 {
		t.Errorf("%d packets dropped", got)
	}
}

// While both have something to send, each of two senders gets half of the wire, and
// PFC leaves no hole in it.
func TestPFCSharesTheWireFairly(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 50*units.KB
	c := n.Cluster(t, incast(2, 20*units.MB)...)
	senders := []*simtest.Tap{simtest.Watch(c, 1, 0), simtest.Watch(c, 2, 0)}
	egress := simtest.Watch(c, 3, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	if xoffs(c, 3) == 0 {
		t.Fatal("PFC never acted")
	}
	const from, to = 100 * units.Microsecond, 3 * units.Millisecond
	for i, tap := range senders {
		share := float64(len(within(tap.Starts(isData), from, to))) * fullFrame / float64(to-from)
		if share < 0.48 || share > 0.52 {
			t.Errorf("sender %d has %.3f of the wire, want .5 ± .02", i+1, share)
		}
	}
	starts := within(egress.Starts(nil), from, to)
	for i := range starts[1:] {
		if starts[i+1] != starts[i]+fullFrame {
			t.Fatalf("a hole in the egress wire after the frame at %v", starts[i])
		}
	}
}

// k senders of s bytes each into one port need at least the time of all their bytes
// on its wire, and the first packet's way there: 16 of 1 MiB at MTU 1024, 1,132,560 B on
// the wire each, 1.4497 ms. A lossless fabric is within a percent of that.
func TestIncastTakesTheTimeOfItsBytes(t *testing.T) {
	const senders, delay = 16, units.Microsecond
	n := simtest.Star(senders+1, gbps100, delay)
	n.NIC.MTU, n.Fabric.MaxFrame, n.Fabric.PFC.XONOffset = 1024, 1024+78, 50*units.KB
	c, r := n.Do(t, incast(senders, units.MiB)...)
	mustBe(t, r, host.Done)
	var last units.Time
	for flow := range c.Flows {
		last = max(last, lastByte(c, flow))
	}
	const first = 1122*80 + 2*delay // the first packet of 1024 B until it begins to arrive
	bound := units.Time(senders*1_132_560*80) + first
	if last < bound || last > bound+bound/100 {
		t.Errorf("last byte at %v, want from %v to 1%% more", last, bound)
	}
	if got := dropped(c, 3); got != 0 {
		t.Errorf("%d packets dropped", got)
	}
}

// Without congestion control two senders share by PFC alone; paced at 40 Gb/s each
// they never fill the port, and no more than a frame ever waits.
func TestAFixedRateBelowTheShareNeedsNoPFC(t *testing.T) {
	run := func(control cc.Params) (*host.Cluster, units.Bytes) {
		n := simtest.Star(3, gbps100, units.Microsecond)
		n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 20*units.KB
		n.NIC.Control = control
		c, r := n.Do(t, incast(2, 5*units.MB)...)
		mustBe(t, r, host.Done)
		return c, c.Net.Switch(3).Queue(0, 3).Peak
	}
	none, queue := run(cc.None.Params(""))
	if xoffs(none, 3) == 0 || queue < 100*units.KB {
		t.Errorf("no control: %d pauses, queue of %v at most; want pauses and a long queue", xoffs(none, 3), queue)
	}
	a, b := none.Transfer(0).End, none.Transfer(1).End
	if ratio := float64(a) / float64(b); ratio < 0.98 || ratio > 1.02 {
		t.Errorf("no control: flows end at %v and %v, want together", a, b)
	}
	fixed, queue := run(&cc.FixedParams{Rate: 40 * units.Gbps})
	if xoffs(fixed, 3) != 0 || queue > 4174 {
		t.Errorf("40 Gb/s each: %d pauses, queue of %v at most; want none, and a frame", xoffs(fixed, 3), queue)
	}
}
