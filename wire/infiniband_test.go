package wire_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// A local packet is LRH 8, BTH 12, the extension headers, the padded payload, ICRC 4 and
// VCRC 2; on the wire framing symbols are added, here 4 bytes. There is no smallest packet.
func TestInfiniBandPacketsHaveTheirSizesOnTheWire(t *testing.T) {
	f := wire.InfiniBand(4)
	for _, tc := range []struct {
		op             wire.Opcode
		payload        int
		packet, onWire int
		picosAt100Gbps units.Time
	}{
		{wire.WriteMiddle, 4096, 4122, 4126, 330_080},
		{wire.WriteMiddle, 2048, 2074, 2078, 166_240},
		{wire.WriteMiddle, 1024, 1050, 1054, 84_320},
		{wire.WriteMiddle, 256, 282, 286, 22_880},
		{wire.WriteFirst, 4096, 4138, 4142, 331_360}, // 16 of RETH
		{wire.WriteOnly, 0, 42, 46, 3_680},
		{wire.WriteLast, 1, 30, 34, 2_720}, // three bytes of padding
		{wire.Acknowledge, 0, 30, 34, 2_720},
	} {
		packet := f.FrameBytes(tc.op, tc.payload, 4096)
		onWire := packet + f.Interframe()
		if packet != tc.packet || onWire != tc.onWire {
			t.Errorf("%v of %d bytes: %d, on the wire %d; want %d and %d", tc.op, tc.payload, packet, onWire, tc.packet, tc.onWire)
		}
		if got := f.Serialise(100*units.Gbps, onWire); got != tc.picosAt100Gbps {
			t.Errorf("%v of %d bytes: on a 100 Gb/s wire for %v, want %v", tc.op, tc.payload, got, tc.picosAt100Gbps)
		}
		if least := f.Least(); least > onWire {
			t.Errorf("the least is %d, but %v of %d bytes takes %d", least, tc.op, tc.payload, onWire)
		}
	}
	if got := f.FlowControlWire(); got != 10 {
		t.Errorf("a flow-control packet takes %d bytes, want 6 and 4", got)
	}
}

// By hand: lane 3, version 0 | level 3, two reserved bits, 10 for a BTH | destination 0x0011
// | five reserved bits, 1030 words of the 4120 bytes from LRH through ICRC of a full packet
// | source 0x0102.
func TestTheLocalRouteHeaderIsThatOfTheStandard(t *testing.T) {
	h := wire.LRHOf(3, 3, 0x0102, 0x0011, wire.InfiniBand(4).FrameBytes(wire.WriteMiddle, 4096, 4096))
	want, _ := hex.DecodeString("3032" + "0011" + "0406" + "0102")
	got := h.Append(nil)
	if !bytes.Equal(got, want) {
		t.Errorf("written as %x, want %x", got, want)
	}
	if back, err := wire.ParseLRH(got); err != nil || back != h {
		t.Errorf("read as %+v, %v; want %+v", back, err, h)
	}
}

// The sample packet of the standard begins with an LRH: lane 7, level 1, a BTH follows,
// destination 0x375C, 14 words, source 0x17D2.
func TestTheSampleHeaderOfTheStandardIsRead(t *testing.T) {
	b, _ := hex.DecodeString("7012375c000e17d2")
	want := wire.LRH{VL: 7, SL: 1, LNH: wire.BTHFollows, To: 0x375C, Words: 14, From: 0x17D2}
	if got, err := wire.ParseLRH(b); err != nil || got != want {
		t.Errorf("read as %+v, %v; want %+v", got, err, want)
	}
}

func TestWhatIsNoLocalRouteHeaderIsRefused(t *testing.T) {
	for _, text := range []string{"", "70123750000e17", "7112375c000e17d2"} {
		b, _ := hex.DecodeString(text)
		if h, err := wire.ParseLRH(b); err == nil {
			t.Errorf("%q was read as %+v", text, h)
		}
	}
}

// By hand: operation 0, 0xABC blocks sent | lane 5, may send up to 0x123; with operation 1
// while the link is initialised.
func TestFlowControlPacketsAreThoseOfTheStandard(t *testing.T) {
	for _, tc := range []struct {
		f    wire.FlowControl
		want string
	}{
		{wire.FlowControl{VL: 5, Sent: 0xABC, Limit: 0x123}, "0abc5123"},
		{wire.FlowControl{Init: true, VL: 0, Sent: 0, Limit: 512}, "10000200"},
	} {
		got := tc.f.Append(nil)
		if hex.EncodeToString(got) != tc.want {
			t.Errorf("%+v is written as %x, want %s", tc.f, got, tc.want)
		}
		if back, err := wire.ParseFlowControl(append(got, 0, 0)); err != nil || back != tc.f {
			t.Errorf("read as %+v, %v; want %+v", back, err, tc.f)
		}
	}
	for _, bad := range [][]byte{{0, 0, 0}, {0x20, 0, 0, 0}} {
		if f, err := wire.ParseFlowControl(bad); err == nil {
			t.Errorf("%x was read as %+v", bad, f)
		}
	}
}
