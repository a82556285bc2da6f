package rnic

import (
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// work is a request on the send queue of a verbs queue pair.
type work struct {
	SendRequest
	answered int64         // packets of the answer to a READ or atomic that have come
	begun    bool          // it has been begun
	there    bool          // of a READ or atomic: the other end is known to have it
	doomed   Status        // why it cannot be done; Success if it can
	words    []memory.Word // of an inline payload
	found    uint64        // what an atomic operation found
}

// bell is a doorbell that has been rung: work requests become known to the adapter.
type bell struct {
	at       units.Time
	requests []*work
}

// PostSend posts a request on the send queue; the processor's store reaches the bus at a
// time that is not past. [ErrQueueFull], [ErrState] (nothing can be sent before RTS) and
// [ErrRequest] are the errors of the call. What is wrong with the memory it names shows in
// its completion. In the error states, SQE among
// them, it is flushed.
func (q *VerbsQP) PostSend(r SendRequest, at, now units.Time) error {
	return q.PostSends([]SendRequest{r}, at, now)
}

// PostSends posts a list of requests with one doorbell. Either all are posted or none.
func (q *VerbsQP) PostSends(rs []SendRequest, at, now units.Time) error {
	if q.state < RTS {
		return ErrState
	}
	for i := range rs {
		if !q.takes(&rs[i]) {
			return ErrRequest
		}
	}
	if q.used+len(rs) > q.init.SendDepth {
		return ErrQueueFull
	}
	q.used += len(rs)
	b := bell{at: max(at, now)}
	if k := q.ringing.Len(); k > 0 {
		b.at = max(b.at, q.ringing.At(k-1).at) // the bus keeps the order of stores
	}
	for _, r := range rs {
		w := &work{SendRequest: r}
		if r.Inline {
			w.words = q.nic.objects.memory.Words(r.Local.Addr, r.Local.Length)
		}
		b.requests = append(b.requests, w)
	}
	if q.state > SQD {
		for _, w := range b.requests {
			q.completed(w, FlushError, now)
		}
		return nil
	}
	q.ringing.Push(&b)
	q.nic.objects.bells++
	q.nic.timer(bellTimer, b.at, q.index)
	return nil
}

// takes tells whether the queue pair has such a request at all.
func (q *VerbsQP) takes(r *SendRequest) bool {
	return q.init.Service.carries(r.Verb) && (r.Verb != SendImm || !q.init.Data.IWARP) &&
		(!r.Inline || !r.Verb.reads() && r.Local.Length <= units.Bytes(q.init.MaxInline)) &&
		(q.init.Service == UD) == (r.To != nil) &&
		(!r.Verb.isAtomic() || r.Local.Length == wordBytes) &&
		r.Local.Length >= 0 && r.Local.Length <= 2*units.GiB
}

// onBell has the adapter take in the requests of a doorbell.
func (n *NIC) onBell(i int, now units.Time) {
	q := n.qps[i].verbs
	if q.ringing.Len() == 0 || q.ringing.Front().at > now {
		n.enrol(i, now) // it has left SQD or SQE; or the bell is from before it was reset
		return
	}
	n.objects.bells--
	b := *q.ringing.Pop()
	for _, w := range b.requests {
		if q.state > SQD {
			q.completed(w, FlushError, now)
			continue
		}
		n.line(q, w, len(b.requests) == 1, now)
	}
}

// line puts a work request in line, and has it get to the adapter; alone says that its doorbell is for no other.
func (n *NIC) line(q *VerbsQP, w *work, alone bool, now units.Time) {
	qp := q.qp()
	n.catchUp(q.index, now)
	carried, asked := w.Local.Length, w.Local.Length
	if w.Verb.isAtomic() {
		asked = wordBytes
	}
	if w.Verb.reads() {
		carried = 0
	}
	packets := n.requestPackets(qp, w, asked)
	qp.queue.Push(&request{first: qp.end, packets: packets, offset: qp.posted, size: carried, work: w})
	qp.end += packets
	qp.posted += carried
	if n.adapter != nil {
		n.ring(q.index, n.wqeBytes(qp.queue.At(qp.queue.Len()-1)), alone, now)
	}
	n.enrol(q.index, now)
}

// wordBytes is what an atomic operation acts on.
const wordBytes = 8

// completed books that a request is done. Where nobody hears of it, its slot is free only
// when a later one is heard of.
func (q *VerbsQP) completed(w *work, s Status, now units.Time) {
	if w.begun && w.Verb.reads() {
		q.reads--
	}
	if s == Success && !w.Signalled && !q.init.AllSignalled {
		q.unfreed++
		return
	}
	q.used -= 1 + q.unfreed
	q.unfreed = 0
	c := Completion{ID: w.ID, Status: s, Verb: w.Verb, QPN: q.QPN()}
	if w.Verb.reads() && s == Success {
		c.Bytes = w.Local.Length
		if w.Verb.isAtomic() {
			c.Old, c.Bytes = w.found, wordBytes
		}
	}
	q.nic.finish(q.init.SendCQ, c, q.nic.stored(w.Verb.reads(), now), now)
}
