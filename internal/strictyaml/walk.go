package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
)

// Value is a value of a decoded document, as [Walk] meets it.
type Value struct {
	Path  string
	Field Field
	// Text is the value as Encode writes it; empty if it is not given and has no default.
	Text string
	// Block is the block whose key it is, if its kind chose it; nil for others.
	Block *Block
}

// Walk calls visit for every single value and every list of single values in the struct that v points to, in the order of
// the fields. What Encode leaves out comes with no text.
func Walk(v any, visit func(Value)) { walker{visit: visit}.structure(reflect.ValueOf(v).Elem(), "") }

type walker struct {
	visit func(Value)
	block *Block
}

func (w walker) structure(v reflect.Value, path string) {
	given := present(v)
	for _, f := range Fields(v.Type()) {
		is := slices.ContainsFunc(given, func(g Field) bool { return g.Key == f.Key })
		w.value(f.In(v), f, join(path, f.Key), is)
	}
}

func (w walker) value(v reflect.Value, f Field, path string, given bool) {
	switch {
	case !given:
		w.visit(Value{Path: path, Field: f, Block: w.block})
	case v.Kind() == reflect.Pointer:
		w.value(v.Elem(), f, path, true)
	case v.Type() == settingsType:
		w.visit(Value{path, f, v.Interface().(Settings).String(), w.block})
	case v.Type() == blockType:
		w.inBlock(v.Addr().Interface().(*Block), f, path)
	case isText(v.Type()):
		w.visit(Value{path, f, text(v), w.block})
	case v.Kind() == reflect.Struct:
		w.structure(v, path)
	case v.Kind() == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() == reflect.Struct && !isText(v.Type().Elem()):
		for i := range v.Len() {
			w.value(v.Index(i), f, entryPath(path, i), true)
		}
	case v.Kind() == reflect.Map:
		w.table(v, f, path)
	default:
		w.visit(Value{path, f, text(v), w.block})
	}
}

// inBlock visits the kind of a block, its profile and what its kind has chosen.
func (w walker) inBlock(b *Block, f Field, path string) {
	word := reflect.TypeFor[string]()
	kind := Field{
		Key: kindKey, Doc: f.Doc, Kinds: f.Kinds, Type: word,
		Default: f.Default, HasDefault: f.HasDefault, Required: f.Required, Source: f.Source,
	}
	w.visit(Value{join(path, kindKey), kind, plainOrQuoted(b.Kind), b})
	if b.Profile != "" {
		profile := Field{Key: profileKey, Doc: "the set of values that the other keys have unless they are given", Type: word}
		w.visit(Value{join(path, profileKey), profile, plainOrQuoted(b.Profile), b})
	}
	if b.Params != nil {
		walker{w.visit, b}.structure(reflect.ValueOf(b.Params).Elem(), path)
	}
}

// table visits the entries of a map in the order of their keys, or the map itself if it is empty.
func (w walker) table(v reflect.Value, f Field, path string) {
	if v.Len() == 0 {
		w.visit(Value{path, f, "{}", w.block})
		return
	}
	names := v.MapKeys()
	slices.SortFunc(names, compare)
	for _, k := range names {
		at := reflect.New(v.Type().Elem()).Elem()
		at.Set(v.MapIndex(k))
		w.value(at, f, join(path, fmt.Sprint(k)), true)
	}
}
