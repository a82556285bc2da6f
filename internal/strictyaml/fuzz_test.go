package strictyaml

import (
	"reflect"
	"testing"
)

// FuzzDecode feeds any text and any override: nothing may panic or hang, and what decodes without a problem must
// survive being written and read again.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{least, full, "", "a: *a\n", "&a [*a]", "? {a: b}\n: c\n", "<<: *x", "--- ---", "%YAML 1.2\n---\na: 1", "a:\n\t- b", "\xff"} {
		f.Add(text, "seed=1")
		f.Add(least+text, "ecn.kmin=[1, 2]")
	}
	f.Add(least, `names={a: "b}`)
	f.Add(least, "flows[0].kind=quiet")
	f.Fuzz(func(t *testing.T, text, set string) {
		n, origins, problems := read(text, set)
		if len(problems) > 0 {
			_ = problems.Error()
			return
		}
		encoded := string(Encode(&n, origins))
		again, _, problems := read(encoded)
		if len(problems) > 0 {
			t.Fatalf("%s\nin\n%s\nencoded from\n%s", problems, encoded, text)
		}
		if second := string(Encode(&again, nil)); second != string(Encode(&n, nil)) || !reflect.DeepEqual(n.Flows, again.Flows) {
			t.Fatalf("written and read again:\n%s\nis now\n%s", encoded, second)
		}
	})
}
