package fabric

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// plainGroup is a group of the model: three sums, and the rules of SAI and of the
// switches it describes, written down one after the other.
type plainGroup struct{ reserved, shared, headroom units.Bytes }

// admit says which of the three sums a frame goes to, nil if it is dropped. free is
// what is left of the shared pool, spare what is left of the pool of headroom.
func (p *plainGroup) admit(g *group, lossless bool, size, limit, free, spare units.Bytes) *units.Bytes {
	if p.reserved+size <= g.minimum {
		return &p.reserved
	}
	if p.shared+size <= limit && size <= free {
		return &p.shared
	}
	if lossless && p.headroom+size <= g.room && size <= spare {
		return &p.headroom
	}
	return nil
}

// release takes bytes from headroom, then shared, then reserved, one by one.
func (p *plainGroup) release(size units.Bytes) {
	for range size {
		switch {
		case p.headroom > 0:
			p.headroom--
		case p.shared > 0:
			p.shared--
		default:
			p.reserved--
		}
	}
}

// newBuffer is a buffer of that many ports with these classes.
func newBuffer(pool units.Bytes, ports int, lanes ...lane) *Buffer {
	return &Buffer{
		pool: pool, lanes: lanes, groups: make([]group, ports*len(lanes)), peaks: make([]groupPeaks, ports*len(lanes)),
		rooms: headroomPool{size: units.GB},
	}
}

// drawBuffer draws a small buffer of two ports with two classes, of which some are
// lossless.
func drawBuffer(t *rapid.T) *Buffer {
	var lanes [2]lane
	for i := range lanes {
		lanes[i].threshold = pfc.DynamicThreshold(units.Ratio{Num: rapid.Int64Range(0, 4).Draw(t, "alpha"), Den: 2})
		if rapid.Bool().Draw(t, "static") {
			lanes[i].threshold = pfc.StaticThreshold(units.Bytes(rapid.IntRange(0, 2000).Draw(t, "xoff")))
		}
		lanes[i].lossless = rapid.Bool().Draw(t, "lossless")
	}
	b := newBuffer(units.Bytes(rapid.IntRange(0, 3000).Draw(t, "pool")), 2, lanes[:]...)
	for i := range b.groups {
		b.groups[i].minimum = units.Bytes(rapid.IntRange(0, 300).Draw(t, "minimum"))
		if b.lanes[i%2].lossless {
			b.groups[i].room = units.Bytes(rapid.IntRange(0, 500).Draw(t, "headroom"))
		}
	}
	b.rooms.size = units.Bytes(rapid.IntRange(0, 1000).Draw(t, "pool of headroom"))
	b.memory.Cell = units.Bytes(rapid.SampledFrom([]int{0, 1, 96, 208}).Draw(t, "cell"))
	return b
}

// inCells counts the cells of a frame one by one.
func inCells(b *Buffer, size units.Bytes) (total units.Bytes) {
	if b.memory.Cell == 0 {
		return size
	}
	for total < size {
		total += b.memory.Cell
	}
	return total
}

func TestBufferChargesFramesByTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBuffer(t)
		plain := make([]plainGroup, len(b.groups))
		stored := make([][]units.Bytes, len(b.groups)) // frames, oldest first
		used := func() (shared, headroom units.Bytes) {
			for _, p := range plain {
				shared += p.shared
				headroom += p.headroom
			}
			return shared, headroom
		}
		t.Repeat(map[string]func(*rapid.T){
			"admit": func(t *rapid.T) {
				i, size := rapid.IntRange(0, len(plain)-1).Draw(t, "group"), units.Bytes(rapid.IntRange(64, 400).Draw(t, "size"))
				shared, headroom := used()
				class, free := &b.lanes[i%2], b.pool-shared
				account := plain[i].admit(&b.groups[i], class.lossless, inCells(b, size), class.threshold.Limit(free), free, b.rooms.size-headroom)
				if got := b.admit(i/2, i%2, size, 0); got != (account != nil) {
					t.Fatalf("%d bytes to group %d: admitted %v, want %v", size, i, got, account != nil)
				}
				if account != nil {
					*account += inCells(b, size)
					stored[i] = append(stored[i], size)
				}
			},
			"release": func(t *rapid.T) {
				i := rapid.IntRange(0, len(plain)-1).Draw(t, "group")
				if len(stored[i]) == 0 {
					t.Skip("holds nothing")
				}
				b.release(i/2, i%2, stored[i][0])
				plain[i].release(inCells(b, stored[i][0]))
				stored[i] = stored[i][1:]
			},
			"": func(t *rapid.T) {
				for i := range plain {
					g, p := &b.groups[i], plain[i]
					if (plainGroup{g.reserved, g.shared, g.headroom}) != p {
						t.Fatalf("group %d is charged %d, %d, %d; want %+v", i, g.reserved, g.shared, g.headroom, p)
					}
					if g.reserved > g.minimum || g.headroom > g.room {
						t.Fatalf("group %d exceeds its share: %+v", i, *g)
					}
				}
				shared, headroom := used()
				if b.used != shared || b.used > b.pool {
					t.Fatalf("pool: %d in use by its own count, %d by that of the groups, of %d", b.used, shared, b.pool)
				}
				if b.rooms.used != headroom || headroom > b.rooms.size {
					t.Fatalf("headroom: %d in use by its own count, %d by that of the groups, of %d", b.rooms.used, headroom, b.rooms.size)
				}
			},
		})
	})
}

