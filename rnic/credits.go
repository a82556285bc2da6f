package rnic

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// affords tells whether the packet that is next in a priority has credits; if not the port
// holds the priority until it has. A queue pair that is first in line and has nothing to
// send after all needs none.
func (n *NIC) affords(priority int, now units.Time) bool {
	if n.controlMask&(1<<priority) != 0 {
		return n.port.Affords(priority, units.Bytes(n.control[priority].Front().Frame), now)
	}
	qp := &n.qps[*n.ready[priority].Front()]
	if !n.maySend(qp) || qp.nextStart > now {
		return true
	}
	return n.port.Affords(priority, units.Bytes(n.nextFrame(qp)), now)
}

// affordable are those of some priorities of which the packet that is next has credits, up to
// the first that is found from the highest on. The port holds those before it.
func (n *NIC) affordable(mask uint8, now units.Time) uint8 {
	for ; mask != 0; mask &^= 1 << (bits.Len8(mask) - 1) {
		priority := bits.Len8(mask) - 1
		next := n.adapter.data[priority].Front
		if c := &n.adapter.control[priority]; c.Len() > 0 && c.Front().ready <= now {
			next = c.Front
		}
		if n.port.Affords(priority, units.Bytes(next().packet.Frame), now) {
			break
		}
	}
	return mask
}

// nextFrame is the size of the packet that a queue pair would send now; of one that is sent
// again by selective repeat, the largest that it may have.
func (n *NIC) nextFrame(qp *QP) int {
	if qp.irn != nil && qp.irn.repairing() || qp.verbs != nil && qp.verbs.missing {
		return n.cfg.FrameBytes(wire.WriteOnlyImm, n.cfg.MTU)
	}
	if qp.verbs != nil && qp.verbs.answering() {
		a := qp.verbs.answers.Front()
		left := a.length - units.Bytes(a.next-a.first)*units.Bytes(n.cfg.MTU)
		// One from the middle of an answer has no AETH: four bytes that begin no new block.
		return n.cfg.FrameBytes(wire.ReadResponseOnly, int(min(left, units.Bytes(n.cfg.MTU))))
	}
	r := qp.queue.At(qp.current)
	verb := Write
	if qp.verbs != nil {
		verb = r.work.Verb
	}
	switch verb {
	case Read:
		return n.cfg.FrameBytes(wire.ReadRequest, 0)
	case CompareSwap, FetchAdd:
		return n.cfg.FrameBytes(wire.CompareSwap, 0)
	}
	op, payload := piece(verb, r.size, qp.next-r.first, r.packets, n.cfg.MTU)
	if qp.verbs != nil && qp.verbs.init.Service == UD {
		op = wire.DatagramSend
		if verb == SendImm {
			op = wire.DatagramSendImm
		}
	}
	return n.cfg.FrameBytes(op, payload)
}
