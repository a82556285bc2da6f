package variate

import "math"

// ln 2 in two parts, of which the first has so few digits that its product with a small whole number is exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// terms of the Taylor series of e^r reach the last bit for |r| up to ln(2)/2.
const terms = 14

// Exp returns e^x with an error of a few units in the last place, the same on every processor: x is taken apart into k·ln 2
// and a rest r of at most ln(2)/2, whose exponential is summed up from the smallest term on. Beyond what a float can
// hold it returns 0 or +Inf.
func Exp(x float64) float64 {
	switch {
	case x > 709.78:
		return math.Inf(1)
	case x < -745.14:
		return 0
	}
	k := math.Round(x / (ln2High + ln2Low))
	r := x - float64(k*ln2High) - float64(k*ln2Low)
	sum := 1.0
	for n := terms; n > 0; n-- {
		sum = 1 + float64(r*sum)/float64(n)
	}
	return math.Ldexp(sum, int(k))
}
