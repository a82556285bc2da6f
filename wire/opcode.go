package wire

import "fmt"

// Opcode is the BTH opcode of a RoCEv2 packet (IBTA volume 1, table "OpCode field").
type Opcode uint8

// Opcodes of the reliable connected service, and the congestion notification.
const (
	SendFirst         Opcode = 0x00
	SendMiddle        Opcode = 0x01
	SendLast          Opcode = 0x02
	SendLastImm       Opcode = 0x03
	SendOnly          Opcode = 0x04
	SendOnlyImm       Opcode = 0x05
	WriteFirst        Opcode = 0x06
	WriteMiddle       Opcode = 0x07
	WriteLast         Opcode = 0x08
	WriteLastImm      Opcode = 0x09
	WriteOnly         Opcode = 0x0A
	WriteOnlyImm      Opcode = 0x0B
	ReadRequest       Opcode = 0x0C
	ReadResponseFirst Opcode = 0x0D
	ReadResponseMid   Opcode = 0x0E
	ReadResponseLast  Opcode = 0x0F
	ReadResponseOnly  Opcode = 0x10
	Acknowledge       Opcode = 0x11
	AtomicAcknowledge Opcode = 0x12
	CompareSwap       Opcode = 0x13
	FetchAdd          Opcode = 0x14
	SendLastInv       Opcode = 0x16
	SendOnlyInv       Opcode = 0x17
	CNP               Opcode = 0x81
)

// ARP is no opcode of the standard: it stands for a frame of the address resolution
// protocol (RFC 826), whose 28 bytes are padded to the smallest frame.
const ARP Opcode = 0xFF

// The unreliable services: the connected one has the opcodes of the reliable one, SEND and
// WRITE only, in a range of its own; a datagram is a SEND of one packet.
const (
	UnreliableConnected Opcode = 0x20
	DatagramSend        Opcode = 0x64
	DatagramSendImm     Opcode = 0x65
)

// shape is what an opcode says of its packet.
type shape struct {
	name      string
	extension int  // bytes of extension headers
	begins    bool // a message or response
	ends      bool
}

// Bytes of the extension headers (IBTA volume 1, 9.3).
const (
	reth        = 16 // virtual address, R_Key and length, on the first packet of a WRITE and on a READ request
	aeth        = 4  // syndrome and message number, on acknowledgements and on the ends of a READ response
	atomicETH   = 28
	atomicAck   = 8 // the word that an atomic operation found
	immediate   = 4
	ieth        = 4  // R_Key to invalidate
	deth        = 8  // Q_Key and source queue pair of a datagram
	cnpReserved = 16 // zero bytes after the BTH of a CNP
)

// shapes are the opcodes of the reliable connected service.
var shapes = [0x20]shape{
	SendFirst:         {"SEND First", 0, true, false},
	SendMiddle:        {"SEND Middle", 0, false, false},
	SendLast:          {"SEND Last", 0, false, true},
	SendLastImm:       {"SEND Last with Immediate", immediate, false, true},
	SendOnly:          {"SEND Only", 0, true, true},
	SendOnlyImm:       {"SEND Only with Immediate", immediate, true, true},
	WriteFirst:        {"RDMA WRITE First", reth, true, false},
	WriteMiddle:       {"RDMA WRITE Middle", 0, false, false},
	WriteLast:         {"RDMA WRITE Last", 0, false, true},
	WriteLastImm:      {"RDMA WRITE Last with Immediate", immediate, false, true},
	WriteOnly:         {"RDMA WRITE Only", reth, true, true},
	WriteOnlyImm:      {"RDMA WRITE Only with Immediate", reth + immediate, true, true},
	ReadRequest:       {"RDMA READ Request", reth, true, true},
	ReadResponseFirst: {"RDMA READ response First", aeth, true, false},
	ReadResponseMid:   {"RDMA READ response Middle", 0, false, false},
	ReadResponseLast:  {"RDMA READ response Last", aeth, false, true},
	ReadResponseOnly:  {"RDMA READ response Only", aeth, true, true},
	Acknowledge:       {"Acknowledge", aeth, false, false},
	AtomicAcknowledge: {"ATOMIC Acknowledge", aeth + atomicAck, false, false},
	CompareSwap:       {"CmpSwap", atomicETH, true, true},
	FetchAdd:          {"FetchAdd", atomicETH, true, true},
	SendLastInv:       {"SEND Last with Invalidate", ieth, false, true},
	SendOnlyInv:       {"SEND Only with Invalidate", ieth, true, true},
}

