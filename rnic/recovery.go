package rnic

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Recovery is what a requester does when a packet is missing, and the responder with it.
type Recovery uint8

// The ways of recovery.
const (
	// GoBackN goes back to the packet that is missing, as the standard asks.
	GoBackN Recovery = iota
	// GoBackZero goes back to the first packet of the message that it belongs to, as
	// early RoCE adapters did (Guo et al., RDMA over Commodity Ethernet at Scale,
	// SIGCOMM 2016, 4.1). On the wire nothing else differs. The responder, once it has
	// reported a gap, throws away what it has of the message, and it takes a first
	// packet that comes again for a new beginning.
	GoBackZero
	// Selective sends again only what is missing; see [SelectiveRepeat].
	Selective
	// Adaptive goes back to the packet that is missing, after a timer that begins short and
	// grows; see [AdaptiveTimer].
	Adaptive
)

// Recoveries are the words for them in scenarios, in their order.
var Recoveries = [...]string{"go-back-n", "go-back-0", "selective-repeat", "adaptive"}

// String is the way as scenarios write it.
func (r Recovery) String() string { return Recoveries[r] }

// Recover has a queue pair recover from loss in its own way. Both ends are to be told, before
// the run.
func (n *NIC) Recover(i int, r Recovery) {
	qp := &n.qps[i]
	if qp.stream != nil {
		r = GoBackN // of which TCP makes nothing
	}
	qp.recovery, qp.irn = r, nil
	if r == Selective {
		qp.irn = newIRN(n.cfg, qp.next)
	}
	qp.retries = n.rounds(qp)
}

// RecoveryOf is how a queue pair recovers from loss.
func (n *NIC) RecoveryOf(i int) Recovery { return n.qps[i].recovery }

// persistence is the exponent of the retransmission timer of a queue pair and its rounds of
// retransmission: those of the configuration, unless a program has set its own.
func (n *NIC) persistence(qp *QP) (timeout, retries int) {
	if qp.verbs != nil {
		return qp.verbs.attr.Timeout, qp.verbs.attr.Retries
	}
	return n.cfg.Timeout, n.cfg.Retries
}

// rounds is how many rounds of retransmission without progress a queue pair is allowed.
func (n *NIC) rounds(qp *QP) int {
	_, retries := n.persistence(qp)
	if qp.recovery == Adaptive {
		return n.cfg.Adaptive.rounds(retries)
	}
	return retries
}

// retransmitAfter is how long a queue pair waits for progress before it sends again.
func (n *NIC) retransmitAfter(qp *QP) units.Time {
	if qp.stream != nil || qp.verbs != nil && !qp.verbs.retransmits() {
		return units.Never
	}
	timeout, _ := n.persistence(qp)
	switch qp.recovery {
	case Selective:
		return n.cfg.Selective.timer(qp.next - qp.una)
	case Adaptive:
		return n.cfg.Adaptive.after(qp.expiries)
	}
	return n.cfg.timerOf(timeout)
}

// selectiveLasts is how long a queue pair with selective repeat goes on without progress: for as
// long as it would with go-back-N.
func (n *NIC) selectiveLasts(qp *QP) units.Time {
	timeout, retries := n.persistence(qp)
	return times(n.cfg.timerOf(timeout), retries+1)
}

// rewind has the requester send again from where its recovery begins.
func (n *NIC) rewind(qp *QP) {
	if qp.recovery == GoBackZero && qp.queue.Len() > 0 {
		r := qp.queue.Front()
		qp.una, qp.acked = r.first, r.offset
		qp.counted.Restarts++
	}
	qp.next, qp.sent, qp.current, qp.sinceAck, qp.asked = qp.una, qp.acked, 0, 0, qp.una
}

// isStale tells whether an acknowledgement or NAK, which covers all packets before
// one, has nothing to say any more. With go-back-0 a NAK for an earlier packet of the
// message in progress has, and an acknowledgement for packets of it that have yet to
// be sent again has not: it is left over from the round before.
func (n *NIC) isStale(qp *QP, covered int64, s wire.Syndrome) bool {
	if qp.recovery != GoBackZero || qp.queue.Len() == 0 {
		return covered < qp.una
	}
	r := qp.queue.Front()
	if s == wire.NakSequence {
		return covered < r.first
	}
	return covered < qp.una || covered > qp.next && qp.next > r.first && covered < r.first+r.packets
}

// restartAt begins the message in progress again if p is its first packet.
func (r *responder) restartAt(p *wire.Packet) {
	if r.expected > r.first && p.PSN == wire.PSNOf(r.first) {
		r.abandon()
	}
}

// abandon throws away what has been accepted of the message in progress.
func (r *responder) abandon() {
	r.received.Abandoned += uint64(r.expected - r.first)
	r.expected, r.held = r.first, 0
}

// hold keeps the payload of a packet until its message is whole.
func (r *responder) hold(p *wire.Packet) {
	r.held += uint64(p.Payload)
	if p.Op.EndsMessage() {
		r.received.Payload += r.held
		r.first, r.held = r.expected, 0
	}
}

// restarts tells how often the message in progress was begun in vain; empty if it
// was not.
func (qp *QP) restarts() string {
	if qp.counted.Restarts == 0 || qp.queue.Len() == 0 {
		return ""
	}
	r := qp.queue.Front()
	return fmt.Sprintf("a message of %d packets to get through whole: messages were begun again %d times, and no packet of this one beyond the first %d was ever acknowledged",
		r.packets, qp.counted.Restarts, max(0, qp.furthest-r.first))
}
