package rnic

import "github.com/rdmasim/rdmasim/sim/units"

// life is the part of its life in which a transfer is.
type life uint8

const (
	queued   life = iota // earlier messages of its queue pair are being sent
	leading              // its own are, or were last
	trailing             // those of a later transfer are; its own wait for acknowledgements
	over
)

// tally divides the life of a transfer by what bound it.
type tally struct {
	life   life
	late   units.Time  // for how long its host had stopped when it was to start
	since  units.Time  // when it began to trail
	resent units.Bytes // payload sent again until then
	// bounds is what bound its queue pair before it led; from when it trails on,
	// what bound itself.
	bounds Bounds
}

// lead makes a transfer the one whose messages its queue pair sends.
func (n *NIC) lead(i int, now units.Time) {
	t := &n.transfers[i]
	if t.tally.life != queued {
		return
	}
	qp := &n.qps[t.QP]
	n.book(qp, now)
	if last := &n.transfers[qp.leader]; last.QP == t.QP && last.tally.life == leading {
		last.tally = tally{life: trailing, since: now, resent: last.Retransmitted, bounds: n.Bounds(last, now)}
	}
	qp.leader = i
	late := t.tally.late
	t.tally = tally{life: leading, bounds: qp.ledger.spent}
	t.tally.bounds[ByEarlier] = t.Start + late - now
	t.tally.bounds[ByHost] -= late
}

// messageSent takes note that the last packet of a message is being sent. If it was
// the last message of its transfer, that of the next one leads.
func (n *NIC) messageSent(qp *QP, transfer int, now units.Time) {
	next := transfer
	if qp.current < qp.queue.Len() {
		next = qp.queue.At(qp.current).transfer
		if next == transfer {
			return
		}
	}
	if qp.next > qp.highest {
		n.transfers[transfer].Sent = now
	}
	n.lead(next, now)
}

// end closes the books of a transfer.
func (n *NIC) end(t *Transfer, now units.Time) {
	t.tally = tally{bounds: n.Bounds(t, now), life: over}
}

// Bounds divides the life of a transfer, from its start up to now or its end, by
// what bound it. One that has not started has none.
func (n *NIC) Bounds(t *Transfer, now units.Time) Bounds {
	bounds := t.tally.bounds
	switch {
	case t.tally.life == over || t.Open < 0:
	case t.tally.life == queued:
		bounds[ByHost] = t.tally.late
		bounds[ByEarlier] = now - t.Start - t.tally.late
	case t.tally.life == trailing && t.Retransmitted > t.tally.resent:
		bounds[ByRecovery] += now - t.tally.since
	case t.tally.life == trailing:
		bounds[ByAck] += now - t.tally.since
	default:
		n.book(&n.qps[t.QP], now)
		bounds = n.qps[t.QP].ledger.spent.less(bounds)
	}
	return bounds
}
