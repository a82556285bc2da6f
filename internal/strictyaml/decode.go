package strictyaml

import (
	"reflect"
	"slices"
	"strings"
)

// decoder carries what decoding needs from block to block.
type decoder struct {
	kinds    KindSets
	origins  *Origins
	problems *Problems
	fields   map[reflect.Type][]Field // of the structs met so far: a list may hold thousands of one type
}

// fieldsOf is Fields, remembered.
func (d *decoder) fieldsOf(t reflect.Type) []Field {
	fields, ok := d.fields[t]
	if !ok {
		fields = Fields(t)
		d.fields[t] = fields
	}
	return fields
}

// full tells that there are more problems than anybody will read.
func (d *decoder) full() bool { return len(*d.problems) >= maxProblems }

// Decode fills the struct that target points to with the document's values, and with defaults where it has none. It
// returns the origin of every value and all problems of the text, the overrides and the values, sorted by position; a
// value with a problem stays zero.
func (d *Document) Decode(target any, kinds KindSets) (*Origins, Problems) {
	origins := newOrigins(d.file)
	problems := append(Problems(nil), d.problems...)
	switch {
	case d.root == nil:
	case d.root.null:
		problems = append(problems, Problem{Pos: Position{File: d.file, Line: 1, Col: 1}, Wrong: "the file is empty"})
	default:
		dec := decoder{kinds: kinds, origins: origins, problems: &problems, fields: map[reflect.Type][]Field{}}
		dec.structure(d.root, reflect.ValueOf(target).Elem(), "", nil)
	}
	problems.Sort()
	return origins, problems
}

func (d *decoder) problem(n *node, path, wrong, right string) {
	d.problemAt(n.origin.Pos, path, wrong, right)
}

func (d *decoder) problemAt(pos Position, path, wrong, right string) {
	*d.problems = d.problems.and(Problem{Pos: pos, Path: path, Wrong: wrong, Right: right})
}

// wrongShape reports a value that is not even the right shape.
func (d *decoder) wrongShape(n *node, path, want string) {
	wrong := "is " + n.shape.String()
	switch {
	case n.null:
		wrong = "has no value"
	case n.shape == scalar:
		wrong = n.quoted() + " is " + n.shape.String()
	}
	d.problem(n, path, wrong, "want "+want)
}

// structure decodes n into the struct v. A nil n is a block the user did not write: all its keys have their defaults.
// With values, the struct's own contents are the defaults where the values say so. The keys named in known belong to
// the block and not to the struct.
func (d *decoder) structure(n *node, v reflect.Value, path string, values *filled, known ...string) {
	fields := d.fieldsOf(v.Type())
	if n != nil {
		if n.shape != mapping {
			d.wrongShape(n, path, "a block of keys: "+strings.Join(keys(fields), ", "))
			return
		}
		d.origins.record(path, n.origin)
		d.refuseUnknown(n, path, fields, known)
	}
	if n == nil {
		n = &node{shape: mapping}
	}
	d.settle(n, path, fields)
	values = d.preset(n, v, fields, values)
	for _, f := range fields {
		where, field := join(path, f.Key), f.In(v)
		switch value := n.lookup(f.Key); {
		case value != nil && f.Like != "":
			d.list(value, field, where, f, d.likeness(v, fields, f.Like, path))
		case value != nil:
			d.value(value, field, where, f, values.under(f.Key))
		case displaced(n, v, f, fields, values):
			field.SetZero()
		default:
			d.missing(field, where, f, values.under(f.Key))
		}
	}
}

// standing makes a block of a single value that may stand alone in place of it.
func standing(n *node, f Field) *node {
	if f.Alone == "" || n.shape != scalar || n.null {
		return n
	}
	block := &node{shape: mapping, origin: n.origin}
	block.put(f.Alone, n)
	return block
}

// refuseUnknown reports the keys of n that are neither fields nor known.
func (d *decoder) refuseUnknown(n *node, path string, fields []Field, known []string) {
	names := append(append([]string(nil), known...), keys(fields)...)
	for _, e := range n.entries {
		if slices.Contains(names, e.key) || d.full() {
			continue
		}
		right := meant(e.key, names)
		if inner := home(fields, e.key); inner != "" {
			right = "the key belongs further in: " + join(path, inner)
		}
		d.problemAt(e.keyPos, join(path, e.key), "unknown key", right)
	}
}

// value decodes n into v, which belongs to the field f; values, if any, are what v holds already.
func (d *decoder) value(n *node, v reflect.Value, path string, f Field, values *filled) {
	switch {
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), path, f, nil)
	case v.Type() == settingsType:
		d.settings(n, v.Addr().Interface().(*Settings), path)
	case v.Type() == blockType:
		d.block(n, v.Addr().Interface().(*Block), path, f)
	case isText(v.Type()):
		d.scalar(n, v, path, f)
	case v.Kind() == reflect.Struct:
		d.structure(standing(n, f), v, path, values)
	case v.Kind() == reflect.Slice:
		d.list(n, v, path, f, nil)
	case v.Kind() == reflect.Map:
		d.table(n, v, path, f)
	default:
		d.scalar(n, v, path, f)
	}
}

// list decodes a list; the tags of the field hold for each of its entries, which prepare, if not nil, fills first.
func (d *decoder) list(n *node, v reflect.Value, path string, f Field, prepare func(item *node, entry reflect.Value) *filled) {
	if n.shape != list {
		want := "a list"
		if f.Default != "" {
			want += " such as " + f.Default
		}
		d.wrongShape(n, path, want)
		return
	}
	d.origins.record(path, n.origin)
	if f.Required && len(n.items) == 0 {
		d.problem(n, path, "the list is empty", "want at least one entry")
	}
	v.SetZero() // an empty list is the same as none
	if len(n.items) > 0 {
		v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
	}
	for i, item := range n.items {
		if d.full() {
			return
		}
		var values *filled
		if prepare != nil {
			values = prepare(item, v.Index(i))
		}
		d.value(item, v.Index(i), entryPath(path, i), f, values)
	}
}

// table decodes a mapping whose keys are the user's; the tags of the field hold for each of its values.
func (d *decoder) table(n *node, v reflect.Value, path string, f Field) {
	if n.shape != mapping {
		d.wrongShape(n, path, "a block of keys")
		return
	}
	d.origins.record(path, n.origin)
	v.SetZero()
	if len(n.entries) > 0 {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for _, e := range n.entries {
		where := join(path, e.key)
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		word := &node{text: e.key, plain: true, origin: Origin{From: FromFile, Pos: e.keyPos}}
		if wrong, right := parseScalar(word, key); wrong != "" {
			d.problemAt(e.keyPos, where, "key "+wrong, right)
			continue
		}
		d.value(e.value, value, where, f, nil)
		v.SetMapIndex(key, value)
	}
}
