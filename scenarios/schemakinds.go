package scenarios

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
)

// member is a member of an [object].
type member struct {
	key   string
	value any
}

// object is a JSON object that keeps the order of its members.
type object []member

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for _, part := range [...]any{m.key, m.value} {
			text, err := json.Marshal(part)
			if err != nil {
				return nil, err
			}
			b.Write(text)
			b.WriteByte(':')
		}
		b.Truncate(b.Len() - 1)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// patterned is a quantity that says in which form it is written.
type patterned interface {
	Pattern() (pattern, example string)
}

// quantityName is the name under which the schema defines the type of a quantity; empty for other types.
func quantityName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[units.Time]():
		return "time"
	case reflect.TypeFor[units.Rate]():
		return "rate"
	case reflect.TypeFor[units.Bytes]():
		return "size"
	case reflect.TypeFor[units.Length]():
		return "length"
	case reflect.TypeFor[units.Ratio]():
		return "ratio"
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "text"
	}
	return ""
}

// quantities are the definitions of single values that are written with units.
func quantities() object {
	zero := object{{"const", 0}}
	form := func(p patterned, number object) object {
		pattern, example := p.Pattern()
		text := object{{"type", "string"}, {"pattern", pattern}, {"examples", []string{example}}}
		return object{{"anyOf", []object{text, number}}}
	}
	return object{
		{"time", form(units.Time(0), zero)},
		{"rate", form(units.Rate(0), zero)},
		{"size", form(units.Bytes(0), object{{"type", "integer"}, {"minimum", 0}})},
		{"length", form(units.Length(0), zero)},
		{"ratio", form(units.Ratio{}, object{{"type", "number"}, {"minimum", 0}})},
		{"text", object{{"type", []string{"string", "number"}}}},
	}
}

// blockRef refers to the definition of a set of kinds. Where one of them is the default, its keys can do without kind.
func blockRef(f strictyaml.Field) object {
	ref := object{{"$ref", "#/$defs/" + f.Kinds}}
	if f.Default == "" {
		return ref
	}
	return object{{"anyOf", []object{ref, {{"$ref", "#/$defs/" + f.Kinds + "." + kinds()[f.Kinds][0].Name}}}}}
}

// setSchema defines a set of kinds, and each of them.
func setSchema(set string) object {
	var names, bare []string
	var defs object
	choices := []object{}
	for _, k := range kinds()[set] {
		t := reflect.TypeOf(k.New("")).Elem()
		names = append(names, k.Name)
		if !needsKeys(t) {
			bare = append(bare, k.Name)
		}
		name := set + "." + k.Name
		choices = append(choices, object{
			{"if", object{{"properties", object{{"kind", object{{"const", k.Name}}}}}, {"required", []string{"kind"}}}},
			{"then", object{{"$ref", "#/$defs/" + name}}},
		})
		defs = append(defs, member{name, kindSchema(k, t)})
	}
	chosen := object{
		{"type", "object"}, {"required", []string{"kind"}},
		{"properties", object{{"kind", object{{"enum", names}}}}}, {"allOf", choices},
	}
	choice := object{{"if", object{{"type", "object"}}}, {"then", chosen}, {"else", object{{"enum", orNone(bare)}}}}
	return append(object{{set, choice}}, defs...)
}

// kindSchema is the schema of a block of one kind.
func kindSchema(k strictyaml.Kind, t reflect.Type) object {
	known := []member{{"kind", object{{"description", k.Doc}, {"const", k.Name}}}}
	if len(k.Profiles) > 0 {
		var names []string
		doc := ""
		for _, p := range k.Profiles {
			names = append(names, p.Name)
			doc += p.Name + ": " + p.Doc + "; "
		}
		known = append(known, member{"profile", object{{"description", doc + "the first is the default"}, {"enum", names}}})
	}
	return structure(t, known...)
}

// needsKeys tells whether a kind has keys that must be given.
func needsKeys(t reflect.Type) bool {
	for _, f := range strictyaml.Fields(t) {
		if f.Required {
			return true
		}
	}
	return false
}

// orNone is the list, never nil: an enumeration of nothing allows nothing.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
