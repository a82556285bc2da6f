package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/wire"
)

// look sees whether the stream has something for the wire that TCP would let out now. What waits
// for its pace, or for the window of a peer that may say nothing any more, is looked at again when
// its time comes.
func (s *stream) look(now units.Time) {
	if s.tcp == nil {
		s.sendable = false
		return
	}
	s.out.repeats = s.tcp.Ready(now)
	s.sendable = s.out.repeats
	if s.sendable || s.out.over {
		return
	}
	if size, ok := s.upcoming(now); ok {
		s.sendable = s.tcp.Room() >= size && s.tcp.Admits(now, size)
		if !s.sendable {
			s.setTimer(now)
		}
	}
}

// upcoming is the size of the FPDU of the DDP segment that would be cut next.
func (s *stream) upcoming(now units.Time) (size units.Bytes, ok bool) {
	op, left := s.out.op, s.out.size-s.out.done
	if !s.out.open {
		if op, left, ok = s.next(now); !ok {
			return 0, false
		}
	}
	size, _ = s.nic.fpdu(op, left)
	return size, true
}

// fpdu is the size of the FPDU of the next segment of a message of which so much payload is left, and
// the payload in it.
func (n *NIC) fpdu(op wire.RDMAP, left units.Bytes) (size, payload units.Bytes) {
	if op == mpaStart {
		return left, left
	}
	payload = min(left, units.Bytes(n.cfg.IWARP.full(op)))
	return units.Bytes(wire.FPDUBytes(op.Headers() + int(payload))), payload
}

// next is the message that would be begun now, if there is one.
func (s *stream) next(now units.Time) (op wire.RDMAP, size units.Bytes, ok bool) {
	qp := s.owner()
	switch {
	case s.made != nil && s.made.setups.Len() > 0:
		return mpaStart, setupBytes(*s.made.setups.Front()), true
	case qp == nil:
		return 0, 0, false
	case qp.verbs != nil:
		return qp.verbs.nextMessage(qp, now)
	case qp.next == qp.end:
		return 0, 0, false
	}
	return wire.RDMAPWrite, qp.queue.At(qp.current).size, true
}

// begin begins the next message, and writes down what it is. It tells whether there was one:
// a request may turn out not to be possible.
func (s *stream) begin(now units.Time) bool {
	op, size, ok := s.next(now)
	if !ok {
		return false
	}
	if op == mpaStart {
		s.beginSetup(size)
		return true
	}
	qp := s.owner()
	if qp.verbs != nil {
		return qp.verbs.beginMessage(s, qp, op, size, now)
	}
	s.open(op, size)
	s.out.of, s.out.last = qp.next, true
	s.out.source.inline = s.nic.adapter != nil && s.nic.adapter.cfg.Inlines(size)
	return true
}

// open begins a message, for the caller to say what else it is.
func (s *stream) open(op wire.RDMAP, size units.Bytes) *message {
	s.out.open, s.out.op, s.out.size, s.out.done = true, op, size, 0
	s.out.of, s.out.last, s.out.source = -1, false, source{}
	m := s.out.messages.add()
	m.op, m.size = op, size
	return m
}

// transmit sends the packet of the stream whose turn it is, and tells whether there was one.
func (s *stream) transmit(priority int, now units.Time) bool {
	var piece piecemeal
	if !s.tcp.Ready(now) && !s.write(&piece, now) {
		return false
	}
	seg, ok := s.tcp.Next(now, s.tcp.MSS())
	if !ok {
		return false
	}
	if seg.Payload == 0 {
		s.utter(&seg)
		return false
	}
	n, p := s.nic, s.packet(&seg)
	if seg.Retransmission || !piece.fresh {
		piece = piecemeal{payload: seg.Payload, repeated: seg.Retransmission}
	}
	if n.adapter != nil {
		n.stageSegment(s, p, &piece, priority, now)
	} else {
		n.port.Transmit(now, p, priority)
	}
	s.account(p, &seg, &piece, now)
	s.setTimer(now)
	return true
}

// piecemeal is what a packet carries of a message.
type piecemeal struct {
	payload  units.Bytes
	source   source
	request  bool
	ends     bool // it ends a request, for the first time
	fresh    bool // it has just been cut
	repeated bool
}

