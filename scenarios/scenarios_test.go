package scenarios

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files and docs/scenario.md")

// golden compares text with a file, or writes the file with -update.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s is out of date; go test ./scenarios -update rewrites it (-committed +now):\n%s", file, diff)
	}
}

// load reads a scenario that must be right.
func load(t *testing.T, file string, overrides ...string) *Spec {
	t.Helper()
	spec, err := Load(file, overrides...)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestEveryMistakeOfTheBadScenariosIsReported(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no bad scenarios: ", err)
	}
	var report strings.Builder
	for _, file := range files {
		_, err := Load(file)
		if err == nil {
			t.Errorf("%s was accepted", file)
			continue
		}
		report.WriteString(err.Error() + "\n\n")
	}
	golden(t, "testdata/bad.golden", report.String())
}

func TestTheBuiltInScenariosAreSound(t *testing.T) {
	if len(Names()) == 0 {
		t.Fatal("there are none")
	}
	// Switches without marks and NICs that wait for them are what these are about.
	warned := map[string]int{"training-on-lossy-switches": 1, "unconfigured-switches": 1}
	for _, name := range Names() {
		spec := load(t, name)
		if spec.Name != name || len(spec.Description) < 100 || len(spec.Warnings) != warned[name] {
			t.Errorf("%s is named %q, has %d characters of description and the warnings %q", name, spec.Name, len(spec.Description), spec.Warnings)
		}
	}
}

func TestAResolvedScenarioIsTheSameScenario(t *testing.T) {
	for _, name := range append(slices.Concat(Names(), Verifications()), "testdata/design.yaml", "testdata/everything.yaml") {
		spec := load(t, name)
		resolved := spec.Resolved()
		again, err := Parse("resolved.yaml", resolved)
		if err != nil {
			t.Errorf("%s: %v\nin\n%s", name, err, resolved)
			continue
		}
		if spec.Hash() != again.Hash() {
			t.Errorf("%s: resolved and read again it differs (-first +again):\n%s", name, cmp.Diff(string(resolved), string(again.Resolved())))
		}
	}
}

func TestTheHashCoversValuesAndNotWhereTheyStand(t *testing.T) {
	base := load(t, "testdata/design.yaml").Hash()
	if same := load(t, "testdata/design.yaml", "seed=1", "switch.pipeline=0.3us").Hash(); same != base {
		t.Error("the default written out changed the hash")
	}
	if other := load(t, "testdata/design.yaml", "seed=2").Hash(); other == base {
		t.Error("another seed did not change the hash")
	}
}

func TestAnyKeyCanBeOverridden(t *testing.T) {
	spec := load(t, "incast", "switch.ecn.kmin=200KB", "workloads[0].size=2MB", "host.congestion_control=none", "topology.host_link.rate=25Gbps")
	for _, line := range []string{"kmin: 200KB ", "size: 2MB ", "kind: none ", "rate: 25Gbps "} {
		if !strings.Contains(string(spec.Resolved()), line) {
			t.Errorf("%q is not in\n%s", line, spec.Resolved())
		}
	}
	_, err := Load("incast", "switch.ecn.kmni=200KB", "seed=x")
	want := `--set seed: "x" is not a whole number from 0 up; write digits only, such as 1000
--set switch.ecn.kmni: unknown key; did you mean "kmin"?`
	if err == nil || err.Error() != want {
		t.Errorf("error is\n%v\nwant\n%s", err, want)
	}
}

func TestAPathOfANetworkFileStartsAtTheScenario(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("topology.txt", "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n")
	write("flow.txt", "1\n0 1 3 100 1000 2\n")
	spec := load(t, write("s.yaml", "name: s\ntopology: {kind: hpcc-file, file: topology.txt}\nworkloads: [{kind: hpcc-file, file: flow.txt}]\n"))
	graph, err := spec.Network()
	if err != nil {
		t.Fatal(err)
	}
	flows, err := spec.Flows(graph)
	if err != nil || len(flows) != 1 || flows[0].Size != 1000 {
		t.Errorf("flows are %v, %v; want one of 1000 bytes", flows, err)
	}
}

func TestAScenarioThatIsNotThereIsExplained(t *testing.T) {
	for name, want := range map[string]string{
		"incst":         `incst: neither a file nor a built-in scenario; did you mean "incast"?`,
		"incst.yaml":    `incst.yaml: neither a file nor a built-in scenario; did you mean "incast"?`,
		"zzz":           "zzz: neither a file nor a built-in scenario; want one of " + commas(Names()),
		"no/such.yaml":  `no/such.yaml: there is no such file`,
		"testdata":      `testdata: cannot be read: is a directory`,
		"../no/hello":   `../no/hello: there is no such file`,
		"library/hello": `library/hello: there is no such file`,
	} {
		if _, err := Load(name); err == nil || err.Error() != want {
			t.Errorf("Load(%q) says %v, want %s", name, err, want)
		}
	}
}

func TestProblemsFoundLaterHaveAPlaceToo(t *testing.T) {
	spec := load(t, "testdata/design.yaml", "host.timeout=8")
	for path, want := range map[string]string{
		"switch.pfc.headroom": "testdata/design.yaml:9:48",
		"switch.pfc.quanta":   "testdata/design.yaml:9:8",
		"host.timeout":        "--set host.timeout",
		"stop.limit":          "testdata/design.yaml:4:33",
	} {
		if got := spec.At(path); got != want {
			t.Errorf("%s is at %s, want %s", path, got, want)
		}
	}
	if !spec.Given("switch.pfc.headroom") || spec.Given("switch.pfc.quanta") {
		t.Error("headroom is given and quanta is not; Given disagrees")
	}
	got := spec.Problem("switch.pfc.headroom", "headroom 37.5 MB exceeds 32 MB buffer", "want less").Error()
	if want := "testdata/design.yaml:9:48: switch.pfc.headroom: headroom 37.5 MB exceeds 32 MB buffer; want less"; got != want {
		t.Errorf("problem is %q, want %q", got, want)
	}
}

func TestWorkloadsAreLabelledByTheirKind(t *testing.T) {
	_, labels := load(t, "testdata/everything.yaml").generators()
	if diff := cmp.Diff([]string{"incast", "staggered", "permutation", "permutation-2"}, labels); diff != "" {
		t.Errorf("labels differ (-want +got):\n%s", diff)
	}
}

func TestTheDocumentationIsThatOfTheParser(t *testing.T) {
	golden(t, "../docs/scenario.md", Markdown())
}
