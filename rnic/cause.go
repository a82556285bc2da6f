package rnic

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Left is the payload posted on a queue pair and not yet acknowledged.
func (n *NIC) Left(i int) units.Bytes { return n.qps[i].posted - n.qps[i].acked }

// Acknowledged is the payload of a queue pair that has been acknowledged.
func (n *NIC) Acknowledged(i int) units.Bytes { return n.qps[i].acked }

// Cause tells what a queue pair with work left waits for.
func (n *NIC) Cause(qp *QP) string {
	if qp.verbs != nil {
		if why := qp.verbs.waitsFor(); why != "" {
			return why
		}
	}
	una := wire.PSNOf(qp.una)
	timer := "no retransmission timer is set (timeout 0)"
	if qp.deadline != units.Never {
		timer = fmt.Sprintf("retransmission at %v", qp.deadline)
	}
	if restarts := qp.restarts(); restarts != "" {
		return restarts
	}
	if n.adapter != nil {
		if held := n.causeAt(qp); held != "" {
			return held
		}
	}
	switch {
	case qp.stream != nil:
		return qp.stream.cause(qp)
	case qp.irn != nil && qp.place == idle:
		return n.irnCause(qp, timer)
	case qp.place == waiting:
		return fmt.Sprintf("its pace of %v until %v", qp.pace.Rate.Human(), qp.nextStart)
	case qp.place == ready:
		return "its turn at the port"
	case qp.next != qp.end && !n.maySend(qp):
		return fmt.Sprintf("its window of %v: PSN %d is not acknowledged; %s", n.window(qp), una, timer)
	}
	return fmt.Sprintf("the acknowledgement of PSN %d; %s", una, timer)
}

// Cause tells what the send queue of the queue pair waits for; empty if it holds nothing.
func (q *VerbsQP) Cause() string {
	qp := q.qp()
	if qp.una == qp.end && q.ringing.Len() == 0 {
		return ""
	}
	return q.nic.Cause(qp)
}

// waitsFor tells what keeps a queue pair from beginning or repeating a request, beyond what
// keeps any sender.
func (q *VerbsQP) waitsFor() string {
	qp := q.qp()
	switch {
	case q.state == Err || q.state == SQE:
		return fmt.Sprintf("nothing any more: it is in state %v", q.state)
	case q.state == SQD:
		return "its program, which has drained its send queue (state SQD)"
	case q.rnrWait:
		return fmt.Sprintf("a receive request at the other end, which has answered %d times that none is posted (RNR NAK)", q.Counted.RNRNaks)
	case qp.next == qp.end:
		return ""
	}
	w := qp.queue.At(qp.current).work
	switch {
	case w.begun:
		return ""
	case w.Fence && q.reads > 0:
		return fmt.Sprintf("the %d READs and atomics before its fence", q.reads)
	case w.Verb.reads() && q.reads >= q.attr.ReadsIssued:
		return fmt.Sprintf("the answers to %d READs and atomics, as many as it may have under way (max_rd_atomic %d)", q.reads, q.attr.ReadsIssued)
	}
	return ""
}
