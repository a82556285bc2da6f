package sim

import "github.com/rdmasim/rdmasim/sim/units"

// Timetable holds the next time of each of n slots and finds the earliest: a
// tournament tree over a fixed set of players, in which of equal times that of the
// lower slot wins. Setting a slot plays log2 n matches again, and nothing is allocated.
type Timetable struct {
	t     []units.Time // t[1] is the root; slot i is the leaf t[leaf+i]
	first []int32      // by node of the tree: the slot from which its time comes
	leaf  int
}

// NewTimetable makes a table of n slots, all at [units.Never].
func NewTimetable(n int) Timetable {
	leaf := 1
	for leaf < n {
		leaf *= 2
	}
	t, first := make([]units.Time, 2*leaf), make([]int32, 2*leaf)
	for i := 2*leaf - 1; i > 0; i-- {
		t[i] = units.Never
		if i >= leaf {
			first[i] = int32(i - leaf)
		} else {
			first[i] = first[2*i]
		}
	}
	return Timetable{t: t, first: first, leaf: leaf}
}

// Earliest is the smallest time in the table.
func (x *Timetable) Earliest() units.Time { return x.t[1] }

// At is the time of one slot.
func (x *Timetable) At(slot int) units.Time { return x.t[x.leaf+slot] }

// Set changes the time of one slot. It always goes all the way to the root: whether the
// rest of the way could be spared is a branch that no processor can foresee, and costs
// more than the matches.
func (x *Timetable) Set(slot int, at units.Time) {
	t := x.t
	first := x.first[:len(t)]
	i := x.leaf + slot
	t[i] = at
	for who := int32(slot); i > 1; {
		// A left neighbour, that of an odd node, wins a draw.
		other, whose := t[i^1], first[i^1]
		if other <= at-1+units.Time(i&1) {
			at, who = other, whose
		}
		i >>= 1
		t[i], first[i] = at, who
	}
}

// First is the lowest slot that holds the earliest time.
func (x *Timetable) First() int { return int(x.first[1]) }

// Draws tells whether another slot holds the earliest time too.
func (x *Timetable) Draws() bool {
	t, at := x.t, x.t[1]
	same := 0
	for i := x.leaf + int(x.first[1]); i > 1; i >>= 1 {
		if t[i^1] == at {
			same++
		}
	}
	return same > 0
}

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
