package results

import (
	"math"
	"math/big"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func ascending(n int) []int64 {
	samples := make([]int64, n)
	for i := range samples {
		samples[i] = int64(i + 1)
	}
	return samples
}

// The nearest-rank percentile p is by definition the smallest sample that at least the share p of the samples does not exceed.
func TestPercentileIsNearestRank(t *testing.T) {
	for n := 1; n <= 300; n++ {
		d := NewDistribution(ascending(n))
		for _, perMille := range []int64{1, 250, 500, 950, 990, 999, 1000} {
			want := int64(1)
			for want*1000 < perMille*int64(n) {
				want++
			}
			if got := d.Percentile(units.Ratio{Num: perMille, Den: 1000}); got != want {
				t.Errorf("%d per mille of 1..%d is %d, want %d", perMille, n, got, want)
			}
		}
	}
}

// In floating point 0.999 times 10,000 may come out above 9990, and its ceiling one too high.
func TestPercentileRankIsExact(t *testing.T) {
	d := NewDistribution(ascending(10_000))
	for _, tt := range []struct {
		p    units.Ratio
		want int
	}{
		{units.Ratio{Num: 999, Den: 1000}, 9990}, {units.Ratio{Num: 99, Den: 100}, 9900},
		{units.Ratio{Num: 1, Den: 3}, 3334}, {units.Ratio{Num: 1, Den: 1}, 10_000},
		{units.Ratio{Num: math.MaxInt64 - 1, Den: math.MaxInt64}, 10_000},
	} {
		if got := d.Rank(tt.p); got != tt.want {
			t.Errorf("rank of %d/%d is %d, want %d", tt.p.Num, tt.p.Den, got, tt.want)
		}
	}
}

func TestPercentileOutsideItsRangePanics(t *testing.T) {
	for _, p := range []units.Ratio{{Num: 0, Den: 1}, {Num: 2, Den: 1}, {Num: -1, Den: 2}, {}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("percentile %d/%d was accepted", p.Num, p.Den)
				}
			}()
			NewDistribution(ascending(3)).Percentile(p)
		}()
	}
}

func TestDistributionLeavesTheSamplesInTheirOrder(t *testing.T) {
	samples := []int64{3, 1, 2}
	if d := NewDistribution(samples); d.Max() != 3 || d.At(1) != 1 || samples[0] != 3 {
		t.Errorf("sorted %v, samples %v", d, samples)
	}
}

func TestP999NeedsTenThousandSamples(t *testing.T) {
	slowdowns := make([]float64, 9_999)
	if p := RatioPercentiles(slowdowns); p.P999 != nil {
		t.Errorf("9,999 samples have a p99.9 of %v", *p.P999)
	}
	if p := RatioPercentiles(append(slowdowns, 1)); p.P999 == nil {
		t.Error("10,000 samples have no p99.9")
	}
	if TimePercentiles(nil) != nil {
		t.Error("no samples have percentiles")
	}
}

func TestDecimalIsExact(t *testing.T) {
	for _, tt := range []struct {
		v      int64
		places int
		want   string
	}{
		{0, 6, "0"}, {1, 6, "0.000001"}, {1_234_567, 6, "1.234567"}, {1_500_000, 6, "1.5"}, {-2_000_000, 6, "-2"},
		{100_000_000_000, 9, "100"}, {25_781_250_000, 9, "25.78125"}, {-1, 9, "-0.000000001"},
		{math.MaxInt64, 6, "9223372036854.775807"}, {math.MinInt64, 6, "-9223372036854.775808"},
	} {
		got := decimal(tt.v, tt.places)
		if got != tt.want {
			t.Errorf("decimal(%d, %d) = %s, want %s", tt.v, tt.places, got, tt.want)
		}
		scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(tt.places)), nil))
		if read, ok := new(big.Rat).SetString(got); !ok || read.Mul(read, scale).Cmp(new(big.Rat).SetInt64(tt.v)) != 0 {
			t.Errorf("%s does not read back as %d", got, tt.v)
		}
	}
}

func TestNeverIsNullInJSON(t *testing.T) {
	if text, err := Micros(units.Never).MarshalJSON(); string(text) != "null" || err != nil {
		t.Errorf("never is %s, %v", text, err)
	}
}
