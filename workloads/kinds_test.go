package workloads

import (
	"reflect"
	"testing"
)

func TestEveryParameterIsDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range Kinds {
		if seen[kind.Name] || kind.Doc == "" {
			t.Errorf("%q stands there twice or has no line of documentation", kind.Name)
		}
		seen[kind.Name] = true
		checkTags(t, kind.Name, reflect.TypeOf(kind.New()).Elem())
	}
}

// checkTags makes sure that every parameter has a key and a documentation, that no key comes twice, and that an embedded
// struct is inline.
func checkTags(t *testing.T, where string, params reflect.Type) {
	keys := map[string]bool{}
	for _, field := range reflect.VisibleFields(params) {
		if !field.IsExported() {
			continue
		}
		key, doc := field.Tag.Get("key"), field.Tag.Get("doc")
		switch {
		case field.Anonymous && key != ",inline":
			t.Errorf("%s: embedded %s is not inline", where, field.Name)
		case field.Anonymous:
		case key == "" || doc == "" || keys[key]:
			t.Errorf("%s: %s has key %q and documentation %q", where, field.Name, key, doc)
		}
		keys[key] = true
		if field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() == reflect.Struct {
			checkTags(t, where+"."+key, field.Type.Elem())
		}
	}
}
