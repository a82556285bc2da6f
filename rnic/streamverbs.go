package rnic

import (
	"errors"

	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/wire"
)

// What a program's queue pair says over a stream, and what it does with what comes, stands here.
// A WRITE with immediate is two messages, a WRITE and its immediate (RFC 7306, 3.2). What
// cannot be done with a message ends the connection with a TERMINATE (RFC 5040, 4.8): there is no
// receiver that is not ready. A SEND or WRITE is done when TCP has it acknowledged, which
// says that it has come and not that it could be placed.

// requestPackets is how many numbers a request takes.
func (n *NIC) requestPackets(qp *QP, w *work, asked units.Bytes) int64 {
	over := n.cfg.IWARP
	switch {
	case qp.stream == nil:
		return n.cfg.Packets(asked)
	case w.Verb.reads():
		return 1
	case w.Verb == WriteImm:
		return over.segments(wire.RDMAPWrite, asked) + 1
	}
	return over.segments(messageOp(w.Verb, w.Solicited), asked)
}

// nextMessage is the message that would be begun now: an answer before a request.
func (q *VerbsQP) nextMessage(qp *QP, now units.Time) (op wire.RDMAP, size units.Bytes, ok bool) {
	if q.answers.Len() > 0 && q.answers.Front().ready <= now {
		if a := q.answers.Front(); a.kind == readAnswer {
			return wire.RDMAPReadResponse, a.length, true
		}
		return wire.RDMAPAtomicResponse, wire.AtomicResponseBytes, true
	}
	switch {
	case q.terminating != Success:
		return wire.RDMAPTerminate, wire.TerminateBytes, true
	case q.state < RTS || q.state > SQD || qp.next == qp.end:
		return 0, 0, false
	}
	r := qp.queue.At(qp.current)
	switch w := r.work; {
	case w.doomed != Success:
		return 0, 0, false
	case w.begun:
		return immediateOp(w), wire.ImmediateBytes, true
	case !q.mayBegin(w):
		return 0, 0, false
	case w.Verb == Read:
		return wire.RDMAPReadRequest, wire.RDMAPReadBytes, true
	case w.Verb.isAtomic():
		return wire.RDMAPAtomicRequest, wire.AtomicRequestBytes, true
	default:
		return messageOp(w.Verb, w.Solicited), r.size, true
	}
}

func immediateOp(w *work) wire.RDMAP {
	if w.Solicited {
		return wire.RDMAPImmediateSolicited
	}
	return wire.RDMAPImmediate
}

// beginMessage begins that message; false if its request turns out not to be possible.
func (q *VerbsQP) beginMessage(s *stream, qp *QP, op wire.RDMAP, size units.Bytes, now units.Time) bool {
	switch op {
	case wire.RDMAPReadResponse:
		a := q.answers.Pop()
		m := s.open(op, size)
		m.words = q.nic.objects.memory.Words(a.remote, size)
		s.out.source = source{key: a.key, va: a.remote}
		q.Counted.ResponsePayload += uint64(size)
		return true
	case wire.RDMAPAtomicResponse:
		s.open(op, size).compare = q.answers.Pop().found
		s.out.source.inline = true
		return true
	case wire.RDMAPTerminate:
		s.open(op, size).status = q.terminating
		s.out.source.inline = true
		q.terminating = Success
		return true
	}
	w := qp.queue.At(qp.current).work
	if !w.begun && !q.begin(w, now) {
		return false
	}
	m := s.open(op, size)
	m.remote, m.key, m.length, m.imm, m.verb = w.Remote, w.RKey, w.Local.Length, w.Imm, w.Verb
	m.compare, m.swap = w.CompareAdd, w.Swap
	s.out.of, s.out.last = qp.next, w.Verb != WriteImm || op != wire.RDMAPWrite
	switch {
	case w.Verb.reads() || op == wire.RDMAPImmediate || op == wire.RDMAPImmediateSolicited:
		s.out.source.inline = true
	case w.Inline:
		m.words = w.words
		s.out.source.inline = true
	default:
		m.words = q.nic.objects.memory.Words(w.Local.Addr, size)
		s.out.source = source{key: w.Local.Key, va: w.Local.Addr}
	}
	return true
}

