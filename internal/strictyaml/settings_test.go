package strictyaml

import (
	"strings"
	"testing"
)

// plan is a document with settings in it, and a block for which one of its keys may stand alone.
type plan struct {
	Name   string   `key:"name" default:"x"`
	ECN    ecn      `key:"ecn"`
	CC     Block    `key:"cc" kinds:"cc" default:"{kind: none}"`
	Prios  []int    `key:"priorities" default:"[3]"`
	Set    Settings `key:"set"`
	Target *target  `key:"target" alone:"place"`
}

type target struct {
	Place string `key:"place" required:"true"`
	Depth int    `key:"depth" default:"1"`
}

func planned(t *testing.T, text string) *plan {
	t.Helper()
	p := new(plan)
	if _, problems := Parse("p.yaml", []byte(text)).Decode(p, testKinds); len(problems) > 0 {
		t.Fatal(problems)
	}
	return p
}

// Settings do to a document what overrides of a command line do, in their order.
func TestSettingsChangeADocumentAsOverridesDo(t *testing.T) {
	const text = "name: a\necn: {kmin: 1KB}\nset:\n  ecn.kmin: 2KB\n  cc.kind: dcqcn\n  cc.timer: 3us\n  priorities: [4, 5]\n  ecn: {kmax: 9MB}\n"
	settings := planned(t, text).Set
	if got, want := settings.String(), `{ecn.kmin: 2KB, cc.kind: dcqcn, cc.timer: 3us, priorities: [4, 5], ecn: {kmax: 9MB}}`; got != want {
		t.Errorf("the settings are %s, want %s", got, want)
	}
	changed, overridden := Parse("p.yaml", []byte(text)), Parse("p.yaml", []byte(text))
	changed.Without("set")
	overridden.Without("set")
	changed.Apply(settings)
	for _, o := range []string{"ecn.kmin=2KB", "cc.kind=dcqcn", "cc.timer=3us", "priorities=[4, 5]", "ecn={kmax: 9MB}"} {
		overridden.Set(o)
	}
	var a, b plan
	_, p := changed.Decode(&a, testKinds)
	_, q := overridden.Decode(&b, testKinds)
	if len(p)+len(q) > 0 {
		t.Fatal(p, q)
	}
	if got, want := string(Encode(&a, nil)), string(Encode(&b, nil)); got != want || !strings.Contains(got, "timer: 3us") {
		t.Errorf("settings make\n%s\noverrides\n%s", got, want)
	}
}

// A mistake in a setting stands at its key in the document.
func TestAMistakeInASettingIsToldAtItsKey(t *testing.T) {
	const text = "name: a\nset:\n  ecn.kmni: 2KB\n  ecn.kmin: 2Kb\n  priorities[7]: 1\n"
	document := Parse("p.yaml", []byte(text))
	document.Apply(planned(t, text).Set)
	_, problems := document.Decode(new(plan), testKinds)
	want := []string{
		`p.yaml:3:3: ecn.kmni: unknown key; did you mean "kmin"?`,
		`p.yaml:4:3: ecn.kmin: "2Kb": unknown unit "Kb"; did you mean "KB"? units are case-sensitive (b is a bit, B a byte)`,
		`p.yaml:5:3: priorities[7]: there is no entry [7] in the file`,
	}
	if got := problems.Error(); got != strings.Join(want, "\n") {
		t.Errorf("problems are\n%s", got)
	}
}

// What is written back is read as the same, whatever stands in a setting.
func TestSettingsComeBackTheSame(t *testing.T) {
	p := planned(t, `set: {"a[0].b": "x, y", c: [1, "2", {d: null, e: "#"}], f.g: -3, h: "true", i: {}, j: [], k: "a: b"}`)
	again := planned(t, string(Encode(p, nil)))
	if got, want := again.Set.String(), p.Set.String(); got != want || !strings.Contains(got, `c: [1, "2", {d: null, e: "#"}]`) {
		t.Errorf("came back as %s, was %s", got, want)
	}
}

func TestAValueMayStandAloneForItsBlock(t *testing.T) {
	if got := planned(t, "target: left").Target; got.Place != "left" || got.Depth != 1 {
		t.Errorf("the target is %+v", got)
	}
	if got := planned(t, "target: {place: left, depth: 2}").Target; got.Place != "left" || got.Depth != 2 {
		t.Errorf("the target is %+v", got)
	}
	_, problems := Parse("p.yaml", []byte("target: [left]")).Decode(new(plan), testKinds)
	if want := "p.yaml:1:9: target: is a list; want a block of keys: place, depth"; problems.Error() != want {
		t.Errorf("a list is %v, want %s", problems, want)
	}
}

// Lists of equal length are as many rounds, each with the next value of every list.
func TestListsOfSettingsAreTakenInRounds(t *testing.T) {
	rounds, err := planned(t, "set: {ecn.kmin: [1KB, 2KB], priorities: [[3], [4, 5]]}").Set.Rounds()
	if err != nil || len(rounds) != 2 || rounds[0].String() != "{ecn.kmin: 1KB, priorities: [3]}" || rounds[1].String() != "{ecn.kmin: 2KB, priorities: [4, 5]}" {
		t.Errorf("%v, %v", rounds, err)
	}
	both := rounds[0].With(rounds[1])
	if got := strings.Join(both.Texts(), " "); got != "1KB [3] 2KB [4, 5]" {
		t.Errorf("together they are %s", got)
	}
	document := Parse("p.yaml", []byte("name: a\n"))
	document.Apply(both)
	var p plan
	if _, problems := document.Decode(&p, testKinds); len(problems) > 0 || len(p.Prios) != 2 {
		t.Errorf("%v, %+v: the later round goes before", problems, p)
	}
	for text, want := range map[string]string{
		"set: {ecn.kmin: 1KB}":                         `ecn.kmin: "1KB": not a list; want the values one after the other, such as [1us, 2us, 5us]`,
		"set: {ecn.kmin: [1KB, 2KB], ecn.kmax: [3KB]}": `ecn.kmax: 1 values, where ecn.kmin has 2; want as many of each`,
	} {
		if _, err := planned(t, text).Set.Rounds(); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
