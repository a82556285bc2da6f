package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Job is a job of the run, under the label of its workload.
type Job struct {
	Workload string
	Kind     string   // of the workload
	Perf     bool     // whether it is a test of nccl-tests
	Notes    []string // what the user should know of its schedule
	Scale    float64  // of what is simulated the whole takes so many times as long; 0 and 1: it is the whole
	*programs.Job
}

// The names of the tables of jobs.
const (
	jobTable        = "jobs"
	collectiveTable = "collectives"
)

// JobTable is the table of what became of jobs.
func (r *Run) JobTable() *results.Table {
	t := results.NewTable("jobs.csv", "one row a job: ranks that go through a schedule")
	workload, kind := t.String("workload", "workload it belongs to"), t.String("kind", "kind of the workload")
	outcome := t.String("outcome", "how it ended: finished; slowed, if it took a tenth longer than theory or more; aborted, if a rank gave up; unfinished")
	rank, status := t.String("failed_rank", "rank that gave up first; empty if none has"), t.String("status", "completion status with which it did")
	ranks, hosts := t.Int("ranks", "ranks", "ranks that take part"), t.Int("hosts", "hosts", "hosts that they are on")
	steps := t.Int("steps", "steps", "times that all ranks have gone through the schedule, those to warm up left out")
	times := []timeColumn[programs.JobResult]{
		{t.Time("step_us", "mean time of a step: from when the last rank has ended the one before until the last has ended it"), func(m *programs.JobResult) units.Time { return m.Step }},
		{t.Time("step_max_us", "longest step"), func(m *programs.JobResult) units.Time { return m.Longest }},
		{t.Time("compute_us", "time that a rank computes in a step, of the one that does so longest"), func(m *programs.JobResult) units.Time { return m.Compute }},
		{t.Time("exchange_us", "time of a step that a rank is in collectives, in the mean"), func(m *programs.JobResult) units.Time { return m.Exchange }},
		{t.Time("exposed_us", "what a step takes beyond computing"), func(m *programs.JobResult) units.Time { return m.Exposed }},
	}
	theory := t.Time("theory_us", "time of a step by the alpha-beta model: messages and collectives as if alone, in the order that the schedule asks for")
	slowdown, share := t.Float("slowdown", "", "mean time of a step by that of theory"), t.Float("exchange_share", "", "share of a step that is beyond computing")
	scale := t.Float("scale", "", "what the whole takes by what is simulated")
	sent, messages := t.Bytes("sent_bytes", "what the schedule's own messages carry, collectives left out"), t.Int("messages", "messages", "these messages")
	busy, kept := t.Float("busy_cores", "cores", "cores of a host on which its proxies worked, in the mean"), t.Float("kept_cores", "cores", "cores that they kept from others")
	for i := range r.Jobs {
		j := &r.Jobs[i]
		m := j.Result()
		some := m.Steps > 0
		workload.Append(j.Workload)
		kind.Append(j.Kind)
		outcome.Append(m.Outcome.String())
		rank.Append(m.Rank)
		status.Append(m.Status)
		ranks.Append(int64(len(j.Ranks)))
		hosts.Append(int64(j.Hosts()))
		steps.Append(int64(m.Steps))
		for _, c := range times {
			if some {
				c.to.Append(c.of(&m))
			} else {
				c.to.Append(units.Never)
			}
		}
		if m.Theory > 0 {
			theory.Append(m.Theory)
		} else {
			theory.Append(units.Never)
		}
		appendKnown(slowdown, m.Slowdown, some && m.Theory > 0)
		appendKnown(share, m.Share, some)
		appendKnown(scale, max(1, j.Scale), true)
		sent.Append(m.Sent)
		messages.Append(m.Messages)
		appendKnown(busy, m.Busy, some)
		appendKnown(kept, m.Kept, some)
	}
	return t
}