// takeSegment takes in a segment of a message, which carries the payload from an offset on.
func (q *VerbsQP) takeSegment(m *message, offset, payload units.Bytes, now units.Time) {
	if q.state < RTR || q.state == Err {
		return
	}
	qp := q.qp()
	last := offset+payload == m.size
	switch m.op {
	case wire.RDMAPReadResponse, wire.RDMAPAtomicResponse:
		q.takeAnswer(qp, m, offset, payload, now)
		return
	case wire.RDMAPTerminate:
		q.terminated(m.status, now)
		return
	}
	var refusal wire.Syndrome
	switch m.op {
	case wire.RDMAPReadRequest:
		refusal = q.takeRead(m, now)
	case wire.RDMAPAtomicRequest:
		refusal = q.takeAtomic(m, now)
	case wire.RDMAPImmediate, wire.RDMAPImmediateSolicited:
		refusal = q.takeImmediate(m, now)
	default:
		refusal = q.takePayload(m, offset, payload, last, now)
	}
	if refusal != 0 {
		q.refuse(refusal, now)
	}
}

// takePayload takes in a piece of a WRITE or SEND.
func (q *VerbsQP) takePayload(m *message, offset, payload units.Bytes, last bool, now units.Time) (refusal wire.Syndrome) {
	in := &q.message
	if offset == 0 {
		*in = inbound{verb: Send, open: true}
		if m.op == wire.RDMAPWrite {
			if no := q.permitted(m.key, m.remote, m.length, memory.RemoteWrite); no != 0 {
				return no
			}
			in.verb, in.key, in.remote, in.left = Write, m.key, m.remote, m.length
		} else if r, ok := q.takeReceive(now); ok {
			in.receive = r
		} else {
			in.open = false
			return wire.RNR(0)
		}
	}
	key, va := in.key, in.remote
	if in.verb == Send {
		key, va = in.receive.Local.Key, in.receive.Local.Addr+uint64(in.got)
	}
	h := header{words: within(m.words, offset, payload)}
	if no := q.put(in, payload, &h); no != 0 {
		return no
	}
	q.nic.land(key, va, payload, now)
	if !last {
		return 0
	}
	in.open = false
	if in.verb == Write {
		q.nic.written(in, now)
		return 0
	}
	c := Completion{Verb: Recv, Bytes: in.got, solicited: m.op == wire.RDMAPSendSolicited || m.op == wire.RDMAPSendSolicitedInvalidate}
	if m.verb == SendInv && q.nic.objects.memory.Invalidate(m.imm) {
		c.Invalidated = m.imm
	}
	q.received(in.receive.ID, c, now)
	return 0
}

// takeImmediate takes in an immediate, which belongs to the WRITE before it.
func (q *VerbsQP) takeImmediate(m *message, now units.Time) (refusal wire.Syndrome) {
	r, ok := q.takeReceive(now)
	if !ok {
		return wire.RNR(0)
	}
	q.received(r.ID, Completion{
		Verb: RecvWithImm, Bytes: m.length, Imm: m.imm, HasImm: true, solicited: m.op == wire.RDMAPImmediateSolicited,
	}, now)
	return 0
}

// takeRead takes in a READ request.
func (q *VerbsQP) takeRead(m *message, now units.Time) (refusal wire.Syndrome) {
	if q.answers.Len() >= q.attr.ReadsAccepted {
		return wire.NakInvalid
	}
	if no := q.permitted(m.key, m.remote, m.length, memory.RemoteRead); no != 0 {
		return no
	}
	q.Counted.Reads++
	q.answers.Push(&answer{kind: readAnswer, resource: resource{key: m.key, remote: m.remote, length: m.length}})
	return 0
}

