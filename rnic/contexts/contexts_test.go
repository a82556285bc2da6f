package contexts

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

const miss = 700 * units.Nanosecond

// What was used longest ago is forgotten first; looking it up again takes a read.
func TestTheLeastRecentlyUsedIsForgotten(t *testing.T) {
	c := New(&Config{Entries: 2, Miss: miss, Outstanding: 16})
	for _, step := range []struct {
		key  uint32
		want units.Time
	}{{0, 0}, {1, 0}, {0, 0}, {2, miss}, {0, 0}, {1, miss}, {0, 0}, {2, miss}} {
		if got := c.Lookup(step.key, 0); got != step.want {
			t.Errorf("%d is there at %v, want %v", step.key, got, step.want)
		}
	}
	if c.Hits != 5 || c.Misses != 3 {
		t.Errorf("%d hits, %d misses", c.Hits, c.Misses)
	}
}

// With 2 reads at once, a third waits for the first; who comes while a read is under way waits for
// it and not for another.
func TestOnlySoManyReadsGoOnAtOnce(t *testing.T) {
	c := New(&Config{Entries: 1, Miss: miss, Outstanding: 2})
	c.Lookup(9, 0)
	for key, want := range []units.Time{miss, miss, 2 * miss, 2 * miss} {
		if got := c.Lookup(uint32(key), 0); got != want {
			t.Errorf("%d: %v, want %v", key, got, want)
		}
	}
	if got := c.Lookup(3, miss); got != 2*miss {
		t.Errorf("what is being read is there at %v, want %v", got, 2*miss)
	}
}

// Keys in turn, as a scheduler asks for them: as many as there are entries are all there, one more and none is.
func TestOneTooManyInTurnAndNoneIsThere(t *testing.T) {
	for _, keys := range []uint32{64, 65} {
		c := New(&Config{Entries: 64, Miss: miss, Outstanding: 16})
		for i := range 10 * keys {
			c.Lookup(i%keys, units.Time(i)*units.Microsecond)
		}
		if want := map[uint32]uint64{64: 0, 65: 10*65 - 64}[keys]; c.Misses != want {
			t.Errorf("%d keys in 64 entries: %d misses, want %d", keys, c.Misses, want)
		}
	}
}

// The cache holds what a list with the most recent first would.
func TestItIsALeastRecentlyUsedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.IntRange(1, 5).Draw(t, "entries")
		c := New(&Config{Entries: entries, Miss: 1, Outstanding: 1000})
		var list []uint32
		known := map[uint32]bool{}
		for now := range units.Time(60) {
			key := rapid.Uint32Range(0, 8).Draw(t, "key")
			at := slices.Index(list, key)
			there := at >= 0 || !known[key] && len(list) < entries
			if at >= 0 {
				list = slices.Delete(list, at, at+1)
			}
			if list = append([]uint32{key}, list...); len(list) > entries {
				list = list[:entries]
			}
			known[key] = true
			if got := c.Lookup(key, 10*now); (got == 10*now) != there {
				t.Fatalf("%d at %d: there at %d; of %v", key, 10*now, got, list)
			}
		}
	})
}

func TestALookupAllocatesNothing(t *testing.T) {
	c := New(&Config{Entries: 100, Miss: miss, Outstanding: 16})
	var key uint32
	if n := testing.AllocsPerRun(10_000, func() { key = (key + 7) % 300; c.Lookup(key, 0) }); n > 0.1 {
		t.Errorf("%v allocations", n)
	}
}

func TestWithoutABoundEverythingIsThere(t *testing.T) {
	c := New(&Config{Miss: miss, Outstanding: 1})
	for key := range uint32(1000) {
		if got := c.Lookup(key, 5); got != 5 {
			t.Fatalf("%d: %v", key, got)
		}
	}
}
