package strictyaml

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestWhatIsLeftOutHasItsDefault(t *testing.T) {
	n, _ := mustRead(t, least)
	want := network{
		Name: "n", Seed: 1, MTU: 4096, Share: 0.5,
		ECN:    ecn{Enabled: true, Kmin: 400 * units.KB, Kmax: 1600 * units.KB, Pmax: units.Ratio{Num: 1, Den: 5}},
		Prios:  []int{3},
		Flows:  []Block{{Kind: "burst", Params: &burst{Size: units.MB, To: "h0"}}},
		limits: limits{Limit: units.Second},
	}
	want.CC = Block{Kind: "dcqcn", Profile: "scaled", Params: testKinds["cc"][1].New("scaled")}
	if diff := cmp.Diff(want, n, cmp.AllowUnexported(network{})); diff != "" {
		t.Errorf("defaults differ (-want +got):\n%s", diff)
	}
}

func TestEveryValueKnowsWhereItCameFrom(t *testing.T) {
	_, origins := mustRead(t, least+"ecn: {kmax: 2MB}\ncc: {kind: dcqcn, timer: 1ms}\nnames: {a: b}\n", "ecn.pmax=1%")
	for path, want := range map[string]string{
		"name":         "net.yaml:1:7",
		"seed":         "default",
		"ecn.kmin":     "default",
		"ecn.kmax":     "net.yaml:3:13",
		"ecn.pmax":     "--set ecn.pmax",
		"limit":        "default: assumed",
		"cc.kind":      "net.yaml:4:12",
		"cc.profile":   "default: as deployed",
		"cc.timer":     "net.yaml:4:26",
		"cc.g":         "profile scaled: table of scaled for g",
		"cc.deep.f":    "profile scaled: table of scaled for deep.f",
		"names.a":      "net.yaml:5:12",
		"flows[0].to":  "net.yaml:2:27",
		"priorities":   "default",
		"flows[0].kin": "",
	} {
		got := ""
		if from, ok := origins.Of(path); ok {
			got = from.String()
		}
		if got != want {
			t.Errorf("%s comes from %q, want %q", path, got, want)
		}
	}
}

func TestAPositionThatIsNotGivenIsThatOfTheBlockAround(t *testing.T) {
	_, origins := mustRead(t, least+"ecn: {kmax: 2MB}\n")
	for path, want := range map[string]string{
		"ecn.kmax":      "net.yaml:3:13",
		"ecn.kmin":      "net.yaml:3:6",
		"flows[0].size": "net.yaml:2:9",
		"cc.timer":      "net.yaml:1:1",
		"":              "net.yaml:1:1",
	} {
		if got := origins.At(path).String(); got != want {
			t.Errorf("%q is at %s, want %s", path, got, want)
		}
	}
	if origins.Given("ecn.kmin") || !origins.Given("ecn.kmax") {
		t.Error("given are kmin or not kmax, want kmax alone")
	}
}

func TestABlockChoosesItsKindAndProfile(t *testing.T) {
	cases := []struct{ text, kind, profile string }{
		{"", "dcqcn", "scaled"},
		{"cc: none\n", "none", ""},
		{"cc: {kind: none}\n", "none", ""},
		{"cc: dcqcn\n", "dcqcn", "scaled"},
		{"cc: {profile: paper}\n", "dcqcn", "paper"},
		{"cc: {timer: 2us}\n", "dcqcn", "scaled"},
		{"cc: {}\n", "dcqcn", "scaled"},
	}
	for _, c := range cases {
		if n, _ := mustRead(t, least+c.text); n.CC.Kind != c.kind || n.CC.Profile != c.profile {
			t.Errorf("%q is %s %s, want %s %s", c.text, n.CC.Kind, n.CC.Profile, c.kind, c.profile)
		}
	}
	n, _ := mustRead(t, least+"cc: {profile: paper, g: 1/16}\n")
	want := &dcqcn{Timer: 55 * units.Microsecond, Gain: units.Ratio{Num: 1, Den: 16}}
	want.Deep.F = 5
	if diff := cmp.Diff(want, n.CC.Params); diff != "" {
		t.Errorf("a profile with one value overridden differs (-want +got):\n%s", diff)
	}
}

func TestOneOfTwoAlternativesHolds(t *testing.T) {
	cases := []struct {
		text, set string
		mtu, load int
	}{
		{"", "", 4096, 0},
		{"mtu: 1024\n", "", 1024, 0},
		{"payload: 1000\n", "", 0, 1000},
		{"mtu: 1024\n", "payload=1000", 0, 1000},
		{"payload: 1000\n", "mtu=256", 256, 0},
	}
	for _, c := range cases {
		var sets []string
		if c.set != "" {
			sets = append(sets, c.set)
		}
		n, _ := mustRead(t, least+c.text, sets...)
		load := 0
		if n.Load != nil {
			load = *n.Load
		}
		if n.MTU != c.mtu || load != c.load {
			t.Errorf("%q with %q is mtu %d, payload %d; want %d, %d", c.text, c.set, n.MTU, load, c.mtu, c.load)
		}
	}
}

func TestChecksOfOneBlockRunThoughAnotherIsWrong(t *testing.T) {
	_, _, problems := read(least + "ecn: {kmin: 2MB}\nseed: x\n")
	wantProblems(t, problems,
		`net.yaml:3:13: ecn.kmin: "2MB": above kmax; at most 1.6MB`,
		`net.yaml:4:7: seed: "x" is not a whole number from 0 up; write digits only, such as 1000`)

	_, _, problems = read(least + "ecn: {kmin: 2MB, pmax: 3}\n")
	wantProblems(t, problems, `net.yaml:3:24: ecn.pmax: "3" is too large; want at most 1`)
}

func TestFieldsDescribeTheSchema(t *testing.T) {
	var got []string
	for _, f := range Fields(reflect.TypeFor[*network]()) {
		got = append(got, f.Key)
	}
	want := []string{"name", "seed", "mtu", "payload", "share", "ecn", "links", "priorities", "names", "dscp", "cc", "flows", "limit"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys differ (-want +got):\n%s", diff)
	}
}

func TestAMistakeInTheTagsIsAPanic(t *testing.T) {
	for name, target := range map[string]any{
		"default": &struct {
			A int `key:"a" default:"x"`
		}{},
		"range": &struct {
			A int `key:"a" default:"9" max:"8"`
		}{},
		"bound": &struct {
			A int `key:"a" default:"9" max:"x"`
		}{},
		"key twice": &struct {
			A, B int `key:"a"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			Parse("f", []byte("{}")).Decode(target, nil)
		})
	}
}