// CollectiveTable is the table of the collectives of jobs.
func (r *Run) CollectiveTable() *results.Table {
	t := results.NewTable("collectives.csv", "one row for all collectives of a job that are alike: of one label, kind, size and number of ranks")
	workload, name := t.String("workload", "workload it belongs to"), t.String("collective", "label and kind, with the size")
	kind, label := t.String("kind", "what it is for: all-reduce, all-gather …"), t.String("label", "what the schedule calls it; empty if it has no name for it")
	algorithm := t.String("algorithm", "how it is done")
	ranks, count := t.Int("ranks", "ranks", "ranks of the group"), t.Int("count", "", "collectives that all of them have ended, those to warm up left out")
	size := t.Bytes("message_bytes", "size by the definition of nccl-tests")
	took := t.Time("t_us", "mean time that a rank is in it, of the rank for which that is longest")
	mean, least, most := t.Time("span_us", "mean time from when the first rank begins until the last has ended"), t.Time("span_min_us", "shortest"), t.Time("span_max_us", "longest")
	theory := t.Time("theory_us", "time by the alpha-beta model, of all ranks that begin at once")
	alg, bus := t.Rate("algbw_gbps", "size by t"), t.Rate("busbw_gbps", "that times 2(n-1)/n of an all-reduce, (n-1)/n of an all-gather, a reduce-scatter or an all-to-all, 1 of others")
	limit, exceeds := t.Rate("rails_gbps", "payload that the NICs of a host carry together, or that of a rank's NIC"), t.String("exceeds", "yes if busbw may exceed that, since the algorithm moves less between hosts than a flat ring")
	busy, kept := t.Float("busy_cores", "cores", "cores of a host on which its proxies worked, in the mean"), t.Float("kept_cores", "cores", "cores that they kept from others")
	for i := range r.Jobs {
		j := &r.Jobs[i]
		for _, p := range j.Parts() {
			if p.Label == warmUp {
				continue
			}
			workload.Append(j.Workload)
			name.Append(partName(&p))
			kind.Append(p.Kind.String())
			label.Append(p.Label)
			algorithm.Append(p.Algorithm.Name)
			ranks.Append(int64(p.Ranks))
			count.Append(int64(p.Count))
			size.Append(p.Size)
			took.Append(p.Rank)
			mean.Append(p.Mean)
			least.Append(p.Shortest)
			most.Append(p.Longest)
			theory.Append(p.Theory)
			alg.Append(p.Algbw)
			bus.Append(p.Busbw)
			limit.Append(p.Most)
			exceeds.Append(yesNo(p.Algorithm.Exceeds))
			busy.Append(p.Busy)
			kept.Append(p.Kept)
		}
	}
	return t
}

// warmUp is the label of what does not count.
const warmUp = "warm-up"

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// partName is what a collective is called.
func partName(p *programs.Part) string {
	name := p.Kind.String()
	if p.Kind != collective.Barrier {
		name += " " + p.Size.String()
	}
	if p.Label != "" {
		name = p.Label + " " + name
	}
	return name
}

// gist is what became of a job, in a line.
func (j *Job) gist() string {
	m := j.Result()
	text := m.Outcome.String()
	switch m.Outcome {
	case programs.Aborted:
		text = fmt.Sprintf("aborted after %s: %s gave up: %s", results.Plural(int64(m.Steps), "step"), m.Rank, m.Cause)
	case programs.Slowed:
		text = fmt.Sprintf("slowed: %.2f times as long as in theory", m.Slowdown)
	}
	if j.Perf {
		return text + j.perfGist()
	}
	if m.Steps == 0 {
		return text
	}
	text += fmt.Sprintf("; %s of %s", results.Plural(int64(m.Steps), "step"), m.Step.Human())
	if m.Theory > 0 {
		text += fmt.Sprintf(" (theory %s)", m.Theory.Human())
	} else if j.Schedule.Ops() > programs.MostBounded {
		text += fmt.Sprintf(" (theory is worked out for up to %s operations)", results.Count(programs.MostBounded))
	}
	if m.Messages > 0 {
		text += fmt.Sprintf(", %s of %s in all", results.Plural(m.Messages, "message"), m.Sent.Human())
	}
	if m.Compute > 0 {
		text += fmt.Sprintf(", %s beyond computing, %s", m.Exposed.Human(), results.Percent(m.Share))
	}
	if j.Scale > 1 {
		text += fmt.Sprintf("; the whole takes %.3g times as long, %s", j.Scale, units.Time(float64(m.Step)*j.Scale).Human())
	}
	if m.Exchange > 0 {
		text += fmt.Sprintf("; collectives go on for %s", m.Exchange.Human())
	}
	return text + fmt.Sprintf("; %.2f cores a host busy and %.2f kept", m.Busy, m.Kept)
}

// perfGist is what a test measured: of several sizes the last.
func (j *Job) perfGist() string {
	all := j.Parts()
	if len(all) == 0 {
		return "; it measured nothing"
	}
	m := &all[len(all)-1]
	return fmt.Sprintf("; %v of %v among %d ranks in %s (theory %s): busbw %s of %s%s, %.2f cores a host busy and %.2f kept",
		m.Kind, m.Size, m.Ranks, m.Rank.Human(), m.Theory.Human(), m.Busbw.Human(), m.Most.Human(), exceeding(m), m.Busy, m.Kept)
}

