package rnic

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Kinds of the timers a NIC sets among those of its host.
const (
	retransmitTimer = fabric.OwnerTimers + iota
	controlTimer
	notifyTimer
	startTimer
	noteTimer
	drainTimer
	stormTimer
	bellTimer
	postedTimer
	rnrTimer
	moderationTimer
	arrivalTimer
	leaveTimer
	completionTimer
	manageTimer
	answerTimer
	streamTimer
	// In serial runs only: see [NIC.HandleSerially].
	installTimer
	beginTimer
	alarmTimer
	clockTimer // the first of as many as a congestion control has clocks
)

// firstQPN is the number of a NIC's first queue pair; 0 and 1 are reserved for
// management (IBTA volume 1, 3.5.10).
const firstQPN = 0x11

// NIC is one port of an RDMA adapter. What every packet needs stands first.
type NIC struct {
	cfg         *Config
	port        *fabric.Port
	buffer      *receiveBuffer // nil if the host keeps up with the wire
	adapter     *adapter       // nil for one that costs nothing
	turns       *turns         // nil but in a serial run
	probe       *probes
	*sendQueues            // made with the first queue pair: most NICs of a large network have none
	controlMask uint8      // priorities in which an acknowledgement or notification waits
	readyMask   uint8      // those in which a queue pair may send now
	storms      uint8      // those in which the NIC pauses its peer for no reason
	halted      bool       // the host is paused, and takes in nothing
	notifies    bool       // marks are answered
	lastID      uint16     // IP identification of the packet made last
	paced       sim.Timers // queue pairs that may send later, by time
	qps         []QP
	// Progress counts what brings the run nearer to its end: packets accepted in
	// order and packets acknowledged.
	Progress  uint64
	scratch   wire.Packet // the data packet being sent
	ack       cc.Ack      // what congestion control is being told
	transfers []Transfer
	interval  units.Time // between notifications of one queue pair
	// Unfinished counts the transfers that have not ended.
	Unfinished int
	// Awaited counts the transfers to this NIC that have not come whole. Where nothing is
	// unfinished and nothing awaited, nothing makes progress any more.
	Awaited int
	// Discarded counts data packets that came and that no queue pair was there to take.
	Discarded uint64
	timers    *sim.Timers
	objects   *objects      // of verbs programs; nil without any
	offload   *offload      // of TCP; nil without any
	index     int           // among the NICs of its host
	endpoint  int32         // its number
	address   topology.Dest // what switches know it by
	notifying int           // notifications waiting for their latency
	notes     []units.Bytes // see NoteAt
	awaited   units.Time    // of the alarm for a pace set last; in chained runs only
}

// sendQueues are the packets and queue pairs that wait for the port, by priority.
type sendQueues struct {
	control [pfc.Priorities]fabric.Queue[wire.Packet] // acknowledgements and notifications
	ready   [pfc.Priorities]fabric.Queue[int32]       // queue pairs that may send now, in turn
}

// New makes the NIC of a host's port. Its timers go among those of the host,
// which hands them back through [NIC.OnTimer].
func New(cfg *Config, index int, endpoint int32, address topology.Dest, port *fabric.Port, timers *sim.Timers) *NIC {
	n := &NIC{cfg: cfg, port: port, timers: timers, index: index, endpoint: endpoint, address: address}
	n.interval, n.notifies = cfg.notifications()
	n.probe = newProbes(cfg, endpoint)
	if cfg.Serial {
		n.takeTurns()
	}
	if cfg.Hardware != nil {
		n.adapter = newAdapter(cfg.Hardware)
	}
	return n
}

// Rate is the rate of the NIC's port.
func (n *NIC) Rate() units.Rate { return n.port.Rate() }

// Endpoint is the number of the NIC's port among all of the network.
func (n *NIC) Endpoint() int32 { return n.endpoint }

// QueuePairs are the NIC's queue pairs; the number of the i-th is QPN(i).
func (n *NIC) QueuePairs() []QP { return n.qps }

// QPN is the number of the i-th queue pair of any NIC.
func QPN(i int) uint32 { return uint32(i + firstQPN) }

// index is the inverse of QPN.
func index(qpn uint32) int { return int(qpn) - firstQPN }

// timer sets a timer for a queue pair.
func (n *NIC) timer(kind int, at units.Time, qp int) {
	n.timers.Add(at, n.timerKey(kind, qp))
}

func (n *NIC) timerKey(kind, of int) uint64 {
	return fabric.OwnerTimer(kind, uint64(n.index)<<32|uint64(of))
}

