package scenarios

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/rnic/hardware"
)

// Param is what is known of a parameter: of a scenario, or of the language.
type Param struct {
	Key   string `json:"key"`
	Kind  string `json:"kind,omitempty"`  // that has it, in the language
	Value string `json:"value,omitempty"` // with its unit; empty in the language
	Unit  string `json:"unit,omitempty"`  // of the value, or of the first default
	From  string `json:"from,omitempty"`  // where the value comes from, unless that is the default
	// Evidence is the class of the evidence for the value (documented, driver, fitted, assumed), or given if the user
	// gave it, and Source what it rests on; in the language that of the first default.
	Evidence string    `json:"evidence,omitempty"`
	Source   string    `json:"source,omitempty"`
	Defaults []Default `json:"defaults,omitempty"`
	Type     string    `json:"type,omitempty"`
	Doc      string    `json:"doc"`

	kindDoc string
}

// Default is what a parameter is if it is left out, in a profile if it has any.
type Default struct {
	Profile  string `json:"profile,omitempty"`
	Value    string `json:"value"`
	Evidence string `json:"evidence,omitempty"`
	Source   string `json:"source,omitempty"`

	text string // as the language's tables have it
}

// notGiven stands for the value of a parameter that is left out and has no default.
const notGiven = "(not given)"

// byUser is the class of evidence of what the user has said.
const byUser = "given"

// Params returns every parameter of the scenario whose key begins with a prefix, in the order of the language.
func (s *Spec) Params(prefix string) (all []Param) {
	strictyaml.Walk(s, func(v strictyaml.Value) {
		if !strings.HasPrefix(v.Path, prefix) {
			return
		}
		p := paramOf(v.Path, v.Field)
		p.Value, p.Defaults = v.Text, s.defaultsAt(v)
		p.Unit = suffixOf(v.Text)
		if p.Value == "" {
			p.Value = notGiven
		}
		p.Evidence, p.Source = evidence(v.Field.Source)
		if from, known := s.origins.Of(v.Path); known && from.From != strictyaml.FromDefault {
			p.From = from.String()
			p.Evidence, p.Source = evidenceOf(from)
		}
		all = append(all, p)
	})
	return all
}

// AllParams returns every parameter of the language whose key begins with a prefix, those of all kinds included.
func AllParams(prefix string) (all []Param) {
	add := func(p Param) {
		if strings.HasPrefix(p.Key, prefix) {
			p.Unit = suffixOf(p.Defaults[0].Value)
			p.Evidence, p.Source = p.Defaults[0].Evidence, p.Defaults[0].Source
			all = append(all, p)
		}
	}
	eachParam(reflect.TypeFor[Spec](), "", func(path string, f strictyaml.Field) {
		p := paramOf(path, f)
		p.Defaults = []Default{defaultIn("", defaultOf(f), f.Source)}
		for _, m := range profiledMachines() {
			if key, is := strings.CutPrefix(path, m.key+"."); is {
				p.Defaults = m.defaults(key, p.Defaults[0])
			}
		}
		add(p)
	})
	for _, set := range [...]struct{ name, path string }{
		{topologySet, "topology"}, {workloadSet, "workloads[]"}, {faultSet, "faults[]"}, {controlSet, "host.congestion_control"}, {tcpControlSet, "host.tcp.congestion_control"},
	} {
		for _, k := range kinds()[set.name] {
			eachParam(reflect.TypeOf(k.New("")).Elem(), set.path, func(path string, f strictyaml.Field) {
				p := paramOf(path, f)
				p.Kind, p.kindDoc = set.path+": {kind: "+k.Name+"}", k.Doc
				p.Defaults = []Default{defaultIn("", defaultOf(f), f.Source)}
				if len(k.Profiles) > 0 {
					p.Defaults = nil
				}
				for _, profile := range k.Profiles {
					p.Defaults = append(p.Defaults, defaultIn(profile.Name, profileValue(k, profile.Name, f.Key), k.Source(profile.Name, f.Key)))
				}
				add(p)
			})
		}
	}
	return all
}

// eachParam calls visit for each single value that a tagged type has.
func eachParam(t reflect.Type, path string, visit func(path string, f strictyaml.Field)) {
	for _, f := range strictyaml.Fields(t) {
		if inner := innerStruct(f.Type); inner != nil {
			eachParam(inner, inside(path, f), visit)
			continue
		}
		visit(keyPath(path, f), f)
	}
}

// defaultsAt says what holds for a value if it is left out, and where that comes from.
func (s *Spec) defaultsAt(v strictyaml.Value) []Default {
	if v.Block == nil || v.Block.Profile == "" || v.Field.Key == "kind" {
		return []Default{defaultIn("", defaultOf(v.Field), v.Field.Source)}
	}
	for _, k := range kinds()[controlSet] {
		switch {
		case k.Name != v.Block.Kind:
		case v.Field.Key == "profile":
			return []Default{defaultIn("", k.Profiles[0].Name, "")}
		default:
			return []Default{defaultIn("", profileValue(k, v.Block.Profile, v.Field.Key), k.Source(v.Block.Profile, v.Field.Key))}
		}
	}
	return nil
}

