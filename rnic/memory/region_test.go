package memory_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// register makes a region known, which must go well.
func register(t *testing.T, s *memory.Space, pd memory.PD, start uint64, length units.Bytes, a memory.Access) *memory.Region {
	t.Helper()
	r, err := s.Register(pd, start, length, a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A region is accessible from its first byte to its last, and not beyond, however large the
// numbers: va+length does not wrap around.
func TestAnAccessLiesInsideOfItsRegion(t *testing.T) {
	var s memory.Space
	pd := s.AllocPD()
	low := register(t, &s, pd, 0x1000, 0x100, 0)
	top := register(t, &s, pd, math.MaxUint64-0x100, 0x100, 0)
	for _, tc := range []struct {
		region *memory.Region
		va     uint64
		length units.Bytes
		want   memory.Fault
	}{
		{low, 0x1000, 0x100, memory.None},
		{low, 0x10FF, 1, memory.None},
		{low, 0x0FFF, 1, memory.OutOfBounds},
		{low, 0x0FFF, 0x102, memory.OutOfBounds},
		{low, 0x1100, 1, memory.OutOfBounds},
		{low, 0x10FF, 2, memory.OutOfBounds},
		{low, 0x1000, 0x101, memory.OutOfBounds},
		{low, 0x1001, math.MaxInt64, memory.OutOfBounds},
		{low, math.MaxUint64, 0x100, memory.OutOfBounds}, // its end would be 0xFF, its middle inside
		{low, math.MaxUint64 - 0xFF, 0x100, memory.OutOfBounds},
		{low, 0x1000, -1, memory.OutOfBounds},
		{low, 0x1080, math.MinInt64, memory.OutOfBounds},
		{top, math.MaxUint64 - 0x100, 0x100, memory.None},
		{top, math.MaxUint64 - 1, 1, memory.None},
		{top, math.MaxUint64, 1, memory.OutOfBounds},
		{top, math.MaxUint64 - 1, 2, memory.OutOfBounds},
		{top, math.MaxUint64 - 0x100, math.MaxInt64, memory.OutOfBounds},
	} {
		if got := s.Check(pd, tc.region.RKey, tc.va, tc.length, 0); got != tc.want {
			t.Errorf("%d bytes at %#x of a region at %#x: %v, want %v", tc.length, tc.va, tc.region.Start, got, tc.want)
		}
	}
}

// An access may do all that the region grants and nothing else; that its own host's adapter
// reads it, every region grants.
func TestARegionGrantsItsRightsOnly(t *testing.T) {
	const all = memory.LocalWrite | memory.RemoteWrite | memory.RemoteRead | memory.RemoteAtomic
	var s memory.Space
	pd := s.AllocPD()
	for granted := range all + 1 {
		r, err := s.Register(pd, 0, 8, granted)
		if err != nil {
			if granted&memory.LocalWrite != 0 || granted&(memory.RemoteWrite|memory.RemoteAtomic) == 0 {
				t.Errorf("rights %#x: %v", granted, err)
			}
			continue
		}
		for need := range all + 1 {
			want := memory.Denied
			if need == granted&need {
				want = memory.None
			}
			if got := s.Check(pd, r.RKey, 0, 8, need); got != want {
				t.Errorf("a region with rights %#x, an access that needs %#x: %v, want %v", granted, need, got, want)
			}
		}
	}
}

// Of several reasons to refuse an access the adapter names that which it looks for first.
func TestFaultsAreFoundInTheOrderOfAnAdapter(t *testing.T) {
	var s memory.Space
	mine, other := s.AllocPD(), s.AllocPD()
	r := register(t, &s, mine, 0x1000, 0x100, memory.RemoteRead)
	// Each access has the faults of all those after it.
	if got := s.Check(other, r.RKey^1, 0, 8, memory.RemoteWrite); got != memory.BadKey {
		t.Errorf("another tag: %v, want %v", got, memory.BadKey)
	}
	if got := s.Check(mine, r.RKey, 0, 8, memory.RemoteRead); got != memory.OutOfBounds {
		t.Errorf("nothing wrong but the address: %v, want %v", got, memory.OutOfBounds)
	}
	if got := s.Check(mine, r.RKey, 0, 8, memory.RemoteWrite); got != memory.Denied {
		t.Errorf("the right and the address are wrong: %v, want %v", got, memory.Denied)
	}
	if got := s.Check(other, r.RKey, 0, 8, memory.RemoteWrite); got != memory.WrongPD {
		t.Errorf("domain, right and address are wrong: %v, want %v", got, memory.WrongPD)
	}
	s.Invalidate(r.RKey)
	if got := s.Check(other, r.RKey, 0, 8, memory.RemoteWrite); got != memory.Invalid {
		t.Errorf("all is wrong but the key: %v, want %v", got, memory.Invalid)
	}
}

// An access to no bytes needs no valid key.
func TestAnAccessToNothingIsNotChecked(t *testing.T) {
	var s memory.Space
	if got := s.Check(7, 0xDEAD, 0xBEEF, 0, memory.RemoteWrite); got != memory.None {
		t.Errorf("no bytes under no key: %v", got)
	}
}

// The key of a region that is gone is refused though its index is in use again; tags have 8
// bits, so that it comes back with the 256th region after it and no earlier.
func TestAStaleKeyIsRefused(t *testing.T) {
	var s memory.Space
	pd := s.AllocPD()
	r := register(t, &s, pd, 0x1000, 8, memory.RemoteRead)
	stale := r.RKey
	for used := 1; ; used++ {
		if err := s.Deregister(r); err != nil {
			t.Fatal(err)
		}
		if got := s.Check(pd, stale, 0x1000, 8, memory.RemoteRead); got != memory.BadKey {
			t.Fatalf("after %d deregistrations: %v, want %v", used, got, memory.BadKey)
		}
		r = register(t, &s, pd, 0x1000, 8, memory.RemoteRead)
		if r.RKey>>8 != stale>>8 {
			t.Fatalf("key %#x after %#x: the index is not reused", r.RKey, stale)
		}
		if r.RKey == stale {
			if used != 256 {
				t.Errorf("the key came back after %d uses of its index, want 256", used)
			}
			return
		}
		if got := s.Check(pd, stale, 0x1000, 8, memory.RemoteRead); got != memory.BadKey {
			t.Fatalf("after %d other regions with its index: %v, want %v", used, got, memory.BadKey)
		}
	}
}

// Living regions never share a key, and none has the key 0.
func TestKeysAreDistinct(t *testing.T) {
	var s memory.Space
	pd := s.AllocPD()
	seen := map[uint32]bool{0: true}
	var living []*memory.Region
	for i := range 1000 {
		r := register(t, &s, pd, 0, 8, 0)
		if seen[r.LKey] || r.LKey != r.RKey {
			t.Fatalf("region %d has the keys %#x and %#x", i, r.LKey, r.RKey)
		}
		seen[r.LKey] = true
		if living = append(living, r); i%3 == 0 { // the oldest goes
			if err := s.Deregister(living[0]); err != nil {
				t.Fatal(err)
			}
			living = living[1:]
		}
	}
}

func TestAnInvalidatedRegionIsRefusedUntilItIsGone(t *testing.T) {
	var s memory.Space
	pd := s.AllocPD()
	r := register(t, &s, pd, 0, 8, memory.RemoteRead)
	if s.Invalidate(r.RKey+1) || s.Invalidate(0) {
		t.Error("a key that no region has was invalidated")
	}
	if !s.Invalidate(r.RKey) {
		t.Error("a valid region was not invalidated")
	}
	if s.Invalidate(r.RKey) {
		t.Error("it was invalidated a second time")
	}
	if got := s.Check(pd, r.RKey, 0, 8, memory.RemoteRead); got != memory.Invalid {
		t.Errorf("an access to it: %v, want %v", got, memory.Invalid)
	}
	if err := s.Deregister(r); err != nil {
		t.Error(err)
	}
	if got := s.Check(pd, r.RKey, 0, 8, memory.RemoteRead); got != memory.BadKey {
		t.Errorf("an access after deregistration: %v, want %v", got, memory.BadKey)
	}
}

func TestRegionsThatCannotBeAreRefused(t *testing.T) {
	var s memory.Space
	pd := s.AllocPD()
	for _, tc := range []struct {
		what   string
		pd     memory.PD
		start  uint64
		length units.Bytes
		access memory.Access
	}{
		{"no domain", 0, 0, 8, 0},
		{"a domain that was not allocated", pd + 1, 0, 8, 0},
		{"no bytes", pd, 0, 0, 0},
		{"less than no bytes", pd, 0, -8, 0},
		{"an end beyond the address space", pd, math.MaxUint64 - 6, 8, 0},
		{"an unknown right", pd, 0, 8, 16},
		{"remote writes without local ones", pd, 0, 8, memory.RemoteWrite},
		{"remote atomics without local writes", pd, 0, 8, memory.RemoteAtomic | memory.RemoteRead},
	} {
		if r, err := s.Register(tc.pd, tc.start, tc.length, tc.access); err == nil {
			t.Errorf("%s: registered as %+v", tc.what, *r)
		}
	}
	var other memory.Space
	other.AllocPD()
	r := register(t, &other, pd, 0, 8, 0)
	if err := s.Deregister(r); err == nil {
		t.Error("a region of another space was deregistered")
	}
	if err := other.Deregister(r); err != nil {
		t.Error(err)
	}
	if err := other.Deregister(r); err == nil {
		t.Error("a region was deregistered twice")
	}
}

// 50 us, and 0.5 us for each page that is begun: of 4 KiB, or 512 times fewer of 2 MiB.
func TestRegistrationCostsByThePage(t *testing.T) {
	small := memory.Registration{Fixed: 50 * units.Microsecond, PerPage: 500 * units.Nanosecond, Page: 4 * units.KiB}
	huge := small
	huge.Page = 2 * units.MiB
	for _, tc := range []struct {
		cost   memory.Registration
		length units.Bytes
		want   units.Time
	}{
		{small, 1, 50_500 * units.Nanosecond},
		{small, 4 * units.KiB, 50_500 * units.Nanosecond},
		{small, 4*units.KiB + 1, 51 * units.Microsecond},
		{small, units.GiB, 50*units.Microsecond + 262_144*500*units.Nanosecond},
		{huge, units.GiB, 50*units.Microsecond + 512*500*units.Nanosecond},
	} {
		if got := tc.cost.Time(tc.length); got != tc.want {
			t.Errorf("%v in pages of %v: %v, want %v", tc.length, tc.cost.Page, got, tc.want)
		}
	}
}
