package hpccns3

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/verify"
)

// Files are what a folder with a run has; others may be there.
var Files = []string{"config.txt", "topology.txt", "flow.txt", "fct.txt"}

// Checks makes a check of each case in a directory, which may be one itself; none if
// it holds no case.
func Checks(dir string) ([]verify.Check, error) {
	dirs, err := verify.Folders(dir, Files...)
	if err != nil {
		return nil, err
	}
	var checks []verify.Check
	for _, d := range dirs {
		c, err := Open(d)
		if err != nil {
			return nil, err
		}
		there, err := c.finishes()
		if err != nil && c.Unsupported() == "" {
			return nil, err
		}
		checks = append(checks, verify.Check{Name: c.Name, Run: func(ctx context.Context, _ int) ([]verify.Row, error) { return c.check(ctx) }})
		if c.isRandom(len(there)) {
			checks = append(checks, verify.Check{Name: c.Name + "-seeds", Full: true, Run: func(ctx context.Context, _ int) ([]verify.Row, error) {
				return c.spread(ctx, there)
			}})
		}
	}
	return checks, nil
}

const source = "simulator published with HPCC, ns-3.17, commit 9f4be2a"

// check makes the rows of a case.
func (c *Case) check(ctx context.Context) ([]verify.Row, error) {
	if why := c.Unsupported(); why != "" {
		return []verify.Row{{Rule: "not compared: " + why, Source: source, Told: true}}, nil
	}
	if c.isConWeave() {
		return c.checkConWeave(ctx)
	}
	r, err := c.Compare(ctx)
	if err != nil {
		return nil, err
	}
	return append(r.rows(), c.shortcuts(ctx, r)), ctx.Err()
}

// rows are the comparisons as rows of the table.
func (r *Report) rows() []verify.Row {
	flows := row("flows complete at the reference's nanosecond", r.Flows)
	if r.Unfinished > 0 {
		flows.Rule += fmt.Sprintf(" (%d complete in neither)", r.Unfinished)
	}
	if !r.Flows.Complete() {
		flows.Deviation = r.deviation()
	}
	rows := []verify.Row{flows}
	if r.Pauses.All > 0 {
		rows = append(rows, row("pause frames come at the reference's nanosecond", r.Pauses))
	}
	if r.Counters.All > 0 {
		rows = append(rows, row("ports of switches have counted the same", r.Counters))
	}
	for i := range rows {
		if !rows[i].Met && r.First != nil {
			rows[i].Found += "; first difference: " + r.First.String()
			break
		}
	}
	return rows
}

// deviation says how far completion times are apart, and how many flows have but one.
func (r *Report) deviation() string {
	var apart []string
	if r.Worst > 0 {
		apart = append(apart, fmt.Sprintf("at most %.2g%%", 100*r.Worst))
	}
	if r.OnlyOne > 0 {
		apart = append(apart, fmt.Sprintf("%d in one of the two only", r.OnlyOne))
	}
	if apart == nil {
		return "begun at other times"
	}
	return strings.Join(apart, ", ")
}

func row(rule string, t Tally) verify.Row {
	return verify.Row{
		Rule: rule, Source: source, Expected: fmt.Sprint(t.All), Found: fmt.Sprintf("%d equal", t.Equal), Deviation: "0",
		Band: "0", Because: "the same rules in integers and in float64 give the same bits; where it draws coins, its generator is replayed",
		Met: t.Complete(),
	}
}

// shortcuts tells what the same case comes to on the wire as it is. Where a network has several paths, true to the wire they
// are chosen by another hash, and what that is worth cannot be told from what the shortcuts are.
func (c *Case) shortcuts(ctx context.Context, r *Report) verify.Row {
	told := verify.Row{
		Rule: "what the reference's shortcuts are worth: goodput of all flows, there and true to the wire", Source: source,
		Expected: r.Reference.Goodput().Human(), Told: true,
	}
	run, err := c.Run(ctx, "rdmasim", 0)
	if err != nil {
		told.Found = "not run: " + err.Error()
		return told
	}
	if n := r.elsewhere(run.Cluster); n > 0 {
		told.Rule += fmt.Sprintf(", where the hash sends %d of %d flows on other paths", n, len(run.Cluster.Flows))
	}
	took := Took(run.Cluster)
	told.Found = took.Goodput().Human()
	if r.Reference.Goodput() > 0 && took.Goodput() > 0 {
		told.Deviation = fmt.Sprintf("%+.1f%%", 100*(float64(took.Goodput())/float64(r.Reference.Goodput())-1))
	}
	return told
}

// elsewhere returns how many flows take other paths in another run of the case.
func (r *Report) elsewhere(other *host.Cluster) (n int) {
	for i := range other.Flows {
		if !slices.Equal(r.cluster.Path(i), other.Path(i)) {
			n++
		}
	}
	return n
}