// TimerNIC is the index of the NIC that a timer's id concerns.
func TimerNIC(id uint64) int { return int(id >> 32) }

// OnTimer handles a timer whose kind is not a port's.
func (n *NIC) OnTimer(kind int, id uint64, now units.Time) {
	n.observe(now)
	if n.adapter != nil {
		n.adapter.now = now
	}
	i := int(uint32(id))
	switch kind {
	case retransmitTimer:
		n.onRetransmitTimer(i, now)
	case controlTimer:
		n.onControlTimer(i, now)
	case notifyTimer:
		n.notifying--
		n.notify(&n.qps[i], *n.qps[i].marks.Pop())
	case startTimer:
		n.begin(i, now)
	case noteTimer:
		n.notes = append(n.notes, n.IntakeOfFlows())
	case drainTimer:
		n.deliver(now)
		n.drain(now)
	case stormTimer:
		n.onStormTimer(i)
	case bellTimer:
		n.onBell(i, now)
	case postedTimer:
		n.onPosted(now)
	case rnrTimer:
		n.onRNRTimer(i, now)
	case moderationTimer:
		n.onModeration(i, now)
	case arrivalTimer, leaveTimer, completionTimer:
		n.onAdapterTimer(kind, now)
	case manageTimer:
		n.onManageTimer(now)
	case answerTimer:
		n.onAnswerTimer(i, now)
	case streamTimer:
		n.onStreamTimer(i, now)
	}
}

// Receive takes in a packet.
func (n *NIC) Receive(p *wire.Packet, now units.Time) {
	if n.adapter != nil && !n.adapter.through {
		n.enter(p, 0, now)
		return
	}
	n.observe(now)
	i := index(p.QPN)
	if uint(i) >= uint(len(n.qps)) {
		n.elsewhere(p, now)
		return
	}
	qp := &n.qps[i]
	switch {
	case p.Op == wire.Acknowledge:
		n.onAck(qp, p, now)
	case p.Op == wire.CNP:
		n.onCNP(i, p.Stamp, now)
	case p.Op.Answers():
		n.onAnswer(qp, p, now)
	case qp.stream != nil:
		qp.stream.receive(p, now)
	default:
		n.respond(qp, p, now)
	}
}

// Waiting is the set of priorities (bit = priority) in which the NIC has a packet
// that only the port's transmitter or a pause holds back.
func (n *NIC) Waiting() uint8 {
	if n.turns != nil || n.adapter != nil {
		return n.waitingElsewhere()
	}
	return n.controlMask | n.readyMask
}

// waitingElsewhere is Waiting where packets do not lie in the NIC's own queues.
func (n *NIC) waitingElsewhere() uint8 {
	if n.turns != nil {
		return n.controlMask | n.waitingInTurn()
	}
	return n.adapter.ready
}

// Pausing tells whether the NIC has a pause to ask for or to end, or credits to grant, that
// it has not come to.
func (n *NIC) Pausing() bool { return n.port.Owes() }

// Notifying tells whether a congestion notification is on its way to the queue.
func (n *NIC) Notifying() bool { return n.notifying > 0 }

// Useful tells whether the NIC has anything pending that could bring its work on:
// a packet that no pause holds back, a retransmission, a transfer to start.
func (n *NIC) Useful() bool {
	if n.Waiting()&^n.port.PausedNow() != 0 || n.Notifying() || n.Draining() || n.Busy() || n.objects.pending() {
		return true
	}
	for i := range n.qps {
		if n.qps[i].deadline != units.Never {
			return true
		}
	}
	return n.Biding()
}

// Biding tells whether the NIC waits for something that comes by itself: the time of a
// packet at its queue pair's pace, the start of a transfer, or the answer to a message of
// connection management, for which it does not wait for ever.
func (n *NIC) Biding() bool {
	if n.Connecting() {
		return true
	}
	for i := range n.qps {
		qp := &n.qps[i]
		if held := n.port.PausedNow()&(1<<qp.data.Priority) != 0; qp.place == waiting && !held {
			return true
		}
	}
	for i := range n.transfers {
		if n.transfers[i].Open < 0 {
			return true
		}
	}
	return false
}

// NextPaced is when the next queue pair that waits for its pace may send, or the next
// packet that waits for its payload or the adapter.
func (n *NIC) NextPaced() units.Time {
	if n.adapter != nil {
		return min(n.NextPick(), n.adapter.next)
	}
	return n.paced.Next()
}

