package variate_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/variate"
)

func TestTheLogarithmIsThatOfTheMathematicalLibrary(t *testing.T) {
	for _, x := range []float64{1, 1.0000001, 0.5, 0.7, 0.71, 2, 3, 10, 1e5, 1e300, 1e-300, math.MaxFloat64} {
		got, want := variate.Log(x), math.Log(x)
		if math.Abs(got-want) > 1e-15*max(1, math.Abs(want)) {
			t.Errorf("of %v it is %.17g, want %.17g", x, got, want)
		}
	}
	if !math.IsInf(variate.Log(0), -1) || !math.IsNaN(variate.Log(-1)) || !math.IsInf(variate.Log(math.Inf(1)), 1) {
		t.Error("0, negative numbers and infinity")
	}
}

// Of 1000 keys with a theta of 0.99 the first has one part in H = sum of 1/i^0.99, which is 7.7289 by summation with the
// mathematical library, and the tenth 10^0.99 times less. Each is drawn as often as that, within four standard errors.
func TestPopularKeysAreDrawnByZipfsLaw(t *testing.T) {
	const n, draws, theta = 1000, 200_000, 0.99
	z := variate.NewZipf(n, theta)
	h := 0.0
	for i := 1; i <= n; i++ {
		h += math.Pow(float64(i), -theta)
	}
	stream := sim.NewStream(1, "client", "keys")
	drawn := make([]int, n)
	for range draws {
		drawn[z.Draw(&stream)]++
	}
	for _, rank := range []int{0, 1, 9, 99, 999} {
		p := math.Pow(float64(rank+1), -theta) / h
		if got := z.Share(rank); math.Abs(got-p) > 1e-12 {
			t.Errorf("the share of rank %d is %v, want %v", rank, got, p)
		}
		if sigma := math.Sqrt(draws * p * (1 - p)); math.Abs(float64(drawn[rank])-draws*p) > 4*sigma {
			t.Errorf("rank %d was drawn %d times, want %.0f ± %.0f", rank, drawn[rank], draws*p, sigma)
		}
	}
	if even := variate.NewZipf(4, 0); even.Share(0) != 0.25 || even.Share(3) != 0.25 {
		t.Errorf("with a theta of 0 shares are %v and %v", even.Share(0), even.Share(3))
	}
}
