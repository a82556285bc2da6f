package sim_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

func byTimeThenKey(a, b sim.Timer) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Key, b.Key))
}

func TestTimersComeUpByTimeThenKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var timers sim.Timers
		var sorted []sim.Timer
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				timer := sim.Timer{At: units.Time(rapid.IntRange(0, 9).Draw(t, "at")), Key: rapid.Uint64Range(0, 9).Draw(t, "key")}
				timers.Add(timer.At, timer.Key)
				i, _ := slices.BinarySearchFunc(sorted, timer, byTimeThenKey)
				sorted = slices.Insert(sorted, i, timer)
			},
			"pop": func(t *rapid.T) {
				if len(sorted) == 0 {
					t.Skip("nothing pending")
				}
				if got := timers.Pop(); got != sorted[0] {
					t.Fatalf("%+v came up, want %+v", got, sorted[0])
				}
				sorted = sorted[1:]
			},
			"": func(t *rapid.T) {
				want := units.Never
				if len(sorted) > 0 {
					want = sorted[0].At
				}
				if timers.Next() != want {
					t.Fatalf("next at %v, want %v", timers.Next(), want)
				}
				if pending := slices.SortedFunc(slices.Values(timers.Pending()), byTimeThenKey); !slices.Equal(pending, sorted) {
					t.Fatalf("pending %v, want %v", pending, sorted)
				}
			},
		})
	})
}