// exceeding says that the bandwidth at the bus is no measure of a link.
func exceeding(p *programs.Part) string {
	if !p.Algorithm.Exceeds {
		return ""
	}
	return fmt.Sprintf(" (which %s may exceed: it moves less between hosts than a flat ring)", p.Algorithm.Name)
}

// text is what a job measured, in a table.
func (j *Job) text() string {
	var b strings.Builder
	for _, note := range j.Notes {
		fmt.Fprintf(&b, "# %s\n", note)
	}
	if j.Perf {
		j.perfText(&b)
		return b.String()
	}
	fmt.Fprintf(&b, "# %s, %d ranks on %d hosts\n", j.Kind, len(j.Ranks), j.Hosts())
	for _, own := range j.Sent() {
		what := own.Label
		if what == "" {
			what = "messages"
		}
		fmt.Fprintf(&b, "# %s: %d messages of %s from rank to rank, %s in the mean\n", what, own.Messages, own.Bytes.Human(), (own.Bytes / units.Bytes(own.Messages)).Human())
	}
	parts := j.Parts()
	if len(parts) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "#%-32s %14s %6s %8s %12s %12s %12s %9s %9s  %s\n", "collective", "size", "ranks", "count", "span", "max", "theory", "algbw", "busbw", "algorithm")
	fmt.Fprintf(&b, "#%-32s %14s %6s %8s %12s %12s %12s %9s %9s\n", "", "(B)", "", "", "(us)", "(us)", "(us)", "(GB/s)", "(GB/s)")
	exceeds := false
	for _, p := range parts {
		name := p.Kind.String()
		if p.Label != "" {
			name = p.Label + " " + name
		}
		fmt.Fprintf(&b, " %-32s %14d %6d %8d %12.2f %12.2f %12.2f %9.2f %9.2f  %s%s\n", name, p.Size, p.Ranks, p.Count, p.Mean.Microseconds(), p.Longest.Microseconds(),
			p.Theory.Microseconds(), p.Algbw.Gbps()/8, p.Busbw.Gbps()/8, p.Algorithm.Name, star(p.Algorithm.Exceeds))
		exceeds = exceeds || p.Algorithm.Exceeds
	}
	if exceeds {
		b.WriteString("# * busbw may exceed the rate of a NIC: the algorithm moves less between hosts than a flat ring\n")
	}
	return b.String()
}

func star(b bool) string {
	if b {
		return " *"
	}
	return ""
}

// perfText is what a test measured, as nccl-tests print it.
func (j *Job) perfText(b *strings.Builder) {
	all := j.Parts()
	if len(all) == 0 {
		return
	}
	first := &all[len(all)-1]
	fmt.Fprintf(b, "# nThread 1 nGpus %d minBytes %d maxBytes %d iters: %d\n", j.GPUs, all[0].Size, first.Size, first.Count)
	fmt.Fprintf(b, "# %d ranks on %d hosts, %s%s, %d rails with %d channels each; theory by the alpha-beta model, out of place only\n", len(j.Ranks), j.Hosts(),
		first.Algorithm.Name, exceeding(first), j.Rails, j.Channels)
	fmt.Fprintf(b, "#%12s %12s %8s %6s %6s %10s %8s %8s %12s %6s %6s\n", "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "theory", "busy", "kept")
	fmt.Fprintf(b, "#%12s %12s %8s %6s %6s %10s %8s %8s %12s %6s %6s\n", "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "(us)", "cores", "cores")
	var sum float64
	rows, overlap := 0, false
	for _, m := range all {
		if m.Label == warmUp {
			continue
		}
		overlap = overlap || m.Kind.Rooted() && m.Rank < m.Theory
		redop, root := "none", -1
		switch m.Kind {
		case collective.AllReduce, collective.ReduceScatter, collective.Reduce:
			redop = "sum"
		}
		if m.Kind.Rooted() {
			root = 0
		}
		fmt.Fprintf(b, "%13d %12d %8s %6s %6d %10.2f %8.2f %8.2f %12.2f %6.2f %6.2f\n", m.Size, m.Size/4, "float", redop, root, m.Rank.Microseconds(),
			m.Algbw.Gbps()/8, m.Busbw.Gbps()/8, m.Theory.Microseconds(), m.Busy, m.Kept)
		sum += m.Busbw.Gbps() / 8
		rows++
	}
	if rows > 0 {
		fmt.Fprintf(b, "# Avg bus bandwidth    : %.3f\n", sum/float64(rows))
	}
	if overlap {
		b.WriteString("# time is below theory where operations overlap: ranks begin the next one without waiting for those that come last\n")
	}
}
