package model

import (
	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Exchange is training of which no more is known than how long a step computes and what gradients it leaves: ranks compute, and sum them up in
// buckets of which each becomes ready after an equal part of the end of it.
type Exchange struct {
	Ranks     int         // at least 2
	Compute   units.Time  // of a step
	Gradients units.Bytes // of each rank, at least 1
	Bucket    units.Bytes // that are summed up at a time; 0 for all of them
	// Overlap is during how much of the computing, at its end, in percent, buckets become ready, evenly, the last one at its end; 0 for all of them at
	// its end.
	Overlap    int
	Stragglers []Straggler
	Iterations int // at least 1
	Warmup     int // the first of these, which results leave out
}

// Buckets is how many there are.
func (e *Exchange) Buckets() int64 {
	if e.Bucket == 0 {
		return 1
	}
	return ceil(int64(e.Gradients), int64(e.Bucket))
}

// Job makes the job.
func (e *Exchange) Job() (*Plan, error) {
	plan := &Plan{Job: &schedule.Job{Groups: [][]int32{nil}, Labels: Labels, Repeat: e.Iterations, Warmup: e.Warmup}, Bubble: Bubble(1, 1)}
	paces := pacesOf(e.Ranks, e.Stragglers)
	b := schedule.NewBuilder()
	var usual *schedule.Graph
	for r := range e.Ranks {
		plan.Groups[0] = append(plan.Groups[0], int32(r))
		p := &paces[r]
		g := usual
		if g == nil || !p.none() {
			var err error
			if g, err = e.graph(b, p); err != nil {
				return nil, err
			}
		}
		if p.none() {
			usual = g
		}
		plan.Ranks = append(plan.Ranks, g)
		plan.Compute = max(plan.Compute, p.added+p.of(e.Compute))
	}
	return plan, nil
}

// graph makes the graph of a rank.
func (e *Exchange) graph(b *schedule.Builder, p *pace) (*schedule.Graph, error) {
	n := e.Buckets()
	each := e.Bucket
	if n == 1 {
		each = e.Gradients
	}
	during := scale(e.Compute, units.Ratio{Num: int64(e.Overlap), Den: 100})
	last, sum := -1, -1
	then := func(op schedule.Op, before ...int) int {
		i := b.Add(op)
		for _, k := range before {
			if k >= 0 {
				b.Requires(i, k)
			}
		}
		return i
	}
	if p.added > 0 {
		last = then(schedule.Op{Kind: schedule.Calc, Time: p.added, Label: late})
	}
	done := units.Time(0)
	for i := range n {
		ready := p.of(e.Compute - during + scale(during, units.Ratio{Num: i + 1, Den: n}))
		if ready > done || i == 0 {
			last = then(schedule.Op{Kind: schedule.Calc, Time: ready - done, Label: backward}, last)
			done = ready
		}
		size := min(each, e.Gradients-units.Bytes(i)*each)
		sum = then(schedule.Op{Kind: schedule.Collective, What: collective.AllReduce, Size: size, Label: gradients}, last, sum)
	}
	return b.Graph()
}
