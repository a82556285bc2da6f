package pfc_test

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// metre is the propagation delay of a metre of cable.
const metre = 5 * units.Nanosecond

// The bytes that arrive after the decision to pause, with L2 frames of 4174 bytes
// both ways: (4174+20) + 84 + 2·d·R/8 + T·R/8 + (4174+20) + 4174. At 100 Gb/s and
// 40 m, for instance, 4194 + 84 + 5000 + 0 + 4194 + 4174 = 17646.
func TestHeadroomAddsUpTheReactionToAPause(t *testing.T) {
	for _, tc := range []struct {
		rate   units.Rate
		quanta int // of the peer's response
		metres units.Time
		want   units.Bytes
	}{
		{100 * units.Gbps, 0, 5, 13_271},
		{100 * units.Gbps, 0, 40, 17_646},
		{100 * units.Gbps, 0, 300, 50_146},
		{100 * units.Gbps, 394, 5, 38_487},
		{100 * units.Gbps, 394, 40, 42_862},
		{100 * units.Gbps, 394, 300, 75_362},
		{400 * units.Gbps, 0, 5, 15_146},
		{400 * units.Gbps, 0, 40, 32_646},
		{400 * units.Gbps, 0, 300, 162_646},
		{400 * units.Gbps, 905, 5, 73_066},
		{400 * units.Gbps, 905, 40, 90_566},
		{400 * units.Gbps, 905, 300, 220_566},
	} {
		r := pfc.Reaction{
			Rate: tc.rate, Delay: tc.metres * metre, Response: pfc.QuantaTime(tc.quanta, tc.rate),
			Forward: 4174, Reverse: 4174, PFCWire: wire.PFCWire, Interframe: wire.Interframe,
		}
		if got := r.Headroom(); got != tc.want {
			t.Errorf("%v, %d quanta, %d m: headroom %d B, want %d B", tc.rate, tc.quanta, tc.metres, got, tc.want)
		}
	}
}

// A simulator's rule of 3·R·delay gives 375 B on 10 Gb/s and 100 ns, less than a
// packet, and loses packets. What is needed: 250 B of cable, 67 quanta or 4288 B
// of response, and three frames of 1048 B, one of them the frame that crosses the
// threshold: 7682 B; preambles, gaps and the pause frame itself come on top.
func TestHeadroomHoldsThreeFramesBesideCableAndResponse(t *testing.T) {
	rate := 10 * units.Gbps
	r := pfc.Reaction{
		Rate: rate, Delay: 100 * units.Nanosecond, Response: pfc.StandardResponse(rate), Forward: 1048, Reverse: 1048,
	}
	if got := r.Headroom(); got != 7682 {
		t.Errorf("headroom %d B, want 7682 B", got)
	}
	r.PFCWire, r.Interframe = wire.PFCWire, wire.Interframe
	if got, want := r.Headroom(), units.Bytes(7682+84+2*20); got != want {
		t.Errorf("headroom %d B on the wire, want %d B", got, want)
	}
}

// A frame that waits for the receiver's pipeline before it is admitted arrives,
// for the buffer, that much later: 300 ns at 100 Gb/s are 3750 B.
func TestHeadroomCoversAPipelineBeforeAdmission(t *testing.T) {
	r := pfc.Reaction{Rate: 100 * units.Gbps, Forward: 1000, Reverse: 1000}
	short := r.Headroom()
	r.Pipeline = 300 * units.Nanosecond
	if got := r.Headroom() - short; got != 3750 {
		t.Errorf("a pipeline of 300 ns adds %d B, want 3750 B", got)
	}
	r.Pipeline += units.Picosecond // a thousandth of a byte more
	if got := r.Headroom() - short; got != 3751 {
		t.Errorf("a part of a byte counts as %d B, want a whole one", got-3750)
	}
}

// A switch port at 100 Gb/s with 40 m of cable to a peer that takes as long as it
// may.
func ExampleReaction() {
	r := pfc.Reaction{
		Rate: 100 * units.Gbps, Delay: 200 * units.Nanosecond, Response: pfc.StandardResponse(100 * units.Gbps),
		Forward: 4174, Reverse: 4174, PFCWire: wire.PFCWire, Interframe: wire.Interframe,
	}
	fmt.Println(int64(r.Headroom()))
	// Output: 42862
}
