package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// (301 + 2.16 m)·Gbps + 2.72·MTU, as the mlx5 driver computes it: 100 Gb/s, 7 m and
// 1500 B, for instance, are 316.12·100 + 4080 = 35,692.
func TestHeadroomOfANICIsThatOfItsDriver(t *testing.T) {
	for _, tc := range []struct {
		gbps   units.Rate
		metres units.Time
		mtu    units.Bytes
		want   units.Bytes
	}{
		{40, 5, 9216, 37_540}, {40, 40, 9216, 40_564}, {40, 100, 9216, 45_748}, {40, 300, 9216, 63_028},
		{100, 5, 9216, 56_248}, {100, 40, 9216, 63_808}, {100, 100, 9216, 76_768}, {100, 300, 9216, 119_968},
		{200, 5, 9216, 87_428}, {200, 40, 9216, 102_548}, {200, 100, 9216, 128_468}, {200, 300, 9216, 214_868},
		{100, 7, 1500, 35_692}, {100, 40, 4200, 50_164}, {400, 40, 4200, 166_384},
		{10, 5, 9216, 37_540}, // slower ports count as 40 Gb/s
	} {
		if got := pfc.NICHeadroom(tc.gbps*units.Gbps, tc.metres*metre, tc.mtu); got != tc.want {
			t.Errorf("%d Gb/s, %d m, MTU %d: %d B, want %d B", tc.gbps, tc.metres, tc.mtu, got, tc.want)
		}
	}
}

// Whatever a NIC's driver sets aside holds what its link can bring while a switch
// takes as long to respond as the standard allows it.
func TestTheDriversHeadroomHoldsTheWorstCase(t *testing.T) {
	for _, gbps := range []units.Rate{10, 25, 40, 50, 100, 200, 400, 800} {
		for _, metres := range []units.Time{1, 5, 40, 300} {
			rate, delay := gbps*units.Gbps, metres*metre
			worst := pfc.Reaction{
				Rate: rate, Delay: delay, Response: pfc.StandardResponse(rate), Forward: 4174, Reverse: 4174, PFCWire: 84, Interframe: 20,
			}
			if has, needs := pfc.NICHeadroom(rate, delay, 4174), worst.Headroom(); has < needs {
				t.Errorf("%v, %d m: %d B, the worst case takes %d B", rate, metres, has, needs)
			}
		}
	}
}
