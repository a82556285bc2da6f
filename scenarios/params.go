package scenarios

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
)

// WriteParams writes every parameter of the scenario: its value and where that comes from, its default and where that
// comes from, which values it may have, and what it means.
func (s *Spec) WriteParams(w io.Writer) error {
	var b strings.Builder
	strictyaml.Walk(s, func(v strictyaml.Value) {
		value := v.Text
		if value == "" {
			value = "(not given)"
		}
		fmt.Fprintf(&b, "%s = %s\n", v.Path, short(value))
		if from, known := s.origins.Of(v.Path); known && from.From != strictyaml.FromDefault {
			fmt.Fprintf(&b, "    from %s\n", from)
		}
		writeParam(&b, v.Field, s.defaultAt(v))
	})
	_, err := io.WriteString(w, b.String())
	return err
}

// defaultAt says what holds for a value if it is left out, and where that comes from.
func (s *Spec) defaultAt(v strictyaml.Value) string {
	if v.Block == nil || v.Block.Profile == "" || v.Field.Key == "kind" {
		return sourced(defaultOf(v.Field), v.Field.Source)
	}
	for _, k := range kinds()[controlSet] {
		switch {
		case k.Name != v.Block.Kind:
		case v.Field.Key == "profile":
			return k.Profiles[0].Name
		default:
			return sourced(profileValue(k, v.Block.Profile, v.Field.Key), k.Source(v.Block.Profile, v.Field.Key))
		}
	}
	return ""
}

// WriteAllParams writes every parameter of the language, those of all kinds included.
func WriteAllParams(w io.Writer) error {
	var b strings.Builder
	writeParams(&b, reflect.TypeFor[Spec](), "")
	for _, set := range [...]struct{ name, path string }{
		{topologySet, "topology"}, {workloadSet, "workloads[]"}, {faultSet, "faults[]"}, {controlSet, "host.congestion_control"},
	} {
		for _, k := range kinds()[set.name] {
			fmt.Fprintf(&b, "\n%s: {kind: %s}\n    %s\n\n", set.path, k.Name, k.Doc)
			writeKind(&b, k, set.path)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeParams(b *strings.Builder, t reflect.Type, path string) {
	for _, f := range strictyaml.Fields(t) {
		if inner := innerStruct(f.Type); inner != nil {
			writeParams(b, inner, inside(path, f))
			continue
		}
		fmt.Fprintf(b, "%s\n", keyPath(path, f))
		writeParam(b, f, sourced(defaultOf(f), f.Source))
	}
}

func writeKind(b *strings.Builder, k strictyaml.Kind, path string) {
	t := reflect.TypeOf(k.New("")).Elem()
	if len(k.Profiles) == 0 {
		writeParams(b, t, path)
		return
	}
	for _, f := range strictyaml.Fields(t) {
		fmt.Fprintf(b, "%s\n", keyPath(path, f))
		var defaults []string
		for _, p := range k.Profiles {
			defaults = append(defaults, sourced(p.Name+" "+profileValue(k, p.Name, f.Key), k.Source(p.Name, f.Key)))
		}
		writeParam(b, f, strings.Join(defaults, ";\n            "))
	}
}

// keyPath is the path of a key.
func keyPath(path string, f strictyaml.Field) string {
	if path == "" {
		return f.Key
	}
	return path + "." + f.Key
}

// writeParam writes what is known of a parameter beside its value.
func writeParam(b *strings.Builder, f strictyaml.Field, standard string) {
	if standard != "" {
		fmt.Fprintf(b, "    default %s\n", strings.ReplaceAll(standard, "`", ""))
	}
	if f.Type != nil {
		limits := typeOf(f.Type)
		if r := rangeOf(f); r != "" {
			limits += ", " + r
		}
		fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(limits, "`", ""))
	}
	fmt.Fprintf(b, "    %s\n", f.Doc)
}

// sourced adds its source to a default.
func sourced(value, source string) string {
	if source == "" || value == "" {
		return value
	}
	return value + " (" + source + ")"
}

// short cuts a long text.
func short(text string) string {
	const most = 100
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
