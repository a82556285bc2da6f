package scenarios

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// compiled is the schema as a validator of others understands it.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	var text bytes.Buffer
	if err := WriteSchema(&text); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&text)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("scenario.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// plain is a YAML document as JSON has it: the keys of mappings are texts.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	case map[any]any:
		texts := map[string]any{}
		for k, inner := range v {
			texts[fmt.Sprint(k)] = plain(inner)
		}
		return texts
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	}
	return v
}

// judged is what the schema says of a YAML text.
func judged(schema *jsonschema.Schema, text []byte) error {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return err
	}
	return schema.Validate(plain(v))
}

// What the parser accepts, the schema accepts: the scenarios as they are written, and with every key written out.
func TestTheSchemaAcceptsEveryScenario(t *testing.T) {
	schema := compiled(t)
	for _, name := range append(slices.Concat(Names(), Verifications()), "testdata/design.yaml", "testdata/everything.yaml") {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := judged(schema, text); err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
		if err := judged(schema, load(t, name).Resolved()); err != nil {
			t.Errorf("%s with every key is refused: %v", name, err)
		}
	}
}

// What the parser refuses, the schema refuses, but for what takes the network or several keys at once to tell.
func TestTheSchemaRefusesEveryBadScenarioItCanTell(t *testing.T) {
	beyond := map[string]string{
		"custom.yaml":            "links between nodes that the network does not have",
		"dcqcn.yaml":             "parameters that do not fit the profile",
		"fault-names.yaml":       "faults of links, hosts and flows that the run does not have",
		"files.yaml":             "files that are not there",
		"contradictions.yaml":    "values that contradict each other",
		"unreachable-class.yaml": "a priority to which no DSCP is mapped",
		"nothing-left.yaml":      "headroom that leaves nothing",
		"switches.yaml":          "switches that the network does not have",
		"comparisons.yaml":       "keys of an expectation that do not go together",
		"unrecorded.yaml":        "series that are expected to be something and not recorded",
		"settings.yaml":          "keys that variants set",
		"paths.yaml":             "ways that the network does not have",
		"transport.yaml":         "keys of Ethernet on InfiniBand links",
		"ethernet.yaml":          "keys of InfiniBand on Ethernet links",
		"lanes.yaml":             "buffers in which no full packet fits",
		"sweep.yaml":             "lists of different lengths, and keys that do not go together",
		"sweep-expect.yaml":      "crossings that no sweep looks for",
		"sweep-values.yaml":      "keys that sweeps set",
		"iwarp.yaml":             "keys of RDMA over UDP where all goes over iWARP",
		"services.yaml":          "services that iWARP does not have",
		"carried.yaml":           "workloads on InfiniBand links that are not there",
		"carriedlanes.yaml":      "workloads that do not travel on InfiniBand links",
	}
	schema := compiled(t)
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no bad scenarios: ", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		why, isBeyond := beyond[filepath.Base(file)]
		if err := judged(schema, text); (err == nil) != isBeyond {
			t.Errorf("%s: the schema says %v; beyond it: %q", file, err, why)
		}
	}
}

// Single mistakes, each in an otherwise sound scenario.
func TestTheSchemaKnowsTypesUnitsKindsAndKeys(t *testing.T) {
	schema := compiled(t)
	const head = "name: s\ntopology: {kind: star, hosts: 2}\nworkloads: [{kind: permutation, size: 1MB}]\n"
	for text, sound := range map[string]bool{
		"":                                        true,
		"seed: 7":                                 true,
		"seed: -7":                                false,
		"seed: x":                                 false,
		"sede: 7":                                 false,
		"stop: {limit: 1.5ms}":                    true,
		"switch: {pipeline: 0}":                   true,
		"stop: {limit: 1.5 ms}":                   false,
		"stop: {limit: 3}":                        false,
		"stop: {when: soon}":                      false,
		"switch: {buffer: 9216}":                  true,
		"switch: {buffer: 4MiB}":                  true,
		"switch: {buffer: 4Mb}":                   false,
		"switch: {pfc: {alpha: 0.125}}":           true,
		"switch: {pfc: {alpha: 1/8}}":             true,
		"switch: {pfc: {alpha: 1/0}}":             false,
		"switch: {pfc: {alpha: -1}}":              false,
		"switch: {pfc: {priorities: [8]}}":        false,
		"switch: {pfc: {alpha: 1/8, xoff: 1MB}}":  false,
		"switch: {pfc: {headroom: auto}}":         true,
		"switch: {pfc: {headroom: enough}}":       false,
		"switch: {dscp_map: {26: 3}}":             true,
		"switch: {dscp_map: {26: 9}}":             false,
		"host: {mtu: 4096}":                       true,
		"host: {mtu: 1500}":                       false,
		"host: {congestion_control: none}":        true,
		"host: {congestion_control: fixed}":       false, // without its rate
		"host: {congestion_control: {g: 1/16}}":   true,  // of the default kind
		"host: {congestion_control: {h: 1/16}}":   false,
		"host: {congestion_control: {kind: bbr}}": false,
		"measure: {every: on-change}":             true,
		"measure: {every: always}":                false,
		"measure: {series: [queue_length]}":       false,
		"expect: [{metric: drops, equals: 0}]":    true,
		"expect: [{metric: drops, equals: [0]}]":  false,
		"expect: [{metric: drips, equals: 0}]":    false,
		"expect: [{outcome: stalled}]":            true,
		"expect: [{outcome: lost}]":               false,
	} {
		if err := judged(schema, []byte(head+text)); (err == nil) != sound {
			t.Errorf("%q is sound: %v, but the schema says %v", text, sound, err)
		}
		if _, err := Parse("s.yaml", []byte(head+text)); (err == nil) != sound {
			t.Errorf("%q is sound: %v, but the parser says %v", text, sound, err)
		}
	}
}

// Two schemas of one program are the same bytes.
func TestTheSchemaIsRepeatable(t *testing.T) {
	var a, b strings.Builder
	if err := WriteSchema(&a); err != nil {
		t.Fatal(err)
	}
	if err := WriteSchema(&b); err != nil || a.String() != b.String() {
		t.Errorf("it differs from one time to the next, or %v", err)
	}
}
