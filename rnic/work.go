package rnic

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// The sender of a verbs queue pair is that of any other, which counts packets, paces them
// and goes back when one is lost. What it sends for each work request, when it may begin
// one, and when one is done stands here.

// maySend tells whether there is a packet for the wire: of an answer, or of a request.
func (q *VerbsQP) maySend(qp *QP) bool {
	return q.answering() || q.mayRequest(qp)
}

// mayRequest tells whether there is a packet of a request that may go.
func (q *VerbsQP) mayRequest(qp *QP) bool {
	switch {
	case q.state < RTS || q.state > SQD || q.rnrWait:
		return false
	case q.missing:
		return true
	case !q.nic.mayRequest(qp):
		return false
	case qp.irn != nil && qp.irn.repairing():
		return true
	}
	r := qp.queue.At(qp.current)
	w := r.work
	if w.Verb.reads() && qp.next > qp.una && r.first+r.packets-qp.una > maxOutstanding {
		return false // a READ takes all its numbers at once
	}
	return w.begun && w.doomed == Success || !w.begun && q.mayBegin(w)
}

// mayBegin tells whether a request may be begun: not while the queue drains, not before
// the READs and atomics that its fence waits for, and a READ or atomic only if not too
// many are under way. What stands behind waits too.
func (q *VerbsQP) mayBegin(w *work) bool {
	switch {
	case q.state == SQD:
		return false
	case w.Fence && q.reads > 0:
		return false
	case w.Verb.reads():
		return q.reads < q.attr.ReadsIssued
	}
	return true
}

// begin checks what a request needs of its own host when it is begun. One that is not
// possible fails the queue pair as soon as those before it are done.
func (q *VerbsQP) begin(w *work, now units.Time) bool {
	w.begun = true
	var need memory.Access
	if w.Verb.reads() {
		q.reads++
		need = memory.LocalWrite
	}
	local := &w.Local
	switch {
	case q.init.Service == UD && local.Length > units.Bytes(q.nic.cfg.MTU):
		w.doomed = LocalLength
	case !w.Inline && local.Length > 0 &&
		q.nic.objects.memory.Check(q.init.PD, local.Key, local.Addr, local.Length, need) != memory.None:
		w.doomed = LocalProtection
	default:
		return true
	}
	q.failIfDoomed(now)
	return false
}

// failIfDoomed fails the queue pair if its oldest request is not possible.
func (q *VerbsQP) failIfDoomed(now units.Time) {
	if qp := q.qp(); qp.queue.Len() > 0 && qp.queue.Front().work.doomed != Success {
		q.fail(qp.queue.Front().work.doomed, now)
	}
}

// transmit sends the packet whose turn it is: of an answer before those of requests. It
// tells whether there was one.
func (q *VerbsQP) transmit(priority int, now units.Time) bool {
	n, qp := q.nic, q.qp()
	if q.answering() {
		p := q.respond(now)
		n.send(q.index, p, priority, now)
		q.responded(p, now)
		return true
	}
	p := q.segment(qp, now)
	if p == nil {
		return false
	}
	n.send(q.index, p, priority, now)
	n.account(q.index, p, now)
	if q.init.Service != RC { // nobody will acknowledge it
		n.unanswered(q.index, priority, now)
	}
	return true
}

// segment makes the next packet of the send queue; nil if the request turns out not to
// be possible, or nothing is to be sent again after all.
func (q *VerbsQP) segment(qp *QP, now units.Time) *wire.Packet {
	switch {
	case q.missing:
		return q.resendRead(qp, now)
	case qp.irn != nil && qp.irn.repairing():
		return q.resend(qp, now)
	}
	r := qp.queue.At(qp.current)
	w := r.work
	q.inline = w.Inline
	if !w.begun && !q.begin(w, now) {
		return nil
	}
	p, taken := q.packet(qp, r, qp.next, qp.next < qp.highest, now)
	qp.next += taken
	qp.sent += units.Bytes(p.Payload)
	if qp.next == r.first+r.packets {
		qp.current++
	}
	switch q.init.Service {
	case UC:
		p.Op += wire.UnreliableConnected
		p.Frame = uint16(q.nic.cfg.FrameBytes(p.Op, int(p.Payload)))
	case UD:
		q.address(w, p)
	default:
		if !w.Verb.reads() && q.nic.wantsAck(qp, p.Op) {
			p.Flags |= wire.AckReq
		}
	}
	return p
}

