package strictyaml

import (
	"errors"
	"reflect"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Validator is a struct with rules across its keys. Validate returns nil, one [units.FieldError], or several joined
// by errors.Join.
type Validator interface{ Validate() error }

// Validate runs the checks of every struct inside target, a pointer to a decoded struct, and adds what they find to
// the problems of decoding. A struct in which a problem is known already is not asked: it would judge values that are
// not the user's.
func Validate(target any, origins *Origins, problems Problems) Problems {
	found := append(Problems(nil), problems...)
	if _, decoded := origins.Of(""); !decoded {
		return found
	}
	eachStruct(reflect.ValueOf(target), "", func(path string, s any) {
		v, ok := s.(Validator)
		if !ok || problems.Touch(path) {
			return
		}
		found = append(found, Locate(v.Validate(), path, origins)...)
	})
	found.Sort()
	return found
}

// Locate turns the error of a check into problems with positions. Keys in the error are relative to path.
func Locate(err error, path string, origins *Origins) Problems {
	if err == nil {
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var found Problems
		for _, e := range several.Unwrap() {
			found = append(found, Locate(e, path, origins)...)
		}
		return found
	}
	where := path
	var field *units.FieldError
	if errors.As(err, &field) && field.Key != "" {
		where = join(path, field.Key)
	}
	wrong, right := err.Error(), ""
	if field != nil {
		wrong, right = describe(field, "")
	}
	return Problems{{Pos: origins.At(where), Path: where, Wrong: wrong, Right: right}}
}

// eachStruct calls visit with a pointer to each struct in v, inner ones before the ones around them.
func eachStruct(v reflect.Value, path string, visit func(path string, s any)) {
	switch {
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		if !v.IsNil() {
			eachStruct(v.Elem(), path, visit)
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			eachStruct(v.Index(i), entryPath(path, i), visit)
		}
	case v.Type() == blockType:
		eachStruct(v.FieldByName("Params"), path, visit)
	case v.Kind() == reflect.Struct && !isText(v.Type()):
		for _, f := range Fields(v.Type()) {
			if f.Like != "" {
				eachLike(f.In(v), field(v, f.Like), join(path, f.Key), visit)
				continue
			}
			eachStruct(f.In(v), join(path, f.Key), visit)
		}
		visit(path, v.Addr().Interface())
	}
}
