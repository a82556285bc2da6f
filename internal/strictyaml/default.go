package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
)

// settle leaves one of two keys that exclude each other. An override displaces what the file says; otherwise giving
// both is a contradiction.
func (d *decoder) settle(n *node, path string, fields []Field) {
	for _, f := range fields {
		value, other := n.lookup(f.Key), n.lookup(f.Unless)
		if f.Unless == "" || value == nil || other == nil {
			continue
		}
		loser := f.Key
		switch bySet, otherBySet := value.origin.From == FromSet, other.origin.From == FromSet; {
		case bySet && !otherBySet:
			loser = f.Unless
		case bySet == otherBySet:
			d.problem(value, join(path, f.Key), fmt.Sprintf("contradicts %s, given at %s", f.Unless, other.origin.Pos), "keep one of them")
		}
		n.remove(loser)
	}
}

// displaced tells whether a key of v that the user left out is excluded by one that the user gave, or that stands
// filled already.
func displaced(n *node, v reflect.Value, f Field, fields []Field, values *filled) bool {
	return slices.ContainsFunc(fields, func(other Field) bool {
		switch {
		case f.Unless == other.Key:
			_, stands := values.under(other.Key).origin("")
			return n.lookup(other.Key) != nil || stands && other.In(v).Kind() == reflect.Pointer && !other.In(v).IsNil()
		case other.Unless == f.Key:
			return n.lookup(other.Key) != nil
		}
		return false
	})
}

// missing gives the field of a key that the user left out its default.
func (d *decoder) missing(v reflect.Value, path string, f Field, values *filled) {
	from, stands := values.origin("")
	isBlock := v.Kind() == reflect.Struct && !isText(v.Type()) && v.Type() != blockType
	switch {
	case isBlock && values != nil:
		d.structure(nil, v, path, values)
	case stands:
		if v.Kind() != reflect.Pointer || !v.IsNil() {
			d.origins.record(path, from)
		}
	case f.Required:
		right := ""
		if f.Doc != "" {
			right = "want " + f.Doc
		}
		d.problemAt(d.origins.At(parent(path)), path, "the key is missing", right)
	case f.HasDefault:
		d.useDefault(v, path, f)
	case isBlock:
		d.structure(nil, v, path, nil)
	default:
		v.SetZero()
		if v.Kind() != reflect.Pointer {
			d.origins.record(path, Origin{From: FromDefault, Note: f.Source})
		}
	}
}

// useDefault decodes the default tag. A tag that does not decode is a mistake in the program.
func (d *decoder) useDefault(v reflect.Value, path string, f Field) {
	n, wrong := parseValue(f.Default, Origin{From: FromDefault, Note: f.Source})
	var problems Problems
	if wrong == "" {
		inner := decoder{kinds: d.kinds, origins: d.origins, problems: &problems, fields: d.fields}
		inner.value(n, v, path, f, nil)
	}
	if wrong != "" || len(problems) > 0 {
		panic(fmt.Sprintf("strictyaml: default %q of %s: %s%v", f.Default, path, wrong, problems))
	}
}
