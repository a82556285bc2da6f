package scenarios

import (
	"reflect"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
)

// CompleteSet returns how an override such as switch.ecn.kmin=200KB that begins with the given text may go on: with the keys
// of a scenario, or of the language if there is none of that name; and after the equals sign with the values a key can
// have, where these can be listed.
func CompleteSet(nameOrPath, begun string) []string {
	keys := completions(nameOrPath)
	if key, value, assigned := strings.Cut(begun, "="); assigned {
		var words []string
		for _, word := range keys[key] {
			if strings.HasPrefix(word, value) {
				words = append(words, key+"="+word)
			}
		}
		return words
	}
	var found []string
	for key := range keys {
		if strings.HasPrefix(key, begun) {
			found = append(found, key+"=")
		}
	}
	slices.Sort(found)
	return found
}

// completions lists the keys, each with the values it can have where these can be listed.
func completions(nameOrPath string) map[string][]string {
	keys := map[string][]string{}
	add := func(path string, f strictyaml.Field) {
		words := slices.Clone(f.OneOf)
		for _, k := range kinds()[f.Kinds] {
			words = append(words, k.Name)
		}
		if f.Type != nil && f.Type.Kind() == reflect.Bool {
			words = []string{"true", "false"}
		}
		keys[path] = words
	}
	if spec, err := Load(nameOrPath); err == nil {
		strictyaml.Walk(spec, func(v strictyaml.Value) { add(v.Path, v.Field) })
		return keys
	}
	addKeys(reflect.TypeFor[Spec](), "", add)
	return keys
}

// addKeys adds the keys of a struct and of the blocks in it, other than lists.
func addKeys(t reflect.Type, path string, add func(path string, f strictyaml.Field)) {
	for _, f := range strictyaml.Fields(t) {
		switch inner := innerStruct(f.Type); {
		case inner == nil:
			add(keyPath(path, f), f)
		case f.Type.Kind() == reflect.Struct:
			addKeys(inner, keyPath(path, f), add)
		}
	}
}
