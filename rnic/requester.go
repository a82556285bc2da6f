package rnic

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// maxOutstanding keeps the packets in flight within half the PSN space, beyond
// which old and new cannot be told apart (IBTA volume 1, 9.7.1).
const maxOutstanding = 1<<23 - 1

// picosecondBits is bits in a byte times picoseconds in a second: what divides by
// a rate to give a time.
const picosecondBits = 8 * int64(units.Second)

// post puts a message on a queue pair's send queue.
func (n *NIC) post(i int, size units.Bytes, transfer int, now units.Time) {
	qp := &n.qps[i]
	if qp.failed != Success {
		n.complete(transfer, FlushError, now)
		return
	}
	packets := n.cfg.Packets(size)
	if qp.stream != nil {
		packets = n.cfg.IWARP.segments(wire.RDMAPWrite, size)
	}
	qp.queue.Push(&request{first: qp.end, packets: packets, offset: qp.posted, size: size, transfer: transfer})
	qp.end += packets
	qp.posted += size
	if n.adapter != nil {
		n.ringFor(i, size, transfer, now)
	}
	n.enrol(i, now)
}

// window is the unacknowledged payload the queue pair is allowed; 0 is no bound.
func (n *NIC) window(qp *QP) units.Bytes {
	switch w := qp.pace.Window; {
	case n.cfg.WindowByRate:
		return max(1, units.Ratio{Num: int64(qp.pace.Rate), Den: int64(n.port.Rate())}.Of(n.cfg.Window))
	case n.cfg.Window == 0:
		return w
	case w == 0:
		return n.cfg.Window
	default:
		return min(w, n.cfg.Window)
	}
}

// maySend tells whether a queue pair has a packet that may go.
func (n *NIC) maySend(qp *QP) bool {
	if qp.stream != nil {
		return qp.stream.sendable
	}
	if qp.verbs != nil {
		return qp.verbs.maySend(qp)
	}
	return n.mayRequest(qp)
}

// mayRequest tells whether a queue pair has a packet of a request that its window lets out.
func (n *NIC) mayRequest(qp *QP) bool {
	if qp.irn != nil && qp.irn.decides(qp) {
		return qp.irn.repairing()
	}
	if qp.next == qp.end || qp.next-qp.una >= maxOutstanding {
		return false
	}
	return n.windowOpen(qp) || qp.asked <= qp.una // a window that has shrunk: nothing in flight asks for what would open it
}

// windowOpen tells whether the window lets another packet out.
func (n *NIC) windowOpen(qp *QP) bool {
	w := n.window(qp)
	return w == 0 || qp.sent-qp.acked < w
}

// fills tells whether nothing may follow the packet just made.
func (n *NIC) fills(qp *QP) bool {
	return qp.next == qp.end || qp.next-qp.una >= maxOutstanding || !n.windowOpen(qp) || qp.irn != nil && qp.irn.full(qp)
}

// segment makes the next packet of a queue pair and moves on.
func (n *NIC) segment(qp *QP, now units.Time) *wire.Packet {
	if qp.irn != nil && qp.irn.repairing() {
		return n.resend(qp, now)
	}
	r := qp.queue.At(qp.current)
	op, payload := piece(Write, r.size, qp.next-r.first, r.packets, n.cfg.MTU)
	if qp.next < qp.highest {
		n.transfers[r.transfer].Retransmitted += units.Bytes(payload)
	}
	p := n.packet(qp, op, payload, qp.next, now)
	qp.next++
	qp.sent += units.Bytes(payload)
	if op.EndsMessage() {
		qp.current++
		n.messageSent(qp, r.transfer, now)
	}
	if n.wantsAck(qp, op) {
		p.Flags = wire.AckReq
	}
	return p
}

// packet makes a data packet of a queue pair to its other end.
func (n *NIC) packet(qp *QP, op wire.Opcode, payload int, number int64, now units.Time) *wire.Packet {
	p := &n.scratch
	n.lastID++
	*p = wire.Packet{
		ID: n.lastID, Stamp: now, Edge: uint16(qp.dest.Edge), EdgePort: qp.dest.Port, Flow: qp.flow, QPN: qp.PeerQPN,
		PSN: wire.PSNOf(number), Payload: uint16(payload), Frame: uint16(n.cfg.FrameBytes(op, payload)),
		Op: op, DSCP: qp.data.DSCP, ECN: n.cfg.dataECN(),
	}
	return p
}

