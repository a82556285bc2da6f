package wire

import "github.com/rdmasim/rdmasim/sim/units"

// ECN is the codepoint in the IP header (RFC 3168).
type ECN uint8

// Codepoints.
const (
	NotECT ECN = 0
	ECT0   ECN = 2
	CE     ECN = 3
)

// Packet is a RoCEv2 packet as the model carries it: a value without pointers,
// copied from ring to ring. The headers it stands for are implied by its
// opcode; only what somebody on the way reads is kept.
type Packet struct {
	// Stamp is when the first bit of a data packet left its NIC; an
	// acknowledgement echoes the stamp of the packet that caused it, and a congestion
	// notification carries when the mark it answers was set.
	Stamp units.Time
	// Flow is the hash of the packet's 5-tuple, from which switches choose paths.
	Flow uint32
	// QPN is the destination queue pair.
	QPN uint32
	PSN PSN
	// Payload and Frame are the payload and L2 size in bytes.
	Payload, Frame uint16
	// Edge and EdgePort are the destination as switches know it: the switch to
	// which it is attached, in the numbering of the routes, and the port there.
	Edge, EdgePort uint16
	// Ingress is scratch of the switch that holds the packet: the port by which
	// it came in, so that its buffer is given back to the right account.
	Ingress uint16
	// ID is the identification field of the IP header, which adapters count up from
	// packet to packet.
	ID uint16
	// marked is the high part of when a switch marked a data packet CE, if one did. On an
	// acknowledgement it is what [Packet.Ahead] tells.
	marked uint16
	Op     Opcode
	// Syndrome is that of an acknowledgement. A data packet has none, and keeps the low
	// byte of when it was marked here.
	Syndrome Syndrome
	DSCP     uint8
	ECN      ECN
	Flags    Flags
}

// Flags are single bits that a packet carries.
type Flags uint8

const (
	// AckReq is the BTH bit that asks the responder for an acknowledgement.
	AckReq Flags = 1 << iota
	// Echo, on an acknowledgement, says that the packet it answers was marked CE.
	Echo
	// Headed says that extension headers or words of memory travel with the packet, beside
	// it: NICs keep them for each other in the order of the packets.
	Headed
	// Solicited is the BTH bit that asks for an event at the receiver.
	Solicited
)

// A queue pair that is taken out of use and used again begins another life. No field of the
// standard says so: there, sequence numbers that begin elsewhere, and a rest in between, are
// to keep packets of the one from being taken for those of the other.
const (
	lifeShift = 4
	// Lives is how many lives flags can tell apart, in turn.
	Lives = 1 << (8 - lifeShift)
)

// OfLife are the flags of a packet that is sent in a life of its queue pair.
func OfLife(n uint8) Flags { return Flags(n << lifeShift) }

// Life is in which life of its queue pair a packet was sent, modulo [Lives].
func (f Flags) Life() uint8 { return uint8(f >> lifeShift) }

// Has tells whether any of some flags is set.
func (f Flags) Has(any Flags) bool { return f&any != 0 }

// SetAhead notes on an acknowledgement by how many packets, 1 to 65535, the one that it answers was ahead
// of the one that it names: what a receiver that keeps packets behind a gap reports (IRN).
func (p *Packet) SetAhead(packets int64) { p.marked = uint16(packets) }

// Ahead is by how many packets the one that an acknowledgement answers was ahead of the one
// that it names; 0 if it says nothing of that.
func (p *Packet) Ahead() int64 { return int64(p.marked) }

// MaxEdges is how many switches with hosts a packet can tell apart.
const MaxEdges = 1<<16 - 1

// markStep is the step in which the time of a mark is kept: 2^12 ps, 4.1 ns. The 24 bits
// that a packet has for it go round in 69 ms; a mark that is older seems younger.
const markStep = 12

// Mark marks the packet CE. A data packet remembers when.
func (p *Packet) Mark(now units.Time) {
	p.ECN = CE
	if p.Op.IsData() {
		at := uint32(now >> markStep)
		p.marked, p.Syndrome = uint16(at>>8), Syndrome(at)
	}
}

// Marked is when a data packet that is marked CE and arrives now was marked, to 4.1 ns.
func (p *Packet) Marked(now units.Time) units.Time {
	at := uint32(p.marked)<<8 | uint32(p.Syndrome)
	age := (uint32(now>>markStep) - at) & (1<<24 - 1)
	return now - units.Time(age)<<markStep
}