// defaultIn makes a default of a text of the language's tables.
func defaultIn(profile, text, source string) Default {
	plain := strings.ReplaceAll(text, "`", "")
	d := Default{Profile: profile, Value: plain, text: sourced(plain, source)}
	if profile != "" {
		d.text = profile + " " + d.text
	}
	if plain != "" {
		d.Evidence, d.Source = evidence(source)
	}
	return d
}

// profiled is a part of a host that has profiles though it is no kind. The first profile is the default.
type profiled struct {
	key      string
	profiles []machineProfile
}

// machineProfile is a profile: its values, and where those come from that are its own.
type machineProfile struct {
	name, doc string
	values    any // a pointer to a tagged struct; nil for a profile without values of its own
	source    func(key string) string
}

// profiledMachines are the adapters and the operating systems.
func profiledMachines() []profiled {
	adapters, kernels := profiled{key: "host.nic"}, profiled{key: "host.kernel"}
	for _, p := range hardware.Profiles {
		m := machineProfile{name: p.Name, doc: p.Doc, source: p.Source}
		if cfg := hardware.New(p.Name); cfg != nil {
			m.values = cfg
		}
		adapters.profiles = append(adapters.profiles, m)
	}
	for i, p := range kernel.Profiles {
		m := machineProfile{name: p.Name, doc: p.Doc, source: p.Source}
		if i > 0 {
			m.values = kernel.New(p.Name)
		}
		kernels.profiles = append(kernels.profiles, m)
	}
	return []profiled{adapters, kernels}
}

// defaults are what a key is in each profile that has a value of its own, given that of the first.
func (m *profiled) defaults(key string, first Default) []Default {
	all := []Default{first}
	for _, p := range m.profiles[1:] {
		source := p.source(key)
		if source == "" {
			continue
		}
		eachKey(reflect.ValueOf(p.values).Elem(), "", func(at string, value reflect.Value) {
			if at == key {
				all = append(all, defaultIn(p.name, strictyaml.Text(value.Interface()), source))
			}
		})
	}
	if len(all) > 1 {
		all[0].Profile, all[0].text = m.profiles[0].name, m.profiles[0].name+" "+first.text
	}
	return all
}

func paramOf(path string, f strictyaml.Field) Param {
	p := Param{Key: path, Doc: f.Doc}
	if f.Type != nil {
		p.Type = strings.ReplaceAll(typeOf(f.Type), "`", "")
		if r := rangeOf(f); r != "" {
			p.Type += ", " + strings.ReplaceAll(r, "`", "")
		}
	}
	return p
}

// evidence takes a source apart.
func evidence(source string) (class, from string) {
	c, from := hardware.Evidence(strings.ReplaceAll(source, "`", ""))
	return string(c), from
}

// evidenceOf tells the evidence for a value that does not have its default.
func evidenceOf(o strictyaml.Origin) (class, source string) {
	if o.Given() {
		return byUser, o.String()
	}
	_, source, _ = strings.Cut(o.Note, ": ") // behind the name of the profile or preset
	return evidence(source)
}

var quantity = regexp.MustCompile(`^[0-9.]+([A-Za-z]+)$`)

// suffixOf is the unit of a quantity; empty if it has none.
func suffixOf(value string) string {
	if m := quantity.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return ""
}

// WriteParams writes what is known of parameters as text, each with its values, their origin and evidence, its type and
// what it means.
func WriteParams(w io.Writer, all []Param) error {
	var b strings.Builder
	kind := ""
	for _, p := range all {
		if p.Kind != kind {
			kind = p.Kind
			fmt.Fprintf(&b, "\n%s\n    %s\n\n", kind, p.kindDoc)
		}
		p.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteParamsJSON writes the same as a JSON list.
func WriteParamsJSON(w io.Writer, all []Param) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

func (p *Param) write(b *strings.Builder) {
	ofScenario := p.Value != ""
	b.WriteString(p.Key)
	if ofScenario {
		b.WriteString(" = " + short(p.Value))
	}
	b.WriteString("\n")
	if p.From != "" {
		fmt.Fprintf(b, "    from %s\n", p.From)
	}
	var texts []string
	for _, d := range p.Defaults {
		if d.Value != "" {
			texts = append(texts, d.text)
		}
	}
	if len(texts) > 0 {
		fmt.Fprintf(b, "    default %s\n", strings.Join(texts, ";\n            "))
	}
	if p.Type != "" {
		fmt.Fprintf(b, "    %s\n", p.Type)
	}
	fmt.Fprintf(b, "    %s\n", p.Doc)
	if ofScenario && p.Evidence != "" && p.Evidence != byUser {
		fmt.Fprintf(b, "    evidence: %s\n", sourced(p.Evidence, p.Source))
	}
}

// keyPath is the path of a key.
func keyPath(path string, f strictyaml.Field) string {
	if path == "" {
		return f.Key
	}
	return path + "." + f.Key
}

// sourced adds its source to a default.
func sourced(value, source string) string {
	if source == "" || value == "" {
		return value
	}
	return value + " (" + strings.ReplaceAll(source, "`", "") + ")"
}

// short cuts a long text.
func short(text string) string {
	const most = 100
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// Value returns the value at a path such as host.mtu as a scenario writes it; false if there is none.
func (s *Spec) Value(path string) (text string, known bool) {
	strictyaml.Walk(s, func(v strictyaml.Value) {
		if v.Path == path && v.Text != "" {
			text, known = v.Text, true
		}
	})
	return text, known
}
