package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// resource is what a responder remembers of a READ or an atomic operation, so that it can
// answer again when the answer was lost (IBTA volume 1, 9.4.5 and 9.7.7).
type resource struct {
	first, packets int64
	atomic         bool
	key            uint32
	remote         uint64
	length         units.Bytes
	found          uint64     // by an atomic operation
	ready          units.Time // when that is known
}

// answer is something that a responder has to send, in the order of the requests: the
// responses to a READ stand between the acknowledgements of what came before and after.
type answer struct {
	resource
	next     int64 // packet of the READ's responses to send next
	stamp    units.Time
	syndrome wire.Syndrome
	packet   int64 // that an acknowledgement names; of a READ, with which its responses begin
	kind     answerKind
	again    bool // to a request that has come before
	echo     wire.Flags
}

type answerKind uint8

const (
	acknowledging answerKind = iota
	atomicAnswer
	readAnswer
)

// answering tells whether the next thing to send is a response to a READ.
func (q *VerbsQP) answering() bool {
	if s := q.qp().stream; s != nil {
		return s.answering()
	}
	return q.answers.Len() > 0 && q.answers.Front().kind == readAnswer
}

// queueAnswer puts an answer in line behind those to earlier requests.
func (q *VerbsQP) queueAnswer(a *answer, now units.Time) {
	if a.kind == readAnswer && !q.answering() {
		q.nic.catchUp(q.index, now)
	}
	q.answers.Push(a)
	q.sendAnswers(now)
}

// sendAnswers sends acknowledgements up to the next response to a READ, which takes its
// turn with the requests of other queue pairs, or to an atomic operation that is not done.
func (q *VerbsQP) sendAnswers(now units.Time) {
	n, qp := q.nic, q.qp()
	if qp.stream != nil {
		q.awaitOutcome(now)
		n.enrol(q.index, now)
		return
	}
	for q.answers.Len() > 0 {
		a := q.answers.Front()
		if a.kind == readAnswer {
			n.enrol(q.index, now)
			return
		}
		if a.ready > now {
			q.answerAt(a.ready)
			return
		}
		p := wire.Packet{
			Stamp: a.stamp, Edge: uint16(qp.dest.Edge), EdgePort: qp.dest.Port, Flow: qp.flow, QPN: qp.PeerQPN,
			PSN: wire.PSNOf(a.packet), Op: wire.Acknowledge, Syndrome: a.syndrome, Flags: a.echo | wire.OfLife(q.life),
		}
		class := n.cfg.Ack
		if a.kind == atomicAnswer { // it must not overtake responses to READs, nor they it
			class = qp.data
			p.Op, p.Stamp, p.Syndrome = wire.AtomicAcknowledge, units.Time(a.found), wire.Ack
		}
		q.answers.Pop()
		if n.adapter != nil && class.Priority == qp.data.Priority && (q.staged > 0 || p.Op == wire.AtomicAcknowledge) {
			n.dressControl(class, &p)
			n.stageAnswer(q, &p, class.Priority)
			continue
		}
		n.queueControl(class, &p)
	}
}

// answerAt has answers go on at a time, when the outcome of an atomic operation is known.
func (q *VerbsQP) answerAt(at units.Time) {
	if q.answersAt == at {
		return
	}
	q.answersAt = at
	q.nic.objects.operations++
	q.nic.timer(answerTimer, at, q.index)
}

// onAnswerTimer goes on with answers.
func (n *NIC) onAnswerTimer(i int, now units.Time) {
	n.objects.operations--
	n.qps[i].verbs.sendAnswers(now)
}

// respond makes the next packet that answers a READ.
func (q *VerbsQP) respond(now units.Time) *wire.Packet {
	n, qp := q.nic, q.qp()
	q.inline = false
	a := q.answers.Front()
	k := a.next - a.first
	mtu := units.Bytes(n.cfg.MTU)
	offset := units.Bytes(k) * mtu
	payload := min(mtu, a.length-offset)
	op, first, last := wire.ReadResponseMid, a.next == a.packet, k == a.packets-1
	switch {
	case first && last:
		op = wire.ReadResponseOnly
	case first:
		op = wire.ReadResponseFirst
	case last:
		op = wire.ReadResponseLast
	}
	p := n.packet(qp, op, int(payload), a.next, now)
	p.Flags = wire.OfLife(q.life)
	if words := n.objects.memory.Words(a.remote+uint64(offset), payload); words != nil {
		q.responses.add(header{packet: q.responses.written, words: words})
		p.Stamp = units.Time(q.responses.written - 1)
		p.Flags |= wire.Headed
	}
	q.Counted.Responses++
	q.Counted.ResponsePayload += uint64(payload)
	if a.next++; a.next == a.first+a.packets {
		q.answers.Pop()
	}
	return p
}

// responded goes on with what stands behind a response that has been sent.
func (q *VerbsQP) responded(p *wire.Packet, now units.Time) {
	qp := q.qp()
	q.nic.space(qp, q.nic.port.WireBytes(p), now)
	q.nic.tellSent(q.index, p, now)
	q.sendAnswers(now)
}

// forget drops the answers to a request and to those after it: they are asked for again.
func (q *VerbsQP) forget(packet int64) {
	for i := range q.answers.Len() {
		a := q.answers.At(i)
		if a.kind == readAnswer && a.first+a.packets > packet || a.kind != readAnswer && a.packet >= packet {
			q.answers.Truncate(i)
			return
		}
	}
}
