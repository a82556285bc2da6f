package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// The share of the free pool is exact for any fraction: alpha times 32 MiB, rounded
// down, worked out here with fractions that come to the same.
func TestAnyAlphaIsTakenExactly(t *testing.T) {
	const free = 32 * units.MiB
	for _, tc := range []struct {
		alpha units.Ratio
		want  units.Bytes
	}{
		{units.Ratio{Num: 1, Den: 8}, free / 8},
		{units.Ratio{Num: 125_000_000_000, Den: 1_000_000_000_000}, free / 8},
		{units.Ratio{Num: 333_333_333_333, Den: 1_000_000_000_000}, 11_184_810}, // 33,554,432 x 0.333333333333 = 11,184,810.66
		{units.Ratio{Num: 1 << 30, Den: 1}, free << 30},
	} {
		threshold := pfc.DynamicThreshold(tc.alpha)
		if got := threshold.Limit(free); got != tc.want {
			t.Errorf("alpha %v: limit %v, want %v", tc.alpha, got, tc.want)
		}
	}
}
