package strictyaml

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Holder is a value that may be a word instead of a quantity, such as "auto". Bounds apply to the quantity only.
type Holder interface {
	// Held returns the quantity, or nil if the word stands in its place.
	Held() any
}

// outOfRange compares v with the field's bounds.
func outOfRange(n *node, v reflect.Value, f Field) (wrong, right string) {
	low, high := bound(f.Min, v), bound(f.Max, v)
	value := held(v)
	if !value.IsValid() || (!low.IsValid() || compare(value, low) >= 0) && (!high.IsValid() || compare(value, high) <= 0) {
		return "", ""
	}
	switch {
	case f.Max == "":
		return n.quoted() + " is too small", "want at least " + f.Min
	case f.Min == "":
		return n.quoted() + " is too large", "want at most " + f.Max
	}
	return n.quoted() + " is out of range", "want " + f.Min + " to " + f.Max
}

// bound parses a bound as a value of v's type; the zero Value stands for no bound.
func bound(text string, v reflect.Value) reflect.Value {
	if text == "" {
		return reflect.Value{}
	}
	b := reflect.New(v.Type()).Elem()
	if wrong, _ := parseScalar(&node{text: text, plain: true}, b); wrong != "" {
		panic("strictyaml: bound " + wrong)
	}
	return held(b)
}

// held looks inside a Holder; the zero Value means that there is nothing to compare.
func held(v reflect.Value) reflect.Value {
	if h, ok := v.Interface().(Holder); ok {
		return reflect.ValueOf(h.Held())
	}
	return v
}

// compare orders two values of one type.
func compare(a, b reflect.Value) int {
	if r, ok := a.Interface().(units.Ratio); ok {
		return r.Cmp(b.Interface().(units.Ratio))
	}
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	case a.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String())
	}
	panic(fmt.Sprintf("strictyaml: values of type %v have no order", a.Type()))
}