// write cuts the next DDP segment and writes it to the connection; false if there is none, or no
// room for it.
func (s *stream) write(piece *piecemeal, now units.Time) bool {
	if s.out.over {
		return false
	}
	if size, ok := s.upcoming(now); !ok || s.tcp.Room() < size || !s.tcp.Admits(now, size) {
		return false
	}
	o := &s.out
	if !o.open && !s.begin(now) {
		return false
	}
	size, payload := s.nic.fpdu(o.op, o.size-o.done)
	s.tcp.Write(size)
	*piece = piecemeal{payload: payload, source: o.source, fresh: true, request: o.of >= 0}
	if piece.source.key != 0 {
		piece.source.va += uint64(o.done)
	}
	*o.cut.Add() = cutSegment{end: s.tcp.Written(), payload: payload, of: o.of}
	o.done += payload
	o.open = o.done < o.size
	if piece.request {
		piece.ends = s.requestCut(payload)
	}
	switch {
	case o.open:
	case o.op == wire.RDMAPTerminate:
		o.over = true
	case o.op == mpaStart && o.refusal:
		s.farewell(nil, now)
	}
	return true
}

// requestCut moves the requester on by a segment, and tells whether that was the last of a request.
func (s *stream) requestCut(payload units.Bytes) (ends bool) {
	o, qp := &s.out, s.owner()
	qp.next++
	qp.sent += payload
	o.of++
	if o.open || !o.last {
		return false
	}
	qp.current++
	return true
}

// account books a packet with payload that has been sent.
func (s *stream) account(p *wire.Packet, seg *tcp.Segment, piece *piecemeal, now units.Time) {
	n, qp := s.nic, s.owner()
	if qp == nil {
		n.objects.management.counted.Sent++
		return
	}
	c := &qp.counted
	c.Packets++
	if piece.repeated {
		payload := s.resent(seg)
		c.Retransmitted++
		c.Payload += uint64(payload)
		c.RetransmittedPayload += uint64(payload)
	} else {
		c.Payload += uint64(piece.payload)
	}
	if piece.ends && qp.verbs == nil {
		n.messageSent(qp, s.transferBehind(qp), now)
	}
	if piece.request {
		qp.highest = qp.next
	}
	n.space(qp, n.port.WireBytes(p), now)
}

// transferBehind is the transfer of the request that has just been cut to its end.
func (s *stream) transferBehind(qp *QP) int { return qp.queue.At(qp.current - 1).transfer }

// resent is the payload of messages in a segment that is sent again, which is booked with the transfers
// that it is of.
func (s *stream) resent(seg *tcp.Segment) (payload units.Bytes) {
	acked := s.tcp.Acked()
	first := uint32(s.nic.cfg.InitialPSN) + 1
	from := acked + units.Bytes(int32(seg.Seq-first-uint32(acked)))
	to := from + seg.Payload
	qp := s.owner()
	request := 0
	before := acked
	for i := range s.out.cut.Len() {
		c := s.out.cut.At(i)
		if before >= to {
			break
		}
		if c.end > from {
			payload += c.payload
			if c.of >= 0 && qp.verbs == nil {
				for r := qp.queue.At(request); c.of >= r.first+r.packets; r = qp.queue.At(request) {
					request++
				}
				s.nic.transfers[qp.queue.At(request).transfer].Retransmitted += c.payload
			}
		}
		before = c.end
	}
	return payload
}

// acknowledged takes what TCP has delivered for acknowledged, and ends the requests of which that
// is the last.
func (s *stream) acknowledged(now units.Time) {
	o, qp := &s.out, s.owner()
	if qp == nil {
		return
	}
	covered := int64(-1)
	for acked := s.tcp.Acked(); o.cut.Len() > 0 && o.cut.Front().end <= acked; {
		if c := o.cut.Pop(); c.of >= 0 {
			covered = c.of + 1
		}
	}
	if covered < 0 || qp.failed != Success {
		return
	}
	s.covered = covered
	if qp.verbs != nil {
		covered = qp.verbs.whole(qp, covered)
	}
	s.nic.advance(s.qp, covered, now)
}

