package sim_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// scan is the timetable as a plain list that is looked through.
type scan []units.Time

// before is the first slot from one on with a time below limit, or -1.
func (s scan) before(from int, limit units.Time) int {
	for i := from; i < len(s); i++ {
		if s[i] < limit {
			return i
		}
	}
	return -1
}

// firstAfter is the slot after last, going round, that holds the earliest time.
func (s scan) firstAfter(last int) int {
	for k := range s {
		if i := (last + 1 + k) % len(s); s[i] == slices.Min(s) {
			return i
		}
	}
	return -1
}

func TestTimetableFindsWhatAScanFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 40).Draw(t, "slots")
		table, plain := sim.NewTimetable(slots), make(scan, slots)
		for i := range plain {
			plain[i] = units.Never
		}
		// Few different times, so that ties are common.
		instant := rapid.OneOf(rapid.Map(rapid.IntRange(0, 5), func(i int) units.Time { return units.Time(i) }), rapid.Just(units.Never))
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				slot, at := rapid.IntRange(0, slots-1).Draw(t, "slot"), instant.Draw(t, "at")
				table.Set(slot, at)
				plain[slot] = at
			},
			"next": func(t *rapid.T) {
				from, limit := rapid.IntRange(0, slots).Draw(t, "from"), instant.Draw(t, "limit")
				if got, want := table.NextBefore(from, limit), plain.before(from, limit); got != want {
					t.Fatalf("next before %v from slot %d: %d, want %d", limit, from, got, want)
				}
			},
			"": func(t *rapid.T) {
				earliest := slices.Min(plain)
				if table.Earliest() != earliest {
					t.Fatalf("earliest %v, want %v", table.Earliest(), earliest)
				}
				if earliest == units.Never {
					return
				}
				if got, want := table.First(), slices.Index(plain, earliest); got != want {
					t.Fatalf("first slot %d, want %d", got, want)
				}
				others := 0
				for _, at := range plain {
					others += b2i(at == earliest)
				}
				if got, want := table.Draws(), others > 1; got != want {
					t.Fatalf("draws %v with %d slots at the earliest time", got, others)
				}
				last := rapid.IntRange(0, slots-1).Draw(t, "last")
				if got, want := table.FirstAfter(last), plain.firstAfter(last); got != want {
					t.Fatalf("first after %d: slot %d, want %d", last, got, want)
				}
			},
		})
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Four ports with arrivals at the same instant are served in turn.
func TestEqualTimesAreServedInTurn(t *testing.T) {
	table := sim.NewTimetable(4)
	for slot := range 4 {
		table.Set(slot, 7)
	}
	served, last := []int{}, 1
	for range 8 {
		last = table.FirstAfter(last)
		served = append(served, last)
	}
	if want := []int{2, 3, 0, 1, 2, 3, 0, 1}; !slices.Equal(served, want) {
		t.Errorf("slots served %v, want %v", served, want)
	}
}