// Transmit sends the packet whose turn it is, if there is one: of the highest
// priority that is not paused, and there acknowledgements and notifications
// before data. The port's transmitter must be free.
func (n *NIC) Transmit(now units.Time) bool {
	n.observe(now)
	if n.adapter != nil {
		return n.transmitStaged(now)
	}
	for n.paced.Next() <= now {
		n.release(n.paced.Pop(), now)
	}
	for {
		mask := n.Waiting() &^ n.port.Paused(now)
		if mask == 0 {
			return false
		}
		priority := bits.Len8(mask) - 1
		if n.port.OnCredits() && !n.affords(priority, now) {
			continue
		}
		if n.controlMask&(1<<priority) != 0 {
			n.port.Transmit(now, n.nextControl(priority), priority)
			return true
		}
		if n.transmitData(n.nextReady(priority), priority, now) {
			return true
		}
	}
}

// transmitData sends the next packet of a queue pair, unless its window, its
// pace or an error has come between since it was found ready.
func (n *NIC) transmitData(i, priority int, now units.Time) bool {
	qp := &n.qps[i]
	if qp.ledger.by == ByPacing && qp.nextStart < now {
		n.book(qp, now)
	}
	qp.place = idle
	sends := n.maySend(qp) && qp.nextStart <= now
	switch {
	case !sends:
	case qp.stream != nil:
		sends = qp.stream.transmit(priority, now)
	case qp.verbs != nil:
		sends = qp.verbs.transmit(priority, now)
	default:
		p := n.segment(qp, now)
		if n.adapter != nil {
			n.stage(i, p, priority, now)
		} else {
			n.port.Transmit(now, p, priority)
		}
		n.account(i, p, now)
	}
	n.enrol(i, now)
	return sends
}

// enrol puts a queue pair that may send where the scheduler will find it: in the
// ring if its pace allows it when the port is free next, else among the paced.
func (n *NIC) enrol(i int, now units.Time) {
	qp := &n.qps[i]
	if qp.place == ready {
		return
	}
	if n.turns != nil {
		n.noteTurn(qp, now)
		return
	}
	if qp.stream != nil {
		qp.stream.look(now)
	}
	if n.adapter != nil {
		n.enrolAtAdapter(i, now)
		return
	}
	if !n.maySend(qp) {
		n.boundBy(qp, resting(qp), now)
		return
	}
	if qp.nextStart <= max(now, n.port.FreeAt) {
		if qp.ledger.by != moving(qp, ByLink) {
			n.inLine(qp, now)
		}
		qp.place = ready
		at := int32(i)
		n.ready[qp.data.Priority].Push(&at)
		n.readyMask |= 1 << qp.data.Priority
		return
	}
	n.boundBy(qp, moving(qp, ByPacing), now)
	if qp.place == waiting && qp.pacedAt <= qp.nextStart {
		return // its entry comes up in time, and moves it on
	}
	qp.place, qp.pacedAt = waiting, qp.nextStart
	n.paced.Add(qp.nextStart, uint64(i))
}

// release looks at a queue pair whose pace is due; an entry that is not its
// latest is stale.
func (n *NIC) release(t sim.Timer, now units.Time) {
	if qp := &n.qps[t.Key]; qp.place == waiting && qp.pacedAt == t.At {
		qp.place = idle
		if qp.nextStart < now { // the port was busy when it was due
			n.boundBy(qp, moving(qp, ByLink), max(qp.nextStart, qp.ledger.since))
		}
		n.enrol(int(t.Key), now)
	}
}

func (n *NIC) nextReady(priority int) int {
	q := &n.ready[priority]
	i := *q.Pop()
	if q.Len() == 0 {
		n.readyMask &^= 1 << priority
	}
	return int(i)
}

func (n *NIC) nextControl(priority int) *wire.Packet {
	q := &n.control[priority]
	p := q.Pop()
	if q.Len() == 0 {
		n.controlMask &^= 1 << priority
	}
	return p
}

// dressControl gives an acknowledgement or notification what all of its class have.
func (n *NIC) dressControl(c Class, p *wire.Packet) {
	p.DSCP = c.DSCP
	p.ECN = wire.ECT0
	n.lastID++
	p.ID = n.lastID
	p.Frame = uint16(n.cfg.FrameBytes(p.Op, 0))
}

// queueControl puts an acknowledgement or notification in line.
func (n *NIC) queueControl(c Class, p *wire.Packet) {
	n.dressControl(c, p)
	if n.adapter != nil {
		n.stageControl(p, c.Priority)
		return
	}
	n.control[c.Priority].Push(p)
	n.controlMask |= 1 << c.Priority
}