// bookTimeouts books the timeouts of TCP.
func (s *stream) bookTimeouts(sofar uint64, now units.Time) {
	qp := s.owner()
	if qp != nil {
		qp.counted.Timeouts += sofar - s.timeouts
		s.nic.bookTimeout(qp, now)
	}
	s.timeouts = sofar
}

// broke ends the queue pair of a connection that has failed.
func (s *stream) broke(now units.Time) {
	qp := s.owner()
	if s.made != nil {
		s.lost(s.tcp.Failed(), now)
	}
	switch {
	case qp == nil:
		return
	case qp.verbs != nil:
		qp.verbs.disconnected(s.tcp.Failed(), now)
	case qp.failed == Success:
		s.out.over = true
		s.nic.fail(qp, now)
	}
}

// bound is what keeps a queue pair with a stream from sending while it has work.
func (s *stream) bound(qp *QP) Bound {
	switch {
	case s.tcp.Recovering():
		return ByRecovery
	case qp.next == qp.end:
		return ByAck
	}
	return ByWindow
}

// cause tells what a queue pair with a stream waits for.
func (s *stream) cause(qp *QP) string {
	switch {
	case s.tcp == nil:
		return "its connection, which is not made yet"
	case qp.place == waiting:
		return "its pace until " + qp.nextStart.String()
	case qp.place == ready:
		return "its turn at the port"
	case qp.next != qp.end && s.tcp.Room() < units.Bytes(s.nic.cfg.IWARP.TCP.MSS()):
		return "room in its send buffer: " + s.tcp.Cause()
	}
	return s.tcp.Cause()
}

// stageSegment has the payload of a packet read and the packet pass the pipeline.
func (n *NIC) stageSegment(s *stream, p *wire.Packet, piece *piecemeal, priority int, now units.Time) {
	a, q := n.adapter, n.adapter.queue(s.qp)
	ready := now
	if piece.payload > 0 && !piece.source.inline {
		ready = n.ReadMemory(piece.payload, s.behind(piece), now)
	}
	if piece.request {
		q.picked(piece.ends, a.cfg.QPGap, now)
	}
	if a.data[priority].Len() == 0 {
		a.since[priority] = now
	}
	*a.data[priority].Add() = staged{packet: *p, ready: ready + a.cfg.TxPipeline + a.cfg.TCP, qp: s.qp}
	a.bytes[priority] += units.Bytes(p.Frame)
}

// behind is how much payload will be sent after a piece that is known of already.
func (s *stream) behind(piece *piecemeal) units.Bytes {
	if piece.request {
		qp := s.owner()
		return qp.posted - qp.sent
	}
	return s.out.size - s.out.done
}

// answering tells whether what would be sent next is none of a request.
func (s *stream) answering() bool {
	if s.out.repeats || s.out.open {
		return s.out.repeats || s.out.of < 0
	}
	op, _, ok := s.next(s.nic.adapter.now)
	return ok && (op == wire.RDMAPReadResponse || op == wire.RDMAPAtomicResponse || op == wire.RDMAPTerminate || op == mpaStart)
}

// payloadAt is the memory in which the payload of the next segment is; nothing if it has none there.
func (s *stream) payloadAt(qp *QP) (key uint32, va uint64, length units.Bytes) {
	o := &s.out
	if o.repeats {
		return 0, 0, 0
	}
	if o.open && o.source.key != 0 {
		_, payload := s.nic.fpdu(o.op, o.size-o.done)
		return o.source.key, o.source.va + uint64(o.done), payload
	}
	op, size, ok := s.next(s.nic.adapter.now)
	if !ok || o.open {
		return 0, 0, 0
	}
	_, payload := s.nic.fpdu(op, size)
	switch op {
	case wire.RDMAPReadResponse:
		a := qp.verbs.answers.Front()
		return a.key, a.remote, payload
	case wire.RDMAPWrite, wire.RDMAPSend, wire.RDMAPSendSolicited, wire.RDMAPSendInvalidate, wire.RDMAPSendSolicitedInvalidate:
		if w := qp.queue.At(qp.current).work; !w.Inline {
			return w.Local.Key, w.Local.Addr, payload
		}
	}
	return 0, 0, 0
}
