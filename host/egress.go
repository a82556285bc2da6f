package host

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
)

// egress is the segments of TCP that wait at a port, by priority. Each core has a ring of its
// own, as adapters do, and the rings take turns packet by packet; within one, segments
// follow each other.
type egress struct {
	classes [pfc.Priorities]*rings
	mask    uint8 // priorities that have any
	served  [2]units.Bytes
	turn    bool // TCP's turn where both it and the RDMA adapter have a packet of one class
}

type rings struct {
	byCore  []fabric.Queue[burst]
	next    int // whose turn it is
	waiting int
}

// burst is a segment at the adapter, which cuts it into packets.
type burst struct {
	socket *Socket
	seg    tcp.Segment
	at     units.Time // when its first packet can go
	sent   units.Bytes
}

// push adds a segment.
func (e *egress) push(s *Socket, seg *tcp.Segment, at units.Time) {
	p := s.class.Priority
	if e.classes[p] == nil {
		e.classes[p] = new(rings)
	}
	r := e.classes[p]
	for s.soft.number >= len(r.byCore) {
		r.byCore = append(r.byCore, fabric.Queue[burst]{})
	}
	r.byCore[s.soft.number].Push(&burst{socket: s, seg: *seg, at: at})
	r.waiting++
	e.mask |= 1 << p
}

// waiting is the set of priorities (bit = priority) that have a segment.
func (e *egress) waiting() uint8 { return e.mask }

// due is the set of priorities that have a packet to be sent now, and when the next of the
// others has one.
func (e *egress) due(now units.Time, paused uint8) (ready uint8, next units.Time) {
	next = units.Never
	for set := e.mask; set != 0; set &= set - 1 {
		p := bits.TrailingZeros8(set)
		at := units.Never
		for i := range e.classes[p].byCore {
			if q := &e.classes[p].byCore[i]; q.Len() > 0 {
				at = min(at, q.Front().at)
			}
		}
		if at <= now {
			if paused&(1<<p) == 0 {
				ready |= 1 << p
			}
		} else {
			next = min(next, at)
		}
	}
	return ready, next
}

// head is the segment of a priority whose turn it is, of those that can go.
func (e *egress) head(priority int, now units.Time) (*burst, int) {
	r := e.classes[priority]
	for range r.byCore {
		i := r.next % len(r.byCore)
		if q := &r.byCore[i]; q.Len() > 0 && q.Front().at <= now {
			return q.Front(), i
		}
		r.next = i + 1
	}
	panic("host: no segment of TCP can go")
}

// sentFrom notes that a packet of a ring's first segment has gone.
func (e *egress) sentFrom(priority, ring int, whole bool) {
	r := e.classes[priority]
	r.next = ring + 1
	if whole {
		r.byCore[ring].Pop()
		if r.waiting--; r.waiting == 0 {
			e.mask &^= 1 << priority
		}
	}
}

// transmit sends the packet whose turn it is at a port, of TCP or of the RDMA adapter. Where
// both have one, they share the port as a switch's port would: by weight if both classes have one,
// else the higher priority goes first, and within one they take turns.
func (h *Host) transmit(port int, now units.Time) bool {
	k := h.stack
	if k == nil {
		return h.nics[port].Transmit(now)
	}
	p, e := &h.ports[port], &k.egress[port]
	ready, _ := e.due(now, p.Paused(now))
	nic := h.nics[port]
	if ready == 0 {
		return nic.Transmit(now)
	}
	own := bits.Len8(ready) - 1
	if other := nic.Waiting() &^ p.Paused(now); other != 0 || nic.NextPaced() <= now {
		theirs := bits.Len8(other) - 1
		if !k.first(e, own, theirs) {
			before := p.Counters.Class[max(theirs, 0)].Tx.Bytes
			if nic.Transmit(now) {
				e.served[1] += units.Bytes(p.Counters.Class[max(theirs, 0)].Tx.Bytes - before)
				e.turn = true
				return true
			}
		}
	} else {
		e.served = [2]units.Bytes{}
	}
	b, ring := e.head(own, now)
	pk := k.packet(b)
	frame := units.Bytes(pk.Frame)
	p.Transmit(now, pk, own)
	e.served[0] += frame
	e.turn = false
	whole := b.sent >= b.seg.Payload
	s, data := b.socket, b.seg.Payload > 0
	e.sentFrom(own, ring, whole)
	if whole && data {
		k.add(s.soft, task{job: freeing, socket: s}, now)
	}
	return true
}

// first tells whether TCP goes before the RDMA adapter, given the priorities of both.
func (k *stack) first(e *egress, own, theirs int) bool {
	w := k.host.weights
	switch {
	case theirs < 0:
		return e.turn
	case w[own] > 0 && w[theirs] > 0:
		return e.served[0]*units.Bytes(w[theirs]) <= e.served[1]*units.Bytes(w[own])
	case own != theirs:
		return own > theirs
	}
	return e.turn
}
