package variate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func ExampleExponential() {
	stream := rand.NewPCG(1, 2)
	sum := 0.0
	for range 1_000_000 {
		sum += Exponential(stream)
	}
	fmt.Printf("mean %.2f\n", sum/1_000_000)
	// Output: mean 1.00
}

const draws = 200_000

// sample draws many variates and sorts them.
func sample(draw func(Source) float64) []float64 {
	stream := rand.NewPCG(7, 11)
	xs := make([]float64, draws)
	for i := range xs {
		xs[i] = draw(stream)
	}
	slices.Sort(xs)
	return xs
}

// wantDistribution is the test of Kolmogorov and Smirnov: the greatest distance between the share of n draws up to x and the
// distribution function exceeds 1.95/√n once in a thousand times.
func wantDistribution(t *testing.T, name string, xs []float64, cdf func(x float64) float64) {
	t.Helper()
	distance := 0.0
	for i, x := range xs {
		f := cdf(x)
		distance = max(distance, f-float64(i)/draws, float64(i+1)/draws-f)
	}
	if bound := 1.95 / math.Sqrt(draws); distance > bound {
		t.Errorf("%s: distance %.5f, above %.5f", name, distance, bound)
	}
}

// wantMean compares the mean with that of the distribution, within five standard errors.
func wantMean(t *testing.T, name string, xs []float64, mean, variance float64) {
	t.Helper()
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	if got, bound := sum/draws, 5*math.Sqrt(variance/draws); math.Abs(got-mean) > bound {
		t.Errorf("%s: mean %.5f, want %.5f within %.5f", name, got, mean, bound)
	}
}

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func TestVariatesHaveTheirDistributions(t *testing.T) {
	uniform, exponential, normal := sample(Uniform), sample(Exponential), sample(Normal)
	wantDistribution(t, "uniform", uniform, func(x float64) float64 { return x })
	wantMean(t, "uniform", uniform, 0.5, 1.0/12)
	wantDistribution(t, "exponential", exponential, func(x float64) float64 { return -math.Expm1(-x) })
	wantMean(t, "exponential", exponential, 1, 1)
	wantDistribution(t, "normal", normal, normalCDF)
	wantMean(t, "normal", normal, 0, 1)
	for _, sigma := range []float64{0.5, 1, 2} {
		name := fmt.Sprint("log-normal, sigma ", sigma)
		xs := sample(func(s Source) float64 { return LogNormal(s, sigma) })
		wantDistribution(t, name, xs, func(x float64) float64 { return normalCDF(math.Log(x)/sigma + sigma/2) })
		wantMean(t, name, xs, 1, math.Expm1(sigma*sigma))
	}
}

// Neighbours in the stream must not know of each other: the correlation of n pairs of independent numbers has a standard
// deviation of 1/√n.
func TestVariatesThatFollowEachOtherAreIndependent(t *testing.T) {
	stream := rand.NewPCG(3, 5)
	sum, last := 0.0, Exponential(stream)-1
	for range draws {
		x := Exponential(stream) - 1
		sum += x * last
		last = x
	}
	if r, bound := sum/draws, 5/math.Sqrt(draws); math.Abs(r) > bound {
		t.Errorf("correlation %.5f, above %.5f", r, bound)
	}
}

func TestACoinSurvivesWithTheExponentialOfItsAge(t *testing.T) {
	stream := rand.NewPCG(2, 3)
	for _, a := range []float64{0, 0.1, 0.5, 1, 1.7, 4} {
		alive := 0
		for range draws {
			if survives(stream, a) {
				alive++
			}
		}
		p := math.Exp(-a)
		if got, bound := float64(alive)/draws, 5*math.Sqrt(p*(1-p)/draws); math.Abs(got-p) > bound {
			t.Errorf("age %v: %.5f survive, want %.5f within %.5f", a, got, p, bound)
		}
	}
}

func TestTheExponentialFunctionIsAccurateToItsLastDigits(t *testing.T) {
	for x := -740.0; x < 709; x += 0.37 {
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 4e-16*want+5e-324 {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if Exp(0) != 1 || Exp(-800) != 0 || !math.IsInf(Exp(800), 1) {
		t.Errorf("Exp(0) = %v, Exp(-800) = %v, Exp(800) = %v", Exp(0), Exp(-800), Exp(800))
	}
}

// The numbers of a stream are part of what a seed promises; another processor or compiler must give the same.
func TestAStreamGivesTheSameVariatesEverywhere(t *testing.T) {
	stream := rand.NewPCG(1, 1)
	got := fmt.Sprint(Exponential(stream), Normal(stream), LogNormal(stream, 1), Uniform(stream))
	if want := "3.00714623265125 -0.2516852472621013 0.5557609576429813 0.7741399634359517"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func BenchmarkVariates(b *testing.B) {
	for _, c := range []struct {
		name string
		draw func(Source) float64
	}{{"exponential", Exponential}, {"normal", Normal}, {"log-normal", func(s Source) float64 { return LogNormal(s, 1) }}} {
		b.Run(c.name, func(b *testing.B) {
			stream := rand.NewPCG(1, 2)
			for b.Loop() {
				c.draw(stream)
			}
		})
	}
}