// packet makes the packet of a request with a number, which takes some numbers: a READ
// those of all the packets that are to answer it from there on.
func (q *VerbsQP) packet(qp *QP, r *request, number int64, again bool, now units.Time) (p *wire.Packet, taken int64) {
	w, k := r.work, number-r.first
	op, payload := wire.ReadRequest, 0
	taken = r.packets - k
	switch {
	case w.Verb == CompareSwap:
		op = wire.CompareSwap
	case w.Verb == FetchAdd:
		op = wire.FetchAdd
	case w.Verb != Read:
		op, payload = piece(w.Verb, r.size, k, r.packets, q.nic.cfg.MTU)
		taken = 1
	}
	p = q.nic.packet(qp, op, payload, number, now)
	p.Flags = wire.OfLife(q.life)
	if w.Solicited && op.EndsMessage() {
		p.Flags |= wire.Solicited
	}
	switch {
	case !again:
		q.write(qp, w, k, p)
	case q.hasHeader(number):
		p.Flags |= wire.Headed
	}
	return p, taken
}

// ownKey is the bit of a Q_Key in a request that has the one of the queue pair be sent in its place (IBTA volume 1, 10.2.5).
const ownKey = 1 << 31

// address makes a packet a datagram.
func (q *VerbsQP) address(w *work, p *wire.Packet) {
	p.Op = wire.DatagramSend
	if w.Verb == SendImm {
		p.Op = wire.DatagramSendImm
	}
	p.Frame = uint16(q.nic.cfg.FrameBytes(p.Op, int(p.Payload)))
	to := &w.To.Remote
	if w.To.flow == 0 {
		w.To.flow = TupleHash(q.nic.endpoint, to.Endpoint, SourcePort(q.QPN(), to.QPN))
	}
	p.Edge, p.EdgePort, p.Flow, p.QPN = uint16(to.Dest.Edge), to.Dest.Port, w.To.flow, to.QPN
	p.Stamp = units.Time(q.QPN())<<32 | units.Time(w.Imm) // nothing answers a datagram
	key := w.To.QKey
	if key&ownKey != 0 {
		key = q.attr.QKey
	}
	p.PSN = wire.PSN(key) // nobody looks at its number
	p.Flags &^= wire.Headed
}

// write writes down what travels beside the next packet, when it is sent for the first
// time: the headers of its opcode, and the words of memory in its payload.
func (q *VerbsQP) write(qp *QP, w *work, k int64, p *wire.Packet) {
	if q.init.Service == UD {
		return
	}
	h := header{packet: qp.next}
	if !w.Verb.reads() {
		offset := units.Bytes(k) * units.Bytes(q.nic.cfg.MTU)
		if w.Inline {
			h.words = within(w.words, offset, units.Bytes(p.Payload))
		} else {
			h.words = q.nic.objects.memory.Words(w.Local.Addr+uint64(offset), units.Bytes(p.Payload))
		}
	}
	if h.words == nil && k > 0 && !p.Op.EndsMessage() {
		return
	}
	h.remote, h.key, h.length, h.imm = w.Remote, w.RKey, w.Local.Length, w.Imm
	h.compare, h.swap = w.CompareAdd, w.Swap
	q.requests.add(h)
	q.headed.Push(&h.packet)
	p.Flags |= wire.Headed
}

// within picks the words that lie in a piece of a payload, by their place in the piece.
func within(words []memory.Word, from, length units.Bytes) (some []memory.Word) {
	for _, w := range words {
		if at := units.Bytes(w.Offset) - from; at >= 0 && at < length {
			some = append(some, memory.Word{Offset: uint32(at), Value: w.Value})
		}
	}
	return some
}

// hasHeader tells whether something travels beside a packet that has been sent before.
func (q *VerbsQP) hasHeader(packet int64) bool {
	for i := range q.headed.Len() {
		if at := *q.headed.At(i); at >= packet {
			return at == packet
		}
	}
	return false
}

