package rnic

import (
	"errors"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Errors of posting, which the verbs interface gives as ENOMEM and EINVAL.
var (
	ErrQueueFull = errors.New("the work queue is full")
	ErrState     = errors.New("the queue pair is in a state in which this cannot be posted")
	ErrRequest   = errors.New("the service, or the queue pair, does not have such requests")
)

// receiveQueue is the receive requests of a queue pair, or those that several share.
type receiveQueue struct {
	depth    int
	requests fabric.Queue[RecvRequest]
	// An adapter fetches them ahead.
	here    int        // of the requests are on the adapter
	coming  int        // more are being fetched
	comesAt units.Time // and are then there
}

func (r *receiveQueue) post(n *NIC, request RecvRequest, now units.Time) error {
	if r.requests.Len() == r.depth {
		return ErrQueueFull
	}
	r.requests.Push(&request)
	n.prefetch(r, now)
	return nil
}

// prefetch has the adapter fetch receive requests until it has as many as it fetches with one read.
func (n *NIC) prefetch(r *receiveQueue, now units.Time) {
	a := n.adapter
	if a == nil {
		return
	}
	if r.comesAt <= now {
		r.here, r.coming = r.here+r.coming, 0
	}
	if some := min(r.requests.Len()-r.here-r.coming, a.cfg.WQEBatch); some > 0 && r.coming == 0 && r.here < a.cfg.WQEBatch {
		r.coming, r.comesAt = some, a.bus.Fetch(now, units.Bytes(some)*hardware.ReceiveWQEBytes)
	}
}

// takeNext takes the next of the requests, of which there is one. What belongs to the packet for which it is taken waits
// until it is on the adapter.
func (n *NIC) takeNext(r *receiveQueue, now units.Time) RecvRequest {
	if n.adapter != nil {
		n.prefetch(r, now)
		if r.here == 0 {
			n.adapter.holdIntake(r.comesAt)
			r.here, r.coming = r.coming, 0
		}
		r.here--
	}
	next := *r.requests.Pop()
	n.prefetch(r, now)
	return next
}

// SRQ is a receive queue that queue pairs share (ibv_srq).
type SRQ struct {
	nic      *NIC
	pd       memory.PD
	queue    receiveQueue
	limit    int // an event is due when fewer requests are left; 0 for none
	listener Listener
}

// CreateSRQ makes a shared receive queue of a depth. When fewer than limit requests are
// left, its listener is told so, once: [SRQ.Limit] sets the limit anew.
func (n *NIC) CreateSRQ(pd memory.PD, depth, limit int, l Listener) *SRQ {
	n.useVerbs()
	return &SRQ{nic: n, pd: pd, queue: receiveQueue{depth: depth}, limit: limit, listener: l}
}

// Limit sets the number of requests below which the listener is told; 0 is never.
func (s *SRQ) Limit(limit int) { s.limit = limit }

// Len is how many requests are posted.
func (s *SRQ) Len() int { return s.queue.requests.Len() }

// PostRecv posts a receive request; [ErrQueueFull] if there is no room.
func (s *SRQ) PostRecv(r RecvRequest, now units.Time) error { return s.queue.post(s.nic, r, now) }

// PostRecv posts a receive request: [ErrQueueFull] if there is no room, [ErrState] in state
// RESET, [ErrRequest] if the queue pair has a shared queue. In the error state it is flushed.
func (q *VerbsQP) PostRecv(r RecvRequest, now units.Time) error {
	switch {
	case q.init.SRQ != nil:
		return ErrRequest
	case q.state == Reset:
		return ErrState
	case q.state == Err:
		q.received(r.ID, Completion{Status: FlushError, Verb: Recv}, now)
		return nil
	}
	return q.receives.post(q.nic, r, now)
}

// Receives is how many receive requests of its own are posted.
func (q *VerbsQP) Receives() int { return q.receives.requests.Len() }

// receiveRequests are where it takes its receive requests from.
func (q *VerbsQP) receiveRequests() *receiveQueue {
	if q.init.SRQ != nil {
		return &q.init.SRQ.queue
	}
	return &q.receives
}

// takeReceive takes the next receive request, if there is one.
func (q *VerbsQP) takeReceive(now units.Time) (RecvRequest, bool) {
	from, srq := q.receiveRequests(), q.init.SRQ
	if from.requests.Len() == 0 {
		return RecvRequest{}, false
	}
	r := q.nic.takeNext(from, now)
	if srq != nil && from.requests.Len() < srq.limit {
		srq.limit = 0
		q.nic.tell(srq.listener, AsyncEvent{Kind: SRQLimit, SRQ: srq}, now)
	}
	return r, true
}

// received completes a receive request.
func (q *VerbsQP) received(id uint64, c Completion, now units.Time) {
	c.ID, c.QPN = id, q.QPN()
	q.nic.finish(q.init.RecvCQ, c, q.nic.stored(true, now), now)
}
