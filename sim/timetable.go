package sim

import "github.com/rdmasim/rdmasim/sim/units"

// Timetable holds the next time of each of n slots and finds the earliest: a
// tournament tree over a fixed set of players. Setting a slot costs a few
// comparisons, at most log2 n, and nothing is allocated.
type Timetable struct {
	t    []units.Time // t[1] is the root; slot i is the leaf t[leaf+i]
	leaf int
}

// NewTimetable makes a table of n slots, all at [units.Never].
func NewTimetable(n int) Timetable {
	leaf := 1
	for leaf < n {
		leaf *= 2
	}
	t := make([]units.Time, 2*leaf)
	for i := range t {
		t[i] = units.Never
	}
	return Timetable{t: t, leaf: leaf}
}

// Earliest is the smallest time in the table.
func (x *Timetable) Earliest() units.Time { return x.t[1] }

// At is the time of one slot.
func (x *Timetable) At(slot int) units.Time { return x.t[x.leaf+slot] }

// Set changes the time of one slot.
func (x *Timetable) Set(slot int, at units.Time) {
	t := x.t
	i := x.leaf + slot
	t[i] = at
	for i > 1 {
		earlier := min(t[i], t[i^1])
		i >>= 1
		if t[i] == earlier {
			return
		}
		t[i] = earlier
	}
}

// First is the lowest slot that holds the earliest time.
func (x *Timetable) First() int { return x.descend(1, x.t[1]) - x.leaf }

// FirstAfter is the first slot after last, going round, that holds the earliest
// time, so that several slots of equal time are served in turn.
func (x *Timetable) FirstAfter(last int) int {
	if i := x.next(last+1, x.t[1]); i >= 0 {
		return i
	}
	return x.First()
}

// NextBefore is the first slot at or after from with a time before limit, or -1.
func (x *Timetable) NextBefore(from int, limit units.Time) int { return x.next(from, limit-1) }

// next is the first slot at or after from with a time of at most bound, or -1.
func (x *Timetable) next(from int, bound units.Time) int {
	if from >= x.leaf {
		return -1
	}
	i := x.leaf + from
	if x.t[i] <= bound {
		return from
	}
	for i > 1 {
		if i&1 == 0 && x.t[i+1] <= bound {
			return x.descend(i+1, bound) - x.leaf
		}
		i >>= 1
	}
	return -1
}

// descend finds the leftmost leaf below node i with a time of at most bound.
func (x *Timetable) descend(i int, bound units.Time) int {
	for i < x.leaf {
		i *= 2
		if x.t[i] > bound {
			i++
		}
	}
	return i
}