// wantsAck tells whether the packet just made asks for an acknowledgement: the
// last of a message does, every so many, and the one that closes the window,
// since nothing could follow it that would ask.
func (n *NIC) wantsAck(qp *QP, op wire.Opcode) bool {
	qp.sinceAck++
	if op.EndsMessage() || qp.sinceAck == n.cfg.AckEvery || n.fills(qp) {
		qp.sinceAck, qp.asked = 0, qp.next
		return true
	}
	return false
}

// account books a packet that has gone out: pacing, timer and counters.
func (n *NIC) account(i int, p *wire.Packet, now units.Time) {
	qp := &n.qps[i]
	c := &qp.counted
	c.Packets++
	c.Payload += uint64(p.Payload)
	if qp.next <= qp.highest {
		c.Retransmitted++
		c.RetransmittedPayload += uint64(p.Payload)
	} else {
		qp.highest = qp.next
	}
	n.space(qp, n.port.WireBytes(p), now)
	if qp.deadline == units.Never {
		n.restartTimer(i, now)
	}
	n.tellSent(i, p, now)
}

// tellSent tells the congestion control of the bytes it has asked to hear of.
func (n *NIC) tellSent(i int, p *wire.Packet, now units.Time) {
	qp := &n.qps[i]
	if qp.pace.Bytes > 0 {
		qp.unreported += units.Bytes(n.port.WireBytes(p))
		if qp.unreported >= qp.pace.Bytes {
			pace := qp.controller.OnSend(now, qp.unreported)
			qp.unreported = 0
			n.setPace(i, pace, now)
		}
	}
}

// space sets when the next packet may start: a packet's time at the allowed rate
// after this one started. The remainder of the division is carried on, so that
// the rate does not drift; an idle time is not made up for.
func (n *NIC) space(qp *QP, wireBytes int, now units.Time) {
	if n.turns != nil {
		qp.nextStart = now + n.cfg.Framing.Serialise(qp.pace.Rate, wireBytes)
		return
	}
	if qp.nextStart != now {
		qp.remainder = 0
	}
	qp.lastStart, qp.lastWire = now, wireBytes
	if qp.pace.Rate >= n.port.Rate() {
		qp.nextStart, qp.remainder = n.lineFree(now), 0
		return
	}
	work := int64(wireBytes)*picosecondBits + qp.remainder
	qp.nextStart = now + units.Time(work/int64(qp.pace.Rate))
	qp.remainder = work % int64(qp.pace.Rate)
}

// onAck handles an acknowledgement or a NAK. Both acknowledge everything before
// a packet: a NAK the one it names, an ACK the one after.
func (n *NIC) onAck(qp *QP, p *wire.Packet, now units.Time) {
	covered := p.PSN.Unwrap(qp.una)
	if p.Syndrome == wire.Ack {
		covered++
		qp.counted.Acks++
	} else {
		qp.counted.Naks++
	}
	if covered > qp.highest || qp.failed != Success || qp.irn == nil && n.isStale(qp, covered, p.Syndrome) {
		return
	}
	if qp.verbs != nil {
		qp.verbs.onAck(p, covered, now)
		return
	}
	i := index(p.QPN)
	n.reportSent(qp, now)
	n.ack = cc.Ack{Acked: n.advance(i, covered, now), RTT: now - p.Stamp, CE: p.Flags.Has(wire.Echo)}
	n.setPace(i, qp.controller.OnAck(now, &n.ack), now)
	if p.Syndrome == wire.NakSequence {
		if qp.irn != nil {
			n.onReport(i, covered+p.Ahead(), now)
			return
		}
		n.retry(i, cc.SequenceNAK, now)
		return
	}
	n.enrol(i, now)
}

// advance takes everything before a packet as acknowledged, completes the
// messages that ends, and gives the payload that was acknowledged by it.
func (n *NIC) advance(i int, covered int64, now units.Time) units.Bytes {
	qp := &n.qps[i]
	if covered <= qp.una {
		return 0
	}
	if covered > qp.furthest {
		n.Progress++
		qp.furthest = covered
	}
	before := qp.acked
	qp.una = covered
	qp.retries, qp.expiries = n.rounds(qp), 0
	if qp.irn != nil {
		qp.irn.acknowledge(covered, now)
	}
	for qp.queue.Len() > 0 {
		r := *qp.queue.Front()
		if r.first+r.packets > covered {
			break
		}
		qp.acked = r.offset + r.size
		qp.queue.Pop()
		qp.current = max(0, qp.current-1)
		if r.work != nil {
			qp.verbs.done(r.work, now)
			continue
		}
		n.complete(r.transfer, Success, now)
	}
	if qp.queue.Len() > 0 {
		qp.acked = n.payloadBefore(qp, qp.queue.Front(), covered)
	}
	if qp.next < covered { // acknowledged although it was about to be sent again
		qp.next, qp.sent = covered, qp.acked
	}
	if qp.una == qp.highest {
		qp.deadline = units.Never
	} else {
		n.restartTimer(i, now)
	}
	acked := qp.acked - before
	if qp.verbs != nil {
		qp.verbs.passed(qp, now)
	}
	return acked
}

