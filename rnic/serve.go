package rnic

import (
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// inbound is the message that a responder is taking in.
type inbound struct {
	verb    Verb // Send or Write; which sort of it shows at the end
	open    bool
	skipped bool // a packet of it was lost (UC): the rest is dropped
	receive RecvRequest
	key     uint32      // of the memory that a WRITE goes to
	remote  uint64      // where it goes on
	left    units.Bytes // of a WRITE
	got     units.Bytes
}

// serve handles a packet of a request to a verbs queue pair.
func (n *NIC) serve(qp *QP, p *wire.Packet, now units.Time) {
	q := qp.verbs
	if q.state < RTR || q.state == Err || !q.expects(p) {
		n.discard(p)
		return
	}
	if q.init.Service == UD {
		q.onDatagram(p, now)
		return
	}
	if p.ECN == wire.CE {
		n.onMark(qp, p, now)
	}
	d := p.PSN.Diff(wire.PSNOf(qp.expected))
	switch {
	case q.init.Service == UC:
		q.onUnreliable(qp, p, int64(d), now)
	case d == 0 && qp.irn != nil:
		q.acceptAll(qp, p, now)
	case d == 0:
		q.accept(qp, p, now)
	case d > 0 && qp.irn != nil:
		q.hold(qp, p, int64(d))
	case d > 0:
		qp.received.OutOfSequence++
		qp.received.OutOfSequencePayload += uint64(p.Payload)
		if q.silent || qp.gap && !(n.cfg.NakRearm > 0 && now-qp.naked >= n.cfg.NakRearm) {
			return
		}
		qp.gap, qp.naked = true, now
		qp.received.NaksSent++
		q.acknowledge(p, wire.NakSequence, qp.expected, now)
	default:
		qp.received.Duplicates++
		qp.received.DuplicatePayload += uint64(p.Payload)
		q.repeat(qp, p, now)
	}
}

// expects tells whether a packet is of the service of the queue pair, and of its connection.
// One that is left over from an earlier connection is dropped whatever its sequence number;
// adapters would take it for one of this connection if that fitted, which is what the rest
// of a queue pair's number after a connection is for.
func (q *VerbsQP) expects(p *wire.Packet) bool {
	if q.init.Service != UD && !q.ofPeer(p) {
		return false
	}
	switch q.init.Service {
	case UC:
		return p.Op >= wire.UnreliableConnected && p.Op < wire.DatagramSend
	case UD:
		return p.Op == wire.DatagramSend || p.Op == wire.DatagramSendImm
	}
	return p.Op < wire.UnreliableConnected
}

// ofPeer tells whether a packet is from the other end as it is now, not from an earlier life of it.
func (q *VerbsQP) ofPeer(p *wire.Packet) bool { return p.Flags.Life() == q.attr.Remote.life }

// discard drops a packet that nobody is there for, in silence.
func (n *NIC) discard(p *wire.Packet) {
	if p.Op.IsData() {
		n.Discarded++
	}
}

// acknowledge answers a packet in the order of the requests.
func (q *VerbsQP) acknowledge(to *wire.Packet, s wire.Syndrome, packet int64, now units.Time) {
	if s == wire.Ack {
		q.qp().received.Acks++
	}
	q.queueAnswer(&answer{kind: acknowledging, syndrome: s, packet: packet, stamp: to.Stamp, echo: echo(to)}, now)
}

// repeat answers a request that has come before. A READ is carried out again from where it
// is asked for, an atomic operation is not: what it found is told again.
func (q *VerbsQP) repeat(qp *QP, p *wire.Packet, now units.Time) {
	packet := p.PSN.Unwrap(qp.expected)
	if p.Op != wire.ReadRequest && p.Op != wire.CompareSwap && p.Op != wire.FetchAdd {
		q.acknowledge(p, wire.Ack, qp.expected-1, now)
		return
	}
	for i := range q.resources.Len() {
		r := q.resources.At(i)
		if packet < r.first || packet >= r.first+r.packets {
			continue
		}
		q.forget(packet)
		a := answer{kind: readAnswer, resource: *r, next: packet, packet: packet, again: true}
		if r.atomic {
			a.kind = atomicAnswer
			q.Counted.ReplayedAtomics++
		} else {
			q.Counted.DuplicateReads++
		}
		q.queueAnswer(&a, now)
		return
	}
}

// accept takes in the packet that was next.
func (q *VerbsQP) accept(qp *QP, p *wire.Packet, now units.Time) (taken int64) {
	taken = 1
	var refusal wire.Syndrome
	switch op := p.Op; {
	case op == wire.ReadRequest:
		taken, refusal = q.onRead(qp, p, now)
	case op == wire.CompareSwap || op == wire.FetchAdd:
		refusal = q.onAtomic(qp, p, now)
	default:
		refusal = q.onPiece(qp, p, op, now)
	}
	if refusal != 0 {
		qp.received.NaksSent++
		q.Counted.Discarded++
		q.nic.Discarded++
		q.acknowledge(p, refusal, qp.expected, now)
		if refusal.IsRNR() {
			q.silent, qp.gap = true, true
			q.Counted.RNRNaksSent++
		} else {
			q.broken(refusal, now)
		}
		return 0
	}
	if q.unheard != nil {
		q.unheard.heard(now)
	}
	qp.gap, q.silent = false, false
	qp.expected += taken
	if qp.expected > qp.reached {
		qp.reached = qp.expected
		q.nic.Progress++
	}
	qp.received.Packets++
	qp.received.Payload += uint64(p.Payload)
	switch {
	case p.Op == wire.ReadRequest:
		r := q.resources.At(q.resources.Len() - 1)
		q.queueAnswer(&answer{kind: readAnswer, resource: *r, next: r.first, packet: r.first}, now)
	case p.Op == wire.CompareSwap || p.Op == wire.FetchAdd:
		r := q.resources.At(q.resources.Len() - 1)
		q.queueAnswer(&answer{kind: atomicAnswer, resource: *r, packet: r.first}, now)
	case p.Flags.Has(wire.AckReq):
		q.acknowledge(p, wire.Ack, qp.expected-1, now)
	}
	return taken
}

// permitted finds what speaks against a request that names memory of this host.
func (q *VerbsQP) permitted(key uint32, va uint64, length units.Bytes, need memory.Access) wire.Syndrome {
	if q.attr.Access&need == 0 {
		return wire.NakInvalid
	}
	if length > 0 && q.nic.objects.memory.Check(q.init.PD, key, va, length, need) != memory.None {
		return wire.NakAccess
	}
	return 0
}

// room tells whether one more READ or atomic can be answered. What has been answered is
// remembered until newer ones take its place; an answer that is given again takes no room,
// since the requester may have had it by now, and gone on.
func (q *VerbsQP) room() bool {
	open := 0
	for i := range q.answers.Len() {
		if a := q.answers.At(i); a.kind != acknowledging && !a.again {
			open++
		}
	}
	return open < q.attr.ReadsAccepted
}

// remember keeps a READ or an atomic operation.
func (q *VerbsQP) remember(r *resource) {
	if q.resources.Len() == q.attr.ReadsAccepted {
		q.resources.Pop()
	}
	q.resources.Push(r)
}

// onRead takes in a READ, and gives the number of packets that will answer it.
func (q *VerbsQP) onRead(qp *QP, p *wire.Packet, now units.Time) (packets int64, refusal wire.Syndrome) {
	h := q.behind.take(qp.expected)
	if q.message.open || !q.room() {
		return 0, wire.NakInvalid
	}
	if no := q.permitted(h.key, h.remote, h.length, memory.RemoteRead); no != 0 {
		return 0, no
	}
	packets = q.nic.cfg.Packets(h.length)
	q.Counted.Reads++
	q.remember(&resource{first: qp.expected, packets: packets, key: h.key, remote: h.remote, length: h.length})
	return packets, 0
}

// onAtomic carries out an atomic operation.
func (q *VerbsQP) onAtomic(qp *QP, p *wire.Packet, now units.Time) (refusal wire.Syndrome) {
	h := q.behind.take(qp.expected)
	if q.message.open || h.remote%wordBytes != 0 || !q.room() {
		return wire.NakInvalid
	}
	if no := q.permitted(h.key, h.remote, wordBytes, memory.RemoteAtomic); no != 0 {
		return no
	}
	m := &q.nic.objects.memory
	r := resource{first: qp.expected, packets: 1, atomic: true, ready: q.nic.operate(h.key, h.remote, now)}
	if p.Op == wire.CompareSwap {
		r.found = m.CompareSwap(h.remote, h.compare, h.swap)
	} else {
		r.found = m.FetchAdd(h.remote, h.compare)
	}
	q.Counted.Atomics++
	q.remember(&r)
	return 0
}

// onPiece takes in a packet of a SEND or WRITE. Op is its opcode as the reliable service
// has it.
func (q *VerbsQP) onPiece(qp *QP, p *wire.Packet, op wire.Opcode, now units.Time) (refusal wire.Syndrome) {
	m := &q.message
	payload, mtu := units.Bytes(p.Payload), units.Bytes(q.nic.cfg.MTU)
	verb := Write
	if op < wire.WriteFirst || op > wire.WriteOnlyImm {
		verb = Send
	}
	begins, ends := op.BeginsMessage(), op.EndsMessage()
	var h *header
	if p.Flags.Has(wire.Headed) {
		h = q.behind.take(p.PSN.Unwrap(qp.expected))
	}
	switch {
	case begins == m.open, !begins && verb != m.verb,
		!ends && payload != mtu, ends && !begins && (payload < 1 || payload > mtu), ends && begins && payload > mtu:
		return wire.NakInvalid
	}
	next := *m
	if begins {
		next = inbound{verb: verb, open: true}
		if verb == Write {
			if no := q.permitted(h.key, h.remote, h.length, memory.RemoteWrite); no != 0 {
				return no
			}
			next.key, next.remote, next.left = h.key, h.remote, h.length
		}
	}
	if takes := begins && verb == Send || ends && (op == wire.WriteLastImm || op == wire.WriteOnlyImm); takes {
		r, ok := q.takeReceive(now)
		if !ok {
			if h != nil {
				q.behind.back()
			}
			return wire.RNR(q.attr.MinRNR)
		}
		next.receive = r
	}
	*m = next
	key, va := m.key, m.remote
	if verb == Send {
		key, va = m.receive.Local.Key, m.receive.Local.Addr+uint64(m.got)
	}
	if no := q.put(m, payload, h); no != 0 {
		return no
	}
	q.nic.land(key, va, payload, now)
	if ends {
		q.end(m, op, p, h, now)
	}
	return 0
}

// put places the payload of a packet where its message goes.
func (q *VerbsQP) put(m *inbound, payload units.Bytes, h *header) (refusal wire.Syndrome) {
	var words []memory.Word
	if h != nil {
		words = h.words
	}
	space := &q.nic.objects.memory
	if m.verb == Write {
		if payload > m.left {
			return wire.NakInvalid
		}
		space.Place(m.remote, payload, words)
		m.remote += uint64(payload)
		m.left -= payload
		m.got += payload
		return 0
	}
	to := &m.receive.Local
	if m.got+payload > to.Length {
		return wire.NakInvalid
	}
	if payload > 0 && space.Check(q.receivePD(), to.Key, to.Addr, to.Length, memory.LocalWrite) != memory.None {
		return wire.NakOperational
	}
	space.Place(to.Addr+uint64(m.got), payload, words)
	m.got += payload
	return 0
}

// receivePD is the protection domain of the receive requests.
func (q *VerbsQP) receivePD() memory.PD {
	if q.init.SRQ != nil {
		return q.init.SRQ.pd
	}
	return q.init.PD
}

// end completes the receive request of a message that has come whole, if it took one.
func (q *VerbsQP) end(m *inbound, op wire.Opcode, p *wire.Packet, h *header, now units.Time) {
	m.open = false
	if m.verb == Write {
		q.nic.written(m, now)
	}
	c := Completion{Verb: Recv, Bytes: m.got, solicited: p.Flags.Has(wire.Solicited)}
	switch op {
	case wire.SendLastImm, wire.SendOnlyImm:
		c.Imm, c.HasImm = h.imm, true
	case wire.WriteLastImm, wire.WriteOnlyImm:
		c.Verb, c.Imm, c.HasImm = RecvWithImm, h.imm, true
	case wire.SendLastInv, wire.SendOnlyInv:
		if q.nic.objects.memory.Invalidate(h.imm) {
			c.Invalidated = h.imm
		}
	default:
		if m.verb == Write {
			return
		}
	}
	q.received(m.receive.ID, c, now)
}

// broken fails the responder after it has refused a request. The receive request that the
// message had taken tells of its own part in that.
func (q *VerbsQP) broken(refusal wire.Syndrome, now units.Time) {
	if m := &q.message; m.open && m.verb == Send {
		status := LocalLength
		if refusal == wire.NakOperational {
			status = LocalProtection
		}
		q.received(m.receive.ID, Completion{Status: status, Verb: Recv}, now)
		m.open = false
	}
	q.refusing = true
	q.fail(notOfOwn, now)
}

// flushReceives completes what is left of the receive queue, in the error state.
func (q *VerbsQP) flushReceives(now units.Time) {
	if m := &q.message; m.open && m.verb == Send {
		q.received(m.receive.ID, Completion{Status: FlushError, Verb: Recv}, now)
		m.open = false
	}
	q.receives.here, q.receives.coming = 0, 0
	for q.receives.requests.Len() > 0 {
		q.received(q.receives.requests.Pop().ID, Completion{Status: FlushError, Verb: Recv}, now)
	}
}

// onUnreliable takes in a packet of an unreliable connection. Behind a gap the rest of a
// message is dropped, and the next one begins afresh (IBTA volume 1, 9.8.2.2).
func (q *VerbsQP) onUnreliable(qp *QP, p *wire.Packet, ahead int64, now units.Time) {
	m := &q.message
	op := p.Op - wire.UnreliableConnected
	if ahead < 0 { // overtaken by a later one
		q.Counted.Discarded++
		q.nic.Discarded++
		return
	}
	if ahead > 0 {
		q.abandon()
		m.skipped = true
	}
	qp.expected += ahead
	if m.skipped && !op.BeginsMessage() || q.onPiece(qp, p, op, now) != 0 {
		q.abandon()
		m.skipped = true
		q.nic.Discarded++
		q.Counted.Discarded++
		qp.expected++
		return
	}
	m.skipped = false
	qp.expected++
	q.nic.Progress++
	qp.received.Packets++
	qp.received.Payload += uint64(p.Payload)
}

// abandon gives up the message in progress. Its receive request serves the next one.
func (q *VerbsQP) abandon() {
	m := &q.message
	if m.open && m.verb == Send {
		from := q.receiveRequests()
		from.requests.Return(&m.receive)
		from.here++
	}
	m.open = false
}

// addressRoom is the room for the sender's address in front of a datagram.
const addressRoom = 40

// onDatagram takes in a datagram. With another Q_Key than that of the queue pair, or
// without a receive request, it is dropped. One for which the
// buffer is too short, its 40 bytes of address included, ends the receive request with
// LOC_LEN_ERR and nothing else: nobody hears of it, and the queue pair goes on.
func (q *VerbsQP) onDatagram(p *wire.Packet, now units.Time) {
	payload := units.Bytes(p.Payload)
	if uint32(p.PSN) != q.attr.QKey {
		q.nic.Discarded++
		q.Counted.Discarded++
		return
	}
	r, ok := q.takeReceive(now)
	if !ok {
		q.nic.Discarded++
		q.Counted.Discarded++
		return
	}
	qp := q.qp()
	qp.received.Packets++
	qp.received.Payload += uint64(p.Payload)
	q.nic.Progress++
	c := Completion{
		Verb: Recv, Bytes: payload + addressRoom, SrcQP: uint32(uint64(p.Stamp) >> 32),
		Imm: uint32(p.Stamp), HasImm: p.Op == wire.DatagramSendImm, solicited: p.Flags.Has(wire.Solicited),
	}
	if c.Bytes > r.Local.Length {
		c.Status, c.Bytes = LocalLength, 0
	} else {
		q.nic.land(r.Local.Key, r.Local.Addr+addressRoom, payload, now)
		q.nic.objects.memory.Place(r.Local.Addr+addressRoom, payload, nil)
	}
	q.received(r.ID, c, now)
}
