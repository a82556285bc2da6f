package results

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Schema describes the files of a run: every column of every table and every key of every JSON document, with its unit
// and meaning. It makes the directory readable without this program and its source.
type Schema struct {
	Conventions []string     `json:"conventions"`
	Files       []FileSchema `json:"files"`
}

// FileSchema describes one file.
type FileSchema struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc"`
	Fields []Field `json:"fields"` // columns in order, or keys as paths: "pause.worst.port", "drops[].reason"
}

// Field describes a column or a key.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Unit string `json:"unit,omitempty"`
	Doc  string `json:"doc"`
}

// NewSchema returns a schema without files. It holds what is true of all of them.
func NewSchema() *Schema {
	return &Schema{Conventions: []string{
		"an empty cell, or null: not measured or does not apply",
		"times are simulated time; columns and keys ending in _us are microseconds, exact to the picosecond",
		"_gbps is 10^9 bit/s; _bytes is bytes",
		"percentiles are nearest-rank: the value at index ceil(p*n), counted from 1, of the sorted sample",
		"manifest.json lists the files of the run; any other file in the directory is not part of it",
	}}
}

// AddTable adds the columns of a table.
func (s *Schema) AddTable(t *Table) {
	file := FileSchema{Name: t.name, Doc: t.doc, Fields: []Field{}}
	for _, c := range t.columns {
		file.Fields = append(file.Fields, Field{c.Name, c.Type, c.Unit, c.Doc})
	}
	s.Files = append(s.Files, file)
}

// AddDocument adds the keys of a JSON document by reflection on the struct it is written from, whose fields carry the
// tags json and doc. A field with a json tag but no doc tag is an error of the program and panics.
func (s *Schema) AddDocument(name, doc string, document any) {
	s.Files = append(s.Files, FileSchema{Name: name, Doc: doc, Fields: keys(reflect.TypeOf(document), "")})
}

// WriteJSON writes the schema.
func (s *Schema) WriteJSON(w io.Writer) error { return writeJSON(w, s) }

// keys lists the keys below a struct in the order in which encoding/json writes them.
func keys(t reflect.Type, prefix string) []Field {
	fields := []Field{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			fields = append(fields, keys(pointee(f.Type), prefix)...)
		case name == "-" || name == "":
		default:
			fields = append(fields, key(f, prefix+name)...)
		}
	}
	return fields
}

// key describes one field, and what is below it if it is a struct or a slice of structs.
func key(f reflect.StructField, path string) []Field {
	doc := f.Tag.Get("doc")
	if doc == "" {
		panic(fmt.Sprintf("results: key %s (%s) has no doc tag", path, f.Name))
	}
	t := pointee(f.Type)
	fields := []Field{{path, jsonType(t), unitOfKey(path, jsonType(t)), doc}}
	if t.Kind() == reflect.Slice {
		t, path = pointee(t.Elem()), path+"[]"
	}
	if t.Kind() == reflect.Struct {
		fields = append(fields, keys(t, path+".")...)
	}
	return fields
}

func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// jsonType names the type that JSON gives a value of type t.
func jsonType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Micros](), t == reflect.TypeFor[Gbps](), t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Slice:
		return "array"
	case t.Kind() == reflect.Struct:
		return "object"
	}
	return "integer"
}

// unitOfKey returns the unit of a key. Numbers below a key with a unit, such as fct_us.p50, have that unit.
func unitOfKey(path, jsonType string) string {
	names := strings.Split(path, ".")
	for len(names) > 0 {
		last := len(names) - 1
		if unit := unitBySuffix(names[last]); unit != "" || jsonType != "number" {
			return unit
		}
		names = names[:last]
	}
	return ""
}

// unitBySuffix returns the unit that stands at the end of a name, empty if there is none.
func unitBySuffix(name string) string {
	for _, unit := range [...]struct{ suffix, name string }{
		{"_us", "us"}, {"_s", "s"}, {"_gbps", "Gbit/s"}, {"_bytes", "bytes"},
	} {
		if strings.HasSuffix(name, unit.suffix) {
			return unit.name
		}
	}
	return ""
}
