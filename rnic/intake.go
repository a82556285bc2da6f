package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// arrival is a packet in the receive pipeline.
type arrival struct {
	packet   wire.Packet
	at       units.Time // when it is through
	priority int32      // of the part of the receive buffer in which it lies
}

// leave is a packet whose payload is on its way over the bus: when it is through, what it
// occupies in the receive buffer is free.
type leave struct {
	at       units.Time
	priority int32
	frame    units.Bytes
}

// completion is a message that has ended, of which the processor learns at a time.
type completion struct {
	at       units.Time
	transfer int
	status   Status
}

// enter has a packet that has arrived pass the receive pipeline. It waits there for the context
// of its queue pair, and packets behind it wait with it; contexts are fetched meanwhile.
func (n *NIC) enter(p *wire.Packet, priority int, now units.Time) {
	a := n.adapter
	context := now // that of the queue pair for management is always there
	if p.QPN != managementQPN {
		context = a.lookup(a.contexts, &a.cfg.Contexts, n.contextKey(p), now)
	}
	pipeline := a.cfg.RxPipeline
	if p.Op.IsTCP() {
		pipeline += a.cfg.TCP
	}
	a.entered = max(a.entered, context, now+pipeline)
	a.arrived.Push(&arrival{*p, a.entered, int32(priority)})
	if a.entered <= now {
		n.takeUp(now)
	} else if a.arrived.Len() == 1 {
		n.timer(arrivalTimer, a.entered, 0)
	}
}

// takeUp handles the packets that are through the receive pipeline.
func (n *NIC) takeUp(now units.Time) {
	a := n.adapter
	a.now = now
	for a.arrived.Len() > 0 && a.arrived.Front().at <= now {
		p := *a.arrived.Pop()
		a.onBus, a.through = now, true
		n.Receive(&p.packet, now)
		a.through = false
		if n.buffer != nil {
			n.makeRoom(leave{a.onBus, p.priority, units.Bytes(p.packet.Frame)}, now)
		}
	}
	if a.arrived.Len() > 0 {
		n.timer(arrivalTimer, a.arrived.Front().at, 0)
	}
}

// makeRoom gives back what a packet occupies in the receive buffer, now or when its payload is on the bus.
func (n *NIC) makeRoom(l leave, now units.Time) {
	a := n.adapter
	if l.at <= now && a.leaving.Len() == 0 {
		n.giveBack(l, now)
		return
	}
	a.leaving.Push(&l)
	if a.leaving.Len() == 1 {
		n.timer(leaveTimer, l.at, 0)
	}
}

// leave gives back what packets occupied whose payload is on the bus.
func (n *NIC) leave(now units.Time) {
	q := &n.adapter.leaving
	for q.Len() > 0 && q.Front().at <= now {
		n.giveBack(*q.Pop(), now)
	}
	if q.Len() > 0 {
		n.timer(leaveTimer, q.Front().at, 0)
	}
}

// giveBack books that a packet has left the receive buffer.
func (n *NIC) giveBack(l leave, now units.Time) {
	n.buffer.part(int(l.priority)).held -= l.frame
	n.port.Freed(int(l.priority), l.frame, now)
	n.letGo(int(l.priority))
}

// WriteMemory writes so many bytes of received payload into the memory in which it belongs, and is when they are
// seen there. A packet occupies the receive buffer until its payload is on the bus: not before the adapter knows where
// it goes ([NIC.holdIntake]), nor before a host that is slow has taken it in.
func (n *NIC) WriteMemory(size units.Bytes, now units.Time) (visible units.Time) {
	a := n.adapter
	if a == nil {
		return now
	}
	if size == 0 {
		_, visible = a.bus.Write(now, a.payload, 0)
		return visible
	}
	a.onBus, visible = a.bus.Write(now, a.payload, size)
	late := max(0, a.memory-a.onBus)
	if n.buffer != nil && n.buffer.Drain > 0 {
		late = max(0, max(now, a.memory)+n.buffer.Drain.Serialise(int(size))-a.onBus)
	}
	a.memory = a.onBus + late
	a.onBus, visible = a.memory, visible+late
	a.seen = visible
	if a.out != nil { // somebody has to copy it on; he does so while more comes
		visible += a.cfg.Bounce.Launch + a.cfg.Bounce.Rate.Serialise(int(size))
	}
	return visible
}

// WriteCompletion writes a completion into host memory and is when it is seen there, behind all payload.
func (n *NIC) WriteCompletion(now units.Time) (visible units.Time) {
	a := n.adapter
	if a == nil {
		return now
	}
	_, visible = a.bus.Write(now, a.cfg.PCIe.Host(), a.cfg.CQE)
	return max(visible, a.seen)
}

// putsOff tells whether the processor has yet to learn of the end of a message, which it does when the completion
// has been written and polled.
func (n *NIC) putsOff(transfer int, s Status, now units.Time) bool {
	a := n.adapter
	if a.handing {
		return false
	}
	at := n.WriteCompletion(now) + a.cfg.Poll
	if at <= now && a.finished.Len() == 0 {
		return false
	}
	a.finished.Push(&completion{at, transfer, s})
	a.queue(n.transfers[transfer].QP).unread++
	if a.finished.Len() == 1 {
		n.timer(completionTimer, at, 0)
	}
	return true
}

// handOver ends messages of which the processor learns now.
func (n *NIC) handOver(now units.Time) {
	a := n.adapter
	for a.finished.Len() > 0 && a.finished.Front().at <= now {
		c := *a.finished.Pop()
		a.handing = true
		n.complete(c.transfer, c.status, now)
		a.handing = false
		i := n.transfers[c.transfer].QP
		if q, qp := a.queue(i), &n.qps[i]; q.unread == 1 && qp.una == qp.end && qp.ledger.by == ByHost {
			n.boundBy(qp, ByNothing, now)
		}
		a.queue(i).unread--
	}
	if a.finished.Len() > 0 {
		n.timer(completionTimer, a.finished.Front().at, 0)
	}
}
