package fabric

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/wire"
)

// egress is one queue of an output port: the frames of one priority, in order. If each
// flow has a queue of its own its frames are in [flowQueues], and packets is empty.
type egress struct {
	packets Queue[wire.Packet]
	bytes   units.Bytes
	mark    units.Bytes // length up to which no packet that leaves is marked
	peak    units.Bytes
	peakAt  units.Time
}

// Switch is a shared-memory, output-queued switch. A frame whose last bit has
// come in and has passed the pipeline is classified, charged to the buffer
// account of its ingress port and priority, routed, and queued at its output,
// where a scheduler, by default strict priority, picks among the classes that the
// peer has not paused. A switch that cuts through does all this once the header is
// there, if the output is free.
//
// A transmitter that finds nothing to send schedules nothing: "transmitter
// free" is an event only when something waits.
type Switch struct {
	arrivals    Arrivals      // by port: next frame to come out of the pipeline
	transmits   sim.Timetable // by port: transmitter free, and something waits
	timers      sim.Timers
	arrivedAt   units.Time   // of the latest arrival
	lastArrival int          // and its port
	wonTie      []units.Time // by port: when it was last the first of several arrivals
	digest      sim.Digest
	events      uint64
	lately      uint64 // events of the window before
	hops        uint64 // packets sent

	ports   []Port
	backlog []uint8 // by port: priorities with frames queued
	queues  []egress
	markers []marker // by queue
	buffer  Buffer

	priorityOf *[64]uint8 // by DSCP
	lane       [pfc.Priorities]int8
	group      [pfc.Priorities]int8 // the same for groups of the buffer
	lanes      int                  // priorities in use; queues are indexed port*lanes+lane
	classes    uint8                // the set of them (bit = priority)
	has        features
	warms      bool // whether the network is too large for a cache

	node   int
	awake  Awake
	salt   uint64
	tuples *tuples // in place of hash and salt, if not nil
	routes *topology.SwitchRoutes
	tables []*topology.SwitchRoutes // of the changes of routes to come, by number
	probe  *probes
	pins   map[Address]uint16   // ports of packets that are pinned to a way; nil if there are none
	coins  *variate.MRG32k3a    // shared with all switches; nil in our own runs
	owed   []Queue[pfc.Message] // by port: with shared coins, PFC frames that wait for the wire

	watchdog *watchdog // nil if it is off
	notes    pauseNotes

	// What it has only if the feature is on.
	schedulers  []scheduler   // by port
	crossing    *crossing     // frames between input and output; nil but in chained runs
	leaving     []wire.Packet // by port: the packet being sent, which still holds its memory; Frame 0 for none
	limits      *egressLimits
	flows       []*flowQueues // by queue; nil for those that are first in, first out
	red         *red
	refused     []Refused // by queue
	refusedData uint64    // of the refused packets, those that carry data

	passed, stored uint64 // frames by cut-through, and others
}

// features is the set of what a switch may have beyond the plainest; a switch
// without any pays a test of this set.
type features uint8

const (
	cuttingThrough features = 1 << iota // passes frames on once their header is there
	scheduling                          // serves its queues otherwise than by strict priority alone
	holding                             // holds a frame's memory until its last bit has left
	limiting                            // bounds its egress queues
	detecting                           // runs RED otherwise than by marking what leaves
	serially                            // is part of a serial run
	flowQueueing                        // has a queue for each flow of some priorities
	credited                            // its links are flow-controlled by credits; it is holding too
)

var _ sim.Node = (*Switch)(nil)

// NextEvent implements [sim.Node].
func (s *Switch) NextEvent() units.Time {
	return min(s.timers.Next(), s.transmits.Earliest(), s.arrivals.Earliest())
}

// RunUntil implements [sim.Node]. At equal times pauses come before
// transmissions and these before arrivals, so that a frame makes room before
// the next one asks for it.
func (s *Switch) RunUntil(limit units.Time) uint64 {
	s.awake.Say()
	if s.warms && s.lately >= many && limit-s.arrivals.Earliest() >= worthwhile {
		s.warm(limit)
	}
	before := s.events
	for {
		timer, send, arrive := s.timers.Next(), s.transmits.Earliest(), s.arrivals.Earliest()
		now := min(timer, send, arrive)
		if now >= limit {
			s.lately = s.events - before
			return s.lately
		}
		if s.probe != nil {
			s.probe.before(now, s)
		}
		s.events++
		switch now {
		case timer:
			s.onTimer(s.timers.Pop())
		case send:
			s.transmit(s.transmits.First(), now)
		default:
			if port := s.nextArrival(now); s.has&cuttingThrough == 0 || !s.storesFirst(port, now) {
				s.arrive(port, now)
			}
		}
	}
}

