package tcp

import (
	"container/heap"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// reno is the least congestion control that works: RFC 5681, with a window in bytes.
type reno struct {
	mss, cwnd, ssthresh units.Bytes
	acked               units.Bytes
	losses, timeouts    int
	marks               int
	exact               bool
	pacing              units.Rate
}

func (r *reno) Init(mss, initial units.Bytes, _ units.Time) {
	r.mss, r.cwnd, r.ssthresh = mss, initial, congestion.Unbounded
}

func (r *reno) OnAck(a *congestion.Ack, _ units.Time) {
	if a.Recovery || !a.Limited {
		return
	}
	if r.cwnd < r.ssthresh {
		r.cwnd += a.Acked
		return
	}
	r.acked += a.Acked
	if r.acked >= r.cwnd {
		r.acked -= r.cwnd
		r.cwnd += r.mss
	}
}

func (r *reno) halve(flight units.Bytes) {
	r.ssthresh = max(min(flight, r.cwnd)/2, 2*r.mss)
	r.cwnd = r.ssthresh
}
func (r *reno) OnLoss(flight units.Bytes, _ units.Time) { r.losses++; r.halve(flight) }
func (r *reno) OnECN(flight units.Bytes, _ units.Time)  { r.marks++; r.halve(flight) }
func (r *reno) OnTimeout(flight units.Bytes, _ units.Time) {
	r.timeouts++
	r.halve(flight)
	r.cwnd = r.mss
}
func (r *reno) OnRecovered(units.Time)  {}
func (r *reno) Window() units.Bytes     { return r.cwnd }
func (r *reno) Threshold() units.Bytes  { return r.ssthresh }
func (r *reno) Pacing() units.Rate      { return r.pacing }
func (r *reno) WantsExactMarks() bool   { return r.exact }
func (r *reno) State() congestion.State { return congestion.State{} }

// path is one direction of a network: what it does to each packet.
type path struct {
	delay units.Time
	// pass decides about a packet: how much later than delay it comes, and how many times (0: it is lost).
	pass func(s *Segment) (later units.Time, copies int)
}

// network is two endpoints and the two directions between them, in virtual time.
type network struct {
	now   units.Time
	ends  [2]*Endpoint
	paths [2]path // from end i
	queue arrivals
	count int
	limit units.Bytes // of Next
	merge bool        // packets of one time and direction come in one segment
	trace func(format string, args ...any)
	calls func(now units.Time) units.Time // what the clocks of cores do to times; nil: nothing

	// With model on the network knows by itself which bytes have come where, and notes as a fault what
	// an endpoint says otherwise.
	model bool
	came  [2]reassembly // at each end
	fault string
}

type arrival struct {
	at      units.Time
	order   int
	to      int
	offset  int64 // of the payload in the stream
	segment Segment
}

// arrivals is a heap: what arrives first is first.
type arrivals []arrival

func (q arrivals) Len() int      { return len(q) }
func (q arrivals) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q arrivals) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q *arrivals) Push(a any) { *q = append(*q, a.(arrival)) }
func (q *arrivals) Pop() any {
	a := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return a
}

// newNetwork connects two endpoints with the same delay each way.
func newNetwork(a, b *Endpoint, delay units.Time) *network {
	return &network{ends: [2]*Endpoint{a, b}, paths: [2]path{{delay: delay}, {delay: delay}}, limit: 64 * units.KiB}
}

// time is the time of a call.
func (n *network) time() units.Time {
	if n.calls != nil {
		return n.calls(n.now)
	}
	return n.now
}

// flush sends all that the ends have to send.
func (n *network) flush() {
	for i, e := range n.ends {
		n.drain(i, e)
	}
}

// drain sends all that an end has to send.
func (n *network) drain(i int, e *Endpoint) {
	for range 1 << 16 {
		s, ok := e.Next(n.time(), n.limit)
		if !ok {
			return
		}
		n.send(i, &s)
	}
	panic("an endpoint never stops sending")
}

// send cuts a segment into packets and puts them on their way.
func (n *network) send(from int, s *Segment) {
	if n.trace != nil {
		n.trace("%v %d> %s", n.now, from, describe(n.ends[from], s))
	}
	p := &n.paths[from]
	e := n.ends[from]
	offset := e.sentOffset(s.Seq)
	for _, packet := range cut(s, units.Bytes(e.mss)) {
		at := offset + int64(packet.Seq-s.Seq)
		later, copies := units.Time(0), 1
		if p.pass != nil {
			later, copies = p.pass(&packet)
		}
		for range copies {
			n.count++
			heap.Push(&n.queue, arrival{n.now + p.delay + later, n.count, 1 - from, at, packet})
		}
	}
}

