package htsim

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/verify"
)

const source = "csg-htsim, commit 841d9e7"

// Files are what a folder with a run has; others may be there.
var Files = []string{"model.txt", "traffic.cm", "paths.tsv", "fct.csv", "queues.tsv"}

// Checks makes a check of each case in a directory, which may be one itself; none if it holds no case.
func Checks(dir string) ([]verify.Check, error) {
	folders, err := verify.Folders(dir, Files...)
	if err != nil {
		return nil, err
	}
	var checks []verify.Check
	for _, folder := range folders {
		checks = append(checks, verify.Check{Name: filepath.Base(folder), Run: func(ctx context.Context, _ int) ([]verify.Row, error) {
			return check(ctx, folder)
		}})
	}
	return checks, nil
}

// check makes the rows of a case: what came out here by the profile htsim, and what comes out true to the wire.
func check(ctx context.Context, dir string) ([]verify.Row, error) {
	c, err := Read(dir)
	if err != nil {
		return nil, &scenarios.InputError{Err: err}
	}
	r, err := c.Compare(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Skipped != "" {
		return []verify.Row{{Rule: "not compared: " + r.Skipped, Source: source, Told: true}}, nil
	}
	return []verify.Row{r.row(), c.shortcuts(ctx, r)}, nil
}

// row is the comparison as a row of the table.
func (r *Result) row() verify.Row {
	return verify.Row{
		Rule:   "flows finish, and pauses begin and end, at the reference's picosecond; links carry and inputs hold the same",
		Source: source, Expected: r.Expected(), Found: r.Found(), Deviation: r.Deviation(),
		Band: "0", Because: "the profile htsim is the model of that simulator, in its order of events", Met: r.Exact(),
	}
}

// shortcuts tells what the same case comes to on the wire as it is.
func (c *Case) shortcuts(ctx context.Context, r *Result) verify.Row {
	told := verify.Row{
		Rule: "what the reference's shortcuts are worth: when the last flow finishes, there and true to the wire", Source: source,
		Expected: r.LastThere.String(), Told: true,
	}
	run, err := c.run(ctx, "rdmasim")
	if err != nil {
		told.Found = "not run: " + err.Error()
		return told
	}
	last := lastFinish(run.Cluster)
	told.Found, told.Deviation = last.String(), fmt.Sprintf("%+.1f%%", 100*(float64(last)/float64(r.LastThere)-1))
	return told
}

// Expected says what came out there.
func (r *Result) Expected() string {
	return fmt.Sprintf("flows: %d, the last at %v; pauses: %d", r.Flows, r.LastThere, r.PausesThere)
}

// Found says what came out here.
func (r *Result) Found() string {
	return fmt.Sprintf("flows: %d of %d equal, the last at %v; pauses: %d; links: %d of %d equal; inputs: %d of %d equal",
		r.Equal, r.Flows, r.Last, r.Pauses, r.EqualLinks, r.Links, r.EqualInputs, r.Inputs)
}

// Deviation says how far the two are apart, and where they part.
func (r *Result) Deviation() string {
	if r.Exact() {
		return "0"
	}
	return fmt.Sprintf("at most %v (connection %d); first: %v", r.Worst, r.WorstFlow, r.First)
}
