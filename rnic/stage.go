package rnic

import (
	"math/bits"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// staged is a packet between scheduler and wire.
type staged struct {
	packet wire.Packet
	ready  units.Time // when it is through the pipeline
	qp     int        // of a program's packet: its queue pair
	// done says of a packet that nobody will acknowledge that all packets before this one are
	// done when it leaves; 0 for others.
	done   int64
	answer bool // it answers a request, and those to later ones follow it
	fresh  bool // of a request, and sent for the first time
}

// Advance has the adapter of a NIC that has one do what can be done now: pick packets as long
// as there is room for them, and look which may leave. Its owner calls it after whatever may have changed that.
func (n *NIC) Advance(now units.Time) {
	if n.adapter != nil {
		n.advanceAdapter(now)
	}
}

func (n *NIC) advanceAdapter(now units.Time) {
	a := n.adapter
	a.now = now
	for n.paced.Next() <= now {
		t := n.paced.Pop()
		if qp := &n.qps[t.Key]; qp.place == waiting && qp.pacedAt == t.At {
			qp.place = idle
			n.enrol(int(t.Key), now)
		}
	}
	a.stalled = units.Never
	for mask := n.readyMask | a.loadedMask; mask != 0; {
		priority := bits.Len8(mask) - 1
		n.pick(priority, now)
		mask &^= 1 << priority
	}
	a.look(now)
}

// pick picks packets of a priority as long as there is room. Queue pairs have their turns, those first for which
// something has come since theirs. One whose context or work request is not there lets others go before it while that
// comes; if no more contexts can be asked for, all wait.
func (n *NIC) pick(priority int, now units.Time) {
	a, bit := n.adapter, uint8(1)<<priority
	for a.hasRoom(priority) && (n.readyMask|a.loadedMask)&bit != 0 {
		if a.loadedMask&bit != 0 {
			n.pickFrom(a.nextLoaded(priority), true, priority, now)
			continue
		}
		if at := a.contexts.From(uint32(*n.ready[priority].Front()), now); at > now {
			a.stalled = min(a.stalled, at)
			return
		}
		n.pickFrom(n.nextReady(priority), false, priority, now)
	}
}

// pickFrom picks the next packet of a queue pair, if all that it takes is there.
func (n *NIC) pickFrom(i int, context bool, priority int, now units.Time) {
	qp := &n.qps[i]
	answers := qp.verbs != nil && qp.verbs.answering() || qp.stream != nil && qp.stream.out.repeats // which takes no work request
	if (context || n.hasContext(i, now)) && (answers || n.hasWork(i, now)) && n.hasSource(i, now) {
		n.transmitData(i, priority, now)
		return
	}
	n.qps[i].place = idle
	n.enrol(i, now)
}

// nextLoaded is the queue pair for which something came first.
func (a *adapter) nextLoaded(priority int) int {
	q := &a.loaded[priority]
	i := int(*q.Pop())
	if q.Len() == 0 {
		a.loadedMask &^= 1 << priority
	}
	a.queue(i).loaded = false
	return i
}

// NextPick is when a queue pair is due for whose packets the wire need not be free, as where an
// adapter prepares them ahead of it; [units.Never] if there is none.
func (n *NIC) NextPick() units.Time {
	if n.adapter == nil {
		return units.Never
	}
	return min(n.paced.Next(), n.adapter.stalled)
}

// hasRoom tells whether a packet of a priority may be prepared. One alone always may.
func (a *adapter) hasRoom(priority int) bool {
	return a.bytes[priority] < max(1, a.cfg.TxBuffer)
}

// look sees in which priorities a packet may leave now, and when the next may.
func (a *adapter) look(now units.Time) {
	a.ready, a.next = 0, units.Never
	for p := range a.data {
		at := units.Never
		if a.control[p].Len() > 0 {
			at = a.control[p].Front().ready
		}
		if a.data[p].Len() > 0 {
			at = min(at, a.data[p].Front().ready)
		}
		switch at = max(at, a.gate); {
		case at <= now:
			a.ready |= 1 << p
		case at < a.next:
			a.next = at
		}
	}
}

// send sends a packet of a queue pair: at once, or by way of the adapter.
func (n *NIC) send(i int, p *wire.Packet, priority int, now units.Time) {
	if n.adapter != nil {
		n.stage(i, p, priority, now)
		return
	}
	n.port.Transmit(now, p, priority)
}

// stage has a packet's payload read and the packet pass the pipeline.
func (n *NIC) stage(i int, p *wire.Packet, priority int, now units.Time) {
	a, q := n.adapter, n.adapter.queue(i)
	ready := now
	if p.Payload > 0 && !n.cameInline(i, p) {
		ready = n.ReadMemory(units.Bytes(p.Payload), n.behind(&n.qps[i], p), now)
	}
	if !isResponse(p.Op) {
		q.picked(p.Op.EndsMessage(), a.cfg.QPGap, now)
	}
	if a.data[priority].Len() == 0 {
		a.since[priority] = now
	}
	answer := isResponse(p.Op)
	if answer {
		n.qps[i].verbs.staged++
	}
	*a.data[priority].Add() = staged{packet: *p, ready: ready + a.cfg.TxPipeline, qp: i, answer: answer,
		fresh: !answer && n.qps[i].next > n.qps[i].highest,
	}
	a.bytes[priority] += units.Bytes(p.Frame)
}

// unsent tells whether the oldest packet of a queue pair that is not acknowledged has never left the adapter: its peer
// has paused it, or it has no credits.
func (n *NIC) unsent(i int) bool {
	qp := &n.qps[i]
	staged := &n.adapter.data[qp.data.Priority]
	for k := range staged.Len() {
		if s := staged.At(k); s.fresh && s.qp == i && s.packet.PSN == wire.PSNOf(qp.una) {
			return true
		}
	}
	return false
}

// stageAnswer has an acknowledgement, or the answer to an atomic operation, follow the responses to READs that its queue
// pair has in the pipeline.
func (n *NIC) stageAnswer(q *VerbsQP, p *wire.Packet, priority int) {
	a := n.adapter
	if a.data[priority].Len() == 0 {
		a.since[priority] = a.now
	}
	q.staged++
	*a.data[priority].Add() = staged{packet: *p, ready: a.now + a.cfg.TxPipeline, qp: q.index, answer: true}
	a.bytes[priority] += units.Bytes(p.Frame)
}

// unanswered books that nobody will acknowledge the packet that has just been sent, nor those before it: they are done
// when it leaves.
func (n *NIC) unanswered(i, priority int, now units.Time) {
	next := n.qps[i].next
	if n.adapter == nil {
		n.advance(i, next, now)
		return
	}
	staged := &n.adapter.data[priority]
	staged.At(staged.Len() - 1).done = next
}

// behind is how much payload will be sent after a packet that is known of already.
func (n *NIC) behind(qp *QP, p *wire.Packet) units.Bytes {
	if !isResponse(p.Op) {
		return qp.posted - qp.sent
	}
	if !qp.verbs.answering() {
		return 0
	}
	a := qp.verbs.answers.Front()
	return units.Bytes(a.first+a.packets-a.next) * units.Bytes(n.cfg.MTU)
}

// cameInline tells whether the payload of a packet of a queue pair has come with its work
// request: where a program has asked for that, or else where the adapter's figures say so.
func (n *NIC) cameInline(i int, p *wire.Packet) bool {
	if v := n.qps[i].verbs; v != nil {
		return v.inline
	}
	return n.adapter.inline(p)
}

// inline tells whether the payload of a packet has come with its work request.
func (a *adapter) inline(p *wire.Packet) bool {
	return p.Op == wire.WriteOnly && a.cfg.Inlines(units.Bytes(p.Payload))
}

// stageControl has an acknowledgement or notification pass the pipeline.
func (n *NIC) stageControl(p *wire.Packet, priority int) {
	a := n.adapter
	*a.control[priority].Add() = staged{packet: *p, ready: a.now + a.cfg.TxPipeline}
}

// ReadMemory is when so many bytes of payload are read from the memory in which they are. Behind them is as
// much that will be read too.
func (n *NIC) ReadMemory(size, behind units.Bytes, now units.Time) units.Time {
	a := n.adapter
	if a == nil {
		return now
	}
	if a.out != nil {
		now = a.out.Ready(now, size, behind)
	}
	return a.bus.Read(now, a.payload, 0, size)
}

// transmitStaged sends the packet whose turn it is of those that are through the pipeline.
func (n *NIC) transmitStaged(now units.Time) bool {
	a := n.adapter
	mask := a.ready &^ n.port.Paused(now)
	if n.port.OnCredits() {
		mask = n.affordable(mask, now)
	}
	if mask == 0 {
		return false
	}
	priority := bits.Len8(mask) - 1
	free := n.port.FreeAt
	if c := &a.control[priority]; c.Len() > 0 && c.Front().ready <= now {
		n.port.Transmit(now, &c.Pop().packet, priority)
	} else {
		s := a.data[priority].Pop()
		a.bytes[priority] -= units.Bytes(s.packet.Frame)
		if s.ready > free { // the wire waited for it: it was the host that set the pace since the last one
			a.starved[priority] += s.ready - a.since[priority]
		}
		a.since[priority] = now
		if stamped(s.packet.Op) {
			s.packet.Stamp = now
		}
		n.port.Transmit(now, &s.packet, priority)
		if s.done > 0 && s.packet.Flags.Life() == n.qps[s.qp].verbs.life { // the queue pair was not reset meanwhile
			n.advance(s.qp, s.done, now)
		}
		if qp := &n.qps[s.qp]; s.fresh && qp.deadline == units.Never && qp.una < qp.highest {
			n.restartTimer(s.qp, now) // it had run out in here
		}
		if q := n.qps[s.qp].verbs; s.answer && s.packet.Flags.Life() == q.life {
			q.staged--
		}
	}
	a.gate = now + a.cfg.PortGap
	n.advanceAdapter(now)
	return true
}

// stamped tells whether the stamp of a packet is when it left. Responses to READs and datagrams, which nobody
// acknowledges, and acknowledgements have something else there.
func stamped(op wire.Opcode) bool { return op.IsData() && !isResponse(op) && op < wire.DatagramSend }

// isResponse tells whether a packet answers a READ.
func isResponse(op wire.Opcode) bool {
	return op >= wire.ReadResponseFirst && op <= wire.ReadResponseOnly
}

// enrolAtAdapter puts a queue pair that may send where the scheduler will find it: in the ring
// if nothing but room is missing, else among those that wait.
func (n *NIC) enrolAtAdapter(i int, now units.Time) {
	qp := &n.qps[i]
	if !n.maySend(qp) {
		n.boundBy(qp, n.restingAt(i, qp), now)
		return
	}
	held := n.heldUntil(i, now)
	at := max(qp.nextStart, held)
	if at <= now {
		if qp.ledger.by != moving(qp, ByLink) {
			n.inLine(qp, now)
		}
		qp.place = ready
		index := int32(i)
		if n.adapter.queue(i).loaded { // it has had its turn
			n.adapter.loaded[qp.data.Priority].Push(&index)
			n.adapter.loadedMask |= 1 << qp.data.Priority
			return
		}
		n.ready[qp.data.Priority].Push(&index)
		n.readyMask |= 1 << qp.data.Priority
		return
	}
	by := ByPacing
	switch {
	case held <= qp.nextStart:
	case n.adapter.hasRoom(qp.data.Priority):
		by = ByHost
	default: // it would have to wait for its turn anyway
		by = ByLink
	}
	n.boundBy(qp, moving(qp, by), now)
	if qp.place == waiting && qp.pacedAt <= at {
		return // its entry comes up in time, and moves it on
	}
	qp.place, qp.pacedAt = waiting, at
	n.paced.Add(at, uint64(i))
}

// restingAt is what bounds a queue pair without a packet to send: its host, if completions are
// on their way to it.
func (n *NIC) restingAt(i int, qp *QP) Bound {
	if by := resting(qp); by != ByNothing || n.adapter.queue(i).unread == 0 {
		return by
	}
	return ByHost
}

// lineFree is from when on a queue pair at the rate of the line may send again: when the wire is
// free, or at once where packets are prepared ahead of it.
func (n *NIC) lineFree(now units.Time) units.Time {
	if n.adapter != nil {
		return now
	}
	return n.port.FreeAt
}

// bookStarved takes from a span in which a queue pair waited for its turn the part for which
// the wire waited for payload: then it was the host that bound it.
func (n *NIC) bookStarved(qp *QP, span units.Time) units.Time {
	l, total := &qp.ledger, n.adapter.starved[qp.data.Priority]
	part := min(total-l.starved, span)
	l.starved = total
	l.spent[ByHost] += part
	return span - part
}

// causeAt tells what the adapter holds a queue pair back for; empty if it does not.
func (n *NIC) causeAt(qp *QP) string {
	i := slices.IndexFunc(n.qps, func(other QP) bool { return other.PeerQPN == qp.PeerQPN && other.Peer == qp.Peer })
	q := n.adapter.queue(i)
	switch {
	case qp.place == waiting && q.gate > qp.nextStart:
		return "its adapter, which goes on with it at " + q.gate.String()
	case qp.place == waiting && qp.pacedAt > qp.nextStart:
		return "its work request to get to the adapter, at " + qp.pacedAt.String()
	case qp.una == qp.end && q.unread > 0:
		return "its completion to get to memory"
	}
	return ""
}
