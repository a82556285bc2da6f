package wire_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// The timers of RNR NAKs, in hundredths of a millisecond, by code (IBTA volume 1, table
// "Encoding for RNR NAK Timer Field"). Code 0 is the longest. From code 5 on each second
// one doubles.
func TestRNRTimersAreThoseOfTheStandard(t *testing.T) {
	for code, want := range []units.Time{
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	} {
		if got := wire.RNRTimer(code); got != want*units.Millisecond/100 {
			t.Errorf("code %d: %v, want %v", code, got, want*units.Millisecond/100)
		}
	}
}

// A syndrome is an acknowledgement, an RNR NAK with a timer, or another NAK.
func TestSyndromesTellAcknowledgementsFromNAKs(t *testing.T) {
	for _, tc := range []struct {
		s        wire.Syndrome
		ack, rnr bool
		code     int
	}{
		{wire.Ack, true, false, 31},
		{0x05, true, false, 5},
		{wire.RNR(12), false, true, 12},
		{wire.RNR(0), false, true, 0},
		{wire.NakSequence, false, false, 0},
		{wire.NakInvalid, false, false, 1},
		{wire.NakAccess, false, false, 2},
		{wire.NakOperational, false, false, 3},
	} {
		if tc.s.IsAck() != tc.ack || tc.s.IsRNR() != tc.rnr || tc.s.Code() != tc.code {
			t.Errorf("0x%02x: acknowledges %v, RNR %v, code %d", uint8(tc.s), tc.s.IsAck(), tc.s.IsRNR(), tc.s.Code())
		}
	}
	if wire.RNR(12) != 0x2C {
		t.Errorf("an RNR NAK of code 12 is 0x%02x, want 0x2c", uint8(wire.RNR(12)))
	}
}
