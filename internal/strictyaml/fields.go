package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Field describes one key of a tagged struct, as decoding, encoding and the generated documentation see it.
type Field struct {
	Key      string
	Doc      string       // what the value means
	Source   string       // where the default comes from
	Default  string       // as a user would write it; empty if HasDefault is false or the default is the empty text
	Min, Max string       // inclusive bounds; empty for none
	OneOf    []string     // the only values allowed; nil for any
	Unless   string       // the key whose presence excludes this one; empty for none
	Kinds    string       // for a Block or a list of them: the set of kinds
	Like     string       // for a list of structs: the key of the struct whose values they have unless they say otherwise
	Alone    string       // for a struct: the key whose value a single value in place of the block is; empty for none
	Required bool         // the key must be given; a list must not be empty
	Type     reflect.Type // of the Go field

	HasDefault bool
	index      []int
}

// Fields returns the keys of the struct type t, or of the struct a pointer type t points to, in the order of its
// fields; inlined structs are flattened. Fields without a key tag are not part of the document. It panics if two
// fields have one key. The result is shared: nobody may change it.
func Fields(t reflect.Type) []Field {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if known, is := knownFields.Load(t); is {
		return known.([]Field)
	}
	var fields []Field
	seen := map[string]bool{}
	for _, f := range collect(t, nil) {
		if seen[f.Key] {
			panic(fmt.Sprintf("strictyaml: %v has the key %q twice", t, f.Key))
		}
		seen[f.Key] = true
		fields = append(fields, f)
	}
	knownFields.Store(t, slices.Clip(fields))
	return fields
}

// knownFields are the fields of types whose tags have been read: that takes longer than all else that is done with a document.
var knownFields sync.Map

func collect(t reflect.Type, outer []int) []Field {
	var fields []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		key, tagged := sf.Tag.Lookup("key")
		index := append(append([]int(nil), outer...), i)
		switch {
		case !tagged:
		case key == ",inline":
			fields = append(fields, collect(sf.Type, index)...)
		default:
			fields = append(fields, newField(sf, key, index))
		}
	}
	return fields
}

func newField(sf reflect.StructField, key string, index []int) Field {
	tag := sf.Tag
	f := Field{
		Key: key, Doc: tag.Get("doc"), Source: tag.Get("source"),
		Min: tag.Get("min"), Max: tag.Get("max"),
		Unless: tag.Get("unless"), Kinds: tag.Get("kinds"), Like: tag.Get("like"),
		Required: tag.Get("required") == "true", Alone: tag.Get("alone"),
		Type: sf.Type, index: index,
	}
	f.Default, f.HasDefault = tag.Lookup("default")
	if allowed := tag.Get("oneof"); allowed != "" {
		f.OneOf = strings.Split(allowed, "|")
	}
	return f
}

// keys returns the keys of the fields.
func keys(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Key
	}
	return names
}

// home finds the nested block that does have the key, for a key written one block too far out. It returns "" if there
// is none or more than one.
func home(fields []Field, key string) string {
	found := ""
	for _, f := range fields {
		if f.Type.Kind() != reflect.Struct || isText(f.Type) || f.Type == blockType {
			continue
		}
		for _, inner := range Fields(f.Type) {
			if inner.Key == key {
				if found != "" {
					return ""
				}
				found = f.Key + "." + key
			}
		}
	}
	return found
}

// In returns the field of the struct v that f describes.
func (f Field) In(v reflect.Value) reflect.Value { return v.FieldByIndex(f.index) }
