package strictyaml

import "reflect"

// likes writes a list of structs whose entries have the values of a model unless they say otherwise: of each entry what
// differs from the model, and all of it if it has another preset, which would change what is left out.
func (e *encoder) likes(v, model reflect.Value, key, path string, depth int) {
	if v.Len() == 0 {
		e.line(depth, key+": []", path)
		return
	}
	e.heading(depth, key)
	for i := range v.Len() {
		e.bullet = "- "
		entry, where := v.Index(i), entryPath(path, i)
		if presetOf(entry) != presetOf(model) {
			e.structure(entry, where, depth+2)
			continue
		}
		e.difference(entry, model, where, depth+2)
	}
}

// eachLike is eachStruct for a list whose entries are like a model: what an entry has from the model is not visited
// again.
func eachLike(v, model reflect.Value, path string, visit func(path string, s any)) {
	for i := range v.Len() {
		entry, where := v.Index(i), entryPath(path, i)
		for _, f := range Fields(entry.Type()) {
			if mine := f.In(entry); !sameAs(mine, model, f.Key) {
				eachStruct(mine, join(where, f.Key), visit)
			}
		}
		visit(where, entry.Addr().Interface())
	}
}

// sameAs tells whether a model has the same value at a key.
func sameAs(mine, model reflect.Value, key string) bool {
	for _, f := range Fields(model.Type()) {
		if f.Key == key {
			return reflect.DeepEqual(mine.Interface(), f.In(model).Interface())
		}
	}
	return false
}

// presetOf returns the preset of a struct, or nothing if it has none.
func presetOf(v reflect.Value) string {
	if _, ok := v.Addr().Interface().(Presetter); ok {
		return field(v, presetKey).String()
	}
	return ""
}

// difference writes the keys of a struct that the model has not, or with another value. Of two keys that exclude each
// other both are looked at together.
func (e *encoder) difference(v, model reflect.Value, path string, depth int) {
	theirs := map[string]reflect.Value{}
	for _, f := range present(model) {
		theirs[f.Key] = f.In(model)
	}
	for _, f := range present(v) {
		mine, where := f.In(v), join(path, f.Key)
		other, both := theirs[f.Key]
		switch {
		case !both:
			e.value(mine, f.Key, where, depth)
		case reflect.DeepEqual(mine.Interface(), other.Interface()):
		case mine.Kind() == reflect.Struct && !isText(mine.Type()):
			e.heading(depth, f.Key)
			e.difference(mine, other, where, depth+1)
		default:
			e.value(mine, f.Key, where, depth)
		}
	}
}
