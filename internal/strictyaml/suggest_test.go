package strictyaml_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
)

type suggested struct {
	Kind  string `key:"kind" default:"plain" doc:"kind"`
	Inner struct {
		Size  int `key:"size" default:"1" doc:"size"`
		Count int `key:"count" default:"2" doc:"count"`
	} `key:"inner" doc:"a block"`
}

// What the user wrote stands, and so do overrides; what is left out has the suggestion, and says whose it is.
func TestASuggestionHoldsForWhatIsLeftOut(t *testing.T) {
	for _, tc := range []struct {
		text, set    string
		size, count  int
		kind, origin string
	}{
		{text: "kind: odd", size: 7, count: 8, kind: "odd", origin: "preset odd: a reason"},
		{text: "kind: odd\ninner: {size: 3}", size: 3, count: 8, kind: "odd", origin: "f.yaml:2:15"},
		{text: "kind: odd", set: "inner.size=4", size: 4, count: 8, kind: "odd", origin: "--set inner.size"},
		{text: "inner: {count: 5}", size: 7, count: 5, kind: "", origin: "preset odd: a reason"},
	} {
		d := strictyaml.Parse("f.yaml", []byte(tc.text))
		if tc.set != "" {
			d.Set(tc.set)
		}
		if got := d.Text("kind"); got != tc.kind {
			t.Errorf("%q: kind is %q, want %q", tc.text, got, tc.kind)
		}
		if got := d.Text("inner.size.none"); got != "" {
			t.Errorf("%q: there is %q where nothing is", tc.text, got)
		}
		d.Suggest("inner.size", "7", "odd: a reason")
		d.Suggest("inner.count", "8", "odd: a reason")
		var s suggested
		origins, problems := d.Decode(&s, nil)
		if len(problems) > 0 {
			t.Fatalf("%q: %v", tc.text, problems)
		}
		if s.Inner.Size != tc.size || s.Inner.Count != tc.count {
			t.Errorf("%q: size %d and count %d, want %d and %d", tc.text, s.Inner.Size, s.Inner.Count, tc.size, tc.count)
		}
		if from, _ := origins.Of("inner.size"); from.String() != tc.origin {
			t.Errorf("%q: size comes from %q, want %q", tc.text, from, tc.origin)
		}
	}
}

// A suggestion for a key within a block does not repair what the user wrote in place of the block.
func TestASuggestionLeavesASingleValueAlone(t *testing.T) {
	d := strictyaml.Parse("f.yaml", []byte("inner: 3"))
	d.Suggest("inner.size", "7", "odd")
	if _, problems := d.Decode(new(suggested), nil); len(problems) != 1 {
		t.Errorf("%d problems, want that inner is no block: %v", len(problems), problems)
	}
}

// Settings that have a path, a block around it or something within it are left as they are.
func TestSettingsAreCompleted(t *testing.T) {
	for text, want := range map[string]string{
		"set: {kind: odd}":                     "{kind: odd, inner.size: 7}",
		"set: {kind: odd, inner.size: 1}":      "{kind: odd, inner.size: 1}",
		"set: {kind: odd, inner: {size: 1}}":   "{kind: odd, inner: {size: 1}}",
		"set: {kind: odd, inner.size.deep: 1}": "{kind: odd, inner.size.deep: 1}",
	} {
		var s struct {
			Set strictyaml.Settings `key:"set" required:"true" doc:"settings"`
		}
		if _, problems := strictyaml.Parse("f.yaml", []byte(text)).Decode(&s, nil); len(problems) > 0 {
			t.Fatal(problems)
		}
		s.Set.Suggest("inner.size", "7", "kind")
		if got := s.Set.String(); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
		if got := s.Set.Text("kind"); got != "odd" {
			t.Errorf("%s: kind is %q", text, got)
		}
	}
}
