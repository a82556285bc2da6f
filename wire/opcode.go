package wire

import "fmt"

// Opcode is the BTH opcode of a RoCEv2 packet (IBTA volume 1, table "OpCode field").
type Opcode uint8

// The reliable-connected opcodes in use, and the congestion notification.
const (
	WriteFirst  Opcode = 0x06
	WriteMiddle Opcode = 0x07
	WriteLast   Opcode = 0x08
	WriteOnly   Opcode = 0x0A
	Acknowledge Opcode = 0x11
	CNP         Opcode = 0x81
)

// String is the name the standard gives the opcode.
func (o Opcode) String() string {
	switch o {
	case WriteFirst:
		return "RDMA WRITE First"
	case WriteMiddle:
		return "RDMA WRITE Middle"
	case WriteLast:
		return "RDMA WRITE Last"
	case WriteOnly:
		return "RDMA WRITE Only"
	case Acknowledge:
		return "Acknowledge"
	case CNP:
		return "CNP"
	}
	return fmt.Sprintf("opcode 0x%02x", uint8(o))
}

// IsData tells whether the packet carries a piece of a request message, as
// opposed to an acknowledgement or a notification.
func (o Opcode) IsData() bool { return o <= WriteOnly }

// EndsMessage tells whether the packet is the last of its message.
func (o Opcode) EndsMessage() bool { return o == WriteLast || o == WriteOnly }

// Bytes of the headers and trailers around a RoCEv2 payload.
const (
	ethernetHeader = 14 // DA, SA, EtherType
	ipv4Header     = 20
	udpHeader      = 8
	bth            = 12
	icrc           = 4
	fcs            = 4

	reth        = 16 // on the first packet of a WRITE
	aeth        = 4  // on acknowledgements
	cnpReserved = 16 // zero bytes after the BTH of a CNP

	// Overhead is what every untagged RoCEv2/IPv4 packet adds to its payload
	// within the L2 frame: 62 bytes.
	Overhead = ethernetHeader + ipv4Header + udpHeader + bth + icrc + fcs
	// Interframe is what every frame occupies on the wire beyond its L2 size:
	// preamble and start delimiter (8) and minimum gap (12).
	Interframe = 20
	// MinFrame is the smallest L2 frame; shorter ones are padded (802.3).
	MinFrame = 64
	// MinWire is the smallest wire size of any frame.
	MinWire = MinFrame + Interframe
	// VLANTag is what an 802.1Q tag adds to a frame.
	VLANTag = 4
	// MaxExtension is the largest extension header a WRITE packet can carry
	// (RETH); path MTU + Overhead + MaxExtension is the largest data frame.
	MaxExtension = reth
)

// extension gives the bytes of the extension headers of an opcode.
func (o Opcode) extension() int {
	switch o {
	case WriteFirst, WriteOnly:
		return reth
	case Acknowledge:
		return aeth
	case CNP:
		return cnpReserved
	}
	return 0
}

// FrameBytes is the L2 size of a packet with that opcode and payload (bytes,
// padded to a multiple of four as the standard asks).
func FrameBytes(o Opcode, payload int) int {
	padded := (payload + 3) &^ 3
	return max(padded+Overhead+o.extension(), MinFrame)
}

// WireBytes is FrameBytes plus preamble and gap.
func WireBytes(o Opcode, payload int) int { return FrameBytes(o, payload) + Interframe }
