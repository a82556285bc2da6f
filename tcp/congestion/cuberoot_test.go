package congestion_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// nearestRoot returns the float64 nearest to the cube root of x, found by bisection in exact arithmetic.
func nearestRoot(x float64) float64 {
	cubeBelow := func(y *big.Float) bool { // y³ < x
		cube := new(big.Float).SetPrec(2000).Mul(y, y)
		return cube.Mul(cube, y).Cmp(big.NewFloat(x)) < 0
	}
	y := math.Cbrt(x) // a guess, good to an ulp or two
	for cubeBelow(new(big.Float).SetPrec(200).SetFloat64(y)) {
		y = math.Nextafter(y, math.Inf(1))
	}
	// y is the least double not below the root: the nearest is it or the one before, as the middle decides.
	before := math.Nextafter(y, 0)
	for !cubeBelow(new(big.Float).SetPrec(200).SetFloat64(before)) {
		y, before = before, math.Nextafter(before, 0)
	}
	middle := new(big.Float).SetPrec(200).SetFloat64(before)
	middle.Add(middle, big.NewFloat(y))
	if cubeBelow(middle.Quo(middle, big.NewFloat(2))) {
		return y
	}
	return before
}

func TestCubeRootIsRoundedToNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		x := math.Ldexp(1+random.Float64(), random.IntN(120)-60)
		if got, want := congestion.CubeRoot(x), nearestRoot(x); got != want {
			t.Fatalf("cube root of %v: %v, want %v", x, got, want)
		}
	}
}

func TestCubeRootOfACubeIsExact(t *testing.T) {
	for n := range 200_000 {
		y := float64(n)
		if got := congestion.CubeRoot(y * y * y); got != y {
			t.Fatalf("cube root of %v³: %v", y, got)
		}
		y = math.Ldexp(y, -9)
		if got := congestion.CubeRoot(y * y * y); got != y {
			t.Fatalf("cube root of (%v/512)³: %v", n, got)
		}
	}
}

func TestCubeRootAtTheEdges(t *testing.T) {
	for _, x := range []float64{0, math.Inf(1)} {
		if got := congestion.CubeRoot(x); got != x {
			t.Errorf("cube root of %v: %v", x, got)
		}
	}
	if got := congestion.CubeRoot(math.NaN()); !math.IsNaN(got) {
		t.Errorf("cube root of NaN: %v", got)
	}
	for _, x := range []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022} {
		if got, want := congestion.CubeRoot(x), nearestRoot(x); got != want {
			t.Errorf("cube root of %v: %v, want %v", x, got, want)
		}
	}
}
