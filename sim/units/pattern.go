package units

import (
	"regexp"
	"slices"
	"strings"
)

// A quantity can say in which form it is written, for those who check files without this program.

// Pattern returns a regular expression, in the common subset of Go's and ECMAScript's, that fits every text a Time is read
// from, and an example.
func (Time) Pattern() (pattern, example string) {
	return "^(" + timeUnits.form() + "|" + neverText + ")$", timeUnits.example
}

// Pattern is to Rate what [Time.Pattern] is to Time.
func (Rate) Pattern() (pattern, example string) {
	return "^" + rateUnits.form() + "$", rateUnits.example
}

// Pattern is to Bytes what [Time.Pattern] is to Time.
func (Bytes) Pattern() (pattern, example string) {
	return "^" + byteUnits.form() + "$", byteUnits.example
}

// Pattern is to Length what [Time.Pattern] is to Time.
func (Length) Pattern() (pattern, example string) {
	return "^" + lengthUnits.form() + "$", lengthUnits.example
}

// Pattern is to Ratio what [Time.Pattern] is to Time. A Ratio is also read from a number that is not negative.
func (Ratio) Pattern() (pattern, example string) {
	return `^([0-9]+(\.[0-9]+)?%?|[0-9]+/0*[1-9][0-9]*)$`, "20%"
}

// form is the regular expression of a number with a unit, or of a plain 0.
func (d dimension) form() string {
	var symbols []string
	optional := ""
	for _, u := range slices.Concat(d.units, d.alternatives) {
		if u.symbol == "" {
			optional = "?"
			continue
		}
		symbols = append(symbols, regexp.QuoteMeta(u.symbol))
	}
	return `([0-9]+(\.[0-9]+)?(` + strings.Join(symbols, "|") + `)` + optional + `|0)`
}
