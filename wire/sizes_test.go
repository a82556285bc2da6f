package wire_test

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// The L2 size is 14 Ethernet + 20 IPv4 + 8 UDP + 12 BTH + 4 ICRC + 4 FCS around
// the padded payload, and the extension headers of the opcode; on the wire 8 of
// preamble and 12 of gap are added. At 100 Gb/s a byte takes 80 ps.
func TestFramesHaveTheirSizesOnTheWire(t *testing.T) {
	for _, tc := range []struct {
		op             wire.Opcode
		payload        int
		frame, onWire  int
		nanosAt100Gbps float64
	}{
		{wire.Acknowledge, 0, 66, 86, 6.88},
		{wire.CNP, 0, 78, 98, 7.84},
		{wire.WriteMiddle, 256, 318, 338, 27.04},
		{wire.WriteMiddle, 512, 574, 594, 47.52},
		{wire.WriteMiddle, 1024, 1086, 1106, 88.48},
		{wire.WriteMiddle, 2048, 2110, 2130, 170.40},
		{wire.WriteMiddle, 4096, 4158, 4178, 334.24},
		{wire.WriteFirst, 4096, 4174, 4194, 335.52}, // 16 of RETH
		{wire.WriteLast, 4096, 4158, 4178, 334.24},
		{wire.WriteOnly, 0, 78, 98, 7.84},
		{wire.WriteOnly, 64, 142, 162, 12.96},
		{wire.WriteLast, 1, 66, 86, 6.88}, // three bytes of padding
		{wire.WriteLast, 61, 126, 146, 11.68},
		{wire.DatagramSend, 256, 326, 346, 27.68}, // a management datagram: 8 of DETH
		{wire.ARP, 0, 64, 84, 6.72},               // 14 + 28 + 4, padded
	} {
		name := fmt.Sprintf("%v of %d bytes", tc.op, tc.payload)
		if got := wire.FrameBytes(tc.op, tc.payload); got != tc.frame {
			t.Errorf("%s: frame of %d bytes, want %d", name, got, tc.frame)
		}
		if got := wire.WireBytes(tc.op, tc.payload); got != tc.onWire {
			t.Errorf("%s: %d bytes on the wire, want %d", name, got, tc.onWire)
		}
		want := units.Time(tc.nanosAt100Gbps*1000 + 0.5)
		if got := (100 * units.Gbps).Serialise(wire.WireBytes(tc.op, tc.payload)); got != want {
			t.Errorf("%s: on a 100 Gb/s wire for %v, want %v", name, got, want)
		}
	}
}

// A minimum frame takes 6.72 ns at 100 Gb/s; 148.8 million of them fit in a second.
func TestNoFrameIsShorterThanTheMinimum(t *testing.T) {
	if wire.MinWire != 84 || wire.PFCWire != 84 {
		t.Errorf("a minimum frame has %d bytes on the wire, a PFC frame %d; want 84", wire.MinWire, wire.PFCWire)
	}
	if got := (100 * units.Gbps).Serialise(wire.MinWire); got != 6720*units.Picosecond {
		t.Errorf("a minimum frame takes %v, want 6.72ns", got)
	}
	for payload := range 64 {
		if got := wire.FrameBytes(wire.WriteMiddle, payload); got < wire.MinFrame {
			t.Errorf("%d bytes of payload make a frame of %d", payload, got)
		}
	}
}

// Opcodes, and the extension headers they bring: RETH 16, AETH 4, AtomicETH 28, AtomicAckETH 8,
// ImmDt 4, IETH 4, DETH 8 bytes (IBTA volume 1, 9.2 and 9.3).
func TestOpcodesSayWhatTheyCarry(t *testing.T) {
	for _, tc := range []struct {
		op           wire.Opcode
		value        uint8
		data, ending bool
		headers      int
	}{
		{wire.SendFirst, 0x00, true, false, 0},
		{wire.SendMiddle, 0x01, true, false, 0},
		{wire.SendLast, 0x02, true, true, 0},
		{wire.SendLastImm, 0x03, true, true, 4},
		{wire.SendOnly, 0x04, true, true, 0},
		{wire.SendOnlyImm, 0x05, true, true, 4},
		{wire.WriteFirst, 0x06, true, false, 16},
		{wire.WriteMiddle, 0x07, true, false, 0},
		{wire.WriteLast, 0x08, true, true, 0},
		{wire.WriteLastImm, 0x09, true, true, 4},
		{wire.WriteOnly, 0x0A, true, true, 16},
		{wire.WriteOnlyImm, 0x0B, true, true, 20},
		{wire.ReadRequest, 0x0C, true, true, 16},
		{wire.ReadResponseFirst, 0x0D, true, false, 4},
		{wire.ReadResponseMid, 0x0E, true, false, 0},
		{wire.ReadResponseLast, 0x0F, true, true, 4},
		{wire.ReadResponseOnly, 0x10, true, true, 4},
		{wire.Acknowledge, 0x11, false, false, 4},
		{wire.AtomicAcknowledge, 0x12, false, false, 12},
		{wire.CompareSwap, 0x13, true, true, 28},
		{wire.FetchAdd, 0x14, true, true, 28},
		{wire.SendLastInv, 0x16, true, true, 4},
		{wire.SendOnlyInv, 0x17, true, true, 4},
		{wire.UnreliableConnected + wire.WriteOnlyImm, 0x2B, true, true, 20},
		{wire.UnreliableConnected + wire.SendFirst, 0x20, true, false, 0},
		{wire.DatagramSend, 0x64, true, true, 8},
		{wire.DatagramSendImm, 0x65, true, true, 12},
		{wire.CNP, 0x81, false, false, 16},
	} {
		if uint8(tc.op) != tc.value || tc.op.IsData() != tc.data || tc.op.EndsMessage() != tc.ending {
			t.Errorf("%v: opcode %#x, data %v, ends a message %v", tc.op, uint8(tc.op), tc.op.IsData(), tc.op.EndsMessage())
		}
		if got := wire.FrameBytes(tc.op, 256) - 256 - wire.Overhead; got != tc.headers {
			t.Errorf("%v: %d bytes of extension headers, want %d", tc.op, got, tc.headers)
		}
	}
	if got := wire.Opcode(0x15).String(); got != "opcode 0x15" {
		t.Errorf("an opcode that does not exist is called %q", got)
	}
}

// A packet is copied from ring to ring: it is small, and nothing in it is for the
// garbage collector to follow.
func TestAPacketIsAValueWithoutPointers(t *testing.T) {
	if size := unsafe.Sizeof(wire.Packet{}); size > 40 {
		t.Errorf("a packet takes %d bytes; 40 fit what it carries", size)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[wire.Packet]()) {
		switch f.Type.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.String, reflect.Interface, reflect.Func, reflect.Chan:
			t.Errorf("field %s is a %v", f.Name, f.Type.Kind())
		}
	}
}
