package rnic

import "github.com/rdmasim/rdmasim/sim/units"

// Bound is what keeps a queue pair from sending its next packet. At any instant
// it is exactly one.
type Bound uint8

// What a queue pair can be bound by.
const (
	// ByNothing: there is nothing to send; all that was posted is acknowledged.
	ByNothing Bound = iota
	// ByLink: its turn at the port, whose wire is busy with its own packets or others.
	ByLink
	// ByPause: the peer of the port has paused its priority.
	ByPause
	// ByPacing: the rate that congestion control allows.
	ByPacing
	// ByWindow: the unacknowledged payload that it may have.
	ByWindow
	// ByAck: everything is sent, and the last of it is not acknowledged.
	ByAck
	// ByRecovery: the repair of loss, which is a retransmission timer that had to run
	// out, or packets that are sent again.
	ByRecovery
	// ByHost: its host has stopped, or it or the adapter is not ready: the work request, the
	// context of the queue pair or the payload is on its way, or the completion.
	ByHost
	// ByEarlier: earlier messages on its queue pair. It bounds transfers only.
	ByEarlier

	// NumBounds is how many there are.
	NumBounds = iota
)

// Bounds is a span of time, divided by what bound a queue pair or a transfer in it.
type Bounds [NumBounds]units.Time

// Total is the span.
func (b Bounds) Total() (sum units.Time) {
	for _, t := range b {
		sum += t
	}
	return sum
}

// less is what was added since earlier bounds.
func (b Bounds) less(earlier Bounds) Bounds {
	for i := range b {
		b[i] -= earlier[i]
	}
	return b
}

// ledger books what bounds a queue pair. It is touched when that changes: neither
// packets nor pauses are events of it. A pause that comes and goes while a packet
// waits for its turn is found afterwards, in the time the port has been paused.
type ledger struct {
	by     Bound
	opened bool
	since  units.Time // of the last booking
	paused units.Time // for how long the port had been paused then
	// starved is for how long the port had waited for payload then.
	starved units.Time
	spent   Bounds
}

// open begins the books of a queue pair, at its first transfer.
func (n *NIC) open(qp *QP, now units.Time) {
	if l := &qp.ledger; !l.opened {
		l.opened, l.since, l.paused = true, now, n.port.PausedFor(qp.data.Priority, now)
		if n.adapter != nil {
			l.starved = n.adapter.starved[qp.data.Priority]
		}
	}
}

// boundBy notes what bounds a queue pair from a time on.
func (n *NIC) boundBy(qp *QP, by Bound, at units.Time) {
	if qp.ledger.by != by {
		n.book(qp, at)
		qp.ledger.by = by
	}
}

// inLine notes that a queue pair waits for its turn from now on. One whose pace comes
// due now, at a port that is free, goes at once unless others are before it: that it
// was in line is then not worth a booking, and is made up for by book if it was.
func (n *NIC) inLine(qp *QP, now units.Time) {
	if qp.ledger.by == ByPacing && qp.nextStart == now && n.port.FreeAt <= now {
		qp.ledger.paused = n.port.PausedFor(qp.data.Priority, now)
		return
	}
	n.boundBy(qp, moving(qp, ByLink), now)
}

// book books the time since the last booking.
func (n *NIC) book(qp *QP, at units.Time) {
	l := &qp.ledger
	if l.by == ByPacing && qp.place == ready && qp.nextStart < at {
		l.spent[ByPacing] += qp.nextStart - l.since
		l.by, l.since = ByLink, qp.nextStart
	}
	span, paused := at-l.since, n.port.PausedFor(qp.data.Priority, at)
	if l.by == ByLink || l.by == ByRecovery {
		held := min(paused-l.paused, span)
		l.spent[ByPause] += held
		span -= held
		if n.adapter != nil {
			span = n.bookStarved(qp, span)
		}
	}
	l.spent[l.by] += span
	l.since, l.paused = at, paused
}

// bookTimeout books the wait for a retransmission timer that has run out: what
// seemed to be a wait for an acknowledgement was one for the repair of a loss.
func (n *NIC) bookTimeout(qp *QP, now units.Time) {
	if l := &qp.ledger; l.by == ByAck || l.by == ByWindow {
		l.spent[ByRecovery] += now - l.since
		l.since = now
	}
}

// resting is what bounds a queue pair without a packet that its window lets out.
func resting(qp *QP) Bound {
	switch {
	case qp.una == qp.end:
		return ByNothing
	case qp.stream != nil:
		return qp.stream.bound(qp)
	case qp.irn != nil && qp.irn.sender.Recovering() || qp.verbs != nil && qp.verbs.rnrWait:
		return ByRecovery
	case qp.next == qp.end:
		return ByAck
	}
	return ByWindow
}

// moving is what bounds a queue pair that has one: its pace or its turn, or the
// repair of loss while that lasts.
func moving(qp *QP, by Bound) Bound {
	if qp.next < qp.highest || qp.irn != nil && qp.irn.repairing() || qp.stream != nil && qp.stream.out.repeats {
		return ByRecovery
	}
	return by
}

// Halt notes that the host stops: until [NIC.Resume] nothing happens, whatever would
// bind its queue pairs otherwise. A receive buffer that matters goes on filling; what has
// begun to leave it, its owner holds back.
func (n *NIC) Halt(now units.Time) {
	n.halted = true
	for i := range n.qps {
		if qp := &n.qps[i]; qp.ledger.opened {
			n.boundBy(qp, ByHost, now)
		}
	}
}

// Resume notes that the host goes on.
func (n *NIC) Resume(now units.Time) {
	n.halted = false
	for i := range n.qps {
		qp := &n.qps[i]
		switch {
		case qp.ledger.by != ByHost:
		case qp.place == ready:
			n.boundBy(qp, moving(qp, ByLink), now)
		case qp.place == waiting:
			n.boundBy(qp, moving(qp, ByPacing), now)
		default:
			n.boundBy(qp, resting(qp), now)
		}
	}
	if n.buffer != nil {
		n.drain(now)
	}
}

// QPBounds divides the time from the first transfer of a queue pair up to now by
// what bound it.
func (n *NIC) QPBounds(i int, now units.Time) Bounds {
	qp := &n.qps[i]
	if qp.ledger.opened {
		n.book(qp, now)
	}
	return qp.ledger.spent
}