// nextArrival picks the port whose frame is handled next. Of frames that arrive at
// the same instant, that of the port comes first which was first in such a case the
// longest time ago; the others follow in the order of the ports, going round. With
// any fixed order, senders in step would meet in the same order for ever, and the
// first of them would get every place that a full buffer has to give.
func (s *Switch) nextArrival(now units.Time) int {
	if now == s.arrivedAt {
		s.lastArrival = s.arrivals.FirstAfter(s.lastArrival)
		return s.lastArrival
	}
	first := s.arrivals.First()
	if s.arrivals.Draws() {
		for other := s.arrivals.NextBefore(first+1, now+1); other >= 0; other = s.arrivals.NextBefore(other+1, now+1) {
			if s.wonTie[other] < s.wonTie[first] {
				first = other
			}
		}
		s.wonTie[first] = now
	}
	s.arrivedAt, s.lastArrival = now, first
	return first
}

// arrive handles the frame that has come out of the pipeline of a port.
func (s *Switch) arrive(port int, now units.Time) {
	in := &s.ports[port]
	p := in.Receive()
	priority := int(s.priorityOf[p.DSCP])
	in.CountIn(p, priority)
	if s.has&credited != 0 {
		in.TakeIn(p, priority)
	}
	s.digest.Fold(uint64(now), uint64(port)<<32^uint64(p.PSN)<<8^uint64(p.Op)^uint64(p.Flow)<<20)
	out, group := s.route(p), int(s.group[priority])
	if out == noRoute {
		in.countUnroutable(p.Frame, isData(p))
		if s.has&credited != 0 {
			s.freeOnCredit(port, priority, units.Bytes(p.Frame), now)
		}
		return
	}
	if s.watchdog != nil && s.watchdog.storms > 0 && s.discards(port, out, priority, p) {
		return
	}
	if s.has&(limiting|detecting) != 0 && s.refuses(out, priority, p, now) {
		return
	}
	if s.has&^cuttingThrough == 0 && s.isIdle(out, priority, now) && s.buffer.passes(port, group, units.Bytes(p.Frame), now) {
		s.pass(out, priority, p, now)
		s.resumeIfDue(port, priority, group, now)
		return
	}
	if !s.buffer.admit(port, group, units.Bytes(p.Frame), now) {
		in.CountDrop(p, priority)
		s.pauseIfFull(port, priority, now)
		return
	}
	p.Ingress = uint16(port)
	if s.has&serially != 0 { // a pause is decided on before the frame is queued
		s.pauseIfDue(port, priority, group, now)
		s.joinSerially(out, priority, p, now)
		return
	}
	s.enqueue(out, priority, p, now)
	if s.buffer.mustPause(port, group) && in.Requester.XOFF(priority) {
		s.decided(port, now)
	}
}

// isIdle tells whether nothing stands between a frame of that priority and the wire.
func (s *Switch) isIdle(port, priority int, now units.Time) bool {
	out := &s.ports[port]
	return out.FreeAt <= now && s.backlog[port] == 0 && out.Requester.Pending() == 0 && out.Paused(now)&(1<<priority) == 0
}

// pass sends a frame at once by an idle port. The books are as if it had been queued and
// charged to the buffer like any other; that it is not saves a fifth of all time. Its
// group cannot have to pause for it: one that has room for it in the shared pool, and
// holds no headroom, is below its threshold.
func (s *Switch) pass(port, priority int, p *wire.Packet, now units.Time) {
	if q := &s.queues[s.queue(port, priority)]; units.Bytes(p.Frame) > q.peak {
		q.peak, q.peakAt = units.Bytes(p.Frame), now
	}
	s.ports[port].Transmit(now, p, priority)
	s.hops++
}

// pauseIfDue asks the upstream for a pause if a group has reached its threshold.
func (s *Switch) pauseIfDue(port, priority, group int, now units.Time) {
	if s.buffer.mustPause(port, group) && s.ports[port].Requester.XOFF(priority) {
		s.decided(port, now)
	}
}

