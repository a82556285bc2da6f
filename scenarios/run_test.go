package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim"
)

// TestExitCodes is the contract with whoever calls rdmasim in a script: 0 only if
// all that the scenario asked for happened.
func TestExitCodes(t *testing.T) {
	kept, broken := results.Expectation{Met: true}, results.Expectation{}
	loss := []results.Drop{{Packets: 1, Lossless: true}}
	for _, c := range []struct {
		name    string
		expect  string
		summary results.Summary
		want    int
	}{
		{"done", "[]", results.Summary{Outcome: results.Done}, ExitDone},
		{"promise kept", "[{metric: drops, equals: 0}]", results.Summary{Outcome: results.Done, Expectations: []results.Expectation{kept}}, ExitDone},
		{"promise broken", "[{metric: drops, equals: 0}]", results.Summary{Outcome: results.Done, Expectations: []results.Expectation{kept, broken}}, ExitBroken},
		{"stalled", "[]", results.Summary{Outcome: results.Stalled}, ExitIncomplete},
		{"out of time", "[]", results.Summary{Outcome: results.TimeLimit}, ExitIncomplete},
		{"failed", "[]", results.Summary{Outcome: results.Failed}, ExitIncomplete},
		{"interrupted", "[]", results.Summary{Outcome: results.Interrupted}, ExitIncomplete},
		{"stalled as expected", "[{outcome: stalled}]", results.Summary{Outcome: results.Stalled, Expectations: []results.Expectation{kept}}, ExitDone},
		{"stalled as expected, a promise broken", "[{outcome: stalled}, {metric: drops, equals: 0}]",
			results.Summary{Outcome: results.Stalled, Expectations: []results.Expectation{kept, broken}}, ExitBroken},
		{"stalled where done was expected", "[{outcome: done}]", results.Summary{Outcome: results.Stalled, Expectations: []results.Expectation{broken}}, ExitIncomplete},
		{"interrupted where a stall was expected", "[{outcome: stalled}]",
			results.Summary{Outcome: results.Interrupted, Expectations: []results.Expectation{broken}}, ExitIncomplete},
		{"done where a stall was expected", "[{outcome: stalled}]", results.Summary{Outcome: results.Done, Expectations: []results.Expectation{broken}}, ExitBroken},
		{"loss in a lossless class", "[]", results.Summary{Outcome: results.Done, Drops: loss}, ExitBroken},
		{"loss in a lossy class", "[]", results.Summary{Outcome: results.Done, Drops: []results.Drop{{Packets: 1}}}, ExitDone},
		{"loss as expected", "[{metric: lossless_drops, above: 0}]",
			results.Summary{Outcome: results.Done, Drops: loss, Expectations: []results.Expectation{kept}}, ExitDone},
		{"loss beside another promise", "[{metric: drops, above: 0}]",
			results.Summary{Outcome: results.Done, Drops: loss, Expectations: []results.Expectation{kept}}, ExitBroken},
		{"loss of an incomplete run", "[]", results.Summary{Outcome: results.TimeLimit, Drops: loss}, ExitIncomplete},
	} {
		if got := parsed(t, star, "expect="+c.expect).ExitCode(&c.summary); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
		}
	}
}

func TestARunWritesWhatItsManifestLists(t *testing.T) {
	spec := parsed(t, star, "measure.series=[queue_depth, qp_rate, pause]", "expect=[{metric: flow.slowdown.max, equals: 1}]")
	out := filepath.Join(t.TempDir(), "results", "star")
	session := Session{Spec: spec, Out: out, Workers: 1, Version: "v1", Command: "rdmasim run star"}
	summary, err := session.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if summary.Scenario != "star" || summary.Seed != 1 || summary.Outcome != results.Done || summary.Cost.Workers != 1 ||
		len(summary.Expectations) != 1 || !summary.Expectations[0].Met {
		t.Errorf("summary %+v", summary)
	}
	var m results.Manifest
	text, err := os.ReadFile(filepath.Join(out, results.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.Digest != summary.Digest || m.ScenarioHash != spec.Hash() || m.Version != "v1" || m.Execution.Command != "rdmasim run star" {
		t.Errorf("manifest %+v", m)
	}
	listed := map[string]bool{}
	for _, f := range m.Files {
		listed[f.Name] = true
	}
	for _, name := range []string{
		"summary.json", "schema.json", "scenario.yaml", "flows.csv", "ports.csv", "pfc.csv", "counters.csv",
		"series/queue_depth.csv", "series/qp_rate.csv", "series/pause.csv", "plots/fct_cdf.svg", "plots/qp_rate.png",
	} {
		if !listed[name] {
			t.Errorf("%s is not listed", name)
		}
	}
}

// Every file that a run writes has its columns or keys in the schema.
func TestTheSchemaCoversEveryFile(t *testing.T) {
	out := t.TempDir()
	session := Session{Spec: parsed(t, star, "measure.series=[queue_depth, qp_rate, pause]"), Out: out}
	if _, err := session.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile(filepath.Join(out, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.csv", "series/*.csv", "summary.json", "manifest.json"} {
		files, err := filepath.Glob(filepath.Join(out, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			name, err := filepath.Rel(out, file)
			if err != nil || !strings.Contains(string(schema), `"name": "`+filepath.ToSlash(name)+`"`) {
				t.Errorf("%s is not in the schema", name)
			}
		}
	}
}

// The directory is tried before anything is simulated: the context would end this
// run at once, but it does not come to that.
func TestADirectoryThatCannotBeWrittenIsBadInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	session := Session{Spec: parsed(t, star), Out: filepath.Join(file, "beneath")}
	var input *InputError
	if _, err := session.Run(context.Background()); !errors.As(err, &input) || !strings.Contains(err.Error(), session.Out) {
		t.Errorf("error %v, want an InputError that names %s", err, session.Out)
	}
}

func TestAScenarioThatCannotBeBuiltWritesNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	session := Session{Spec: parsed(t, star, "switch.buffer=100KB"), Out: out}
	var input *InputError
	if _, err := session.Run(context.Background()); !errors.As(err, &input) {
		t.Errorf("error %v, want an InputError", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the directory for results was made")
	}
}

func TestAnInterruptedRunIsWrittenAsIncomplete(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := t.TempDir()
	session := Session{Spec: parsed(t, star), Out: out}
	summary, err := session.Run(ctx)
	if err != nil || summary.Outcome != results.Interrupted {
		t.Fatalf("outcome %v, error %v", summary, err)
	}
	text, err := os.ReadFile(filepath.Join(out, results.ManifestName))
	if err != nil || !strings.Contains(string(text), `"complete": false`) {
		t.Errorf("manifest %s, %v", text, err)
	}
}

// A fault of the model says what reproduces it.
func TestAFaultSaysHowToReproduceIt(t *testing.T) {
	session := Session{Command: "rdmasim run star --seed 7"}
	text := session.explain(&attempt{run: built(t)}, &sim.Fault{Node: 5, Cause: "a hole", Stack: "goroutine 1"}).Error()
	for _, want := range []string{
		"internal fault at node 5, t=0s: a hole\nThis is an error of rdmasim, not of the scenario. Node 5 is sw0.",
		"To reproduce it: rdmasim run star --seed 7\ngoroutine 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
