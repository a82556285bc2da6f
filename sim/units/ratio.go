package units

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// Ratio is the exact fraction Num/Den of two numbers that are not negative: a marking probability, the alpha of a
// dynamic threshold, DCQCN's gain g. Parsed ratios are in lowest terms. The zero value means 0; so does any Ratio with
// Num 0.
type Ratio struct{ Num, Den int64 }

const ratioWant = "write a ratio such as 20%, 1/8 or 0.25"

// ParseRatio reads a percentage ("20%", "12.5%"), a fraction of two whole numbers ("1/8"), a decimal ("0.25") or a whole
// number, and reduces it to lowest terms. It refuses negative numbers, a zero denominator and terms beyond an int64, with a
// [*FieldError].
func ParseRatio(text string) (Ratio, error) {
	if problem := ratioProblem(text); problem != "" {
		return Ratio{}, &FieldError{Value: text, Problem: problem, Want: ratioWant}
	}
	digits, percent := strings.CutSuffix(strings.Replace(text, ":", "/", 1), "%")
	value, ok := new(big.Rat).SetString(digits)
	if !ok {
		return Ratio{}, &FieldError{Value: text, Problem: "the denominator must not be zero", Want: ratioWant}
	}
	if percent {
		value.Mul(value, big.NewRat(1, 100))
	}
	if !value.Num().IsInt64() || !value.Denom().IsInt64() {
		return Ratio{}, &FieldError{Value: text, Problem: "numerator or denominator beyond 2^63-1", Want: ratioWant}
	}
	return Ratio{value.Num().Int64(), value.Denom().Int64()}, nil
}

// ratioProblem says why text has not the form of a ratio; it is empty if text has.
func ratioProblem(text string) string {
	number, rest := splitNumber(text)
	if problem := numberProblem(text, number, rest); problem != "" {
		return problem
	}
	denominator, isFraction := strings.CutPrefix(strings.Replace(rest, ":", "/", 1), "/")
	switch {
	case rest == "" || rest == "%":
		return ""
	case isFraction && isWhole(number) && isWhole(denominator):
		return ""
	case isFraction:
		return "not a fraction of two whole numbers"
	}
	if noun := nounOf(rest); noun != "" {
		return noun + " where a ratio is wanted"
	}
	return "not a ratio"
}

// IsZero reports whether r is 0.
func (r Ratio) IsZero() bool { return r.Num == 0 }

// Float returns the float64 nearest to r.
func (r Ratio) Float() float64 {
	if r.IsZero() {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}

// Of returns the share r of b: ⌊b·Num/Den⌋, exact in 128 bits, at most math.MaxInt64. A b that is not positive has no
// share, as a dynamic threshold wants it when no buffer is left.
func (r Ratio) Of(b Bytes) Bytes {
	if r.IsZero() || b <= 0 {
		return 0
	}
	quotient, _, fits := mulDiv(uint64(b), uint64(r.Num), uint64(r.Den))
	if !fits || quotient > math.MaxInt64 {
		return math.MaxInt64
	}
	return Bytes(quotient)
}

// Cmp returns -1, 0 or 1 as r is less than, equal to or greater than s. It compares values: 2/4 equals 1/2.
func (r Ratio) Cmp(s Ratio) int {
	if r.IsZero() || s.IsZero() {
		return cmp.Compare(r.Num, s.Num)
	}
	rHigh, rLow := bits.Mul64(uint64(r.Num), uint64(s.Den))
	sHigh, sLow := bits.Mul64(uint64(s.Num), uint64(r.Den))
	if rHigh != sHigh {
		return cmp.Compare(rHigh, sHigh)
	}
	return cmp.Compare(rLow, sLow)
}

// String returns r exactly, as a percentage of at most two decimals or as a fraction, whichever is shorter ("20%",
// "1/8"); a whole number stands alone.
func (r Ratio) String() string {
	if r.IsZero() {
		return "0"
	}
	value := big.NewRat(r.Num, r.Den)
	fraction := value.RatString()
	if percent, ok := percentage(value); ok && len(percent) <= len(fraction) {
		return percent
	}
	return fraction
}

// percentage returns value as a percentage if two decimals say it exactly.
func percentage(value *big.Rat) (text string, ok bool) {
	hundredths := new(big.Rat).Mul(value, big.NewRat(100*100, 1))
	if !hundredths.IsInt() {
		return "", false
	}
	text = new(big.Rat).Mul(value, big.NewRat(100, 1)).FloatString(2)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%", true
}

// MarshalText returns the exact text of String; it never fails.
func (r Ratio) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText sets r as ParseRatio does; on an error r stays as it was.
func (r *Ratio) UnmarshalText(text []byte) error { return unmarshal(r, text, ParseRatio) }
