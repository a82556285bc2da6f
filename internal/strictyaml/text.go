package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// text returns a value, or a list of values, on one line of YAML.
func text(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		t, err := m.MarshalText()
		if err != nil {
			panic(fmt.Sprintf("strictyaml: %v: %v", v.Type(), err))
		}
		return plainOrQuoted(string(t))
	}
	switch {
	case v.Kind() == reflect.Slice:
		words := make([]string, v.Len())
		for i := range words {
			words[i] = text(v.Index(i))
		}
		return "[" + strings.Join(words, ", ") + "]"
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	case v.Kind() == reflect.String:
		return plainOrQuoted(v.String())
	}
	return fmt.Sprint(v)
}

// Text returns a single value, or a list of single values, as Encode writes it.
func Text(v any) string { return text(reflect.ValueOf(v)) }

// plainText matches what YAML reads as the same text without quotes, in a block as in a list.
var plainText = regexp.MustCompile(`^[A-Za-z0-9_./]+([ A-Za-z0-9_./%*()'+=-]*[A-Za-z0-9_./%*()'+=-])?$`)

// quoted is a text in quotation marks, on one line.
func quoted(s string) string { return strconv.Quote(s) }

func plainOrQuoted(s string) string {
	if plainText.MatchString(s) && !slices.Contains([]string{"null", "Null", "NULL"}, s) {
		return s
	}
	return quoted(s)
}

// isProse tells whether a text is long and survives being folded into lines: words with single spaces between them.
func isProse(s string) bool {
	printable := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
	return len(s) > proseWidth && printable && s == strings.Join(strings.Fields(s), " ")
}
