package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

func TestAStaticThresholdDoesNotMove(t *testing.T) {
	static := pfc.StaticThreshold(100 * units.KB)
	for _, free := range []units.Bytes{0, 1, 32 * units.MB} {
		if got := static.Limit(free); got != 100*units.KB {
			t.Errorf("limit %v with %v free", got, free)
		}
	}
}

// alpha times the free pool, rounded down.
func TestADynamicThresholdIsAShareOfTheFreePool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alpha := units.Ratio{
			Num: rapid.Int64Range(1, 64).Draw(t, "num"),
			Den: rapid.OneOf(rapid.Int64Range(1, 64), rapid.SampledFrom([]int64{1, 2, 8, 16, 64})).Draw(t, "den"),
		}
		free := units.Bytes(rapid.Int64Range(0, int64(128*units.MiB)).Draw(t, "free"))
		dynamic := pfc.DynamicThreshold(alpha)
		if got, want := dynamic.Limit(free), alpha.Of(free); got != want {
			t.Fatalf("%v of %v free: %d, want %d", alpha, free, got, want)
		}
	})
}

func TestAThresholdNobodySetAllowsNothing(t *testing.T) {
	var zero pfc.Threshold
	if got := zero.Limit(units.MB); got != 0 {
		t.Errorf("limit %v", got)
	}
}

// With an XOFF threshold of 100 kB and an XON offset of 20 kB a group asks for a
// pause at 100 kB, or as soon as it uses headroom, and lets go at 80 kB.
func TestXONHasHysteresis(t *testing.T) {
	const limit, offset = 100 * units.KB, 20 * units.KB
	for _, tc := range []struct {
		headroom, shared units.Bytes
		xoff, xon        bool
	}{
		{0, 0, false, true},
		{0, 80_000, false, true},
		{0, 80_001, false, false},
		{0, 99_999, false, false},
		{0, 100_000, true, false},
		{1, 50_000, true, false}, // the limit has fallen below what it holds
	} {
		if got := pfc.IsXOFF(tc.headroom, tc.shared, limit); got != tc.xoff {
			t.Errorf("headroom %d, shared %d: XOFF %v", tc.headroom, tc.shared, got)
		}
		if got := pfc.IsXON(tc.headroom, tc.shared, limit, offset); got != tc.xon {
			t.Errorf("headroom %d, shared %d: XON %v", tc.headroom, tc.shared, got)
		}
	}
	if !pfc.IsXON(0, 0, 10*units.KB, offset) {
		t.Error("a group that holds nothing stays paused, because its limit is below the offset")
	}
}