// M groups that all want more settle at alpha·S/(1+alpha·M) each and leave S/(1+alpha·M)
// free (Choudhury and Hahne 1998), within a packet.
func TestBusyGroupsSettleAtTheFixedPoint(t *testing.T) {
	const packet = 1000
	for _, tc := range []struct {
		pool   units.Bytes
		alpha  units.Ratio
		groups int
		each   units.Bytes
	}{
		{12 * units.MB, units.Ratio{Num: 1, Den: 8}, 4, 1_000_000},
		{12 * units.MB, units.Ratio{Num: 1, Den: 1}, 4, 2_400_000},
		{12 * units.MB, units.Ratio{Num: 1, Den: 1}, 1, 6_000_000},
		{32 * units.MB, units.Ratio{Num: 1, Den: 8}, 16, 1_333_333},
	} {
		b := newBuffer(tc.pool, tc.groups, lane{threshold: pfc.DynamicThreshold(tc.alpha)})
		for admitted := true; admitted; {
			admitted = false
			for i := range b.groups {
				admitted = b.admit(i, 0, packet, 0) || admitted
			}
		}
		for i := range b.groups {
			if d := b.groups[i].shared - tc.each; d < -packet || d > packet {
				t.Errorf("%v, alpha %v, %d groups: group %d settles at %d, want %d", tc.pool, tc.alpha, tc.groups, i, b.groups[i].shared, tc.each)
			}
		}
	}
}

// PG minimum 0, static XOFF at 100 kB, XON 20 kB below: filled with packets of
// 1 kB, the group asks for a pause with the hundredth and lets go when it first
// holds 80 kB.
func TestAGroupLetsGoWhenItFirstHoldsXOFFLessTheOffset(t *testing.T) {
	b := newBuffer(units.MB, 1, lane{lossless: true, threshold: pfc.StaticThreshold(100 * units.KB)})
	b.xonGap = 20 * units.KB
	g := &b.groups[0]
	g.room = 10 * units.KB
	for !b.mustPause(0, 0) {
		b.admit(0, 0, units.KB, 0)
	}
	if g.held() != 100*units.KB {
		t.Errorf("asks for a pause at %v, want 100KB", g.held())
	}
	for range 5 { // what arrives until the pause takes effect is headroom
		b.admit(0, 0, units.KB, 0)
	}
	for !b.mayResume(0, 0) {
		b.release(0, 0, units.KB)
	}
	if g.held() != 80*units.KB {
		t.Errorf("lets go at %v, want 80KB", g.held())
	}
}

func TestGivingBackMoreThanWasTakenIsAFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a group gave back what it did not hold")
		}
	}()
	newBuffer(0, 1, lane{}).release(0, 0, 1)
}

// clone is a buffer in the same state.
func clone(b *Buffer) *Buffer {
	c := *b
	c.groups, c.peaks = slices.Clone(b.groups), slices.Clone(b.peaks)
	return &c
}

// A frame that leaves at once needs no account: what the books say afterwards is what they
// would say if it had been charged and released.
func TestAFrameThatPassesLeavesTheBooksOfOneThatWasStored(t *testing.T) {
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		b := drawBuffer(t)
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 2, 4, 12}).Draw(t, "stored") {
			i := rapid.IntRange(0, len(b.groups)-1).Draw(t, "group")
			b.admit(i/2, i%2, units.Bytes(rapid.IntRange(64, 400).Draw(t, "size")), 1)
		}
		i, size := rapid.IntRange(0, len(b.groups)-1).Draw(t, "group"), units.Bytes(rapid.IntRange(64, 400).Draw(t, "size"))
		stored := clone(b)
		if !b.passes(i/2, i%2, size, 2) {
			return
		}
		passed++
		if !stored.admit(i/2, i%2, size, 2) {
			t.Fatal("it passes, and is not admitted")
		}
		stored.release(i/2, i%2, size)
		if diff := cmp.Diff(stored, b, cmp.AllowUnexported(Buffer{}, group{}, groupPeaks{}, lane{}, headroomPool{}, pfc.Threshold{})); diff != "" {
			t.Fatalf("stored and released (-), passed (+):\n%s", diff)
		}
		if b.lanes[i%2].lossless && b.mustPause(i/2, i%2) {
			t.Fatal("a group through which a frame passes has to pause")
		}
	})
	if passed == 0 {
		t.Error("no frame has passed")
	}
}
