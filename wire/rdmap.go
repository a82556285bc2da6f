package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// RDMAP is an opcode of iWARP (RFC 5040, 4.1; the last four RFC 7306).
type RDMAP uint8

// The opcodes.
const (
	RDMAPWrite RDMAP = iota
	RDMAPReadRequest
	RDMAPReadResponse
	RDMAPSend
	RDMAPSendInvalidate
	RDMAPSendSolicited
	RDMAPSendSolicitedInvalidate
	RDMAPTerminate
	RDMAPImmediate
	RDMAPImmediateSolicited
	RDMAPAtomicRequest
	RDMAPAtomicResponse
)

// Queues of a receiver, in the headers of untagged segments (RFC 5040, 3.2; RFC 7306, 5).
// Immediate data goes to that of SENDs, an atomic request to that of READ requests.
const (
	SendQueue           = 0
	ReadRequestQueue    = 1
	TerminateQueue      = 2
	AtomicResponseQueue = 3
)

// Bytes of payload of messages that always have the same (RFC 7306; RFC 5040, 4.8: a TERMINATE that
// names the segment it is about).
const (
	// ImmediateBytes is an immediate, which has 64 bits here.
	ImmediateBytes = 8
	// AtomicRequestBytes is what an atomic operation asks for: its kind and number, key and
	// offset, and two pairs of a value and a mask.
	AtomicRequestBytes = 52
	// AtomicResponseBytes is the number of the request and what was found.
	AtomicResponseBytes = 12
	// TerminateBytes is the reason, and the length and DDP header of the segment.
	TerminateBytes = 4 + 2 + UntaggedBytes
)

// String is the name the standard gives the opcode.
func (o RDMAP) String() string {
	names := [...]string{
		"RDMA Write", "RDMA Read Request", "RDMA Read Response", "Send", "Send with Invalidate", "Send with SE",
		"Send with SE and Invalidate", "Terminate", "Immediate Data", "Immediate Data with SE", "Atomic Request", "Atomic Response",
	}
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("RDMAP opcode %d", uint8(o))
}

// Tagged tells whether the segments of the opcode say where their payload goes.
func (o RDMAP) Tagged() bool { return o == RDMAPWrite || o == RDMAPReadResponse }

// Headers is the size of the headers of DDP and RDMAP of the opcode's segments.
func (o RDMAP) Headers() int {
	if o.Tagged() {
		return TaggedBytes
	}
	return UntaggedBytes
}

// DDP is the header of a segment: of DDP and of RDMAP, which share their control bytes.
type DDP struct {
	Op   RDMAP
	Last bool // of its message
	// Of a tagged segment: the key of the memory it goes to, and the offset there.
	STag   uint32
	Offset uint64
	// Of an untagged segment: the key that is to be invalidated, if the opcode does so; the
	// queue of the receiver, the number of the message in it, and the offset in the message.
	Invalidate, Queue, Message, At uint32
}

// Bits of the two control bytes.
const (
	ddpTagged    = 0x80
	ddpLast      = 0x40
	ddpVersion   = 1
	rdmapVersion = 1 << 6
)

// Append writes the header.
func (h *DDP) Append(b []byte) []byte {
	control := uint8(ddpVersion)
	if h.Op.Tagged() {
		control |= ddpTagged
	}
	if h.Last {
		control |= ddpLast
	}
	b = append(b, control, rdmapVersion|uint8(h.Op))
	if h.Op.Tagged() {
		b = binary.BigEndian.AppendUint32(b, h.STag)
		return binary.BigEndian.AppendUint64(b, h.Offset)
	}
	for _, field := range [...]uint32{h.Invalidate, h.Queue, h.Message, h.At} {
		b = binary.BigEndian.AppendUint32(b, field)
	}
	return b
}

// ParseDDP reads the header of a segment, and gives its payload.
func ParseDDP(segment []byte) (h DDP, payload []byte, err error) {
	if len(segment) < 2 {
		return h, nil, errors.New("DDP segment shorter than its control bytes")
	}
	control, op := segment[0], segment[1]
	h.Op, h.Last = RDMAP(op&0xF), control&ddpLast != 0
	switch {
	case control&3 != ddpVersion || op>>6 != rdmapVersion>>6:
		return h, nil, fmt.Errorf("DDP version %d, RDMAP version %d; only 1 is known", control&3, op>>6)
	case h.Op > RDMAPAtomicResponse:
		return h, nil, fmt.Errorf("%v is unknown", h.Op)
	case h.Op.Tagged() != (control&ddpTagged != 0):
		return h, nil, fmt.Errorf("%v in a segment with control byte 0x%02x: tagged or untagged, but not as its opcode is", h.Op, control)
	case len(segment) < h.Op.Headers():
		return h, nil, fmt.Errorf("%v segment of %d bytes; its headers have %d", h.Op, len(segment), h.Op.Headers())
	}
	if h.Op.Tagged() {
		h.STag, h.Offset = binary.BigEndian.Uint32(segment[2:]), binary.BigEndian.Uint64(segment[6:])
		return h, segment[TaggedBytes:], nil
	}
	for i, field := range [...]*uint32{&h.Invalidate, &h.Queue, &h.Message, &h.At} {
		*field = binary.BigEndian.Uint32(segment[2+4*i:])
	}
	return h, segment[UntaggedBytes:], nil
}

// RDMAPRead is the payload of an RDMA READ request: from where at the responder, to
// where at the requester.
type RDMAPRead struct {
	Sink     uint32 // key of the requester's memory
	SinkAt   uint64 // offset there
	Bytes    uint32
	Source   uint32 // key of the responder's memory
	SourceAt uint64 // offset there
}

// Append writes the payload.
func (r *RDMAPRead) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, r.Sink)
	b = binary.BigEndian.AppendUint64(b, r.SinkAt)
	b = binary.BigEndian.AppendUint32(b, r.Bytes)
	b = binary.BigEndian.AppendUint32(b, r.Source)
	return binary.BigEndian.AppendUint64(b, r.SourceAt)
}

// ParseRDMAPRead reads what Append writes.
func ParseRDMAPRead(b []byte) (RDMAPRead, error) {
	if len(b) != RDMAPReadBytes {
		return RDMAPRead{}, fmt.Errorf("READ request of %d bytes; want %d", len(b), RDMAPReadBytes)
	}
	return RDMAPRead{
		Sink: binary.BigEndian.Uint32(b), SinkAt: binary.BigEndian.Uint64(b[4:]), Bytes: binary.BigEndian.Uint32(b[12:]),
		Source: binary.BigEndian.Uint32(b[16:]), SourceAt: binary.BigEndian.Uint64(b[20:]),
	}, nil
}
