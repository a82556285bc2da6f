package wire

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// PFCWire is what a PFC frame occupies on the wire: a minimum frame.
const PFCWire = MinWire

// PFC is a priority-based flow control frame (IEEE 802.1Qbb): for each
// priority whose bit is set in Classes, the time to pause in quanta of 512 bit
// times; 0 resumes. The other fields are ignored.
type PFC struct {
	Classes uint8
	Quanta  [8]uint16
}

const (
	pfcBytes       = 60 // without FCS
	macControlType = 0x8808
	pfcOpcode      = 0x0101
)

// pfcDestination is the address that no bridge forwards (802.1Q table 8-1).
var pfcDestination = [6]byte{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}

// Append writes the frame from destination address to padding, without FCS.
func (f *PFC) Append(b []byte, source [6]byte) []byte {
	start := len(b)
	b = append(b, pfcDestination[:]...)
	b = append(b, source[:]...)
	b = binary.BigEndian.AppendUint16(b, macControlType)
	b = binary.BigEndian.AppendUint16(b, pfcOpcode)
	b = binary.BigEndian.AppendUint16(b, uint16(f.Classes))
	for _, q := range f.Quanta {
		b = binary.BigEndian.AppendUint16(b, q)
	}
	return append(b, make([]byte, pfcBytes-(len(b)-start))...)
}

// ParsePFC reads what Append writes, with or without FCS. Time fields whose
// class is not enabled are read as 0: the standard says to ignore them.
func ParsePFC(b []byte) (PFC, error) {
	var f PFC
	if len(b) < pfcBytes {
		return f, errors.New("PFC frame shorter than 60 bytes")
	}
	if [6]byte(b[:6]) != pfcDestination || binary.BigEndian.Uint16(b[12:]) != macControlType {
		return f, errors.New("not a MAC control frame")
	}
	if binary.BigEndian.Uint16(b[14:]) != pfcOpcode {
		return f, errors.New("MAC control frame, but not PFC")
	}
	f.Classes = uint8(binary.BigEndian.Uint16(b[16:]))
	for m := f.Classes; m != 0; m &= m - 1 {
		c := bits.TrailingZeros8(m)
		f.Quanta[c] = binary.BigEndian.Uint16(b[18+2*c:])
	}
	return f, nil
}
