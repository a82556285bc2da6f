package htsim

import (
	"context"
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Result is what came out of a case here, beside what came out of it there.
type Result struct {
	Case string
	// Skipped is why the case was not run; empty if it was.
	Skipped string
	// Flows is how many there are, Equal how many of them finished at the same picosecond.
	Flows, Equal int
	// Worst is the largest difference of a finish, here less there, and WorstFlow that flow's number there.
	Worst     units.Time
	WorstFlow int
	// Last is when the last flow finished, and LastThere when it did there.
	Last, LastThere units.Time
	// Pauses is how many began, and PausesThere how many did there.
	Pauses, PausesThere int
	// Links is how many links carried anything there, EqualLinks how many of them the same packets and bytes here.
	Links, EqualLinks int
	// Inputs is how many ingress links held anything there, EqualInputs how many of them the same at the most here.
	Inputs, EqualInputs int
	// First is where the two runs part; nil if they do not.
	First *Divergence
}

// Divergence is where two runs part.
type Divergence struct {
	At   units.Time
	Node string // as rdmasim names it
	What string
}

// String tells what is different, where and when.
func (d *Divergence) String() string { return fmt.Sprintf("%v at %s: %s", d.At, d.Node, d.What) }

// Exact tells whether everything that was compared is equal.
func (r *Result) Exact() bool {
	return r.Skipped == "" && r.Equal == r.Flows && r.Pauses == r.PausesThere && r.EqualLinks == r.Links && r.EqualInputs == r.Inputs && r.First == nil
}

// Compare runs the case and compares it.
func (c *Case) Compare(ctx context.Context) (*Result, error) {
	r := &Result{Case: c.Name, Flows: len(c.Flows), Links: len(c.Links), Inputs: len(c.Inputs)}
	if c.Model.Program != "htsim_roce" {
		r.Skipped = "there is no congestion control of " + c.Model.Program + " here"
		return r, nil
	}
	run, err := c.run(ctx, "htsim")
	if err != nil {
		return nil, err
	}
	r.finishes(c, run)
	tree, err := fatTreeOf(c.Hosts)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.pauses(c, tree, run), r.links(c, tree, run), r.inputs(c, tree, run)); err != nil {
		return nil, &scenarios.InputError{Err: err}
	}
	return r, nil
}

// run runs the case by a profile.
func (c *Case) run(ctx context.Context, profile string) (*record.Run, error) {
	spec, err := c.spec("profile=" + profile)
	if err != nil {
		return nil, &scenarios.InputError{Err: err}
	}
	run, err := spec.Build()
	if err != nil {
		return nil, &scenarios.InputError{Err: err}
	}
	run.Report, err = run.Cluster.Run(ctx, host.RunOptions{Limit: spec.Stop.Limit, UntilDone: true, Workers: 1})
	if err == nil && run.Report.Outcome != host.Done {
		err = errors.New("the run came to the outcome " + run.Report.Outcome.String())
	}
	return run, err
}

// lastFinish is when the last flow finished.
func lastFinish(c *host.Cluster) (last units.Time) {
	for i := range c.Flows {
		last = max(last, c.Transfer(i).End)
	}
	return last
}

// finishes compares when the flows finished.
func (r *Result) finishes(c *Case, run *record.Run) {
	for i, f := range c.Flows {
		end := run.Cluster.Transfer(i).End
		off := end - f.Finish
		if off == 0 {
			r.Equal++
		} else {
			node := fmt.Sprint("h", f.Src)
			r.part(min(end, f.Finish), node, fmt.Sprintf("connection %d to h%d finishes at %v, there at %v", f.ID, f.Dst, end, f.Finish))
		}
		if max(off, -off) > max(r.Worst, -r.Worst) {
			r.Worst, r.WorstFlow = off, f.ID
		}
		r.Last, r.LastThere = max(r.Last, end), max(r.LastThere, f.Finish)
	}
}

// part notes that something is different, if nothing earlier is.
func (r *Result) part(at units.Time, node, what string) {
	if r.First == nil || at < r.First.At {
		r.First = &Divergence{at, node, what}
	}
}
