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
func displaced(n *node, v reflect.Value, f Field, fields []Field) bool {
	return slices.ContainsFunc(fields, func(other Field) bool {
		switch {
		case f.Unless == other.Key:
			return n.lookup(other.Key) != nil || other.In(v).Kind() == reflect.Pointer && !other.In(v).IsNil()
		case other.Unless == f.Key:
			return n.lookup(other.Key) != nil
		}
		return false
	})
}

// missing gives the field of a key that the user left out its default.
func (d *decoder) missing(v reflect.Value, path string, f Field, values *filled) {
	_, stands := values.origin("")
	switch {
	case stands:
		d.stand(v, path, values)
	case f.Required:
		right := ""
		if f.Doc != "" {
			right = "want " + f.Doc
		}
		d.problemAt(d.origins.At(parent(path)), path, "the key is missing", right)
	case f.HasDefault:
		d.useDefault(v, path, f)
	case v.Kind() == reflect.Struct && !isText(v.Type()) && v.Type() != blockType:
		d.structure(nil, v, path, values)
	case v.Kind() != reflect.Pointer:
		d.origins.record(path, Origin{From: FromDefault, Note: f.Source})
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

// stand records that v, with all that is in it, keeps the value it was filled with.
func (d *decoder) stand(v reflect.Value, path string, values *filled) {
	if v.Kind() == reflect.Struct && !isText(v.Type()) {
		for _, f := range d.fieldsOf(v.Type()) {
			d.stand(f.In(v), join(path, f.Key), values.under(f.Key))
		}
		return
	}
	if v.Kind() != reflect.Pointer || !v.IsNil() {
		from, _ := values.origin("")
		d.origins.record(path, from)
	}
}
