package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// iWARP is RDMA over TCP: RDMAP (RFC 5040) in DDP (RFC 5041) in MPA (RFC 5044). MPA frames
// each DDP segment within the stream of TCP as an FPDU: a length of two bytes, the segment,
// padding to a multiple of four, a CRC32C. Markers are not used.
const (
	mpaLength = 2
	mpaCRC    = 4

	// TaggedBytes are the headers of DDP and RDMAP of a segment that says where its payload
	// goes: of a WRITE, and of a READ response.
	TaggedBytes = 14
	// UntaggedBytes are those of a segment for a queue of the receiver: of a SEND, a READ
	// request and a TERMINATE.
	UntaggedBytes = 18
	// RDMAPReadBytes is the payload of a READ request.
	RDMAPReadBytes = 28
	// MPAStartBytes is a request or reply of the start of MPA, without private data.
	MPAStartBytes = 20
	// maxSegment is the longest DDP segment, whose length has 16 bits.
	maxSegment = 1<<16 - 1
)

// castagnoli is the polynomial of CRC32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// FPDUBytes is the size of the FPDU of a segment of so many bytes, headers of DDP and
// RDMAP included.
func FPDUBytes(segment int) int { return padded(mpaLength+segment) + mpaCRC }

// SegmentPayload is the payload of a full segment with so many bytes of headers
// ([TaggedBytes] or [UntaggedBytes]) if an FPDU is to fit into one TCP segment of mss
// bytes; 0 if nothing fits.
func SegmentPayload(mss, headers int) int {
	return max(0, (mss-mpaCRC)&^3-mpaLength-headers)
}

// AppendFPDU frames a segment. One of more than 65535 bytes is an error of the caller.
func AppendFPDU(b, segment []byte) []byte {
	if len(segment) > maxSegment {
		panic(fmt.Sprintf("wire: DDP segment of %d bytes", len(segment)))
	}
	start := len(b)
	b = binary.BigEndian.AppendUint16(b, uint16(len(segment)))
	b = append(b, segment...)
	for (len(b)-start)%4 != 0 {
		b = append(b, 0)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// ErrIncomplete says that an FPDU has not come whole.
var ErrIncomplete = errors.New("FPDU is not complete")

// ParseFPDU takes the first FPDU off a stream: the segment in it, and the rest of the
// stream. The error is [ErrIncomplete] as long as bytes are missing.
func ParseFPDU(stream []byte) (segment, rest []byte, err error) {
	if len(stream) < mpaLength {
		return nil, stream, ErrIncomplete
	}
	length := int(binary.BigEndian.Uint16(stream))
	size := FPDUBytes(length)
	if len(stream) < size {
		return nil, stream, ErrIncomplete
	}
	covered := stream[:size-mpaCRC]
	if want, got := crc32.Checksum(covered, castagnoli), binary.LittleEndian.Uint32(stream[size-mpaCRC:]); got != want {
		return nil, stream, fmt.Errorf("FPDU with CRC32C %08x; want %08x", got, want)
	}
	return covered[mpaLength : mpaLength+length], stream[size:], nil
}

// Keys with which the two sides start MPA.
const (
	mpaRequestKey = "MPA ID Req Frame"
	mpaReplyKey   = "MPA ID Rep Frame"
)

// Flags of the start of MPA.
const (
	mpaMarkers  = 0x80
	mpaCRCs     = 0x40
	mpaRejected = 0x20
)

// MPAStart is the request or the reply with which the two sides of a TCP connection agree
// on MPA before the first FPDU.
type MPAStart struct {
	Reply                  bool
	Markers, CRC, Rejected bool
	Revision               uint8
	PrivateData            []byte // at most 512 bytes
}

// maxPrivateData bounds the private data of a request or reply (RFC 5044, 7.1.1).
const maxPrivateData = 512

// Append writes the frame.
func (s *MPAStart) Append(b []byte) []byte {
	key, flags := mpaRequestKey, uint8(0)
	if s.Reply {
		key = mpaReplyKey
	}
	for _, f := range []struct {
		set bool
		bit uint8
	}{{s.Markers, mpaMarkers}, {s.CRC, mpaCRCs}, {s.Rejected, mpaRejected}} {
		if f.set {
			flags |= f.bit
		}
	}
	b = append(append(b, key...), flags, s.Revision)
	b = binary.BigEndian.AppendUint16(b, uint16(len(s.PrivateData)))
	return append(b, s.PrivateData...)
}

// ParseMPAStart reads what Append writes, and gives what follows it in the stream. The
// error is [ErrIncomplete] as long as bytes are missing.
func ParseMPAStart(stream []byte) (s MPAStart, rest []byte, err error) {
	if len(stream) < MPAStartBytes {
		return s, stream, ErrIncomplete
	}
	key, head := stream[:len(mpaRequestKey)], stream[len(mpaRequestKey):MPAStartBytes]
	switch {
	case bytes.Equal(key, []byte(mpaReplyKey)):
		s.Reply = true
	case !bytes.Equal(key, []byte(mpaRequestKey)):
		return s, stream, fmt.Errorf("%q is no key of MPA", key)
	}
	length := int(binary.BigEndian.Uint16(head[2:]))
	if length > maxPrivateData {
		return s, stream, fmt.Errorf("%d bytes of private data; at most %d are allowed", length, maxPrivateData)
	}
	if len(stream) < MPAStartBytes+length {
		return s, stream, ErrIncomplete
	}
	s.Markers, s.CRC, s.Rejected = head[0]&mpaMarkers != 0, head[0]&mpaCRCs != 0, head[0]&mpaRejected != 0
	s.Revision = head[1]
	if length > 0 {
		s.PrivateData = bytes.Clone(stream[MPAStartBytes : MPAStartBytes+length])
	}
	return s, stream[MPAStartBytes+length:], nil
}
