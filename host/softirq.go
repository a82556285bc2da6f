package host

import (
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/wire"
)

// job is what a softirq does next, or is at.
type job uint8

const (
	nothing   job = iota
	interrupt     // the handler of an interrupt, which has the softirq look at the ring
	reception     // packets out of the ring, and one aggregate of them through TCP
	transmit      // a segment through TCP and the driver to the adapter
	freeing       // of a segment that has been sent
	timer         // of a connection
)

// task is a piece of work of a softirq for a connection.
type task struct {
	job    job
	socket *Socket
	out    tcp.Segment // to be transmitted
}

// softirq is what the kernel does on a core by itself: it takes packets out of the core's
// receive ring, merges them, and takes them through TCP; it sends what acknowledgements let
// go, and what timers ask for.
//
// Source: Linux, net/core/dev.c (NAPI, GRO), Documentation/networking/napi.
type softirq struct {
	ring      fabric.Queue[wire.Packet] // packets that adapters have written and nobody has looked at
	polling   bool                      // interrupts are off: the ring is looked at without them
	closing   bool                      // it has been found empty; what was merged is still to go through TCP
	raised    bool                      // an interrupt waits for the core
	moderated bool                      // one will be raised at a time that is set
	found     int                       // packets since the last one
	held      []aggregate               // packets being merged, the oldest first
	ready     fabric.Queue[aggregate]   // that are to go through TCP
	tasks     fabric.Queue[task]

	item  job // what it is at
	task  task
	batch aggregate // of a reception; its socket may be nil

	keeps units.Time // since when it has kept threads from the core
	owes  bool       // a thread may go first now
}

// aggregate is packets of one connection that have been merged (GRO).
type aggregate struct {
	socket *Socket
	seg    tcp.Segment
}

// maxHeld is how many aggregates are held back at a time in the hope of more packets
// (Linux: MAX_GRO_SKBS in each of 8 buckets).
const maxHeld = 64

// waits tells whether the softirq has anything to do or to end.
func (s *softirq) waits() bool {
	return s.item != nothing || s.raised || s.polling || s.tasks.Len() > 0
}

// yields tells whether a thread that waits for the core goes first: after the softirq has had
// its time both take turns, as the scheduler has ksoftirqd do.
func (s *softirq) yields(now, budget units.Time) bool {
	if s.keeps == units.Never {
		s.keeps = now
	}
	return s.owes && now-s.keeps >= budget
}

// threadRan notes that a thread has had its turn.
func (s *softirq) threadRan() { s.owes = false }

// came takes a packet of TCP into the ring of the core that handles its connection.
func (k *stack) came(p *wire.Packet, now units.Time) {
	k.traffic.Packets++
	k.traffic.DMAIn += units.Bytes(p.Frame)
	s := k.admit(p, now)
	if s == nil {
		return
	}
	c := s.soft
	q := &c.soft
	if q.ring.Len() >= k.cfg.Ring {
		k.traffic.RingDrops++
		k.traffic.RingDropBytes += units.Bytes(p.Frame)
		k.drop(p)
		s.RingDrops++
		return
	}
	q.ring.Push(p)
	k.moderate(c, now)
}

// moderate has a core that packets wait for look at them: when an interrupt is due.
func (k *stack) moderate(c *core, now units.Time) {
	q := &c.soft
	switch {
	case q.polling || q.raised || q.ring.Len() == 0:
	case k.cfg.BusyPoll:
		q.polling = true
		k.wakeCore(c, now)
	case q.ring.Len() >= k.cfg.Frames || k.moderation(q) == 0:
		k.raise(c, now)
	case !q.moderated:
		q.moderated = true
		k.host.timers.Add(now+k.moderation(q), fabric.OwnerTimer(moderatedTimer, uint64(c.number)))
	}
}

// moderation is how long the next interrupt of a core waits for more packets.
func (k *stack) moderation(q *softirq) units.Time {
	if q.found >= k.cfg.BulkFrom {
		return k.cfg.Bulk
	}
	return k.cfg.Moderation
}

// raise raises an interrupt at a core.
func (k *stack) raise(c *core, now units.Time) {
	k.traffic.Interrupts++
	k.host.disturb(c, now)
	c.soft.raised = true
	k.wakeCore(c, now)
}

// wakeCore has a core that is idle serve its softirq at once.
func (k *stack) wakeCore(c *core, now units.Time) {
	if c.serving {
		return
	}
	if c.freeAt <= now && !c.armed && len(c.line) == 0 && c.at == nil {
		k.host.serve(c, now)
	}
	k.host.arm(c, now)
}

// onModerated handles the time of a moderated interrupt.
func (k *stack) onModerated(c *core, now units.Time) {
	c.soft.moderated = false
	if q := &c.soft; q.ring.Len() > 0 && !q.polling && !q.raised {
		k.raise(c, now)
	}
}

// add gives the softirq of a core a task.
func (k *stack) add(c *core, t task, now units.Time) {
	c.soft.tasks.Push(&t)
	k.wakeCore(c, now)
}