// pauseIfFull has a lossless group that has no room for a frame ask for a pause,
// even if that frame is all that is missing to its threshold. One that holds nothing
// does not: nothing would ever leave it and end the pause.
func (s *Switch) pauseIfFull(port, priority int, now units.Time) {
	if s.coins == nil && s.buffer.isPausable(port, int(s.group[priority])) && s.ports[port].Requester.XOFF(priority) {
		s.decided(port, now)
	}
}

// decided has a port say that a pause begins or ends: before anything else once it is
// free, or at once where that takes no time. In a serial run with shared coins the frame
// that says so takes one of their numbers, and is sent whatever is decided after it.
func (s *Switch) decided(port int, now units.Time) {
	out := &s.ports[port]
	if s.coins != nil {
		s.coins.Skip()
		m := out.Requester.Take()
		s.owed[port].Push(&m)
	}
	if !out.PausesAtOnce() {
		s.kick(port, now)
	} else if out.Requester.Pending() != 0 {
		s.note(port, out.TransmitPFC(now), now)
	}
}

// queue is the index of the queue of an output port and priority.
func (s *Switch) queue(port, priority int) int { return port*s.lanes + int(s.lane[priority]) }

// enqueue puts a frame at the end of its queue and sends it at once if it can.
func (s *Switch) enqueue(port, priority int, p *wire.Packet, now units.Time) {
	i := s.queue(port, priority)
	q := &s.queues[i]
	if f := s.apart(i); f == nil {
		q.packets.Push(p)
	} else {
		f.push(p)
	}
	q.bytes += units.Bytes(p.Frame)
	if q.bytes > q.peak {
		q.peak, q.peakAt = q.bytes, now
	}
	if s.has&limiting != 0 {
		s.limits.charge(i, units.Bytes(p.Frame))
	}
	s.backlog[port] |= 1 << priority
	s.kick(port, now)
}

// kick has a port send if it can, or wakes it when its transmitter is free.
func (s *Switch) kick(port int, now units.Time) {
	if free := s.ports[port].FreeAt; free > now {
		if s.transmits.At(port) != free {
			s.transmits.Set(port, free)
		}
		return
	}
	s.transmit(port, now)
}

// transmit sends what a free port is to send now: a pause frame before all else,
// then the head of the queue whose turn it is among those that are not paused, by
// strict priority the highest.
func (s *Switch) transmit(port int, now units.Time) {
	if s.has&(serially|holding) != 0 && s.transmitsOtherwise(port, now) {
		return
	}
	out := &s.ports[port]
	var sent *wire.Packet
	wake := units.Never
	if out.Requester.Pending() != 0 {
		s.note(port, out.TransmitPFC(now), now)
	} else if ready := s.backlog[port] &^ out.Paused(now); ready != 0 {
		priority := bits.Len8(ready) - 1
		if s.has&scheduling != 0 {
			priority, wake = s.schedule(port, ready, now)
		}
		if priority >= 0 {
			sent = s.dequeue(port, priority, now)
			out.Transmit(now, sent, priority)
			s.hops++
		}
	}
	if out.FreeAt > now && (out.Requester.Pending() != 0 || s.backlog[port]&^out.Paused(now) != 0) {
		wake = out.FreeAt
	}
	if sent != nil && s.has&holding != 0 {
		s.leaving[port], wake, sent = *sent, out.FreeAt, nil
	}
	if s.transmits.At(port) != wake {
		s.transmits.Set(port, wake)
	}
	if sent != nil {
		s.release(port, sent, now)
	}
}

// dequeue takes the head of a queue and marks it if what it leaves is long. It stays
// readable until the next frame is queued there.
func (s *Switch) dequeue(port, priority int, now units.Time) (p *wire.Packet) {
	i := s.queue(port, priority)
	q := &s.queues[i]
	if s.has&flowQueueing == 0 { // as take does, without a call
		p = q.packets.Pop()
		q.bytes -= units.Bytes(p.Frame)
	} else {
		p = s.take(i)
	}
	if q.bytes == 0 {
		s.backlog[port] &^= 1 << priority
	}
	if q.bytes > q.mark && s.markable(p) && s.markers[i].marks(q.bytes) {
		s.mark(p, port, priority, now)
	}
	if s.has&detecting != 0 {
		s.leaveRED(i, p, port, priority, now)
	}
	return p
}

// markable tells whether it is to be decided about marking a packet. Where coins are
// shared, one that is marked already takes its coin like any other.
func (s *Switch) markable(p *wire.Packet) bool { return p.ECN == wire.ECT0 || s.coins != nil }

