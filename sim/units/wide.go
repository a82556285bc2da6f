package units

import "math/bits"

// mulDiv returns a·b/c and its remainder through a product of 128 bits: 8·bytes·10^12 overflows an int64 above 1.1 MB.
// fits is false if c is zero or the quotient needs more than 64 bits.
func mulDiv(a, b, c uint64) (quotient, remainder uint64, fits bool) {
	high, low := bits.Mul64(a, b)
	if high >= c {
		return 0, 0, false
	}
	quotient, remainder = bits.Div64(high, low, c)
	return quotient, remainder, true
}
