package strictyaml

import (
	"reflect"
	"slices"
)

// presetKey is the key that chooses a preset, unless a struct has none of this name: then it is that of a profile.
const presetKey = "preset"

// Presetter is a struct whose key preset or profile, one of its fields with a oneof tag, names a set of values that
// some of its other keys have unless they are given.
type Presetter interface {
	// AdoptPreset puts the values of a preset into the struct. The function it returns tells where the value of a key
	// (dotted, relative to the struct) comes from, and is empty for a key that keeps its default. It is nil for a
	// preset that changes nothing, and for a name that is none.
	AdoptPreset(name string) (source func(key string) string)
}

// filled tells which values of a struct stand already, put there by a profile, a preset or another struct. It is nil
// if none does.
type filled struct {
	from func(key string) (Origin, bool) // of a key (dotted, relative to the struct), if its value stands
}

func (f *filled) origin(key string) (Origin, bool) {
	if f == nil {
		return Origin{}, false
	}
	return f.from(key)
}

// under returns the values of the block at key within the filled struct.
func (f *filled) under(key string) *filled {
	if f == nil {
		return nil
	}
	return &filled{func(inner string) (Origin, bool) { return f.from(join(key, inner)) }}
}

// named joins the name of a set of values with the source of one of them.
func named(set, source string) string {
	if source == "" {
		return set
	}
	return set + ": " + source
}

// preset has a Presetter filled with the values of the preset that n asks for, or of the default one unless other
// values stand already; these stand still where the preset has none.
func (d *decoder) preset(n *node, v reflect.Value, fields []Field, values *filled) *filled {
	p, ok := v.Addr().Interface().(Presetter)
	if !ok {
		return values
	}
	key, from := presetKey, FromPreset
	if !slices.Contains(keys(fields), key) {
		key, from = profileKey, FromProfile
	}
	name := ""
	if word := n.lookup(key); word != nil {
		name = word.text
	} else if values == nil {
		name = defaultPreset(fields, key)
	}
	source := p.AdoptPreset(name)
	if source == nil {
		return values
	}
	return &filled{func(key string) (Origin, bool) {
		if s := source(key); s != "" {
			return Origin{From: from, Note: named(name, s)}, true
		}
		return values.origin(key)
	}}
}

func defaultPreset(fields []Field, key string) string {
	for _, f := range fields {
		if f.Key == key {
			return f.Default
		}
	}
	return ""
}

// likeness returns what fills an entry of a list whose entries are like the struct at key like of v, unless they say
// otherwise. An entry that chooses a preset has none of what the struct has from its own.
func (d *decoder) likeness(v reflect.Value, fields []Field, like, path string) func(item *node, entry reflect.Value) *filled {
	var model reflect.Value
	for _, f := range fields {
		if f.Key == like {
			model = f.In(v)
		}
	}
	return func(item *node, entry reflect.Value) *filled {
		for _, m := range d.fieldsOf(model.Type()) {
			for _, e := range d.fieldsOf(entry.Type()) {
				if e.Key == m.Key {
					e.In(entry).Set(m.In(model))
				}
			}
		}
		chooses := item.lookup(presetKey) != nil
		return &filled{func(key string) (Origin, bool) {
			theirs, known := d.origins.Of(join(join(path, like), key))
			stands := known && !(chooses && theirs.From == FromPreset)
			return Origin{From: FromDefault, Note: "as " + join(like, key)}, stands
		}}
	}
}
