package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Bytes around the payload of a local InfiniBand packet, one without a global route header
// (InfiniBand Architecture Specification, volume 1, chapter 7).
const (
	// LRHBytes is the local route header.
	LRHBytes = 8
	vcrc     = 2 // variant CRC, behind the ICRC

	// InfiniBandOverhead is what every local packet adds to its padded payload and its
	// extension headers: 26 bytes.
	InfiniBandOverhead = LRHBytes + bth + icrc + vcrc
	// FlowControlBytes is a flow-control packet: four bytes and a CRC of two.
	FlowControlBytes = 6
)

// InfiniBand is the framing of local packets on an InfiniBand link, without Ethernet, IP
// and UDP, preamble or smallest frame; gap is what each packet takes on the link beyond
// its bytes, in framing symbols and idle ones.
func InfiniBand(gap int) *Framing {
	return &Framing{Around: InfiniBandOverhead, Headers: true, Gap: gap}
}

// FlowControlWire is what a flow-control packet of InfiniBand takes on the wire.
func (f *Framing) FlowControlWire() int { return FlowControlBytes + f.Gap }

// LRH is the local route header of an InfiniBand packet.
type LRH struct {
	VL  uint8  // virtual lane, 0 to 15
	SL  uint8  // service level, 0 to 15
	LNH uint8  // what follows: 2 a BTH, 3 a global route header
	To  uint16 // local identifier of the destination
	// Words is the length of the packet from the LRH through the ICRC, in words of four
	// bytes; 11 bits.
	Words uint16
	From  uint16 // local identifier of the source
}

// What follows a local route header.
const (
	// BTHFollows: a packet within the subnet.
	BTHFollows = 2
	// GRHFollows: one with a global route header.
	GRHFollows = 3
)

// LRHOf is the header of a local packet whose L2 size is frame bytes.
func LRHOf(vl, sl uint8, from, to uint16, frame int) LRH {
	return LRH{VL: vl, SL: sl, LNH: BTHFollows, To: to, Words: uint16((frame - vcrc) / 4), From: from}
}

// Append writes the header.
func (h *LRH) Append(b []byte) []byte {
	b = append(b, h.VL<<4, h.SL<<4|h.LNH&3) // link version 0, reserved bits 0
	b = binary.BigEndian.AppendUint16(b, h.To)
	b = binary.BigEndian.AppendUint16(b, h.Words&(1<<11-1))
	return binary.BigEndian.AppendUint16(b, h.From)
}

// ParseLRH reads what Append writes. Reserved bits are ignored.
func ParseLRH(b []byte) (LRH, error) {
	if len(b) < LRHBytes {
		return LRH{}, errors.New("LRH shorter than 8 bytes")
	}
	if version := b[0] & 0xF; version != 0 {
		return LRH{}, fmt.Errorf("LRH of link version %d; only 0 is known", version)
	}
	return LRH{
		VL: b[0] >> 4, SL: b[1] >> 4, LNH: b[1] & 3,
		To: binary.BigEndian.Uint16(b[2:]), Words: binary.BigEndian.Uint16(b[4:]) & (1<<11 - 1), From: binary.BigEndian.Uint16(b[6:]),
	}, nil
}

// FlowControl is what a flow-control packet says of a virtual lane. Counts are of blocks
// of 64 bytes, modulo 4096.
type FlowControl struct {
	Init bool   // sent while the link is initialised
	VL   uint8  // 0 to 14; the management lane 15 has no flow control
	Sent uint16 // FCTBS: blocks that the sender of this packet has sent on the lane
	// Limit is FCCL: the count up to which the receiver of this packet may send.
	Limit uint16
}

// Append writes the packet without its CRC of two bytes.
func (f *FlowControl) Append(b []byte) []byte {
	var op uint16
	if f.Init {
		op = 1
	}
	b = binary.BigEndian.AppendUint16(b, op<<12|f.Sent&0xFFF)
	return binary.BigEndian.AppendUint16(b, uint16(f.VL)<<12|f.Limit&0xFFF)
}

// ParseFlowControl reads what Append writes, with or without the CRC, which it does not
// check.
func ParseFlowControl(b []byte) (FlowControl, error) {
	if len(b) < FlowControlBytes-2 {
		return FlowControl{}, errors.New("flow-control packet shorter than 4 bytes")
	}
	first, second := binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
	if op := first >> 12; op > 1 {
		return FlowControl{}, fmt.Errorf("link packet of operation %d is no flow control", op)
	}
	return FlowControl{Init: first>>12 == 1, Sent: first & 0xFFF, VL: uint8(second >> 12), Limit: second & 0xFFF}, nil
}
