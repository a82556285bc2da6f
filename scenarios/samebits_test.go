package scenarios

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// testingT is a test, or the part of one that draws its input.
type testingT interface {
	Helper()
	Fatalf(format string, args ...any)
}

// during builds a scenario and runs it up to a time.
func during(t testingT, spec *Spec, limit units.Time, workers int) *record.Run {
	t.Helper()
	run, err := spec.Build()
	if err != nil {
		t.Fatalf("%v", err)
	}
	run.Report, err = run.Cluster.Run(context.Background(), host.RunOptions{
		Limit: limit, UntilDone: spec.Stop.When == untilDone, NoProgress: spec.Stop.NoProgress.Else(0), Workers: workers,
		Together: simtest.InTurns(),
	})
	if err != nil {
		t.Fatalf("%d workers: %v\n%s", workers, err, spec.Resolved())
	}
	return run
}

// limitFor is a time for which a scenario runs without taking more than some packet-hops
// by far, or until all is over.
func limitFor(t testingT, spec *Spec, hops uint64) units.Time {
	t.Helper()
	limit := min(spec.Stop.Limit, 20*units.Microsecond)
	for limit < spec.Stop.Limit {
		r := during(t, spec, limit, 1).Report
		if r.Hops >= hops || r.Now < limit {
			break
		}
		limit = min(3*limit, spec.Stop.Limit)
	}
	return limit
}

// tables are all tables that a run leaves, and its outcome.
func tables(t testingT, run *record.Run) map[string]string {
	t.Helper()
	r := run.Report
	r.Workers = 0
	all := map[string]string{"outcome": fmt.Sprintf("%+v", r)}
	for _, name := range run.TableNames() {
		var text bytes.Buffer
		if err := run.Table(name).WriteCSV(&text); err != nil {
			t.Fatalf("%v", err)
		}
		all[name] = text.String()
	}
	summary := run.Summary()
	summary.Cost = results.Cost{}
	var text bytes.Buffer
	if err := summary.WriteJSON(&text); err != nil {
		t.Fatalf("%v", err)
	}
	all["summary.json"] = text.String()
	return all
}

// wantSame fails if two runs differ in any table.
func wantSame(t testingT, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Fatalf("%s: %s differs:\n%s", what, name, cmp.Diff(strings.Split(want[name], "\n"), strings.Split(got[name], "\n")))
		}
	}
}

// expectSameBits runs a scenario on 1, 2 and 8 workers.
func expectSameBits(t testingT, spec *Spec, hops uint64) {
	t.Helper()
	limit := limitFor(t, spec, hops)
	want := tables(t, during(t, spec, limit, 1))
	for _, workers := range []int{2, 8} {
		got := tables(t, during(t, spec, limit, workers))
		wantSame(t, fmt.Sprintf("%s on %d workers, up to %v", spec.Name, workers, limit), got, want)
	}
}

// Every scenario of the library leaves the same events and the same tables on any number
// of workers: as much of each as there is time for.
func TestEveryScenarioGivesTheSameBitsOnAnyNumberOfWorkers(t *testing.T) {
	hops := uint64(30_000)
	if testing.Short() {
		hops = 5_000
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			if slow[name] && testing.Short() {
				t.Skip("takes long to build")
			}
			t.Parallel()
			expectSameBits(t, small(t, name), hops)
		})
	}
}

// So does any scenario that the parser lets pass.
func TestAnyScenarioGivesTheSameBitsOnAnyNumberOfWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expectSameBits(t, drawScenario(t), 5_000)
	})
}