// take takes the frame out of a queue that is next.
func (s *Switch) take(queue int) (p *wire.Packet) {
	q := &s.queues[queue]
	if f := s.apart(queue); f == nil {
		p = q.packets.Pop()
	} else {
		p = f.pop()
	}
	q.bytes -= units.Bytes(p.Frame)
	return p
}

// mark sets congestion experienced.
func (s *Switch) mark(p *wire.Packet, port, priority int, now units.Time) {
	p.Mark(now)
	s.ports[port].Counters.Class[priority].Marked++
}

// release gives the memory back of a frame that leaves by a port, and lets its
// upstream go on if that was what it waited for.
func (s *Switch) release(out int, p *wire.Packet, now units.Time) {
	port, priority := int(p.Ingress), int(s.priorityOf[p.DSCP])
	group := int(s.group[priority])
	s.buffer.release(port, group, units.Bytes(p.Frame))
	if s.has&limiting != 0 {
		s.limits.release(s.queue(out, priority), units.Bytes(p.Frame))
	}
	s.resumeIfDue(port, priority, group, now)
}

// resumeIfDue lets the upstream go on if a group may.
func (s *Switch) resumeIfDue(port, priority, group int, now units.Time) {
	if in := &s.ports[port]; in.Requester.Wants(priority) && s.buffer.mayResume(port, group) {
		in.Requester.XON(priority)
		s.decided(port, now)
	}
}

// noRoute is the output port of a packet for which there is none.
const noRoute = -1

// route chooses the output port: the only one, or one of several of equal cost
// by the hash of the packet's 5-tuple and a salt of this switch's own. A packet that is
// pinned to a way goes that way.
func (s *Switch) route(p *wire.Packet) int {
	if s.pins != nil {
		to := Address{topology.Dest{Edge: int32(p.Edge), Port: p.EdgePort}, p.QPN}
		if port, pinned := s.pins[to]; pinned {
			return int(port)
		}
	}
	ports := s.routes.NextHops(topology.Dest{Edge: int32(p.Edge), Port: p.EdgePort})
	if len(ports) == 1 {
		return int(ports[0])
	}
	if len(ports) == 0 {
		return noRoute
	}
	if s.tuples != nil {
		return int(ports[s.Choose(p.Flow, len(ports))])
	}
	return int(ports[s.hash(p.Flow, len(ports))])
}

// saltOf is the ECMP salt of the switch of that name.
func saltOf(cfg *Config, name string) uint64 {
	if cfg.SharedSalt {
		name = ""
	}
	stream := sim.NewStream(cfg.PathSeed, name, "ecmp")
	return stream.Uint64()
}

// Choose is this switch's ECMP decision: which of n next hops, in the order of
// their ports, the flow with that hash takes.
func (s *Switch) Choose(flow uint32, n int) int {
	if s.tuples != nil {
		return s.tuples.choose(flow, uint32(s.node), n)
	}
	return s.hash(flow, n)
}

// hash is the decision by hash and salt.
func (s *Switch) hash(flow uint32, n int) int {
	h := (uint64(flow) ^ s.salt) * 0x9E3779B97F4A7C15
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return int((h >> 32) * uint64(n) >> 32)
}

// onTimer handles what comes up rarely.
func (s *Switch) onTimer(t sim.Timer) {
	kind, id := TimerKind(t.Key)
	switch kind {
	case watchdogPoll:
		s.pollWatchdog(t.At)
		return
	case RoutesChange:
		s.routes = s.tables[id]
		return
	}
	port, priority := TimerPort(id)
	p := &s.ports[port]
	switch kind {
	case PauseArrives:
		if p.Obey(t.At) {
			s.kick(port, t.At)
		}
	case PauseEnds:
		s.kick(port, t.At)
	case PauseRefresh:
		s.refresh(port, priority, t.At)
	case LinkChanges:
		p.ChangeLink(priority, t.At)
		s.kick(port, t.At)
	case CreditsArrive, CreditsCount, CreditsDue:
		p.OnCreditTimer(kind, priority, t.At)
		s.kick(port, t.At)
	}
}

// refresh repeats a pause whose cause lasts, and ends one whose cause has gone
// (a dynamic threshold can rise without any frame of the group moving).
func (s *Switch) refresh(port, priority int, now units.Time) {
	p := &s.ports[port]
	if !p.RefreshDue(priority, now) {
		return
	}
	if s.buffer.mayResume(port, int(s.group[priority])) {
		p.Requester.XON(priority)
	}
	if p.Requester.Refresh(priority) {
		s.decided(port, now)
	}
}
