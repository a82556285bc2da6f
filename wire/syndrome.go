package wire

import "github.com/rdmasim/rdmasim/sim/units"

// Syndrome is the AETH syndrome of an acknowledgement (IBTA volume 1, 9.7.5.2): an
// acknowledgement with a credit code, or a NAK of one sort with a code of its own.
type Syndrome uint8

const (
	// Ack acknowledges; its credit code says "no credit information", as RoCE
	// adapters send it.
	Ack Syndrome = 0x1F
	// NakSequence reports a gap in the PSN sequence; everything before its PSN
	// is acknowledged.
	NakSequence Syndrome = 0x60
	// NakInvalid refuses a request that the responder cannot take: opcodes out of order,
	// a wrong length, an operation that its queue pair does not allow.
	NakInvalid Syndrome = 0x61
	// NakAccess refuses one whose key, range or rights do not hold.
	NakAccess Syndrome = 0x62
	// NakOperational says that the responder itself has failed.
	NakOperational Syndrome = 0x63
)

const (
	syndromeSort = 0x60
	syndromeCode = 0x1F
	rnrSort      = 0x20
)

// RNR is the NAK of a receiver that is not ready, with the code of a timer
// ([RNRTimer]), 0 to 31.
func RNR(code int) Syndrome { return rnrSort | Syndrome(code)&syndromeCode }

// IsAck tells whether the syndrome acknowledges, with whatever credit.
func (s Syndrome) IsAck() bool { return s&syndromeSort == 0 }

// IsRNR tells whether it says that the receiver is not ready.
func (s Syndrome) IsRNR() bool { return s&syndromeSort == rnrSort }

// Code is its credit code, timer code or NAK code, 0 to 31.
func (s Syndrome) Code() int { return int(s & syndromeCode) }

// rnrTimers are the timers of RNR NAKs in units of 10 us, by code (IBTA volume 1, table
// "Encoding for RNR NAK Timer Field"). Code 0 is the longest, not none.
var rnrTimers = [32]units.Time{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// RNRTimer is how long a requester waits, at the least, after an RNR NAK of that code
// (0 to 31): 10 us to 655.36 ms.
func RNRTimer(code int) units.Time { return rnrTimers[code&syndromeCode] * 10 * units.Microsecond }
