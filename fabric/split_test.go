package fabric

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// splitBuffer is a buffer with one lossless group: a minimum of 4096 bytes, 1/8 of what
// is free of 80,000, and headroom of 3000.
func splitBuffer() *Buffer {
	b := &Buffer{
		groups: []group{{minimum: 4096, room: 3000}}, lanes: []lane{{lossless: true}}, pool: 80_000, peaks: make([]groupPeaks, 1),
		rooms: headroomPool{size: 3000}, xonGap: 3072,
	}
	b.split = newSplitAccounts([]Port{{out: link{rate: 100 * units.Gbps}}}, units.Ratio{Num: 1, Den: 8}, 100*units.Gbps)
	return b
}

// Four frames of 1048 bytes exceed the minimum by 96 bytes, and these are shared; with
// our own accounts the fourth would be shared as a whole.
func TestAFrameMayLieInTheMinimumAndInTheSharedPool(t *testing.T) {
	b := splitBuffer()
	for range 4 {
		b.admit(0, 0, 1048, 0)
	}
	g := &b.groups[0]
	if g.reserved != 4096 || g.shared != 4*1048-4096 || b.used != g.shared {
		t.Errorf("after four frames %d in the minimum, %d shared", g.reserved, g.shared)
	}
	b.release(0, 0, 1048)
	if g.shared != 0 || g.reserved != 3*1048 || b.used != 0 {
		t.Errorf("after one has left %d in the minimum, %d shared", g.reserved, g.shared)
	}
}

// Shared memory grows until the threshold of an eighth of what is free: of 12 frames
// 8,480 bytes are shared, 71,520 are free, and the threshold is 8,940. The next frame
// would make it 9,528 and goes to the headroom as a whole; the group must
// pause, and a third such frame finds no room.
func TestAFrameBeyondTheThresholdGoesToTheHeadroomAsAWhole(t *testing.T) {
	b := splitBuffer()
	g := &b.groups[0]
	for i := range 12 {
		if !b.admit(0, 0, 1048, 0) || g.headroom != 0 {
			t.Fatalf("frame %d: headroom %d", i, g.headroom)
		}
	}
	if g.shared != 12*1048-4096 || b.mustPause(0, 0) {
		t.Fatalf("%d shared, must pause: %v", g.shared, b.mustPause(0, 0))
	}
	for i, fits := range []bool{true, true, false} {
		if b.admit(0, 0, 1048, 0) != fits {
			t.Errorf("frame %d beyond the threshold: admitted %v", i, !fits)
		}
	}
	if g.headroom != 2*1048 || !b.mustPause(0, 0) || b.mayResume(0, 0) {
		t.Errorf("headroom %d, must pause: %v", g.headroom, b.mustPause(0, 0))
	}
}

// A port four times as fast as the hosts' has four times their threshold. One sixteen
// times as fast has eight times as much: alpha is at most 1.
func TestFasterPortsHaveHigherThresholds(t *testing.T) {
	ports := []Port{{out: link{rate: 100 * units.Gbps}}, {out: link{rate: 400 * units.Gbps}}, {out: link{rate: 25 * units.Gbps}}, {out: link{rate: 1600 * units.Gbps}}}
	a := newSplitAccounts(ports, units.Ratio{Num: 1, Den: 8}, 100*units.Gbps)
	for i, want := range []units.Bytes{1000, 4000, 1000, 8000} {
		if got := a.thresholds[i].Limit(8000); got != want {
			t.Errorf("port %d: threshold %d of 8000 free, want %d", i, got, want)
		}
	}
}
