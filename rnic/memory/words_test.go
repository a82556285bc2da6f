package memory_test

import (
	"math"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestCompareSwapWritesOnlyWhatItFinds(t *testing.T) {
	for _, tc := range []struct{ holds, compare, swap, after uint64 }{
		{0, 0, 5, 5},
		{5, 5, 0, 0},
		{5, 4, 9, 5},
		{0, 1, 9, 0},
		{math.MaxUint64, math.MaxUint64, 1, 1},
		{1 << 63, 0, 7, 1 << 63}, // all 64 bits are compared
	} {
		var s memory.Space
		s.Store(0x1000, tc.holds)
		if old := s.CompareSwap(0x1000, tc.compare, tc.swap); old != tc.holds {
			t.Errorf("%+v: returned %d, want what was there", tc, old)
		}
		if got := s.Load(0x1000); got != tc.after {
			t.Errorf("%+v: left %d", tc, got)
		}
	}
}

func TestFetchAddWrapsAround(t *testing.T) {
	for _, tc := range []struct{ holds, add, after uint64 }{
		{0, 1, 1},
		{41, 1, 42},
		{5, math.MaxUint64, 4}, // -1
		{math.MaxUint64, 1, 0},
		{7, 0, 7},
	} {
		var s memory.Space
		s.Store(0xFF8, tc.holds)
		if old := s.FetchAdd(0xFF8, tc.add); old != tc.holds {
			t.Errorf("%+v: returned %d, want what was there", tc, old)
		}
		if got := s.Load(0xFF8); got != tc.after {
			t.Errorf("%+v: left %d", tc, got)
		}
	}
}

// A range takes along its words that are not 0, where they are in it: words are cut out of
// the bytes from its start on, and the last one ends with it.
func TestARangeHasItsWords(t *testing.T) {
	var s memory.Space
	s.Store(0x0FF8, 0x1111111111111111)
	s.Store(0x1000, 0x8877665544332211)
	s.Store(0x5010, 7)
	s.Store(0x5018, 0) // a word that is stored as 0 is none
	for _, tc := range []struct {
		va     uint64
		length units.Bytes
		want   []memory.Word
	}{
		{0x1000, 8, []memory.Word{{0, 0x8877665544332211}}},
		{0x0FF0, 0x18, []memory.Word{{8, 0x1111111111111111}, {16, 0x8877665544332211}}},
		{0x0000, 0x10000, []memory.Word{{0xFF8, 0x1111111111111111}, {0x1000, 0x8877665544332211}, {0x5010, 7}}},
		{0x1000, 3, []memory.Word{{0, 0x332211}}},
		{0x1002, 8, []memory.Word{{0, 0x887766554433}}},
		{0x1002, 2, []memory.Word{{0, 0x4433}}},
		{0x0FFC, 8, []memory.Word{{0, 0x4433221111111111}}}, // across pages
		{0x5007, 16, []memory.Word{{8, 7 << 8}}},
		{0x1008, 0x4008, nil},
		{0x5011, 64, nil}, // the rest of the word is 0
		{0x5010, 0, nil},
		{0x6000, units.GiB, nil},
	} {
		if got := s.Words(tc.va, tc.length); !slices.Equal(got, tc.want) {
			t.Errorf("%d bytes at %#x hold %#x, want %#x", tc.length, tc.va, got, tc.want)
		}
	}
}

// What is placed is there, bytes of the range without a word are 0, and bytes outside stay.
func TestAPlacedRangeHoldsItsWordsAndNothingElse(t *testing.T) {
	for _, tc := range []struct {
		va     uint64
		length units.Bytes
		words  []memory.Word
		want   []memory.Word // of 32 bytes at 0xFF0, which were full of ones
	}{
		{0x0FF8, 16, nil, []memory.Word{{0, math.MaxUint64}, {24, math.MaxUint64}}},
		{0x0FF8, 16, []memory.Word{{8, 5}}, []memory.Word{{0, math.MaxUint64}, {16, 5}, {24, math.MaxUint64}}},
		{0x1000, 3, []memory.Word{{0, 0xAABBCCDDEEFF}}, []memory.Word{{0, math.MaxUint64}, {8, math.MaxUint64},
			{16, 0xFFFFFFFFFFDDEEFF}, {24, math.MaxUint64}}},
		{0x0FFA, 8, []memory.Word{{0, 0x0807060504030201}}, []memory.Word{{0, math.MaxUint64},
			{8, 0x060504030201FFFF}, {16, 0xFFFFFFFFFFFF0807}, {24, math.MaxUint64}}},
		{0x0FF1, 1, nil, []memory.Word{{0, 0xFFFFFFFFFFFF00FF}, {8, math.MaxUint64}, {16, math.MaxUint64}, {24, math.MaxUint64}}},
		{0x0F00, units.GiB, nil, nil},
		{0x0FF8, 0, nil, []memory.Word{{0, math.MaxUint64}, {8, math.MaxUint64}, {16, math.MaxUint64}, {24, math.MaxUint64}}},
	} {
		var s memory.Space
		for va := uint64(0xFF0); va < 0x1010; va += 8 {
			s.Store(va, math.MaxUint64)
		}
		s.Place(tc.va, tc.length, tc.words)
		if got := s.Words(0xFF0, 32); !slices.Equal(got, tc.want) {
			t.Errorf("%d bytes with %#x at %#x: %#x, want %#x", tc.length, tc.words, tc.va, got, tc.want)
		}
	}
}

// Memory behaves as an array of bytes whatever is done to it, at any alignment: held against
// one, with 4000 steps drawn at random in 5 pages.
func TestMemoryIsAnArrayOfBytes(t *testing.T) {
	const base, size = uint64(0x7000), 5 * 4096
	var s memory.Space
	var bytes [size + 16]byte
	word := func(at uint64, n uint64) (v uint64) {
		for i := range n {
			v |= uint64(bytes[at+i]) << (8 * i)
		}
		return v
	}
	set := func(at, v, n uint64) {
		for i := range n {
			bytes[at+i] = byte(v >> (8 * i))
		}
	}
	draw := sim.NewStream(1, "memory", "bytes")
	for step := range 4000 {
		at, v := draw.Uint64N(size-8), draw.Uint64N(math.MaxUint64)
		switch draw.Uint64N(6) {
		case 0:
			s.Store(base+at, v)
			set(at, v, 8)
		case 1:
			if got, want := s.FetchAdd(base+at, v), word(at, 8); got != want {
				t.Fatalf("step %d: fetch-and-add at %#x found %#x, want %#x", step, base+at, got, want)
			}
			set(at, word(at, 8)+v, 8)
		case 2: // a message from one place to another, of any alignment
			from, length := draw.Uint64N(size-64), 1+draw.Uint64N(64)
			to := draw.Uint64N(size - 64)
			s.Place(base+to, units.Bytes(length), s.Words(base+from, units.Bytes(length)))
			copied := slices.Clone(bytes[from : from+length])
			copy(bytes[to:], copied)
		case 3:
			length := draw.Uint64N(size - at)
			if draw.Uint64N(8) != 0 {
				length %= 100
			}
			s.Place(base+at, units.Bytes(length), nil)
			clear(bytes[at : at+length])
		default:
			if got, want := s.Load(base+at), word(at, 8); got != want {
				t.Fatalf("step %d: %#x at %#x, want %#x", step, got, base+at, want)
			}
		}
	}
	// A long range holds what the bytes are.
	for _, start := range []uint64{0, 1, 4093, 8192} {
		length := size - start - 3
		var want []memory.Word
		for at := uint64(0); at < length; at += 8 {
			if v := word(start+at, min(8, length-at)); v != 0 {
				want = append(want, memory.Word{Offset: uint32(at), Value: v})
			}
		}
		if len(want) < 20 {
			t.Errorf("only %d words are left, which shows little", len(want))
		}
		if got := s.Words(base+start, units.Bytes(length)); !slices.Equal(got, want) {
			t.Errorf("%d bytes at %#x hold\n%#x, want\n%#x", length, base+start, got, want)
		}
	}
}

// Where memory holds nothing, neither looking nor placing nothing allocates, whatever the length.
func TestEmptyMemoryCostsNothing(t *testing.T) {
	var empty memory.Space
	var elsewhere memory.Space
	elsewhere.Store(0x1000, 1)
	for _, s := range []*memory.Space{&empty, &elsewhere} {
		if n := testing.AllocsPerRun(100, func() {
			s.Place(0x10_0000, units.GiB, s.Words(0x8000_0000, units.GiB))
			s.Store(0x20_0000, 0)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}