// cut is what an adapter makes of a segment.
func cut(s *Segment, mss units.Bytes) []Segment {
	if s.Packets <= 1 {
		return []Segment{*s}
	}
	var out []Segment
	for at := units.Bytes(0); at < s.Payload; at += mss {
		p := *s
		p.Seq += uint32(at)
		p.Payload = min(mss, s.Payload-at)
		p.Packets = 1
		if at+mss < s.Payload {
			p.Flags &^= FIN | PSH
		}
		if at > 0 {
			p.Flags &^= CWR
		}
		out = append(out, p)
	}
	return out
}

// next is the time of the next event; units.Never if nothing will happen.
func (n *network) next() units.Time {
	at := min(n.ends[0].Deadline(), n.ends[1].Deadline())
	if len(n.queue) > 0 {
		at = min(at, n.queue[0].at)
	}
	return at
}

// step lets the next thing happen, if that is before a time, and reports whether there was one.
func (n *network) step(until units.Time) bool {
	n.flush()
	at := n.next()
	if at == units.Never || at > until {
		return false
	}
	n.now = max(n.now, at)
	for len(n.queue) > 0 && n.queue[0].at <= n.now {
		a := heap.Pop(&n.queue).(arrival)
		for n.merge && len(n.queue) > 0 && n.queue[0].at <= n.now && mergeInto(&a, &n.queue[0]) {
			heap.Pop(&n.queue)
		}
		if n.trace != nil {
			n.trace("%v >%d %s", n.now, a.to, describe(n.ends[1-a.to], &a.segment))
		}
		end := n.ends[a.to]
		refused := end.counters.BytesRefused
		end.Receive(&a.segment, n.time())
		if n.model && a.segment.Payload > 0 && end.counters.BytesRefused == refused {
			n.came[a.to].take(a.offset, a.offset+int64(a.segment.Payload))
		}
		if n.model && end.received() != n.came[a.to].next {
			n.fault = fmt.Sprintf("end %d says that it has all up to %d, and has all up to %d", a.to, end.received(), n.came[a.to].next)
		}
		n.drain(a.to, end)
	}
	for _, e := range n.ends {
		if e.Deadline() <= n.now {
			e.OnTimer(n.now) // timers are exact; other calls may come from cores whose clocks are behind
		}
	}
	n.flush()
	return true
}

// mergeInto is what GRO does: it appends b to a if b follows it.
func mergeInto(a, b *arrival) bool {
	s, t := &a.segment, &b.segment
	const same = SYN | RST | FIN | ECE | CWR
	if a.to != b.to || s.Payload == 0 || t.Payload == 0 || t.Seq != s.Seq+uint32(s.Payload) || t.Ack != s.Ack ||
		s.Flags&same != 0 || t.Flags&same != 0 || s.Payload+t.Payload > 64*units.KiB || s.SackCount+t.SackCount > 0 || s.ECT != t.ECT {
		return false
	}
	s.Payload += t.Payload
	s.Packets += t.Packets
	s.Marked += t.Marked
	s.Flags |= t.Flags
	s.Window = t.Window
	return true
}

// describe prints a segment with offsets in place of sequence numbers.
func describe(from *Endpoint, s *Segment) string {
	text := ""
	for i, name := range [...]string{"F", "S", "R", "P", "A", "U", "E", "W"} {
		if s.Flags&(1<<i) != 0 {
			text += name
		}
	}
	text += fmt.Sprintf(" %d", int32(s.Seq-from.isn-1))
	if s.Payload > 0 {
		text += fmt.Sprintf("+%d", s.Payload)
	}
	if s.Flags&ACK != 0 {
		text += fmt.Sprintf(" ack %d win %d", int32(s.Ack-from.irs-1), s.Window)
	}
	for _, r := range s.Sacks[:s.SackCount] {
		text += fmt.Sprintf(" [%d,%d)", int32(r.Start-from.irs-1), int32(r.End-from.irs-1))
	}
	if s.Retransmission {
		text += " again"
	}
	return text
}

// run runs the network until nothing happens any more, or a time has come.
func (n *network) run(until units.Time) {
	n.flush()
	for n.step(until) {
	}
	n.now = max(n.now, until)
	if until == units.Never {
		panic("run needs a time")
	}
}

// pair returns two endpoints with one configuration, established.
func pair(cfg *Config) (a, b *Endpoint) {
	a = NewEndpoint(cfg, &reno{}, 1000)
	b = NewEndpoint(cfg, &reno{}, 4294967000)
	a.Establish(b)
	return a, b
}

// rates is a control with a wide window that notes what it is told.
type rates struct {
	reno
	best   units.Rate
	rounds int
	sum    units.Bytes
}

func (r *rates) OnAck(a *congestion.Ack, now units.Time) {
	r.best = max(r.best, a.Rate)
	if a.RoundStart {
		r.rounds++
	}
	r.sum += a.Acked
	r.reno.OnAck(a, now)
}
