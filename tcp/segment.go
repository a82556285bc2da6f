package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// Flags are the control bits of a segment, as in the header (RFC 9293, section 3.1; RFC 3168).
type Flags uint8

// The control bits.
const (
	FIN Flags = 1 << iota // no more data from the sender
	SYN                   // synchronise sequence numbers
	RST                   // reset the connection
	PSH                   // hand over what has come
	ACK                   // the acknowledgement field is significant
	URG                   // not used here
	ECE                   // echo of a congestion mark; on a SYN: the sender understands ECN
	CWR                   // the window has been reduced; on a SYN: see ECE
)

// Has reports whether all of g are set in f.
func (f Flags) Has(g Flags) bool { return f&g == g }

// Range is a range of sequence numbers, End excluded.
type Range struct{ Start, End uint32 }

// Options are what a SYN offers beside its largest segment. A SYN without Offered says nothing:
// the two ends then take each other to be configured alike.
type Options uint8

// What a SYN can offer.
const (
	Offered     Options = 1 << iota // the other bits, and Segment.MSS, count
	PermitSACK                      // SACK permitted (RFC 2018)
	WindowScale                     // windows are scaled (RFC 7323)
	Timestamps                      // timestamps (RFC 7323)
)

// Segment is what one end sends the other: data of up to 64 KiB that its adapter cuts into
// packets (TSO), or that the receive path has merged (GRO). All of it is plain values: whoever
// carries it may copy it, and cut or merge the payload at multiples of the largest segment.
type Segment struct {
	Seq, Ack uint32      // as in the header; Ack counts if Flags has ACK
	Payload  units.Bytes // 0 to 64 KiB
	Window   units.Bytes // as advertised, unscaled: a multiple of 1<<Shift of the sender, except in a SYN
	Packets  int         // packets it came in or will be sent in; at least 1
	Marked   int         // of these, those that came CE-marked
	Sacks    [4]Range    // the first SackCount count; one that is acknowledged already, or lies within the second, reports a duplicate (RFC 2883)

	SackCount int
	MSS       units.Bytes // of a SYN: the largest payload that its sender takes of a packet without options; only with Offered
	Options   Options     // of a SYN
	Flags     Flags
	ECT       bool // sent as ECN-capable

	// Retransmission says that its payload has been sent before. It is not on the wire.
	Retransmission bool
}

// span returns the sequence numbers that s takes, SYN and FIN included.
func (s *Segment) span() int64 {
	n := int64(s.Payload)
	if s.Flags&SYN != 0 {
		n++
	}
	if s.Flags&FIN != 0 {
		n++
	}
	return n
}
