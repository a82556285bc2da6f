package sim

import "github.com/rdmasim/rdmasim/sim/units"

// Timer is a pending entry of [Timers]: a time and what is due then. The
// meaning of the key is its owner's; among equal times the smaller key is first.
type Timer struct {
	At  units.Time
	Key uint64
}

func (a Timer) before(b Timer) bool { return a.At < b.At || (a.At == b.At && a.Key < b.Key) }

// Timers is a node's heap of rare events. It is used lazily: an owner that
// moves a deadline leaves the old entry in place and recognises it as stale
// when it comes up, so an entry is never searched for.
type Timers struct {
	heap   []Timer
	agenda *Agenda // of a serial run, in place of the heap
	node   int
}

// Divert moves what is pending into an agenda, as events of a node, but for what is
// to be left out, and has what is added from now on go there too.
func (q *Timers) Divert(to *Agenda, node int, leaveOut func(key uint64) bool) {
	for len(q.heap) > 0 {
		if t := q.Pop(); leaveOut == nil || !leaveOut(t.Key) {
			to.Add(t.At, node, t.Key)
		}
	}
	q.agenda, q.node = to, node
}

// Next is the earliest time, or [units.Never].
func (q *Timers) Next() units.Time {
	if len(q.heap) == 0 {
		return units.Never
	}
	return q.heap[0].At
}

// Add enters a timer.
func (q *Timers) Add(at units.Time, key uint64) {
	if q.agenda != nil {
		q.agenda.Add(at, q.node, key)
		return
	}
	q.heap = append(q.heap, Timer{at, key})
	h, i := q.heap, len(q.heap)-1
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].before(h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// Pop takes the earliest timer. The heap must not be empty.
func (q *Timers) Pop() Timer {
	h := q.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	q.heap = h
	for i := 0; ; {
		least := 2*i + 1
		if least >= last {
			return top
		}
		if least+1 < last && h[least+1].before(h[least]) {
			least++
		}
		if !h[least].before(h[i]) {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// Pending lists the entries in no particular order, stale ones among them; the
// slice is the heap's own.
func (q *Timers) Pending() []Timer { return q.heap }
