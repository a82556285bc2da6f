package credit

import "github.com/rdmasim/rdmasim/sim/units"

// Receiver is the receiving side of a lane, with the buffer of that lane.
type Receiver struct {
	size    int   // blocks of the buffer
	held    int   // of them in use
	peak    int   // in use at the most
	came    Count // ABR
	granted Count // FCCL of the flow-control packet sent last
}

// NewReceiver makes the receiving side of a lane whose buffer has so many bytes; what is
// no whole block of them is of no use, and neither is what exceeds 2048 blocks.
func NewReceiver(buffer units.Bytes) Receiver {
	size := min(int(buffer/Block), MostFree)
	return Receiver{size: size, granted: Count(0).Plus(size)}
}

// Came is the count of blocks that have come, ABR.
func (r *Receiver) Came() Count { return r.came }

// Held is how many blocks of the buffer are in use now, Peak how many were at the most,
// and Size how many there are.
func (r *Receiver) Held() int { return r.held }

// Peak is how many blocks were in use at the most.
func (r *Receiver) Peak() int { return r.peak }

// Size is how many blocks the buffer has.
func (r *Receiver) Size() int { return r.size }

// Arrive counts a packet of so many blocks and holds it in the buffer. It tells whether
// the buffer had room for it, as it always has for a packet that was sent by the rules.
func (r *Receiver) Arrive(blocks int) bool {
	r.came = r.came.Plus(blocks)
	r.held += blocks
	r.peak = max(r.peak, r.held)
	return r.held <= r.size
}

// Free gives blocks of the buffer back.
func (r *Receiver) Free(blocks int) {
	if r.held -= blocks; r.held < 0 {
		panic("credit: a lane gave back more than it held")
	}
}

// Limit is the count up to which the sender may send as things are, FCCL: what has come,
// and what is free.
func (r *Receiver) Limit() Count { return r.came.Plus(max(0, r.size-r.held)) }

// News is by how many blocks the limit exceeds what the sender was last told.
func (r *Receiver) News() int {
	if ahead := r.Limit().Minus(r.granted); ahead <= MostFree {
		return ahead
	}
	return 0
}

// Told is how many blocks the sender may still send by what it was last told.
func (r *Receiver) Told() int {
	if left := r.granted.Minus(r.came); left <= MostFree {
		return left
	}
	return 0
}

// Grant gives the limit that a flow-control packet is to bring now, and notes that the
// sender is told.
func (r *Receiver) Grant() Count {
	r.granted = r.Limit()
	return r.granted
}

// Synchronise takes over the sender's own count from a flow-control packet: all that was
// sent before it has come or is lost. It gives the number of blocks that were lost.
func (r *Receiver) Synchronise(sent Count) (lost int) {
	lost = sent.Minus(r.came)
	r.came = sent
	return lost
}
