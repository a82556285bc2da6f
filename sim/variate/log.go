package variate

import "math"

// Log returns the natural logarithm of a positive x with an error of a few units in the last place, the same on every
// processor: x is taken apart into m·2^k with m near 1, whose logarithm is 2 artanh((m-1)/(m+1)), a series that is summed up
// from the smallest term on. Of 0 it is -Inf, of a negative number not a number.
func Log(x float64) float64 {
	switch {
	case x < 0 || x != x:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = m+m, k-1
	}
	s := (m - 1) / (m + 1)
	square := float64(s * s)
	sum := 0.0
	for n := 23; n > 1; n -= 2 { // |s| is at most 0.172: s^24 is beyond the last bit
		sum = float64(square * (1/float64(n) + sum))
	}
	return float64(float64(k)*ln2High) + (float64(2*s) + (float64(float64(2*s)*sum) + float64(float64(k)*ln2Low)))
}