// takeAtomic carries out an atomic operation.
func (q *VerbsQP) takeAtomic(m *message, now units.Time) (refusal wire.Syndrome) {
	if m.remote%wordBytes != 0 || q.answers.Len() >= q.attr.ReadsAccepted {
		return wire.NakInvalid
	}
	if no := q.permitted(m.key, m.remote, wordBytes, memory.RemoteAtomic); no != 0 {
		return no
	}
	space := &q.nic.objects.memory
	r := resource{atomic: true, ready: q.nic.operate(m.key, m.remote, now)}
	if m.verb == CompareSwap {
		r.found = space.CompareSwap(m.remote, m.compare, m.swap)
	} else {
		r.found = space.FetchAdd(m.remote, m.compare)
	}
	q.Counted.Atomics++
	q.answers.Push(&answer{kind: atomicAnswer, resource: r})
	q.awaitOutcome(now)
	return 0
}

// awaitOutcome has a stream go on when the outcome of the atomic operation is known that is to be
// answered next.
func (q *VerbsQP) awaitOutcome(now units.Time) {
	if q.answers.Len() > 0 && q.answers.Front().ready > now {
		q.answerAt(q.answers.Front().ready)
	}
}

// takeAnswer takes in a piece of the answer to the oldest READ or atomic operation that has none.
func (q *VerbsQP) takeAnswer(qp *QP, m *message, offset, payload units.Bytes, now units.Time) {
	r := q.awaiting(qp)
	if r == nil || q.state < RTS || q.state > SQD {
		return
	}
	w, space := r.work, &q.nic.objects.memory
	if m.op == wire.RDMAPAtomicResponse {
		w.found = m.compare
		space.Store(w.Local.Addr, w.found)
		q.nic.land(w.Local.Key, w.Local.Addr, wordBytes, now)
	} else {
		at := w.Local.Addr + uint64(offset)
		space.Place(at, payload, within(m.words, offset, payload))
		q.nic.land(w.Local.Key, at, payload, now)
		q.Counted.AnswerPayload += uint64(payload)
	}
	if offset+payload < m.size {
		return
	}
	w.answered, w.there = r.packets, true
	q.nic.advance(q.index, q.whole(qp, qp.stream.covered), now)
}

// refuse ends the connection over a message that cannot be taken.
func (q *VerbsQP) refuse(why wire.Syndrome, now units.Time) {
	status := RemoteOperation
	if why.IsRNR() {
		q.Counted.Unreceived++
	} else {
		status, _ = refused(why)
	}
	q.terminating = status
	q.broken(why, now)
}

// terminated ends the queue pair since the other end has said that it cannot take a message.
func (q *VerbsQP) terminated(status Status, now units.Time) {
	q.Counted.Terminated++
	q.fail(status, now)
}

// disconnected ends it since its connection has.
func (q *VerbsQP) disconnected(why error, now units.Time) {
	if errors.Is(why, tcp.ErrTimedOut) {
		q.fail(RetryExceeded, now)
		return
	}
	q.fail(notOfOwn, now)
}

// endStream ends the connection of a queue pair that has failed: at once, unless it has yet to say
// that it is because of a message that it cannot take.
func (q *VerbsQP) endStream(s *stream, now units.Time) {
	s.out.of = -1 // what is left of a request is none of it any more
	if s.tcp == nil || q.terminating != Success {
		return
	}
	if q.leaving { // what ends it in order comes by itself
		s.out.open = false
		return
	}
	s.out.open, s.out.over = false, true
	s.tcp.Abort(now)
	s.settle(now)
}

// meetStream puts the queue pair on a connection that stands: the two ends have told each other
// of it before.
func (q *VerbsQP) meetStream(qp *QP) {
	s, r := qp.stream, &q.attr.Remote
	if s.made != nil { // it has been made during the run
		return
	}
	s.address(qp)
	s.life, s.peerLife = q.life, r.life
	s.read(r.beside.stream)
	s.tcp = q.nic.newEndpoint()
	s.tcp.Establish(q.nic.newEndpoint())
	s.covered = int64(q.attr.SendPSN)
}

// leave takes a stream from its queue pair, which is reset. One that stands from the start ends
// without a word, and what TCP had set its timer for does not happen any more.
func (s *stream) leave() {
	s.qp = -1
	if s.made != nil {
		s.free()
		return
	}
	s.tcp = nil
	s.nic.offload.streams[s.index] = nil
}