// payloadBefore is the payload posted before a packet of a message.
func (n *NIC) payloadBefore(qp *QP, r *request, packet int64) units.Bytes {
	full := n.cfg.MTU
	if n.cfg.IWARP != nil && qp.stream != nil {
		full = n.cfg.IWARP.Payload()
	}
	return r.offset + min(units.Bytes(packet-r.first)*units.Bytes(full), r.size)
}

// retry goes back to what is missing, or gives up if too many rounds have brought
// no progress.
func (n *NIC) retry(i int, why cc.Loss, now units.Time) {
	qp := &n.qps[i]
	if qp.retries == 0 {
		n.giveUp(qp, now)
		return
	}
	qp.retries--
	n.rewind(qp)
	n.boundBy(qp, ByRecovery, now)
	n.restartTimer(i, now)
	n.reportSent(qp, now)
	n.setPace(i, qp.controller.OnLoss(now, why), now)
	n.enrol(i, now)
}

// giveUp fails a queue pair that has been going back in vain for too long.
func (n *NIC) giveUp(qp *QP, now units.Time) {
	if qp.verbs != nil {
		qp.verbs.fail(RetryExceeded, now)
		return
	}
	n.fail(qp, now)
}

// fail puts the queue pair into the error state: the oldest message completes
// with the reason, the others are flushed.
func (n *NIC) fail(qp *QP, now units.Time) {
	n.boundBy(qp, ByNothing, now)
	qp.failed = RetryExceeded
	qp.deadline = units.Never
	status := RetryExceeded
	for qp.queue.Len() > 0 {
		n.complete(qp.queue.Pop().transfer, status, now)
		status = FlushError
	}
	qp.una, qp.next, qp.end, qp.current = qp.highest, qp.highest, qp.highest, 0
	if qp.irn != nil {
		qp.irn.acknowledge(qp.highest, now)
	}
}

// restartTimer moves the retransmission deadline; the timer itself is set only
// if none is running.
func (n *NIC) restartTimer(i int, now units.Time) {
	qp := &n.qps[i]
	after := n.retransmitAfter(qp)
	if after == units.Never {
		return
	}
	if qp.irn != nil {
		qp.irn.started(qp.deadline == units.Never, now)
	}
	qp.deadline = now + after
	if qp.deadline < qp.deadlineAt { // there is no entry, or one that would come up too late
		qp.deadlineAt = qp.deadline
		n.timer(retransmitTimer, qp.deadline, i)
	}
}

// onRetransmitTimer handles a retransmission timer. It begins when a packet is sent, which
// behind an adapter is when it is prepared; one that then waits there for the end of a pause,
// and has never left, is not missed. What has left and is to be sent again is, paused or not,
// so that a pause that does not end uses up the rounds of retransmission, as it does those
// of adapters.
func (n *NIC) onRetransmitTimer(i int, now units.Time) {
	qp := &n.qps[i]
	if qp.deadlineAt > now {
		return // an earlier entry replaced it
	}
	qp.deadlineAt = units.Never
	if qp.irn != nil {
		qp.deadline = max(qp.deadline, n.irnDeadline(qp))
	}
	switch {
	case qp.deadline == units.Never:
	case qp.deadline > now:
		qp.deadlineAt = qp.deadline
		n.timer(retransmitTimer, qp.deadline, i)
	case n.adapter != nil && n.unsent(i):
		qp.deadline = units.Never // until it leaves: what is not sent cannot be lost
	default:
		qp.counted.Timeouts++
		qp.expiries++
		n.bookTimeout(qp, now)
		if qp.irn != nil {
			n.expire(i, now)
			return
		}
		if qp.verbs != nil {
			qp.verbs.gap = false // a new round may find a new gap
		}
		n.retry(i, cc.Timeout, now)
	}
}
