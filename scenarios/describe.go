package scenarios

import (
	"encoding"
	"reflect"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
)

// alternative is a type that is another one or a word; see [Or].
type alternative interface{ either() (reflect.Type, string) }

func (o Or[T, W]) either() (reflect.Type, string) { return reflect.TypeFor[T](), o.word() }

// typeOf names the type of a key.
func typeOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[units.Time]():
		return "time"
	case reflect.TypeFor[units.Rate]():
		return "rate"
	case reflect.TypeFor[units.Bytes]():
		return "size"
	case reflect.TypeFor[units.Length]():
		return "length"
	case reflect.TypeFor[units.Ratio]():
		return "ratio"
	case reflect.TypeFor[Quantity]():
		return "quantity"
	case reflect.TypeFor[strictyaml.Block]():
		return "block with a `kind`"
	case reflect.TypeFor[strictyaml.Settings]():
		return "keys with values"
	}
	if a, ok := reflect.Zero(t).Interface().(alternative); ok {
		inner, word := a.either()
		return typeOf(inner) + " or `" + word + "`"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.Slice:
		return "list of " + plural(typeOf(t.Elem()))
	case reflect.Map:
		return typeOf(t.Key()) + ": " + typeOf(t.Elem())
	case reflect.Struct:
		return "block"
	case reflect.Bool:
		return "`true` or `false`"
	case reflect.Float64, reflect.Float32:
		return "number"
	case reflect.String:
		return "text"
	}
	return "whole number"
}

// plural makes "whole numbers" of "whole number" and "blocks with a `kind`" of "block with a `kind`".
func plural(name string) string {
	noun, rest, _ := strings.Cut(name, " with ")
	if stem, ok := strings.CutSuffix(noun, "ty"); ok {
		noun = stem + "tie"
	}
	if rest != "" {
		rest = " with " + rest
	}
	return noun + "s" + rest
}

// innerStruct returns the struct that a key, or each entry of a key, is made of; nil if it is none.
func innerStruct(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	text := reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	if t.Kind() != reflect.Struct || text || t == reflect.TypeFor[strictyaml.Block]() || t == reflect.TypeFor[strictyaml.Settings]() {
		return nil
	}
	return t
}

// defaultOf says what holds if a key is left out.
func defaultOf(f strictyaml.Field) string {
	value := "`" + f.Default + "`"
	switch {
	case f.Required:
		value = "required"
	case f.HasDefault:
	case innerStruct(f.Type) != nil && f.Type.Kind() == reflect.Struct:
		value = "as below"
	case f.Type.Kind() == reflect.Pointer, f.Type.Kind() == reflect.Slice, f.Type.Kind() == reflect.Map, f.Type.Kind() == reflect.String:
		value = "none"
	default:
		value = "`" + strictyaml.Text(reflect.Zero(f.Type).Interface()) + "`"
	}
	if f.Unless != "" {
		value += "; not with `" + f.Unless + "`"
	}
	return value
}

// rangeOf says which values a key may have.
func rangeOf(f strictyaml.Field) string {
	switch {
	case len(f.OneOf) > 0:
		quoted := make([]string, len(f.OneOf))
		for i, word := range f.OneOf {
			quoted[i] = "`" + word + "`"
		}
		return commas(quoted)
	case f.Min != "" && f.Max != "":
		return f.Min + " to " + f.Max
	case f.Min != "":
		return "at least " + f.Min
	case f.Max != "":
		return "at most " + f.Max
	}
	return ""
}
