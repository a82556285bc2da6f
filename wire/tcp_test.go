package wire_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/wire"
)

// 14 Ethernet + 20 IPv4 + 20 TCP + 4 FCS around payload and options; 64 at the least.
func TestTCPSegmentsHaveTheirSizesOnTheWire(t *testing.T) {
	for _, tc := range []struct {
		what             string
		payload, options int
		frame            int
	}{
		{"full segment of MTU 1500 without options", 1460, 0, 1518},
		{"full segment of MTU 1500 with timestamps", 1448, wire.TCPTimestamps, 1518},
		{"full segment of MTU 9000 with timestamps", 8948, wire.TCPTimestamps, 9018},
		{"acknowledgement", 0, 0, 64},
		{"acknowledgement with timestamps", 0, wire.TCPTimestamps, 70},
		{"with three SACK blocks", 0, wire.TCPTimestamps + wire.TCPSack(3), 98},
		{"SYN", 0, wire.TCPSynOptions, 78},
	} {
		if got := wire.TCPFrame(tc.payload, tc.options); got != tc.frame {
			t.Errorf("%s: %d bytes, want %d", tc.what, got, tc.frame)
		}
	}
}

func TestATCPHeaderIsReadAsItWasWritten(t *testing.T) {
	for _, h := range []wire.TCPHeader{
		{}, {Seq: 1<<32 - 1, Ack: 1<<32 - 2, Window: 1<<16 - 1, Flags: 0xFF}, {Seq: 1 << 24, Ack: 1 << 31, Window: 1, Flags: 0x10},
	} {
		p := wire.Packet{Op: wire.TCPData}
		p.SetTCP(h)
		p.Mark(12345678) // what a switch notes is not in the way
		if got := p.TCP(); got != h {
			t.Errorf("%+v, want %+v", got, h)
		}
	}
}

func TestOfTCPOnlySegmentsWithPayloadAreData(t *testing.T) {
	if !wire.TCPData.IsData() || wire.TCPAck.IsData() || !wire.TCPData.IsTCP() || !wire.TCPAck.IsTCP() || wire.CNP.IsTCP() || wire.ARP.IsTCP() {
		t.Error("opcodes of TCP are taken for others")
	}
}