// onRNR waits, when the receiver has no receive request for a message, for as long as it
// says, and goes back to it.
func (q *VerbsQP) onRNR(code int, now units.Time) {
	q.Counted.RNRNaks++
	if q.rnrWait {
		return // the answer to a packet that a timer had sent once more before
	}
	if q.attr.RNRRetries != Infinite {
		if q.rnrLeft == 0 {
			q.fail(RNRRetryExceeded, now)
			return
		}
		q.rnrLeft--
	}
	qp := q.qp()
	q.rnrWait = true
	q.nic.objects.waits++
	qp.deadline = units.Never
	if qp.irn == nil {
		q.nic.rewind(qp)
	}
	q.nic.boundBy(qp, ByRecovery, now)
	q.rnrUntil = now + wire.RNRTimer(code)
	q.nic.timer(rnrTimer, q.rnrUntil, q.index)
}

// onRNRTimer goes on after the wait.
func (n *NIC) onRNRTimer(i int, now units.Time) {
	q := n.qps[i].verbs
	n.objects.waits--
	if !q.rnrWait || q.rnrUntil != now {
		return // it has failed since, and may have been reset
	}
	q.rnrWait = false
	if qp := q.qp(); qp.irn != nil {
		qp.irn.sender.Expire(qp.next)
		qp.irn.progress = now // the wait was no time without progress: somebody has answered
		if qp.una < qp.highest {
			n.restartTimer(i, now) // it may be that nothing is to be sent again
		}
	}
	n.enrol(i, now)
}

// whole is the number of packets from the front of the send queue on that may be taken as
// acknowledged when all before covered are: a READ or an atomic is done when its answer
// has come, not before.
func (q *VerbsQP) whole(qp *QP, covered int64) int64 {
	if q.reads == 0 {
		return covered
	}
	for i := range qp.queue.Len() {
		r := qp.queue.At(i)
		if r.first >= covered {
			break
		}
		if r.work.Verb.reads() && r.work.answered < r.packets {
			r.work.there = true
			return min(covered, r.first+r.work.answered)
		}
	}
	return covered
}

// onAnswer takes in a packet that answers a READ or an atomic operation.
func (n *NIC) onAnswer(qp *QP, p *wire.Packet, now units.Time) {
	q := qp.verbs
	if q == nil || q.state < RTS || q.state > SQD || !q.ofPeer(p) {
		n.discard(p)
		return
	}
	if p.ECN == wire.CE {
		n.onMark(qp, p, now)
	}
	at := p.PSN.Unwrap(qp.una)
	r := q.awaiting(qp)
	if r == nil || at != r.first+r.work.answered || p.Flags.Has(wire.Headed) && q.answered.beyond(int64(p.Stamp)) {
		if p.Op.IsData() {
			q.Counted.StaleAnswers++
		}
		if r != nil && at > r.first+r.work.answered && at < qp.highest {
			q.askAgain(qp, now) // one before it is lost
		}
		return
	}
	if p.Op.IsData() {
		q.Counted.Answers++
		q.Counted.AnswerPayload += uint64(p.Payload)
	}
	q.gap, q.missing = false, false
	q.nic.land(r.work.Local.Key, r.work.Local.Addr+uint64(r.work.answered)*uint64(n.cfg.MTU), units.Bytes(p.Payload), now)
	q.place(r, p)
	r.work.answered++
	r.work.there = true
	covered := at + 1
	n.reportSent(qp, now)
	n.advance(q.index, covered, now)
	n.enrol(q.index, now)
}

// awaiting is the oldest request whose answer has not come whole; nil if there is none.
func (q *VerbsQP) awaiting(qp *QP) *request {
	for i := range qp.queue.Len() {
		r := qp.queue.At(i)
		if !r.work.begun {
			return nil
		}
		if r.work.Verb.reads() && r.work.answered < r.packets {
			return r
		}
	}
	return nil
}

// place puts a piece of an answer where its request wants it.
func (q *VerbsQP) place(r *request, p *wire.Packet) {
	w, m := r.work, &q.nic.objects.memory
	if p.Op == wire.AtomicAcknowledge {
		w.found = uint64(p.Stamp)
		m.Store(w.Local.Addr, w.found)
		return
	}
	var words []memory.Word
	if p.Flags.Has(wire.Headed) {
		words = q.answered.take(int64(p.Stamp)).words
	}
	m.Place(w.Local.Addr+uint64(w.answered)*uint64(q.nic.cfg.MTU), units.Bytes(p.Payload), words)
}

// askAgain asks again for what is missing of an answer, once for each gap.
func (q *VerbsQP) askAgain(qp *QP, now units.Time) {
	if q.gap {
		return
	}
	q.gap = true
	if qp.irn != nil {
		q.missing = true
		q.nic.recover(q.index, cc.SequenceNAK, now)
		q.nic.enrol(q.index, now)
		return
	}
	q.nic.retry(q.index, cc.SequenceNAK, now)
}

