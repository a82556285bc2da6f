package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// respond handles a packet of a request message.
func (n *NIC) respond(qp *QP, p *wire.Packet, now units.Time) {
	if p.ECN == wire.CE {
		n.onMark(qp, p, now)
	}
	c := &qp.received
	switch d := p.PSN.Diff(wire.PSNOf(qp.expected)); {
	case d == 0:
		n.accept(qp, p, now)
	case d > 0: // a gap: say so once, then wait for the missing packet
		c.OutOfSequence++
		c.OutOfSequencePayload += uint64(p.Payload)
		if !qp.gap {
			qp.gap = true
			c.NaksSent++
			n.answer(qp, p, wire.NakSequence, qp.expected)
		}
	default:
		c.Duplicates++
		c.DuplicatePayload += uint64(p.Payload)
		c.Acks++
		n.answer(qp, p, wire.Ack, qp.expected-1)
	}
}

// accept takes in the packet that was next.
func (n *NIC) accept(qp *QP, p *wire.Packet, now units.Time) {
	n.Progress++
	qp.gap = false
	qp.expected++
	qp.received.Packets++
	qp.received.Payload += uint64(p.Payload)
	if p.Op.EndsMessage() {
		qp.delivered(now)
	}
	if p.AckReq {
		qp.received.Acks++
		n.answer(qp, p, wire.Ack, qp.expected-1)
	}
}

// delivered books the end of a message with the transfer it belongs to.
func (r *responder) delivered(now units.Time) {
	d := &r.inbound[r.arrived]
	d.messages--
	d.lastByte = now
	if d.messages == 0 {
		r.arrived++
	}
}

// answer queues an acknowledgement or NAK for a packet.
func (n *NIC) answer(qp *QP, to *wire.Packet, s wire.Syndrome, packet int64) {
	n.queueControl(n.cfg.Ack, &wire.Packet{
		Stamp: to.Stamp, Edge: qp.dest.Edge, EdgePort: qp.dest.Port, Flow: qp.flow, QPN: qp.PeerQPN,
		PSN: wire.PSNOf(packet),
		Op:  wire.Acknowledge, Syndrome: s, Echo: to.ECN == wire.CE,
	})
}

// onMark is the notification point: it answers a congestion mark, but not more
// often than its interval allows.
func (n *NIC) onMark(qp *QP, p *wire.Packet, now units.Time) {
	qp.received.Marked++
	if !n.notifies || !qp.notifier.OnCE(now, n.interval) {
		return
	}
	if n.cfg.CNPLatency > 0 {
		n.notifying++
		n.timer(notifyTimer, now+n.cfg.CNPLatency, index(p.QPN))
		return
	}
	n.notify(qp, now)
}

// notify queues a congestion notification to the sender. A CNP has PSN 0.
func (n *NIC) notify(qp *QP, now units.Time) {
	qp.received.CNPsSent++
	n.queueControl(n.cfg.CNP, &wire.Packet{
		Stamp: now, Edge: qp.dest.Edge, EdgePort: qp.dest.Port, Flow: qp.flow, QPN: qp.PeerQPN, Op: wire.CNP,
	})
}
