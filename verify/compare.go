package verify

import (
	"fmt"
	"math"
	"strconv"
)

// near makes a row of a number that may differ from what is expected by so much, given in the same unit.
func near(r Row, expected, found, band float64) Row {
	r.Expected, r.Found = number(expected), number(found)
	r.Deviation = deviation(expected, found)
	r.Band = "±" + number(band)
	r.Met = math.Abs(found-expected) <= band
	return r
}

// within makes a row of a number that may differ from what is expected by so great a part of it.
func within(r Row, expected, found, part float64) Row {
	r = near(r, expected, found, part*math.Abs(expected))
	r.Band = "±" + strconv.FormatFloat(100*part, 'g', 3, 64) + "%"
	return r
}

// equal makes a row of two values that have to be the same.
func equal[T comparable](r Row, expected, found T) Row {
	r.Expected, r.Found, r.Band, r.Met = fmt.Sprint(expected), fmt.Sprint(found), "exact", expected == found
	if r.Because == "" {
		r.Because = "exact"
	}
	return r
}

// number writes a number to five significant digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// deviation says by how much found is off.
func deviation(expected, found float64) string {
	d := found - expected
	if d == 0 || expected == 0 {
		return fmt.Sprintf("%+.3g", d)
	}
	return fmt.Sprintf("%+.3g (%+.2g%%)", d, 100*d/expected)
}
