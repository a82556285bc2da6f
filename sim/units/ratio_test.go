package units_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestRatioIsReadInLowestTerms(t *testing.T) {
	checkParse(t, units.ParseRatio, map[string]units.Ratio{
		"20%": {Num: 1, Den: 5}, "12.5%": {Num: 1, Den: 8}, "1/8": {Num: 1, Den: 8}, "4/32": {Num: 1, Den: 8},
		"0.25": {Num: 1, Den: 4}, "1": {Num: 1, Den: 1}, "8": {Num: 8, Den: 1}, "100%": {Num: 1, Den: 1},
		"0": {Num: 0, Den: 1}, "0/7": {Num: 0, Den: 1}, "1/256": {Num: 1, Den: 256},
		"9223372036854775807/9223372036854775806": {Num: math.MaxInt64, Den: math.MaxInt64 - 1},
	})
}

func TestRatioIsRefusedWithTheRightSpelling(t *testing.T) {
	const want = "; write a ratio such as 20%, 1/8 or 0.25"
	checkRefused(t, units.ParseRatio, map[string]string{
		"":                      `empty` + want,
		"1/0":                   `"1/0": the denominator must not be zero` + want,
		"-1/8":                  `"-1/8": must not be negative` + want,
		"1/-8":                  `"1/-8": not a fraction of two whole numbers` + want,
		"1.5/2":                 `"1.5/2": not a fraction of two whole numbers` + want,
		"1/2/3":                 `"1/2/3": not a fraction of two whole numbers` + want,
		"1/8%":                  `"1/8%": not a fraction of two whole numbers` + want,
		"1e-3":                  `"1e-3": a number with an exponent` + want,
		"NaN":                   `"NaN": not a number` + want,
		"20 %":                  `"20 %": a space after the number` + want,
		"5us":                   `"5us": a time where a ratio is wanted` + want,
		"4KB":                   `"4KB": a size where a ratio is wanted` + want,
		"1x":                    `"1x": not a ratio` + want,
		"9223372036854775808":   `"9223372036854775808": numerator or denominator beyond 2^63-1` + want,
		"1/9223372036854775808": `"1/9223372036854775808": numerator or denominator beyond 2^63-1` + want,
	})
}

func TestRatioPrintsAsPercentageOrFractionWhicheverIsShorter(t *testing.T) {
	for ratio, want := range map[units.Ratio]string{
		{}: "0", {Num: 0, Den: 5}: "0", {Num: 1, Den: 5}: "20%", {Num: 1, Den: 8}: "1/8", {Num: 1, Den: 4}: "25%",
		{Num: 1, Den: 256}: "1/256", {Num: 1, Den: 1}: "1", {Num: 8, Den: 1}: "8", {Num: 999, Den: 1000}: "99.9%",
		{Num: 1, Den: 3}: "1/3", {Num: 1, Den: 10000}: "0.01%", {Num: 2, Den: 10}: "20%",
		{Num: math.MaxInt64, Den: 2}: "9223372036854775807/2",
	} {
		if got := ratio.String(); got != want {
			t.Errorf("%d/%d prints as %s, want %s", ratio.Num, ratio.Den, got, want)
		}
	}
}

func TestShareOfABufferIsRoundedDown(t *testing.T) {
	cases := []struct {
		ratio units.Ratio
		of    units.Bytes
		want  units.Bytes
	}{
		{units.Ratio{Num: 1, Den: 8}, 32 * units.MiB, 4 * units.MiB},
		{units.Ratio{Num: 1, Den: 8}, 15, 1},
		{units.Ratio{Num: 8, Den: 1}, 100, 800},
		{units.Ratio{}, units.MiB, 0},
		{units.Ratio{Num: 1, Den: 8}, -1, 0},
		{units.Ratio{Num: 3, Den: 2}, math.MaxInt64, math.MaxInt64},
		{units.Ratio{Num: math.MaxInt64, Den: 1}, math.MaxInt64, math.MaxInt64},
		{units.Ratio{Num: math.MaxInt64, Den: math.MaxInt64}, math.MaxInt64, math.MaxInt64},
	}
	for _, c := range cases {
		if got := c.ratio.Of(c.of); got != c.want {
			t.Errorf("%v of %d bytes is %d, want %d", c.ratio, int64(c.of), got, c.want)
		}
	}
}

func TestRatiosCompareByValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, s := drawRatio(t, "r"), drawRatio(t, "s")
		want := big.NewRat(r.Num, r.Den).Cmp(big.NewRat(s.Num, s.Den))
		if got := r.Cmp(s); got != want {
			t.Fatalf("%v against %v is %d, want %d", r, s, got, want)
		}
	})
}

func TestZeroRatioIsZeroInEveryForm(t *testing.T) {
	zero, written := units.Ratio{}, units.Ratio{Num: 0, Den: 1}
	if !zero.IsZero() || !written.IsZero() || zero.Cmp(written) != 0 || zero.Float() != 0 {
		t.Errorf("%#v and %#v are not the same zero", zero, written)
	}
	tiny := units.Ratio{Num: 1, Den: math.MaxInt64}
	if tiny.IsZero() || zero.Cmp(tiny) != -1 || tiny.Cmp(zero) != 1 {
		t.Errorf("%v does not lie above zero", tiny)
	}
}

func TestRatioAsFloat(t *testing.T) {
	if got := (units.Ratio{Num: 1, Den: 256}).Float(); got != 1.0/256 {
		t.Errorf("got %v, want DCQCN's g of 1/256", got)
	}
}

func ExampleRatio_Of() {
	alpha, _ := units.ParseRatio("1/8")
	fmt.Println(alpha.Of(32 * units.MiB))
	// Output: 4MiB
}