// shape is what the opcode says, whatever its service.
func (o Opcode) shape() shape {
	switch {
	case o < UnreliableConnected:
		return shapes[o]
	case o < UnreliableConnected+ReadRequest:
		return shapes[o-UnreliableConnected]
	case o == DatagramSend:
		return shape{"UD SEND Only", deth, true, true}
	case o == DatagramSendImm:
		return shape{"UD SEND Only with Immediate", deth + immediate, true, true}
	case o == ARP:
		return shape{"ARP", 0, true, true}
	case o == CNP:
		return shape{"CNP", cnpReserved, false, false}
	case o == TCPData:
		return shape{"TCP", 0, false, false}
	case o == TCPAck:
		return shape{"TCP without payload", 0, false, false}
	}
	return shape{}
}

// String is the name the standard gives the opcode.
func (o Opcode) String() string {
	name := o.shape().name
	switch {
	case name == "":
		return fmt.Sprintf("opcode 0x%02x", uint8(o))
	case o >= UnreliableConnected && o < DatagramSend:
		return "UC " + name
	}
	return name
}

// IsData tells whether the packet is a piece of a message, a request for one or a piece of
// the answer to it, as opposed to an acknowledgement or a notification.
func (o Opcode) IsData() bool {
	return o != Acknowledge && o != AtomicAcknowledge && o != CNP && o != TCPAck
}

// BeginsMessage tells whether the packet is the first of its message or response.
func (o Opcode) BeginsMessage() bool { return o.shape().begins }

// EndsMessage tells whether the packet is the last of its message or response; what answers
// one without payload is neither.
func (o Opcode) EndsMessage() bool {
	if o <= WriteOnlyImm { // what nearly every packet is
		return endsMessage&(1<<o) != 0
	}
	return o.shape().ends
}

// endsMessage is the set of the opcodes up to WriteOnlyImm that end a message.
const endsMessage = 1<<SendLast | 1<<SendLastImm | 1<<SendOnly | 1<<SendOnlyImm |
	1<<WriteLast | 1<<WriteLastImm | 1<<WriteOnly | 1<<WriteOnlyImm

// Answers tells whether the packet is a piece of the answer to a READ, or that to an atomic
// operation.
func (o Opcode) Answers() bool {
	return o >= ReadResponseFirst && o <= ReadResponseOnly || o == AtomicAcknowledge
}

// Bytes of the headers and trailers around a RoCEv2 payload.
const (
	ethernetHeader = 14 // DA, SA, EtherType
	ipv4Header     = 20
	udpHeader      = 8
	bth            = 12
	icrc           = 4
	fcs            = 4

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
	// (RETH; with an immediate if the message is one packet); path MTU + Overhead +
	// MaxExtension is the largest data frame but for that.
	MaxExtension = reth
)

// extension gives the bytes of the extension headers of an opcode.
func (o Opcode) extension() int {
	if o < UnreliableConnected {
		return shapes[o].extension
	}
	return o.shape().extension
}

// FrameBytes is the L2 size of a packet with that opcode and payload (bytes,
// padded to a multiple of four as the standard asks).
func FrameBytes(o Opcode, payload int) int {
	return max(padded(payload)+Overhead+o.extension(), MinFrame)
}

// padded is a payload with its padding to a multiple of four.
func padded(payload int) int { return (payload + 3) &^ 3 }

// WireBytes is FrameBytes plus preamble and gap.
func WireBytes(o Opcode, payload int) int { return FrameBytes(o, payload) + Interframe }
