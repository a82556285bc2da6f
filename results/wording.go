package results

import (
	"strconv"
	"strings"
)

// How numbers stand in sentences.

// Count writes a number of things with its digits in groups of three: "1,234".
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural writes a count with its noun, which forms its plural by an s: "1 flow", "0 flows".
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Percent writes a share as a percentage of two or three digits, "4.6%", and never shows something as nothing.
func Percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0%"
	case p < 0.01:
		return "<0.01%"
	case p < 1:
		return strconv.FormatFloat(p, 'f', 2, 64) + "%"
	case p < 9.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
}

// Figure writes a positive number of something with four digits, those of thousands in groups: "3.091", "712.1", "174,000".
func Figure(x float64) string {
	if x < 1000 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64) // what was written can be read
	return Count(int64(rounded))
}

// WithoutUnit is the name of a column without the unit at its end.
func WithoutUnit(column string) string {
	for _, suffix := range [...]string{"_us", "_gbps", "_bytes"} {
		if short, is := strings.CutSuffix(column, suffix); is {
			return short
		}
	}
	return column
}
