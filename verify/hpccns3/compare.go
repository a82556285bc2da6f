package hpccns3

import (
	"context"
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Report is how close two runs of a case came.
type Report struct {
	Flows, Pauses, Counters Tally
	// Worst is the greatest difference of a completion time, as a share of the reference's.
	Worst float64
	// First is the earliest difference that was found; nil for none.
	First *Divergence
	// Unfinished is how many flows completed in neither, OnlyOne in one of the two.
	Unfinished, OnlyOne int
	Took                Span
	// Reference is the same of the other simulator.
	Reference Span
	cluster   *host.Cluster
}

// Tally counts what was compared and what of it was equal.
type Tally struct{ Equal, All int }

func (t *Tally) count(equal bool) {
	t.All++
	if equal {
		t.Equal++
	}
}

// Complete tells whether everything was equal.
func (t Tally) Complete() bool { return t.Equal == t.All }

// Divergence is a place where two runs part.
type Divergence struct {
	At   units.Time
	Node string
	What string
}

// String says when, where and what.
func (d *Divergence) String() string { return fmt.Sprintf("%v, %s: %s", d.At, d.Node, d.What) }

// Span is how much the flows that completed moved, and in how long.
type Span struct {
	Payload     units.Bytes
	First, Last units.Time // start of the first, end of the last
}

// Goodput is the payload over the span; 0 if nothing completed.
func (s *Span) Goodput() units.Rate {
	if s.Last <= s.First {
		return 0
	}
	return units.Rate(float64(s.Payload) * 8 / (s.Last - s.First).Seconds())
}

func (s *Span) add(size units.Bytes, start, end units.Time) {
	if s.Payload == 0 {
		s.First = start
	}
	s.Payload += size
	s.First, s.Last = min(s.First, start), max(s.Last, end)
}

// Run runs the case under a profile, with a seed if that is not 0.
func (c *Case) Run(ctx context.Context, profile string, seed int) (*record.Run, error) {
	spec, err := c.spec(profile, seed)
	if err != nil {
		return nil, &scenarios.InputError{Err: err}
	}
	run, err := spec.Build()
	if err != nil {
		return nil, &scenarios.InputError{Err: fmt.Errorf("%s, as a scenario: %w", c.dir, err)}
	}
	run.Report, err = run.Cluster.Run(ctx, host.RunOptions{Limit: spec.Stop.Limit, UntilDone: true, Workers: 1})
	if err == nil {
		err = ctx.Err()
	}
	return run, err
}

// spec is the case as a scenario.
func (c *Case) spec(profile string, seed int) (*scenarios.Spec, error) {
	text, err := c.Scenario(profile)
	if err != nil {
		return nil, err
	}
	var with []string
	if seed != 0 {
		with = append(with, fmt.Sprint("seed=", seed))
	}
	spec, err := scenarios.Parse(c.Name+".yaml", []byte(text), with...)
	if err != nil {
		return nil, fmt.Errorf("%s, as a scenario: %w", c.dir, err)
	}
	return spec, nil
}

// Compare runs the case as the simulator does, and compares.
func (c *Case) Compare(ctx context.Context) (*Report, error) {
	run, err := c.Run(ctx, c.profile(), 0)
	if err != nil {
		return nil, err
	}
	r := &Report{Took: Took(run.Cluster), cluster: run.Cluster}
	err = r.compareFlows(c, run.Cluster)
	if err == nil && c.hasFile("pfc.txt") {
		err = r.comparePauses(c, run.Cluster)
	}
	if err == nil && c.hasFile("ports.txt") {
		err = r.comparePorts(c, run.Cluster)
	}
	if err != nil {
		return nil, &scenarios.InputError{Err: err}
	}
	return r, nil
}

// Took is what a cluster's flows moved, and in how long.
func Took(c *host.Cluster) (s Span) {
	for i, f := range c.Flows {
		if t := c.Transfer(i); t.Done() {
			s.add(f.Payload(), f.Start, t.End)
		}
	}
	return s
}

// differ notes a difference; only the earliest is kept.
func (r *Report) differ(at units.Time, node, format string, args ...any) {
	if r.First == nil || at < r.First.At {
		r.First = &Divergence{at, node, fmt.Sprintf(format, args...)}
	}
}

// compareFlows compares when flows start and how long they take. One that completes in
// neither run is equal.
func (r *Report) compareFlows(c *Case, cluster *host.Cluster) error {
	finishes, err := c.finishes()
	if err != nil {
		return err
	}
	type which struct {
		pair
		nth  int
		size int64
	}
	nodes := cluster.Net.Graph.Hosts()
	there, before := map[which]finish{}, map[pair]int{}
	for _, f := range finishes {
		there[which{f.pair, f.nth, f.size}] = f
		r.Reference.add(units.Bytes(f.size), f.start, f.start+f.took)
	}
	met := 0
	for i, f := range cluster.Flows {
		hosts := pair{nodes[f.Src], nodes[f.Dst]}
		ref, finished := there[which{hosts, before[hosts], int64(f.Size)}]
		before[hosts]++
		if finished {
			met++
		}
		r.compareFlow(cluster, i, ref, finished)
	}
	if met < len(finishes) {
		return fmt.Errorf("%s: of its %d flows %d are in flow.txt, by their hosts, source port and size", c.path("fct.txt"), len(finishes), met)
	}
	return nil
}

func (r *Report) compareFlow(c *host.Cluster, i int, ref finish, finished bool) {
	f, t := &c.Flows[i], c.Transfer(i)
	took, name := t.End-f.Start, c.Net.Graph.Nodes[c.Net.Graph.Hosts()[f.Src]].Name
	switch {
	case !finished && !t.Done():
		r.Unfinished++
		r.Flows.count(true)
	case finished != t.Done():
		r.OnlyOne++
		r.Flows.count(false)
		r.differ(max(t.End, ref.start+ref.took), name, "flow %d completes in one of the two only", i)
	default:
		r.Flows.count(took == ref.took && f.Start == ref.start)
		if took != ref.took || f.Start != ref.start {
			r.Worst = max(r.Worst, abs(float64(took-ref.took))/float64(ref.took))
			r.differ(ref.start+min(took, ref.took), name, "flow %d starts at %v and takes %v, there %v and %v", i, f.Start, took, ref.start, ref.took)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }
