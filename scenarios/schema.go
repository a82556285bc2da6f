package scenarios

import (
	"encoding/json"
	"io"
	"reflect"
	"strconv"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
)

// WriteSchema writes the JSON Schema (draft 2020-12) of scenario files. It is made from the tags that the parser reads, and
// accepts every file that the parser does. It cannot tell what depends on several keys at once or on the network, and knows
// no bounds of quantities with units.
func WriteSchema(w io.Writer) error {
	root := structure(reflect.TypeFor[Spec]())
	defs := quantities()
	for _, set := range [...]string{topologySet, workloadSet, faultSet, controlSet, tcpControlSet} {
		defs = append(defs, setSchema(set)...)
	}
	document := append(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "rdmasim scenario"},
		{"description", "A scenario of rdmasim; every key is explained in docs/scenario.md."},
	}, root...)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(append(document, member{"$defs", defs}))
}

// chooser is a block some of whose keys have values that a table lists, and not a tag.
type chooser interface {
	choices(key string) []string // nil for other keys
}

// structure is the schema of a block of keys. The keys named in known belong to the block and not to the struct.
func structure(t reflect.Type, known ...member) object {
	properties := object(known)
	var required []string
	var exclusive []object
	for _, f := range strictyaml.Fields(t) {
		if c, ok := reflect.Zero(t).Interface().(chooser); ok && f.OneOf == nil {
			f.OneOf = c.choices(f.Key)
		}
		properties = append(properties, member{f.Key, property(f)})
		if f.Required {
			required = append(required, f.Key)
		}
		if f.Unless != "" {
			exclusive = append(exclusive, object{{"not", object{{"required", []string{f.Key, f.Unless}}}}})
		}
	}
	s := object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}
	if required != nil {
		s = append(s, member{"required", required})
	}
	if exclusive != nil {
		s = append(s, member{"allOf", exclusive})
	}
	return s
}

// property is the schema of a key, with what it means.
func property(f strictyaml.Field) object {
	doc := f.Doc
	if r := rangeOf(f); r != "" && f.OneOf == nil {
		doc += " (" + r + ")"
	}
	s := append(object{{"description", doc}}, typed(f.Type, f)...)
	switch {
	case !f.HasDefault:
	case json.Valid([]byte(f.Default)):
		s = append(s, member{"default", json.RawMessage(f.Default)})
	default:
		s = append(s, member{"default", f.Default})
	}
	return s
}

// typed is the schema of a type under the tags of a field.
func typed(t reflect.Type, f strictyaml.Field) object {
	if a, ok := reflect.Zero(t).Interface().(alternative); ok {
		inner, word := a.either()
		return object{{"anyOf", []object{typed(inner, f), {{"const", word}}}}}
	}
	if name := quantityName(t); name != "" {
		return object{{"$ref", "#/$defs/" + name}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typed(t.Elem(), f)
	case reflect.Slice:
		s := object{{"type", "array"}, {"items", typed(t.Elem(), f)}}
		if f.Required {
			s = append(s, member{"minItems", 1})
		}
		return s
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", typed(t.Elem(), f)}}
	case reflect.Struct:
		if t == reflect.TypeFor[strictyaml.Block]() {
			return blockRef(f)
		}
		if t == reflect.TypeFor[strictyaml.Settings]() {
			return object{{"type", "object"}, {"minProperties", 1}}
		}
		if f.Alone != "" {
			return object{{"anyOf", []object{structure(t), {{"type", []string{"string", "number", "boolean"}}}}}}
		}
		return structure(t)
	}
	return scalarSchema(t, f)
}

// scalarSchema is the schema of a single value.
func scalarSchema(t reflect.Type, f strictyaml.Field) object {
	switch {
	case t.Kind() == reflect.Bool:
		return object{{"type", "boolean"}}
	case t.Kind() == reflect.String && f.OneOf != nil:
		return object{{"enum", f.OneOf}}
	case t.Kind() == reflect.String:
		return object{{"type", []string{"string", "number", "boolean"}}}
	case f.OneOf != nil:
		return object{{"enum", numbers(f.OneOf)}}
	case t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32:
		return bounds(object{{"type", "number"}}, f)
	}
	s := object{{"type", "integer"}}
	if unsigned := reflect.Zero(t).CanUint(); unsigned && f.Min == "" {
		s = append(s, member{"minimum", 0})
	}
	return bounds(s, f)
}

// bounds adds the bounds of a number.
func bounds(s object, f strictyaml.Field) object {
	for _, b := range [...]struct{ key, text string }{{"minimum", f.Min}, {"maximum", f.Max}} {
		if b.text != "" {
			s = append(s, member{b.key, json.Number(b.text)})
		}
	}
	return s
}

// numbers are the allowed values of a number.
func numbers(words []string) (all []int64) {
	for _, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			panic("scenarios: " + word + " is no number")
		}
		all = append(all, n)
	}
	return all
}
