package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

func TestAFrameTakesUpWholeCells(t *testing.T) {
	for _, tc := range []struct{ cell, frame, want units.Bytes }{
		{0, 1086, 1086}, {1, 1086, 1086}, {208, 64, 208}, {208, 208, 208}, {208, 209, 416}, {254, 4158, 4318}, {96, 4174, 4224},
	} {
		if got := (pfc.Memory{Cell: tc.cell}).Of(tc.frame); got != tc.want {
			t.Errorf("cells of %d: a frame of %d takes up %d, want %d", tc.cell, tc.frame, got, tc.want)
		}
	}
}

func reaction(cell units.Bytes, small units.Ratio) pfc.Reaction {
	return pfc.Reaction{
		Rate: 100 * units.Gbps, Delay: 200 * units.Nanosecond, Forward: 4174, Reverse: 4174, PFCWire: 84, Interframe: 20,
		Memory: pfc.Memory{Cell: cell, Small: small},
	}
}

// 17,646 B of headroom by the byte are 13,472 on the wire and the frame that crossed
// the threshold. In cells of 208 B a full frame of 4194 on the wire takes up 4368;
// one of 64, 84 on the wire, takes up 208. In cells of 96 the worst frame is one of
// 97 B, which takes up 192 for 117 on the wire.
func TestHeadroomIsMadeOfCells(t *testing.T) {
	all, none, half := units.Ratio{Num: 1, Den: 1}, units.Ratio{}, units.Ratio{Num: 1, Den: 2}
	for _, tc := range []struct {
		cell units.Bytes
		s    units.Ratio
		want units.Bytes
	}{
		{1, all, 17_646},
		{208, none, 14_031 + 4368},        // ceil(13472·4368/4194)
		{208, all, 33_360 + 4368},         // ceil(13472·208/84)
		{208, half, 16_680 + 7016 + 4368}, // ceil of each half
		{96, all, 22_108 + 4224},          // ceil(13472·192/117)
	} {
		if got := reaction(tc.cell, tc.s).Headroom(); got != tc.want {
			t.Errorf("cells of %d, %v small: headroom %d, want %d", tc.cell, tc.s, got, tc.want)
		}
	}
}

// However the bytes on the wire are cut into frames, they fit.
func TestNoFramesTakeUpMoreThanTheWorstOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := pfc.Memory{Cell: units.Bytes(rapid.IntRange(2, 600).Draw(t, "cell"))}
		r := reaction(m.Cell, units.Ratio{Num: 1, Den: 1})
		left := r.Headroom() - m.Of(r.Forward)
		wire := units.Bytes(13_472)
		for wire >= 84 {
			frame := units.Bytes(rapid.IntRange(64, int(min(wire-20, r.Forward))).Draw(t, "frame"))
			left -= m.Of(frame)
			wire -= frame + 20
		}
		if left < 0 {
			t.Fatalf("%d bytes too few", -left)
		}
	})
}
