package rnic

import (
	"fmt"

	"github.com/rdmasim/rdmasim/wire"
)

// Recovery is where a requester goes back to when a packet is missing.
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
)

// String is the way as scenarios write it.
func (r Recovery) String() string { return [...]string{"go-back-n", "go-back-0"}[r] }

// rewind has the requester send again from where its recovery begins.
func (n *NIC) rewind(qp *QP) {
	if n.cfg.Recovery == GoBackZero && qp.queue.Len() > 0 {
		r := qp.queue.Front()
		qp.una, qp.acked = r.first, r.offset
		qp.counted.Restarts++
	}
	qp.next, qp.sent, qp.current, qp.sinceAck = qp.una, qp.acked, 0, 0
}

// isStale tells whether an acknowledgement or NAK, which covers all packets before
// one, has nothing to say any more. With go-back-0 a NAK for an earlier packet of the
// message in progress has, and an acknowledgement for packets of it that have yet to
// be sent again has not: it is left over from the round before.
func (n *NIC) isStale(qp *QP, covered int64, s wire.Syndrome) bool {
	if n.cfg.Recovery == GoBackN || qp.queue.Len() == 0 {
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
