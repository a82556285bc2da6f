package rnic

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
)

// workQueue is what an adapter knows of the send queue of a queue pair. Packets are counted as
// in the requester; work requests go by the first packet that none of them covers.
type workQueue struct {
	rings   fabric.Queue[doorbell]
	have    int64      // work requests up to here are there
	coming  int64      // those up to here are being fetched
	comesAt units.Time // and are then there
	gate    units.Time // before which no packet is picked, whatever the rate allows
	loaded  bool       // it has had its turn, and waits for what was not there
	located bool       // of that: where the payload of its next packet is
	began   units.Time // when the first packet of its work request was picked
	within  bool       // that work request has packets left
	unread  int        // completions that are not visible yet
}

// doorbell is work requests that the processor has told the adapter of, or has written to it.
type doorbell struct {
	end     int64 // the first packet that they do not cover
	at      units.Time
	written bool // the adapter need not fetch them
}

// ring tells the adapter of a work request of so many bytes, which covers all packets up
// to the end of the send queue. It leaves the processor at a time; alone says that no other is posted with it.
func (n *NIC) ring(i int, wqe units.Bytes, alone bool, at units.Time) {
	a := n.adapter
	q, end := a.queue(i), n.qps[i].end
	if alone && wqe <= a.cfg.BlueFlame {
		at = a.bus.Push(at, wqe) + a.cfg.Doorbell
		q.rings.Push(&doorbell{end: end, at: at, written: true})
		return
	}
	if k := q.rings.Len(); k > 0 && !alone {
		if last := q.rings.At(k - 1); last.at >= at && !last.written {
			last.end = end // one doorbell is for all
			return
		}
	}
	at = a.bus.Push(at, hardware.DoorbellBytes) + a.cfg.Doorbell
	q.rings.Push(&doorbell{end: end, at: at})
}

// ringFor tells the adapter of the message that a transfer has just posted.
func (n *NIC) ringFor(i int, size units.Bytes, transfer int, now units.Time) {
	t := &n.transfers[transfer]
	alone := int64(t.Messages)*pieces(t.Size) == 1
	n.ring(i, n.adapter.cfg.WQEBytes(size), alone, now+n.adapter.cfg.Post)
}

// workAt is when the work request of the next packet of a queue pair is at the adapter. If nobody has
// asked for it yet, it is fetched, with others behind it.
func (n *NIC) workAt(i int, now units.Time) units.Time {
	q, qp := n.adapter.queue(i), &n.qps[i]
	for qp.next >= q.have {
		switch {
		case q.coming > q.have && q.comesAt > now:
			return q.comesAt
		case q.coming > q.have:
			q.have = q.coming
			n.fetch(q, qp, now) // the next ones, while these are worked on
		case q.rings.Len() == 0:
			return now // posted without a doorbell: there is nothing to wait for
		case q.rings.Front().at > now:
			return q.rings.Front().at
		case q.rings.Front().written:
			q.have = q.rings.Pop().end
			q.coming = q.have
		default:
			n.fetch(q, qp, now)
		}
	}
	return now
}

// fetch begins to read the next work requests of a queue pair, if it knows of any that it has not got.
func (n *NIC) fetch(q *workQueue, qp *QP, now units.Time) {
	if q.rings.Len() == 0 || q.rings.Front().at > now || q.rings.Front().written {
		return
	}
	cfg, end := n.adapter.cfg, q.rings.Front().end
	var bytes units.Bytes
	to := max(q.have, qp.next)
	for k, got := qp.current, 0; k < qp.queue.Len() && got < cfg.WQEBatch; k++ {
		r := qp.queue.At(k)
		if r.first+r.packets > end {
			break
		}
		if r.first+r.packets > q.have {
			to = r.first + r.packets
			bytes += n.wqeBytes(r)
			got++
		}
	}
	if to <= q.have || to >= end {
		to = end
		q.rings.Pop()
	}
	q.coming, q.comesAt = to, n.adapter.bus.Fetch(now, max(bytes, hardware.WQEUnit))
}

// wqeBytes is the size of a work request.
func (n *NIC) wqeBytes(r *request) units.Bytes {
	w := r.work
	switch {
	case w == nil:
		return n.adapter.cfg.WQEBytes(r.size)
	case !w.Inline:
		return hardware.WQEUnit
	case w.To != nil:
		return hardware.InlineWQEBytes(hardware.Datagrams, r.size)
	case w.Verb.isSend():
		return hardware.InlineWQEBytes(hardware.Sends, r.size)
	}
	return hardware.InlineWQEBytes(hardware.Writes, r.size)
}

// heldUntil is when the adapter lets a queue pair have its turn: now, unless it does not know of the next
// work request, waits for what was not there in its turn, or it is too early after the last work request.
func (n *NIC) heldUntil(i int, now units.Time) units.Time {
	q, qp := n.adapter.queue(i), &n.qps[i]
	if qp.stream != nil && qp.stream.out.repeats || qp.verbs != nil && qp.verbs.answering() && !q.loaded {
		return now
	}
	if qp.next >= q.have && q.coming <= q.have && q.rings.Len() > 0 {
		return max(q.gate, q.rings.Front().at)
	}
	return q.gate
}

// hasContext tells whether the context of a queue pair is on the adapter. If not it is fetched, and
// the queue pair held until it is there.
func (n *NIC) hasContext(i int, now units.Time) bool {
	a := n.adapter
	return a.queue(i).come(a.lookup(a.contexts, &a.cfg.Contexts, uint32(i), now), now)
}

// hasWork tells likewise of the work request of its next packet.
func (n *NIC) hasWork(i int, now units.Time) bool {
	return n.adapter.queue(i).come(n.workAt(i, now), now)
}

// come tells whether something is there, and holds the queue pair until it is.
func (q *workQueue) come(at, now units.Time) bool {
	if at <= now {
		return true
	}
	q.gate, q.loaded = max(q.gate, at), true
	return false
}

// picked notes that a packet of a queue pair has been picked: between work requests of one
// queue pair time has to pass, not between the packets of one.
func (q *workQueue) picked(ends bool, gap, now units.Time) {
	if !q.within {
		q.began = now
	}
	q.within = !ends
	if ends {
		q.gate = max(q.gate, q.began+gap)
	}
}
