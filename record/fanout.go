package record

import (
	"fmt"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// FanOut is roots of the run that ask many leaves at once, under the label of their workload.
type FanOut struct {
	Workload string
	*programs.FanOut
}

// Names of the tables of fan-outs.
const (
	fanOutTable = "fan_out"
	fanOutTails = "fan_out_tail"
)

// FanOutTable is the table of what roots measured.
func (r *Run) FanOutTable() *results.Table {
	type result = programs.FanOutResult
	t := results.NewTable("fan_out.csv", "one row a workload of roots that ask many leaves at once")
	workload := t.String("workload", "workload it belongs to")
	roots, leaves := t.Int("roots", "programs", "programs of all roots"), t.Int("leaves", "hosts", "hosts that are asked")
	fan, need := t.Int("fan", "requests", "leaves that a query asks"), t.Int("need", "answers", "answers that end it")
	queries, answers := t.Int("queries", "queries", "queries that are done"), t.Int("answers", "answers", "answers that have come, those that were not waited for as well")
	rate := t.Float("rate_kqueries", "kquery/s", "thousand queries a second, from the first to the last")
	times := []timeColumn[result]{
		{t.Time("network_us", "what one leaf's answer takes when nobody else is there and it computes nothing"), func(m *result) units.Time { return m.Empty }},
		{t.Time("incast_us", "for how long the answers that a query needs keep the root's link busy, but for one of them"), func(m *result) units.Time { return m.Incast }},
		{t.Time("bound_us", "what a query takes at the least: network, incast, and what root and leaf compute at the least"), func(m *result) units.Time { return m.Bound }},
		{t.Time("independent_us", "mean of a query if each of its answers took what answers take, independently of the others"), func(m *result) units.Time { return m.Independent }},
	}
	const known = 3 // are so before any query is done
	times = append(times, spreadColumns(t, "answer", "answers, from when their query began or was to begin", func(m *result) *programs.Spread { return &m.Answer })...)
	times = append(times, spreadColumns(t, "query", "queries, likewise", func(m *result) *programs.Spread { return &m.Query })...)
	underWay := t.Float("under_way", "queries", "rate of queries times their mean latency: by Little's law what is under way in the mean")
	load := t.Float("load", "", "share of the time for which the leaves' threads worked on requests")
	root, leaf := t.Time("root_cpu_us", "processor time of the roots for each query"), t.Time("leaf_cpu_us", "processor time of the leaves for each request")
	for i := range r.FanOuts {
		f := &r.FanOuts[i]
		m := f.Result()
		workload.Append(f.Workload)
		roots.Append(int64(len(f.Roots)))
		leaves.Append(int64(len(f.Leaves)))
		fan.Append(int64(f.Fan))
		need.Append(int64(f.Need))
		queries.Append(int64(m.Queries))
		answers.Append(int64(m.Answers))
		appendKnown(rate, m.PerSecond/1e3, m.Queries > 0)
		for n, c := range times {
			if n >= known && m.Queries == 0 {
				c.to.Append(units.Never)
			} else {
				c.to.Append(c.of(&m))
			}
		}
		appendKnown(underWay, m.UnderWay, m.Queries > 0)
		appendKnown(load, m.Load, m.Queries > 0)
		root.Append(m.Root)
		leaf.Append(m.Leaf)
	}
	return t
}

// FanOutTailTable is the table of how often answers and queries took long.
func (r *Run) FanOutTailTable() *results.Table {
	t := results.NewTable("fan_out_tail.csv", "for each workload of roots and some percentiles of their answers: how many queries take longer than that (the tail at scale)")
	workload, percentile := t.String("workload", "workload it belongs to"), t.Float("percentile", "", "of the answers, by nearest rank")
	beyond := t.Time("beyond_us", "the time that so many answers do not exceed")
	answers, queries := t.Float("answers", "", "part of the answers that take longer"), t.Float("queries", "", "part of the queries that take longer")
	theory := t.Float("queries_theory", "", "what it is if leaves are slow independently of each other: 1-(1-p)^N where all N answers are needed")
	for i := range r.FanOuts {
		f := &r.FanOuts[i]
		for _, tail := range f.Result().Tail {
			workload.Append(f.Workload)
			percentile.Append(float64(tail.PerMille) / 10)
			beyond.Append(tail.Beyond)
			answers.Append(tail.Answers)
			queries.Append(tail.Queries)
			theory.Append(tail.Theory)
		}
	}
	return t
}

// gist is what roots measured, in a line.
func (f *FanOut) gist() string {
	m := f.Result()
	if m.Queries == 0 {
		return "no query is done"
	}
	what := fmt.Sprintf("all of %d answers", f.Fan)
	if f.Need < f.Fan {
		what = fmt.Sprintf("%d of %d answers", f.Need, f.Fan)
	}
	text := fmt.Sprintf("%s in %s (median; at least %s), 99 %% within %s; one answer in %s, 99 %% within %s; mean %s (if independent %s); %s queries a second, %s under way",
		what, m.Query.Median.Human(), m.Bound.Human(), m.Query.P99.Human(), m.Answer.Median.Human(), m.Answer.P99.Human(),
		m.Query.Mean.Human(), m.Independent.Human(), results.Figure(m.PerSecond), results.Figure(m.UnderWay))
	for _, tail := range m.Tail {
		if tail.PerMille == 990 {
			text += fmt.Sprintf("; %s of the queries are slower than %s, as %s of the answers are (theory %s)",
				results.Percent(tail.Queries), tail.Beyond.Human(), results.Percent(tail.Answers), results.Percent(tail.Theory))
		}
	}
	return text
}
