package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Selective repeat on a queue pair that a program holds. Numbers of packets are those of the
// standard, so that a READ takes as many as its answer has packets, of which the requester
// sends one. The responder keeps packets behind a gap and carries requests out in order; the
// payload of a WRITE is placed at once as far as its bus is concerned, and seen in order.

// resend makes the first lost packet again that has to be; nil if there is none. The numbers
// of a READ behind its first are those of its answer: what is missing of that is asked for
// from the oldest one on, unless the other end is known to have the request.
func (q *VerbsQP) resend(qp *QP, now units.Time) *wire.Packet {
	for {
		number, lost := qp.irn.sender.Lost()
		if !lost {
			return nil
		}
		qp.irn.sender.Resent()
		r := qp.queue.Front()
		for k := 1; number >= r.first+r.packets; k++ {
			r = qp.queue.At(k)
		}
		if r.work.Verb.reads() && (r.work.there || number != max(qp.una, r.first)) {
			continue
		}
		p, _ := q.packet(qp, r, number, true, now)
		if !r.work.Verb.reads() {
			p.Flags |= wire.AckReq
		}
		return p
	}
}

// resendRead asks for what is missing of the oldest answer.
func (q *VerbsQP) resendRead(qp *QP, now units.Time) *wire.Packet {
	q.missing = false
	r := q.awaiting(qp)
	if r == nil {
		return nil
	}
	p, _ := q.packet(qp, r, r.first+r.work.answered, true, now)
	return p
}

// reported notes that the other end has said that it has a packet.
func (q *VerbsQP) reported(qp *QP, number int64) {
	for i := range qp.queue.Len() {
		if r := qp.queue.At(i); r.first == number {
			r.work.there = true
			return
		} else if r.first > number {
			return
		}
	}
}

// hold keeps a packet that has come behind a gap, and reports it.
func (q *VerbsQP) hold(qp *QP, p *wire.Packet, ahead int64) {
	c, number := &qp.received, qp.expected+ahead
	_, known := q.held[number]
	switch {
	case ahead >= qp.irn.window:
		c.OutOfSequence++
		c.OutOfSequencePayload += uint64(p.Payload)
		ahead = 0
	case known:
		c.Duplicates++
		c.DuplicatePayload += uint64(p.Payload)
	default:
		if q.held == nil {
			q.held = map[int64]wire.Packet{}
		}
		q.held[number] = *p
		c.OutOfOrder++
		q.nic.Progress++
	}
	c.NaksSent++
	q.nic.report(qp, p, ahead)
}

// acceptAll takes in the packet that was next, and those that have waited for it.
func (q *VerbsQP) acceptAll(qp *QP, p *wire.Packet, now units.Time) {
	behind := len(q.held) > 0
	last := *p
	for q.accept(qp, &last, now) > 0 {
		next, there := q.held[qp.expected]
		if !there {
			if behind && !last.Flags.Has(wire.AckReq) && last.Op != wire.ReadRequest && last.Op != wire.CompareSwap && last.Op != wire.FetchAdd {
				q.acknowledge(&last, wire.Ack, qp.expected-1, now)
			}
			return
		}
		delete(q.held, qp.expected)
		last = next
	}
}

// Held counts the packets that wait behind a gap.
func (q *VerbsQP) Held() int { return len(q.held) }

// dropHeld forgets the packets that wait behind a gap.
func (q *VerbsQP) dropHeld() {
	q.nic.Discarded += uint64(len(q.held))
	q.Counted.Discarded += uint64(len(q.held))
	q.held = nil
}

// expired has a queue pair whose timer has run out take nothing for granted of what the
// other end has.
func (q *VerbsQP) expired(qp *QP) {
	for i := range qp.queue.Len() {
		if r := qp.queue.At(i); r.work.there {
			r.work.there = false
			qp.irn.sender.Forget(max(qp.una, r.first))
		}
	}
	q.gap, q.missing = false, false
}
