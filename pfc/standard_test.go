package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A quantum is 512 bit times of the port: 5.12 ns at 100 Gb/s. The longest pause
// a frame can ask for is 65535 of them.
func TestQuantaLastBitTimesOfThePort(t *testing.T) {
	for _, tc := range []struct {
		gbps    int
		quantum units.Time // ps
		longest float64    // us, as published to two decimals
	}{
		{10, 51_200, 3355.39},
		{25, 20_480, 1342.16},
		{40, 12_800, 838.85},
		{50, 10_240, 671.08},
		{100, 5_120, 335.54},
		{200, 2_560, 167.77},
		{400, 1_280, 83.88},
		{800, 640, 41.94},
	} {
		rate := units.Rate(tc.gbps) * units.Gbps
		if got := pfc.QuantaTime(1, rate); got != tc.quantum {
			t.Errorf("a quantum at %v lasts %v, want %v", rate, got, tc.quantum)
		}
		longest := pfc.QuantaTime(65535, rate)
		if longest != 65535*tc.quantum {
			t.Errorf("65535 quanta at %v last %v, want %v", rate, longest, 65535*tc.quantum)
		}
		if d := longest.Microseconds() - tc.longest; d < -0.006 || d > 0.006 {
			t.Errorf("65535 quanta at %v last %.3f us, published as %.2f", rate, longest.Microseconds(), tc.longest)
		}
	}
}

// The longest response to a pause by IEEE 802.3 annex 31B.3.7, in quanta and, from
// there, in nanoseconds rounded to whole ones.
func TestResponseTimesAreThoseOfTheStandard(t *testing.T) {
	for _, tc := range []struct{ gbps, quanta, ns int }{
		{10, 67, 3430},
		{25, 80, 1638},
		{40, 118, 1510},
		{50, 147, 1505},
		{100, 394, 2017},
		{200, 453, 1160},
		{400, 905, 1158},
		{800, 905, 579},
		{1600, 905, 290}, // no row of its own: the last one
		{1, 67, 34304},   // below all rows: the first one
		{75, 147, 1004},  // between 50G and 100G: the lower one
	} {
		rate := units.Rate(tc.gbps) * units.Gbps
		got := pfc.StandardResponse(rate)
		if want := pfc.QuantaTime(tc.quanta, rate); got != want {
			t.Errorf("%v: response %v, want %d quanta, %v", rate, got, tc.quanta, want)
		}
		if d := got.Nanoseconds() - float64(tc.ns); d < -0.5 || d > 0.5 {
			t.Errorf("%v: response %.1f ns, published as %d", rate, got.Nanoseconds(), tc.ns)
		}
	}
}
