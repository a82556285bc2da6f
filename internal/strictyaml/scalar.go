package strictyaml

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/rdmasim/rdmasim/sim/units"
)

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// isText tells whether values of type t are written as one scalar that they parse themselves.
func isText(t reflect.Type) bool { return reflect.PointerTo(t).Implements(textType) }

// scalar decodes a single value and checks it against the field's tags.
func (d *decoder) scalar(n *node, v reflect.Value, path string, f Field) {
	d.origins.record(path, n.origin)
	if n.shape != scalar || n.null {
		want := "a single value"
		if f.Default != "" {
			want += " such as " + f.Default
		}
		d.wrongShape(n, path, want)
		return
	}
	if len(f.OneOf) > 0 && !slices.Contains(f.OneOf, n.text) {
		d.problem(n, path, n.quoted()+" is not possible", meant(n.text, f.OneOf))
		return
	}
	wrong, right := parseScalar(n, v)
	if wrong == "" {
		wrong, right = outOfRange(n, v, f)
	}
	if wrong != "" {
		d.problem(n, path, wrong, right)
	}
}

// parseScalar sets v from the text of n. It returns what is wrong and what would be right, or "" if nothing is.
func parseScalar(n *node, v reflect.Value) (wrong, right string) {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(n.text)); err != nil {
			return describe(err, n.text)
		}
		return "", ""
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(n.text)
		return "", ""
	case !n.plain:
		return n.quoted() + " is a text", "want " + wanted(v.Kind()) + ", without quotation marks"
	case !parsePlain(n.text, v):
		return n.quoted() + " is not " + wanted(v.Kind()), example(v.Kind())
	}
	return "", ""
}

// parsePlain sets v, a number or a truth value, and tells whether the text is one.
func parsePlain(text string, v reflect.Value) bool {
	var err error
	switch {
	case v.CanInt():
		var i int64
		i, err = strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(i)
	case v.CanUint():
		var u uint64
		u, err = strconv.ParseUint(text, 10, v.Type().Bits())
		v.SetUint(u)
	case v.CanFloat():
		var x float64
		x, err = strconv.ParseFloat(text, v.Type().Bits())
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
		v.SetFloat(x)
	case v.Kind() == reflect.Bool:
		v.SetBool(text == "true")
		return text == "true" || text == "false"
	default:
		panic(fmt.Sprintf("strictyaml: a key cannot have the type %v", v.Type()))
	}
	return err == nil
}

func wanted(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0 up"
	}
	return "a whole number"
}

func example(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "write it in full and in small letters"
	case reflect.Float32, reflect.Float64:
		return "write a number such as 0.5"
	}
	return "write digits only, such as 1000"
}

// describe splits the error of a value's own parser into what is wrong and what would be right.
func describe(err error, text string) (wrong, right string) {
	var field *units.FieldError
	if !errors.As(err, &field) {
		return quote(text) + ": " + err.Error(), ""
	}
	wrong = field.Problem
	if field.Value != "" {
		wrong = quote(field.Value) + ": " + wrong
	}
	return wrong, field.Want
}
