package fabric

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/wire"
)

// Frame is a kind of frame, as faults and their books tell them apart.
type Frame uint8

// The kinds of frame.
const (
	DataFrame   Frame = iota // a piece of a request message
	AckFrame                 // positive acknowledgement
	NakFrame                 // negative acknowledgement
	CNPFrame                 // congestion notification
	PauseFrame               // PFC frame that begins or prolongs a pause
	ResumeFrame              // PFC frame that only ends pauses
	CreditFrame              // flow-control packet of InfiniBand
	// FrameKinds is how many kinds there are.
	FrameKinds
)

// String is the kind as scenarios and results write it.
func (f Frame) String() string {
	return [...]string{"data", "ack", "nak", "cnp", "pfc-pause", "pfc-resume", "credit"}[f]
}

// FrameSet is a set of kinds of frame (bit = kind).
type FrameSet uint8

// AllFrames is the set of all kinds.
const AllFrames FrameSet = 1<<FrameKinds - 1

// Holds tells whether a kind is in the set.
func (s FrameSet) Holds(f Frame) bool { return s&(1<<f) != 0 }

// frameOf is the kind of a packet.
func frameOf(p *wire.Packet) Frame {
	switch {
	case p.Op.IsData():
		return DataFrame
	case p.Op == wire.CNP:
		return CNPFrame
	case p.Op == wire.TCPAck, p.Syndrome == wire.Ack:
		return AckFrame
	}
	return NakFrame
}

// pfcFrameOf is the kind of a PFC frame.
func pfcFrameOf(f *wire.PFC) Frame {
	for set := f.Classes; set != 0; set &= set - 1 {
		if f.Quanta[bits.TrailingZeros8(set)] != 0 {
			return PauseFrame
		}
	}
	return ResumeFrame
}
