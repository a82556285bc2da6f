package variate_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim/variate"
)

// The mean and the variance of numbers from many streams are those of the uniform distribution, within three standard
// errors: 1/sqrt(12 n) of the mean, 1/sqrt(180 n) of the variance.
func TestStreamsOfMRG32k3aAreUniform(t *testing.T) {
	const n = 20_000
	g := variate.NewMRG32k3a(1, 26)
	var sum, squares float64
	for range n {
		u := g.Next()
		if u <= 0 || u >= 1 {
			t.Fatalf("drew %v", u)
		}
		sum += u
		squares += float64((u - 0.5) * (u - 0.5))
	}
	if mean := sum / n; math.Abs(mean-0.5) > 3/math.Sqrt(12*n) {
		t.Errorf("mean %v", mean)
	}
	if variance := squares / n; math.Abs(variance-1.0/12) > 3/math.Sqrt(180*n) {
		t.Errorf("variance %v", variance)
	}
}

// Skipping streams is the same as starting later.
func TestSkippingAStreamOfMRG32k3a(t *testing.T) {
	a, b := variate.NewMRG32k3a(1, 3), variate.NewMRG32k3a(1, 5)
	a.Skip()
	a.Skip()
	if x, y := a.Next(), b.Next(); x != y {
		t.Errorf("%v and %v", x, y)
	}
}

// ns-3 drew these as the first numbers of its streams 38 to 41, with seed and run 1.
func TestMRG32k3aIsThatOfNS3(t *testing.T) {
	g := variate.NewMRG32k3a(1, 38)
	for _, want := range []float64{0.18724972683655638, 0.88974589483513178, 0.60667212288542693, 0.1103332780649238} {
		if got := g.Next(); math.Abs(got-want) > 1e-15 {
			t.Errorf("drew %.17g, want %.17g", got, want)
		}
	}
}
