package units

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// unmarshal sets value from text by parse and leaves it alone if that fails.
func unmarshal[T any](value *T, text []byte, parse func(string) (T, error)) error {
	parsed, err := parse(string(text))
	if err == nil {
		*value = parsed
	}
	return err
}

// parse returns the number of base units that text stands for.
func (d dimension) parse(text string) (int64, error) {
	number, symbol := splitNumber(text)
	if problem := numberProblem(text, number, symbol); problem != "" {
		return 0, d.refuse(text, problem)
	}
	factor, ok := d.lookup(symbol)
	switch {
	case ok:
	case text == "0":
		return 0, nil
	default:
		return 0, d.refuseUnit(text, symbol)
	}
	value, _ := new(big.Rat).SetString(number)
	value.Mul(value, new(big.Rat).SetInt64(factor))
	if !value.IsInt() {
		smallest := "the smallest step is 1" + d.units[0].symbol
		return 0, &FieldError{Value: text, Problem: "not a whole number of " + d.base, Want: smallest}
	}
	if !value.Num().IsInt64() {
		return 0, &FieldError{Value: text, Problem: "too large", Want: "the largest is " + d.exact(math.MaxInt64)}
	}
	return value.Num().Int64(), nil
}

// lookup returns the size of the unit of that very symbol.
func (d dimension) lookup(symbol string) (factor int64, ok bool) {
	for _, u := range slices.Concat(d.units, d.alternatives) {
		if u.symbol == symbol {
			return u.factor, true
		}
	}
	return 0, false
}

// refuse returns the error of a text that is not of this dimension, with an example of one that is.
func (d dimension) refuse(text, problem string) error {
	return &FieldError{Value: text, Problem: problem, Want: "write " + d.noun + " such as " + d.example}
}

// refuseUnit returns the error of a symbol that is no unit of this dimension, with the likely right one.
func (d dimension) refuseUnit(text, symbol string) error {
	problem := fmt.Sprintf("unknown unit %q", symbol)
	if symbol == "" {
		problem = "no unit"
	} else if noun := nounOf(symbol); noun != "" {
		return d.refuse(text, noun+" where "+d.noun+" is wanted")
	} else if meant := d.nearest(symbol); meant != "" {
		return &FieldError{Value: text, Problem: problem, Want: didYouMean(symbol, meant)}
	}
	want := "write " + d.noun + " such as " + d.example + ", in one of " + d.symbols()
	return &FieldError{Value: text, Problem: problem, Want: want}
}

// didYouMean suggests the unit meant for what was written, and says why it matters.
func didYouMean(written, meant string) string {
	want := fmt.Sprintf("did you mean %q?", meant)
	if strings.EqualFold(written, meant) {
		want += " units are case-sensitive"
	}
	if strings.Contains(meant, "B") && strings.Contains(written, "b") ||
		strings.Contains(meant, "b") && strings.Contains(written, "B") {
		want += " (b is a bit, B a byte)"
	}
	return want
}

// nearest returns the unit that symbol is but for its case, or failing that one of which it is a longer or a shorter
// form ("sec", "G", "Gbit/s"); empty if there is none.
func (d dimension) nearest(symbol string) string {
	written := strings.NewReplacer("/", "p", "bit", "b").Replace(strings.ToLower(symbol))
	related := ""
	for _, u := range slices.Concat(d.units, d.alternatives) {
		known := strings.ToLower(u.symbol)
		switch {
		case known == "":
		case known == written:
			return u.symbol
		case related == "" && (strings.HasPrefix(known, written) || strings.HasPrefix(written, known)):
			related = u.symbol
		}
	}
	return related
}

// symbols lists the units a person may write.
func (d dimension) symbols() string {
	var symbols []string
	for _, u := range d.units {
		symbols = append(symbols, u.symbol)
	}
	return strings.Join(symbols, ", ")
}

// nounOf says what a number followed by rest would be; it is empty if nothing known.
func nounOf(rest string) string {
	if rest == "%" || strings.HasPrefix(rest, "/") && isWhole(rest[1:]) {
		return "a ratio"
	}
	for _, d := range []dimension{timeUnits, rateUnits, byteUnits, lengthUnits} {
		if _, ok := d.lookup(rest); ok && rest != "" {
			return d.noun
		}
	}
	return ""
}

// splitNumber cuts text after its leading digits and points.
func splitNumber(text string) (number, rest string) {
	rest = strings.TrimLeft(text, "0123456789.")
	return text[:len(text)-len(rest)], rest
}

// numberProblem says why text, cut into number and rest, does not begin with a decimal number; it is empty if it does.
func numberProblem(text, number, rest string) string {
	switch {
	case text == "":
		return "empty"
	case strings.HasPrefix(text, "-") && len(text) > 1 && isWhole(text[1:2]):
		return "must not be negative"
	case !isDecimal(number):
		return "not a number"
	case strings.HasPrefix(rest, " "):
		return "a space after the number"
	case len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') && strings.ContainsAny(rest[1:2], "+-0123456789"):
		return "a number with an exponent"
	}
	return ""
}

// isDecimal reports whether text is digits, or digits, a point and digits.
func isDecimal(text string) bool {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	return isWhole(whole) && (!hasPoint || isWhole(fraction))
}

// isWhole reports whether text is digits and nothing else.
func isWhole(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
