package scenarios

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// place is how a line of an error begins.
var place = regexp.MustCompile(`^fuzz\.yaml:[1-9][0-9]*:[1-9][0-9]*: \S`)

// FuzzParse feeds any text: a scenario with mistakes is an error, never a panic, and one without comes back the same
// from its resolved form.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		text, err := Open(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, file := range []string{"design", "everything", "bad/contradictions", "bad/names", "bad/units", "bad/yaml", "bad/custom", "bad/switch", "bad/switches", "bad/expect", "bad/variants", "bad/settings", "bad/sweep", "bad/sweep-runs", "bad/sweep-expect"} {
		text, err := os.ReadFile("testdata/" + file + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := Parse("fuzz.yaml", []byte(text))
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !place.MatchString(line) {
					t.Fatalf("%q does not say where", line)
				}
			}
			return
		}
		again, err := Parse("resolved.yaml", spec.Resolved())
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, spec.Resolved())
		}
		if again.Hash() != spec.Hash() {
			t.Fatalf("resolved and read again it differs:\n%s\n%s", spec.Resolved(), again.Resolved())
		}
	})
}
