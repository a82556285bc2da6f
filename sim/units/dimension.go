package units

import (
	"strconv"
	"strings"
)

// unit is a symbol and its size in base units.
type unit struct {
	symbol string
	factor int64
}

// dimension describes one kind of quantity: what it is called, and the units in which it is read and printed.
type dimension struct {
	noun, base, example string
	zero                string // how nothing is printed
	units               []unit // decimal, smallest first: those used for printing
	alternatives        []unit // those that are read as well
}

// exact returns v in the largest unit it reaches, with as many decimals as it takes.
func (d dimension) exact(v int64) string {
	if v == 0 {
		return d.zero
	}
	sign, size := magnitude(v)
	u := d.units[d.reached(size)]
	factor := uint64(u.factor)
	text := sign + strconv.FormatUint(size/factor, 10)
	if rest := size % factor; rest != 0 {
		digits := strconv.FormatUint(factor+rest, 10)[1:] // the leading 1 keeps the zeros behind the point
		text += "." + strings.TrimRight(digits, "0")
	}
	return text + u.symbol
}

// human returns v with three significant digits in the largest unit it reaches, without trailing zeros.
func (d dimension) human(v int64) string {
	if v == 0 {
		return d.zero
	}
	sign, size := magnitude(v)
	i := d.reached(size)
	x := float64(size) / float64(d.units[i].factor)
	if x >= 999.5 && i+1 < len(d.units) {
		x, i = x/1000, i+1
	}
	text := strconv.FormatFloat(x, 'f', decimals(x), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return sign + text + d.units[i].symbol
}

// decimals returns how many decimals leave x with three significant digits.
func decimals(x float64) int {
	switch {
	case x < 9.995:
		return 2
	case x < 99.95:
		return 1
	}
	return 0
}

// reached returns the index of the largest unit that is not larger than size.
func (d dimension) reached(size uint64) int {
	i := len(d.units) - 1
	for i > 0 && uint64(d.units[i].factor) > size {
		i--
	}
	return i
}

// magnitude splits v into its sign and its size, which math.MinInt64 needs 64 bits for.
func magnitude(v int64) (sign string, size uint64) {
	if v < 0 {
		return "-", -uint64(v)
	}
	return "", uint64(v)
}
