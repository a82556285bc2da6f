package wire

import "github.com/rdmasim/rdmasim/sim/units"

// Opcodes that stand for TCP segments, of which the standard for RDMA knows nothing: one that
// carries payload, and one that does not.
const (
	TCPData Opcode = 0xF0
	TCPAck  Opcode = 0xF1
)

// IsTCP tells whether the packet is a TCP segment.
func (o Opcode) IsTCP() bool { return o&^1 == TCPData }

// Bytes of TCP headers.
const (
	tcpHeader = 20
	// TCPIPHeaders is what of an IP packet with a segment without options is not payload.
	TCPIPHeaders = ipv4Header + tcpHeader
	// TCPTimestamps is what the timestamp option takes, padded (RFC 7323).
	TCPTimestamps = 12
	// TCPSynOptions is what the options of a SYN take: MSS, SACK permitted, timestamps and
	// window scale, padded.
	TCPSynOptions = 20
	// TCPOverhead is what a segment without options adds to its payload within an untagged L2
	// frame: Ethernet, IPv4, TCP and the FCS, 58 bytes.
	TCPOverhead = ethernetHeader + ipv4Header + tcpHeader + fcs
)

// TCPSack is what so many SACK blocks take among the options, padded (RFC 2018).
func TCPSack(blocks int) int {
	if blocks == 0 {
		return 0
	}
	return 4 + 8*blocks
}

// TCPFrame is the L2 size of a TCP segment with so many bytes of payload and of options.
func TCPFrame(payload, options int) int {
	return max(payload+options+TCPOverhead, MinFrame)
}

// FirstSocket is the number of a host's first TCP connection. It stands where other packets
// have the number of a queue pair; those of NICs are below.
const FirstSocket = 1 << 23

// TCPHeader is what a segment says beside its payload. Flags are those of the header (RFC
// 9293, 3.1; RFC 3168), Window is as on the wire.
type TCPHeader struct {
	Seq, Ack uint32
	Window   uint16
	Flags    uint8
}

// SetTCP writes a header into a packet. It takes the place of the stamp and the sequence number of
// others.
func (p *Packet) SetTCP(h TCPHeader) {
	p.PSN = PSN(h.Seq)
	p.Stamp = units.Time(uint64(h.Ack)<<32 | uint64(h.Window)<<16 | uint64(h.Flags))
}

// TCP reads the header of a TCP segment.
func (p *Packet) TCP() TCPHeader {
	s := uint64(p.Stamp)
	return TCPHeader{Seq: uint32(p.PSN), Ack: uint32(s >> 32), Window: uint16(s >> 16), Flags: uint8(s)}
}

// SetNote has a segment without payload tell what travels beside it: the running number of
// that, of which 16 bits are kept.
func (p *Packet) SetNote(n uint16) { p.marked = n }

// Note is what [Packet.SetNote] has set, 0 on any other packet.
func (p *Packet) Note() uint16 { return p.marked }