// onAck handles an acknowledgement or NAK of everything before a packet.
func (q *VerbsQP) onAck(p *wire.Packet, covered int64, now units.Time) {
	n, qp := q.nic, q.qp()
	if q.state < RTS || q.state > SQD || !q.ofPeer(p) {
		return
	}
	n.reportSent(qp, now)
	whole := q.whole(qp, covered)
	n.ack = cc.Ack{Acked: n.advance(q.index, whole, now), RTT: now - p.Stamp, CE: p.Flags.Has(wire.Echo)}
	n.setPace(q.index, qp.controller.OnAck(now, &n.ack), now)
	if q.state > SQD {
		return // it has failed over a completion, or a request that cannot be
	}
	status, final := refused(p.Syndrome)
	switch {
	case final:
		q.fail(status, now)
	case p.Syndrome.IsRNR():
		q.onRNR(p.Syndrome.Code(), now)
	case p.Syndrome == wire.NakSequence && qp.irn != nil:
		q.reported(qp, covered+p.Ahead())
		n.onReport(q.index, covered+p.Ahead(), now)
	case p.Syndrome == wire.NakSequence:
		n.retry(q.index, cc.SequenceNAK, now)
	case whole < covered && n.cfg.Ack.Priority == qp.data.Priority:
		// What it answers came after an answer that is missing. Where acknowledgements
		// may overtake answers that says nothing.
		q.askAgain(qp, now)
	default:
		n.enrol(q.index, now)
	}
}

// refused is the status of a request that was answered with a NAK that is final.
func refused(s wire.Syndrome) (Status, bool) {
	switch s {
	case wire.NakInvalid:
		return RemoteInvalid, true
	case wire.NakAccess:
		return RemoteAccess, true
	case wire.NakOperational:
		return RemoteOperation, true
	}
	return Success, false
}

// done books that the oldest request is done.
func (q *VerbsQP) done(w *work, now units.Time) {
	q.completed(w, Success, now)
	if q.rnrLeft != q.attr.RNRRetries {
		q.rnrLeft = q.attr.RNRRetries
	}
}

// passed forgets which packets had headers, once they are acknowledged.
func (q *VerbsQP) passed(qp *QP, now units.Time) {
	for q.headed.Len() > 0 && *q.headed.Front() < qp.una {
		q.headed.Pop()
	}
	q.failIfDoomed(now)
	q.drained(now)
}

// notOfOwn says that a queue pair fails for a reason that is none of its oldest request.
const notOfOwn = FlushError

// fail puts the queue pair into the error state: the oldest request completes with the
// status, all others and all receive requests are flushed. On unreliable services a failed
// send stops sending only.
func (q *VerbsQP) fail(s Status, now units.Time) {
	if q.state == Err || q.state == Reset {
		return
	}
	n, qp := q.nic, q.qp()
	n.boundBy(qp, ByNothing, now)
	sendOnly := q.init.Service != RC && s != notOfOwn
	q.state = Err
	if sendOnly {
		q.state = SQE
	}
	qp.deadline, q.rnrWait, q.missing = units.Never, false, false
	qp.failed = s
	if sendOnly {
		qp.failed = Success
	}
	for qp.queue.Len() > 0 {
		q.completed(qp.queue.Pop().work, s, now)
		s = FlushError
	}
	qp.una, qp.next, qp.end, qp.current = qp.highest, qp.highest, qp.highest, 0
	qp.acked, qp.sent = qp.posted, qp.posted
	if qp.irn != nil {
		qp.irn.acknowledge(qp.highest, now)
	}
	q.reads = 0
	q.forgetWork(qp.highest)
	if sendOnly {
		return
	}
	q.dropHeld()
	if !q.refusing { // what was accepted before a refusal is still answered
		q.answers.Truncate(0)
	}
	q.flushReceives(now)
	n.tell(q.init.SendCQ.listener, AsyncEvent{Kind: QPFatal, QPN: q.QPN()}, now)
	if qp.stream != nil {
		q.endStream(qp.stream, now)
	}
}

// retransmits tells whether a timer may have it send again: not on unreliable services, and
// not while the receiver is not ready.
func (q *VerbsQP) retransmits() bool { return q.init.Service == RC && !q.rnrWait }
