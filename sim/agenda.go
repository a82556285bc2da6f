package sim

import "github.com/rdmasim/rdmasim/sim/units"

// Agenda holds the events of a whole network in the order in which they happen if
// those of equal time happen in the order in which they were scheduled, as in most
// simulators. Our own order is another one, and better: this one hangs on who
// scheduled what when, all over the network, so that it cannot be found node by
// node, nor on several cores. It exists to be compared with those simulators.
type Agenda struct {
	heap  []appointment
	order uint64 // events scheduled so far
}

// appointment is an event of a node. What key means is the node's affair.
type appointment struct {
	at    units.Time
	order uint64
	key   uint64
	node  int32
}

func (a *appointment) before(b *appointment) bool {
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// Add schedules an event of a node.
func (q *Agenda) Add(at units.Time, node int, key uint64) {
	q.heap = append(q.heap, appointment{at, q.order, key, int32(node)})
	q.order++
	h, i := q.heap, len(q.heap)-1
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *Agenda) pop() appointment {
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
		if least+1 < last && h[least+1].before(&h[least]) {
			least++
		}
		if !h[least].before(&h[i]) {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// Handler is a node whose events lie in an [Agenda].
type Handler interface {
	// Handle handles the node's event of that key, which is due now.
	Handle(key uint64, now units.Time)
}

// Serial is a network as one single [Node]: its nodes take turns event by event, in
// the order of the agenda.
type Serial struct {
	Agenda
	Handlers []Handler // by node
	running  int
}

var _ Node = (*Serial)(nil)

// NextEvent implements [Node].
func (s *Serial) NextEvent() units.Time {
	if len(s.heap) == 0 {
		return units.Never
	}
	return s.heap[0].at
}

// RunUntil implements [Node].
func (s *Serial) RunUntil(limit units.Time) (events uint64) {
	for len(s.heap) > 0 && s.heap[0].at < limit {
		next := s.pop()
		s.running = int(next.node)
		s.Handlers[next.node].Handle(next.key, next.at)
		events++
	}
	return events
}

// Running is the node whose event was handled last.
func (s *Serial) Running() int { return s.running }
