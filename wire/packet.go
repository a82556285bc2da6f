package wire

import "github.com/rdmasim/rdmasim/sim/units"

// Syndrome is the AETH syndrome of an acknowledgement (IBTA volume 1, 9.7.5.2).
type Syndrome uint8

const (
	// Ack acknowledges; its credit code says "no credit information", as RoCE
	// adapters send it.
	Ack Syndrome = 0x1F
	// NakSequence reports a gap in the PSN sequence; everything before its PSN
	// is acknowledged.
	NakSequence Syndrome = 0x60
)

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
	// acknowledgement echoes the stamp of the packet that caused it.
	Stamp units.Time
	// Edge and EdgePort are the destination as switches know it: the switch to
	// which it is attached, in the numbering of the routes, and the port there.
	Edge int32
	// Flow is the hash of the packet's 5-tuple, from which switches choose paths.
	Flow uint32
	// QPN is the destination queue pair.
	QPN uint32
	PSN PSN
	// Payload and Frame are the payload and L2 size in bytes.
	Payload, Frame uint16
	EdgePort       uint16
	// Ingress is scratch of the switch that holds the packet: the port by which
	// it came in, so that its buffer is given back to the right account.
	Ingress uint16
	// ID is the identification field of the IP header, which adapters count up from
	// packet to packet.
	ID       uint16
	Op       Opcode
	Syndrome Syndrome
	DSCP     uint8
	ECN      ECN
	// AckReq is the BTH bit that asks the responder for an acknowledgement.
	AckReq bool
	// Echo, on an acknowledgement, says that the packet it answers was marked CE.
	Echo bool
}

// Wire is the bytes the packet occupies on a link.
func (p *Packet) Wire() int { return int(p.Frame) + Interframe }
