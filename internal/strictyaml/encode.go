package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

const (
	commentColumn = 48  // where the comments begin, unless the line is longer
	proseWidth    = 110 // length of the lines of a long text
)

// Encode writes the struct that v points to as YAML that decodes to the same values, one key a line. With origins, a
// comment on each line tells where the value came from. Nil pointers and the losing one of two exclusive keys are
// left out.
func Encode(v any, origins *Origins) []byte {
	e := encoder{origins: origins}
	e.structure(reflect.ValueOf(v).Elem(), "", 0)
	return []byte(e.out.String())
}

type encoder struct {
	out     strings.Builder
	origins *Origins
	bullet  string // "- " in place of the last indentation of the next line: a list entry begins there
}

// heading writes the key of a block, which has no origin of its own.
func (e *encoder) heading(depth int, key string) {
	e.out.WriteString(e.indent(depth) + key + ":\n")
}

// line writes a key with its value, and where the value came from.
func (e *encoder) line(depth int, text, path string) {
	line := e.indent(depth) + text
	if e.origins != nil {
		if from, ok := e.origins.Of(path); ok {
			line += strings.Repeat(" ", max(1, commentColumn-len(line))) + "# " + oneLine(from.String())
		}
	}
	e.out.WriteString(line + "\n")
}

func (e *encoder) indent(depth int) string {
	blank := strings.Repeat("  ", depth)
	if e.bullet != "" {
		blank = blank[:len(blank)-2] + e.bullet
		e.bullet = ""
	}
	return blank
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (e *encoder) structure(v reflect.Value, path string, depth int) {
	for _, f := range present(v) {
		if f.Like != "" {
			e.likes(f.In(v), field(v, f.Like), f.Key, join(path, f.Key), depth)
			continue
		}
		e.value(f.In(v), f.Key, join(path, f.Key), depth)
	}
}

// field returns the field of v at a key.
func field(v reflect.Value, key string) reflect.Value {
	for _, f := range Fields(v.Type()) {
		if f.Key == key {
			return f.In(v)
		}
	}
	panic("strictyaml: no key " + key)
}

// present returns the fields of v that a document needs to say what v says.
func present(v reflect.Value) []Field {
	fields := Fields(v.Type())
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool {
		field := f.In(v)
		if field.Kind() == reflect.Pointer && field.IsNil() {
			return true
		}
		return f.Unless != "" && slices.ContainsFunc(fields, func(other Field) bool {
			return other.Key == f.Unless && !other.In(v).IsZero()
		})
	})
}

// value writes the value of one key.
func (e *encoder) value(v reflect.Value, key, path string, depth int) {
	switch {
	case v.Kind() == reflect.Pointer:
		e.value(v.Elem(), key, path, depth)
	case v.Type() == settingsType:
		e.settings(v.Interface().(Settings), key, path, depth)
	case v.Type() == blockType:
		e.heading(depth, key)
		e.block(v.Interface().(Block), path, depth+1)
	case isText(v.Type()):
		e.line(depth, key+": "+text(v), path)
	case v.Kind() == reflect.Struct:
		if len(present(v)) == 0 {
			e.line(depth, key+": {}", path)
			return
		}
		e.heading(depth, key)
		e.structure(v, path, depth+1)
	case v.Kind() == reflect.Slice:
		e.list(v, key, path, depth)
	case v.Kind() == reflect.Map:
		e.table(v, key, path, depth)
	case v.Kind() == reflect.String && isProse(v.String()):
		e.prose(v.String(), key, path, depth)
	default:
		e.line(depth, key+": "+text(v), path)
	}
}

// prose writes a long text as a folded block of lines.
func (e *encoder) prose(s, key, path string, depth int) {
	e.line(depth, key+": >-", path)
	blank := strings.Repeat("  ", depth+1)
	line := blank
	for word := range strings.SplitSeq(s, " ") {
		if len(line)+len(word) > proseWidth && line != blank {
			e.out.WriteString(strings.TrimRight(line, " ") + "\n")
			line = blank
		}
		line += word + " "
	}
	e.out.WriteString(strings.TrimRight(line, " ") + "\n")
}

func (e *encoder) block(b Block, path string, depth int) {
	e.line(depth, kindKey+": "+plainOrQuoted(b.Kind), join(path, kindKey))
	if b.Profile != "" {
		e.line(depth, profileKey+": "+plainOrQuoted(b.Profile), join(path, profileKey))
	}
	if b.Params != nil {
		e.structure(reflect.ValueOf(b.Params).Elem(), path, depth)
	}
}

// list writes single values on one line and blocks one below the other.
func (e *encoder) list(v reflect.Value, key, path string, depth int) {
	elem := v.Type().Elem()
	if v.Len() == 0 || elem.Kind() != reflect.Struct || isText(elem) {
		e.line(depth, key+": "+text(v), path)
		return
	}
	e.heading(depth, key)
	for i := range v.Len() {
		where := entryPath(path, i)
		e.bullet = "- "
		if b, ok := v.Index(i).Interface().(Block); ok {
			e.block(b, where, depth+2)
		} else if len(present(v.Index(i))) == 0 {
			e.line(depth+2, "{}", where)
		} else {
			e.structure(v.Index(i), where, depth+2)
		}
	}
}

// table writes a map in the order of its keys.
func (e *encoder) table(v reflect.Value, key, path string, depth int) {
	if v.Len() == 0 {
		e.line(depth, key+": {}", path)
		return
	}
	e.heading(depth, key)
	names := v.MapKeys()
	slices.SortFunc(names, compare)
	for _, k := range names {
		e.value(v.MapIndex(k), text(k), join(path, fmt.Sprint(k)), depth+1)
	}
}

// settings writes overrides, one a line.
func (e *encoder) settings(s Settings, key, path string, depth int) {
	if len(s.list) == 0 {
		e.line(depth, key+": {}", path)
		return
	}
	e.heading(depth, key)
	for _, set := range s.list {
		e.line(depth+1, plainOrQuoted(set.path)+": "+set.value.flow(), join(path, set.path))
	}
}