// begin begins what the softirq of a core does next. It tells whether there was anything.
func (k *stack) begin(c *core, now units.Time) bool {
	q, cfg := &c.soft, k.cfg
	if q.keeps == units.Never {
		q.keeps = now
	}
	switch {
	case q.raised:
		q.raised, q.polling, q.found = false, true, 0
		q.item = interrupt
		var first *Socket
		if q.ring.Len() > 0 {
			first = k.socketOf(q.ring.At(0))
		}
		k.spend(c, first, Interrupts, cfg.Interrupt, now)
	case q.tasks.Len() > 0:
		q.task = *q.tasks.Pop()
		q.item = q.task.job
		switch q.item {
		case transmit:
			k.spend(c, q.task.socket, Transmission, cfg.Transmit, now)
		case freeing:
			k.spend(c, q.task.socket, Transmission, cfg.Completion, now)
		default:
			k.spend(c, q.task.socket, Reception, cfg.Ack, now)
		}
	case q.polling:
		return k.poll(c, now)
	default:
		return false
	}
	q.owes = true
	return true
}

// poll begins to take packets out of the ring, up to the first that completes an aggregate. When
// it finds the ring empty, what is held goes through TCP, and then interrupts are on again
// (napi_complete_done). It tells whether there was anything.
func (k *stack) poll(c *core, now units.Time) bool {
	q := &c.soft
	packets := 0
	for !q.closing && q.ready.Len() == 0 && q.ring.Len() > 0 {
		k.merge(q, q.ring.Pop())
		packets++
		q.found++
	}
	if q.ring.Len() == 0 && !q.closing { // what comes from now on has another interrupt
		q.closing = true
		for i := range q.held {
			q.ready.Push(&q.held[i])
		}
		q.held = q.held[:0]
	}
	if q.ready.Len() == 0 {
		q.polling, q.closing = false, false
		q.keeps = units.Never
		k.moderate(c, now)
		return q.polling || q.raised
	}
	q.batch = *q.ready.Pop()
	cost := units.Time(packets) * k.cfg.Packet
	if q.batch.seg.Payload > 0 {
		cost += k.cfg.Aggregate
		k.traffic.Aggregates++
	} else {
		cost += k.cfg.Ack
		k.traffic.Acks++
	}
	if q.batch.seg.Flags&(tcp.SYN|tcp.ACK) == tcp.SYN {
		cost += k.cfg.Open
	}
	q.item = reception
	q.owes = true
	k.spend(c, q.batch.socket, Reception, cost, now)
	return true
}

// merge adds a packet to the aggregate of its connection that is held, or begins one.
// Acknowledgements without data are not merged, nor is what differs in more than its place
// (Linux: tcp_gro_receive).
func (k *stack) merge(q *softirq, p *wire.Packet) {
	s, seg := k.read(p)
	at := slices.IndexFunc(q.held, func(a aggregate) bool { return a.socket == s })
	if at >= 0 {
		h := &q.held[at].seg
		same := seg.Payload > 0 && seg.Seq == h.Seq+uint32(h.Payload) && seg.Ack == h.Ack && (seg.Marked > 0) == (h.Marked > 0) &&
			(seg.Flags^h.Flags)&^tcp.PSH == 0 && h.Payload+seg.Payload <= k.cfg.Merged
		if same {
			h.Payload += seg.Payload
			h.Packets++
			h.Marked += seg.Marked
			h.Window = seg.Window
			h.Flags |= seg.Flags
			if seg.Flags&tcp.PSH != 0 || h.Payload+s.mss > k.cfg.Merged {
				k.release(q, at)
			}
			return
		}
		k.release(q, at)
	}
	a := aggregate{s, seg}
	if !k.cfg.Merging || seg.Payload == 0 || seg.Flags&(tcp.PSH|tcp.FIN|tcp.SYN|tcp.RST) != 0 {
		q.ready.Push(&a)
		return
	}
	if len(q.held) == maxHeld {
		k.release(q, 0)
	}
	q.held = append(q.held, a)
}

// release has an aggregate go through TCP.
func (k *stack) release(q *softirq, i int) {
	q.ready.Push(&q.held[i])
	q.held = slices.Delete(q.held, i, i+1)
}

// spend has a core work for the kernel, for a socket if it is known which.
func (k *stack) spend(c *core, s *Socket, w Work, d units.Time, now units.Time) {
	if s != nil {
		s.kernel += d
	}
	c.freeAt = now + d
	c.work(w, d, now)
}

// finish does what the softirq of a core has worked for.
func (k *stack) finish(c *core, now units.Time) {
	q := &c.soft
	item := q.item
	q.item = nothing
	k.observe(now)
	switch item {
	case reception:
		a := q.batch
		q.batch = aggregate{}
		k.deliver(a.socket, &a.seg, now)
	case transmit:
		q.task.socket.queued--
		k.emit(q.task.socket, &q.task.out, now+k.cfg.DMA, now)
		k.advance(q.task.socket, now)
	case freeing:
		q.task.socket.below--
		k.advance(q.task.socket, now)
	case timer:
		q.task.socket.onTimer(now)
		k.advance(q.task.socket, now)
	}
}
