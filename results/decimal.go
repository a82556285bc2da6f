package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// The number of decimals that make a picosecond of a microsecond, and a bit of a gigabit.
const (
	microsecondDecimals = 6
	gigabitDecimals     = 9
)

// Micros is a time that JSON shows in microseconds, as the exact decimal: 1234567 ps is 1.234567. Its key must say so and
// end in _us.
type Micros units.Time

// MarshalJSON writes the exact number of microseconds; it never fails. [units.Never] is null.
func (t Micros) MarshalJSON() ([]byte, error) {
	if units.Time(t) == units.Never {
		return []byte("null"), nil
	}
	return []byte(decimal(int64(t), microsecondDecimals)), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Micros) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*t = Micros(units.Never)
		return nil
	}
	v, err := parseDecimal(string(text), microsecondDecimals)
	*t = Micros(v)
	return err
}

// Gbps is a rate that JSON shows in Gbit/s, as the exact decimal. Its key must say so and end in _gbps.
type Gbps units.Rate

// MarshalJSON writes the exact number of Gbit/s; it never fails.
func (r Gbps) MarshalJSON() ([]byte, error) {
	return []byte(decimal(int64(r), gigabitDecimals)), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Gbps) UnmarshalJSON(text []byte) error {
	v, err := parseDecimal(string(text), gigabitDecimals)
	*r = Gbps(v)
	return err
}

// parseDecimal is the inverse of decimal. The error tells of what no decimal of ours is.
func parseDecimal(text string, places int) (int64, error) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > places {
		return 0, fmt.Errorf("%q has more than %d decimals", text, places)
	}
	v, err := strconv.ParseInt(whole+part+strings.Repeat("0", places-len(part)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no decimal number of 64 bits", text)
	}
	return v, nil
}

// decimal returns v·10^-places without trailing zeros, in integer arithmetic throughout.
func decimal(v int64, places int) string { return string(appendDecimal(nil, v, places)) }

// appendDecimal appends v·10^-places to dst.
func appendDecimal(dst []byte, v int64, places int) []byte {
	first := len(dst)
	if v < 0 {
		first++ // behind the sign
	}
	dst = strconv.AppendInt(dst, v, 10)
	for len(dst)-first <= places {
		dst = slices.Insert(dst, first, '0')
	}
	point, end := len(dst)-places, len(dst)
	for end > point && dst[end-1] == '0' {
		end--
	}
	if end == point {
		return dst[:point]
	}
	return slices.Insert(dst[:end], point, '.')
}
