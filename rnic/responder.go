package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// respond handles a packet of a request message.
func (n *NIC) respond(qp *QP, p *wire.Packet, now units.Time) {
	if qp.verbs != nil {
		n.serve(qp, p, now)
		return
	}
	if p.ECN == wire.CE {
		n.onMark(qp, p, now)
	}
	c := &qp.received
	if qp.recovery != GoBackN {
		if qp.irn != nil {
			n.respondSelectively(qp, p, now)
			return
		}
		if qp.recovery == GoBackZero {
			qp.restartAt(p)
		}
	}
	switch d := p.PSN.Diff(wire.PSNOf(qp.expected)); {
	case d == 0:
		n.accept(qp, p, now)
	case d > 0: // a gap: say so once, then wait for the missing packet
		c.OutOfSequence++
		c.OutOfSequencePayload += uint64(p.Payload)
		if !qp.gap || n.cfg.NakRearm > 0 && now-qp.naked >= n.cfg.NakRearm {
			n.nak(qp, p, now)
		}
	default:
		c.Duplicates++
		c.DuplicatePayload += uint64(p.Payload)
		if n.cfg.SilentOnDuplicates {
			return
		}
		c.Acks++
		n.answer(qp, p, wire.Ack, qp.expected-1)
	}
}

// nak reports the packet that is missing.
func (n *NIC) nak(qp *QP, behind *wire.Packet, now units.Time) {
	qp.gap, qp.naked = true, now
	qp.received.NaksSent++
	n.answer(qp, behind, wire.NakSequence, qp.expected)
	if qp.recovery == GoBackZero {
		qp.abandon()
	}
}

// accept takes in the packet that was next.
func (n *NIC) accept(qp *QP, p *wire.Packet, now units.Time) {
	qp.gap = false
	qp.expected++
	if qp.expected > qp.reached {
		qp.reached = qp.expected
		n.Progress++
	}
	qp.received.Packets++
	if qp.recovery == GoBackZero {
		qp.hold(p)
	} else {
		qp.received.Payload += uint64(p.Payload)
	}
	if n.adapter != nil {
		now = n.WriteMemory(units.Bytes(p.Payload), now)
	}
	if p.Op.EndsMessage() && qp.delivered(now) {
		n.Awaited--
	}
	if p.Flags.Has(wire.AckReq) {
		qp.received.Acks++
		n.answer(qp, p, wire.Ack, qp.expected-1)
	}
}

// delivered books the end of a message with the transfer it belongs to, and tells
// whether that has come whole.
func (r *responder) delivered(now units.Time) bool {
	d := &r.inbound[r.arrived]
	d.messages--
	d.lastByte = now
	if d.messages > 0 {
		return false
	}
	r.arrived++
	return true
}

// answer queues an acknowledgement or NAK for a packet.
func (n *NIC) answer(qp *QP, to *wire.Packet, s wire.Syndrome, packet int64) {
	p := qp.reply(to, s, packet, n.cfg.CutOnGaps)
	n.queueControl(n.cfg.Ack, &p)
}

// reply makes an acknowledgement or NAK for a packet.
func (qp *QP) reply(to *wire.Packet, s wire.Syndrome, packet int64, cutOnGaps bool) wire.Packet {
	flags := echo(to)
	if cutOnGaps && s == wire.NakSequence {
		flags |= wire.Echo
	}
	return wire.Packet{
		Stamp: to.Stamp, Edge: uint16(qp.dest.Edge), EdgePort: qp.dest.Port, Flow: qp.flow, QPN: qp.PeerQPN,
		PSN: wire.PSNOf(packet),
		Op:  wire.Acknowledge, Syndrome: s, Flags: flags,
	}
}

// echo tells the requester whether the packet that is answered was marked.
func echo(to *wire.Packet) wire.Flags {
	if to.ECN == wire.CE {
		return wire.Echo
	}
	return 0
}

// onMark is the notification point: it answers a congestion mark, but not more
// often than its interval allows.
func (n *NIC) onMark(qp *QP, p *wire.Packet, now units.Time) {
	qp.received.Marked++
	if !n.notifies || !qp.notifier.OnCE(now, n.interval) {
		return
	}
	mark := p.Marked(now)
	if n.cfg.CNPLatency > 0 {
		n.notifying++
		qp.marks.Push(&mark)
		n.timer(notifyTimer, now+n.cfg.CNPLatency, index(p.QPN))
		return
	}
	n.notify(qp, mark)
}

// notify queues a congestion notification of a mark to the sender. A CNP has PSN 0.
func (n *NIC) notify(qp *QP, mark units.Time) {
	qp.received.CNPsSent++
	n.queueControl(n.cfg.CNP, &wire.Packet{
		Stamp: mark, Edge: uint16(qp.dest.Edge), EdgePort: qp.dest.Port, Flow: qp.flow, QPN: qp.PeerQPN, Op: wire.CNP,
	})
}
