package rnic

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// ReceiveBuffer is the receive side of a NIC whose host takes in less than the wire can bring:
// a slow PCIe bus, or memory that others are busy with. Packets wait in the receive
// buffer until their payload is on its way to the host, the highest priority first.
type ReceiveBuffer struct {
	// Drain is the rate at which the host takes in payload; behind an adapter that costs time
	// 0 is as fast as the slot brings it.
	Drain units.Rate
	// Size is the room for frames of each lossless priority, and that for frames of
	// all others together.
	Size units.Bytes
	// XOFF is the level of a lossless priority from which on the peer is paused, XON
	// the level down to which it is kept so.
	XOFF, XON units.Bytes
	// Lossless is the set of priorities (bit = priority) under PFC.
	Lossless uint8
}

// Headroom is what a lossless priority can take in after XOFF.
func (b ReceiveBuffer) Headroom() units.Bytes { return b.Size - b.XOFF }

// lossyPart is the part of the receive buffer that the priorities without PFC share;
// the parts of the lossless ones have their numbers.
const lossyPart = pfc.Priorities

// receiveBuffer is a ReceiveBuffer at work.
type receiveBuffer struct {
	ReceiveBuffer
	queues [pfc.Priorities]fabric.Queue[wire.Packet]
	mask   uint8 // priorities with packets
	busy   int   // priority whose first packet is on its way to the host; -1 for none
	parts  [pfc.Priorities + 1]part
}

// part is the account of a part of the receive buffer.
type part struct {
	held, peak units.Bytes
	peakAt     units.Time
}

// Limit gives the NIC a receive buffer that matters, since its host is slow. Without
// it what arrives is with the host at once. It must be called before the run.
func (n *NIC) Limit(b ReceiveBuffer) { n.buffer = &receiveBuffer{ReceiveBuffer: b, busy: -1} }

// Limited tells whether the NIC's host is slow: its owner must then hand packets to
// [NIC.Take] and not to [NIC.Receive].
func (n *NIC) Limited() bool { return n.buffer != nil }

// Draining tells whether packets wait for the host.
func (n *NIC) Draining() bool {
	return n.buffer != nil && (n.buffer.mask != 0 || n.adapter != nil && n.adapter.leaving.Len() > 0)
}

// part is where a priority's frames lie.
func (b *receiveBuffer) part(priority int) *part {
	if b.Lossless&(1<<priority) != 0 {
		return &b.parts[priority]
	}
	return &b.parts[lossyPart]
}

// Take puts a packet that has arrived into the receive buffer, or drops it if there is
// no room. Its owner looks afterwards whether the port has a pause to ask for.
func (n *NIC) Take(p *wire.Packet, priority int, now units.Time) {
	b := n.buffer
	part, size := b.part(priority), units.Bytes(p.Frame)
	fits := part.held+size <= b.Size
	if fits {
		if part.held += size; part.held > part.peak {
			part.peak, part.peakAt = part.held, now
		}
		if n.adapter != nil {
			n.enter(p, priority, now)
		} else {
			b.queues[priority].Push(p)
			b.mask |= 1 << priority
		}
	} else {
		n.port.CountDrop(p, priority)
	}
	if b.Lossless&(1<<priority) != 0 && part.held > 0 && (part.held >= b.XOFF || !fits) {
		n.port.Requester.XOFF(priority) // what is held ends the pause when it has gone
	}
	n.drain(now)
}

// drain begins to move the next packet to the host, if none is being moved. One
// without payload needs no time.
func (n *NIC) drain(now units.Time) {
	b := n.buffer
	if n.halted {
		return
	}
	for b.busy < 0 && b.mask != 0 {
		b.busy = bits.Len8(b.mask) - 1
		payload := b.queues[b.busy].Front().Payload
		if payload > 0 {
			n.timer(drainTimer, now+b.Drain.Serialise(int(payload)), 0)
			return
		}
		n.deliver(now)
	}
}

// deliver hands over the packet that is with the host now.
func (n *NIC) deliver(now units.Time) {
	b, priority := n.buffer, n.buffer.busy
	b.busy = -1
	p := b.queues[priority].Pop() // readable until the next one is queued
	if b.queues[priority].Len() == 0 {
		b.mask &^= 1 << priority
	}
	b.part(priority).held -= units.Bytes(p.Frame)
	n.port.Freed(priority, units.Bytes(p.Frame), now)
	n.letGo(priority)
	n.Receive(p, now)
}

// letGo ends a pause whose cause is gone.
func (n *NIC) letGo(priority int) {
	if n.port.Requester.Wants(priority) && n.mayLetGo(priority) {
		n.port.Requester.XON(priority)
	}
}

// mayLetGo tells whether the NIC has no reason to keep its peer paused.
func (n *NIC) mayLetGo(priority int) bool {
	return n.storms&(1<<priority) == 0 && (n.buffer == nil || n.buffer.part(priority).held <= n.buffer.XON)
}

// OnRefresh handles the time at which a pause that the port asked for is due to be
// repeated: it is, if its cause lasts.
func (n *NIC) OnRefresh(priority int, now units.Time) {
	if n.port.RefreshDue(priority, now) {
		n.letGo(priority)
		n.port.Requester.Refresh(priority)
	}
}

// ReceiveReport is how a part of a receive buffer fared. Its Drain is that of the slot, if that is less.
type ReceiveReport struct {
	ReceiveBuffer
	Held, Peak units.Bytes // now, and at the most
	PeakAt     units.Time
}

// ReceiveBufferOf reports on the part of the receive buffer in which a priority's frames lie;
// false if the host is not slow.
func (n *NIC) ReceiveBufferOf(priority int) (ReceiveReport, bool) {
	if n.buffer == nil {
		return ReceiveReport{}, false
	}
	p := n.buffer.part(priority)
	r := ReceiveReport{n.buffer.ReceiveBuffer, p.held, p.peak, p.peakAt}
	if n.adapter != nil {
		slot := n.adapter.cfg.ReceiveRate(units.Bytes(n.cfg.MTU))
		if r.Drain == 0 || slot != 0 && slot < r.Drain {
			r.Drain = slot
		}
	}
	return r, true
}

// TakenIn counts the data packets that the NIC holds: those of connection management that
// wait for the wire, those in the receive buffer, in its adapter on either way, and behind a
// gap until it is their turn.
func (n *NIC) TakenIn() (packets uint64) {
	for mask := n.controlMask; mask != 0; mask &= mask - 1 {
		q := &n.control[bits.TrailingZeros8(mask)]
		for k := range q.Len() {
			packets += isData(q.At(k))
		}
	}
	if n.objects != nil {
		for _, q := range n.objects.qps {
			if q != nil {
				packets += uint64(len(q.held))
			}
		}
	}
	if n.adapter != nil {
		return packets + n.adapter.underWay()
	}
	if n.buffer == nil {
		return packets
	}
	for i := range n.buffer.queues {
		q := &n.buffer.queues[i]
		for k := range q.Len() {
			packets += isData(q.At(k))
		}
	}
	return packets
}
