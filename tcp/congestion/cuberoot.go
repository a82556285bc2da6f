package congestion

import "math"

// cubeRoot returns the cube root of x, rounded to nearest, from operations that are exact or correctly rounded everywhere,
// which those of math.Cbrt are not. x must not be negative; of 0, +Inf and NaN it is x.
//
// Newton's steps bring a root of the mantissa to the last bit but one; a last step, with the error of its cube worked out in
// twice the precision, rounds it.
func cubeRoot(x float64) float64 {
	if x == 0 || math.IsInf(x, 1) || math.IsNaN(x) {
		return x
	}
	m, exponent := math.Frexp(x) // x = m·2^exponent; m gets to [1/8, 1)
	for exponent%3 != 0 {
		m, exponent = m/2, exponent+1
	}
	y := (m + 2) / 3 // the tangent at 1, above the root of m, which lies in [1/2, 1)
	for range 6 {
		y -= (y - m/float64(y*y)) / 3
	}
	return math.Ldexp(y+cubeError(y, m)/(3*float64(y*y)), exponent/3)
}

// cubeError is m - y³ with more digits than m has.
func cubeError(y, m float64) float64 {
	square := float64(y * y)
	squareRest := math.FMA(y, y, -square)
	cube := float64(square * y)
	cubeRest := math.FMA(square, y, -cube)
	return (m - cube) - cubeRest - float64(squareRest*y)
}
