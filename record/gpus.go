package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// AllReducePerf is a test of nccl-tests of the run, under the label of its workload.
type AllReducePerf struct {
	Workload string
	*programs.AllReducePerf
}

// Training is a training job of the run, under the label of its workload.
type Training struct {
	Workload string
	*programs.Training
}

// The names of the tables of programs of GPUs.
const (
	allReducePerfTable = "all_reduce_perf"
	trainingTable      = "training"
)

// AllReducePerfTable is the table of what tests of nccl-tests measured.
func (r *Run) AllReducePerfTable() *results.Table {
	t := results.NewTable("all_reduce_perf.csv", "one row a test and size")
	workload, algorithm := t.String("workload", "workload it belongs to"), t.String("algorithm", "how GPUs sum up")
	ranks, hosts := t.Int("ranks", "GPUs", "GPUs that take part"), t.Int("hosts", "hosts", "hosts that they are on")
	rails, channels := t.Int("rails", "NICs", "NICs of each host that are used"), t.Int("channels", "", "rings on each rail")
	size := t.Bytes("message_bytes", "what each GPU contributes")
	took, theory := t.Time("t_us", "mean time of an operation"), t.Time("theory_us", "time by the alpha-beta model: latencies of all steps, and data at the rate of all rails")
	alg, bus := t.Rate("algbw_gbps", "size by time"), t.Rate("busbw_gbps", "2(n-1)/n times that: what each GPU sends, and receives, by time")
	most := t.Rate("rails_gbps", "rate of the rails of a host together, which busbw cannot exceed")
	busy, kept := t.Float("busy_cores", "cores", "cores of a host on which its proxies worked, in the mean"), t.Float("kept_cores", "cores", "cores that they kept from others")
	for i := range r.AllReducePerfs {
		p := &r.AllReducePerfs[i]
		for _, m := range p.Results() {
			workload.Append(p.Workload)
			algorithm.Append(algorithmOf(&p.GPUOptions))
			ranks.Append(int64(p.Ranks()))
			hosts.Append(int64(len(p.Nodes)))
			rails.Append(int64(p.Rails))
			channels.Append(int64(p.Channels))
			size.Append(m.Size)
			took.Append(m.Time)
			theory.Append(m.Theory)
			alg.Append(m.Algorithm)
			bus.Append(m.Bus)
			most.Append(m.Most)
			busy.Append(m.Busy)
			kept.Append(m.Kept)
		}
	}
	return t
}

func algorithmOf(o *programs.GPUOptions) string {
	if o.Hierarchical {
		return "hierarchical"
	}
	return "ring"
}

// gist is what a test measured, in a line: of several sizes the last.
func (p *AllReducePerf) gist() string {
	all := p.Results()
	if len(all) == 0 {
		return "it measured nothing"
	}
	m := &all[len(all)-1]
	return fmt.Sprintf("allreduce of %v among %d GPUs in %s (theory %s): busbw %s of %s, %.2f cores a host busy and %.2f kept",
		m.Size, p.Ranks(), m.Time.Human(), m.Theory.Human(), m.Bus.Human(), m.Most.Human(), m.Busy, m.Kept)
}

// text is what a test measured, as nccl-tests print it.
func (p *AllReducePerf) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# nThread 1 nGpus %d minBytes %d maxBytes %d warmup iters: %d iters: %d\n", p.GPUs, p.Sizes[0], p.Sizes[len(p.Sizes)-1], p.Warmup, p.Iterations)
	fmt.Fprintf(&b, "# %d ranks on %d hosts, %s, %d rails with %d channels each; theory by the alpha-beta model, out of place only\n", p.Ranks(), len(p.Nodes),
		algorithmOf(&p.GPUOptions), p.Rails, p.Channels)
	fmt.Fprintf(&b, "#%12s %12s %8s %6s %6s %10s %8s %8s %12s %6s %6s\n", "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "theory", "busy", "kept")
	fmt.Fprintf(&b, "#%12s %12s %8s %6s %6s %10s %8s %8s %12s %6s %6s\n", "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "(us)", "cores", "cores")
	for _, m := range p.Results() {
		fmt.Fprintf(&b, "%13d %12d %8s %6s %6d %10.2f %8.2f %8.2f %12.2f %6.2f %6.2f\n", m.Size, m.Size/4, "float", "sum", -1, m.Time.Microseconds(),
			m.Algorithm.Gbps()/8, m.Bus.Gbps()/8, m.Theory.Microseconds(), m.Busy, m.Kept)
	}
	return b.String()
}

// TrainingTable is the table of what became of training jobs.
func (r *Run) TrainingTable() *results.Table {
	t := results.NewTable("training.csv", "one row a training job")
	workload, outcome := t.String("workload", "workload it belongs to"), t.String("outcome", "how it ended: finished; slowed, if it took a tenth longer than theory or more; aborted, if a rank gave up; unfinished")
	rank, status := t.String("failed_rank", "rank that gave up first; empty if none has"), t.String("status", "completion status with which it did")
	ranks, hosts := t.Int("ranks", "GPUs", "GPUs that take part"), t.Int("hosts", "hosts", "hosts that they are on")
	gradients := t.Bytes("gradient_bytes", "gradients of each GPU")
	steps := t.Int("steps", "steps", "steps that all hosts have done")
	times := []timeColumn[programs.TrainingResult]{
		{t.Time("step_us", "mean time of a step"), func(m *programs.TrainingResult) units.Time { return m.Step }},
		{t.Time("step_max_us", "longest step"), func(m *programs.TrainingResult) units.Time { return m.Longest }},
		{t.Time("exchange_us", "mean time of a step during which gradients are being exchanged"), func(m *programs.TrainingResult) units.Time { return m.Exchange }},
		{t.Time("exposed_us", "what the exchange adds to computing in a step"), func(m *programs.TrainingResult) units.Time { return m.Exposed }},
	}
	compute, theory := t.Time("compute_us", "time of the GPUs for a step"), t.Time("theory_us", "time of a step by the alpha-beta model")
	slowdown, share := t.Float("slowdown", "", "mean time of a step by that of theory"), t.Float("exchange_share", "", "share of a step that the exchange adds")
	busy, kept := t.Float("busy_cores", "cores", "cores of a host on which its proxies worked, in the mean"), t.Float("kept_cores", "cores", "cores that they kept from others")
	for i := range r.Trainings {
		j := &r.Trainings[i]
		m := j.Result()
		some := m.Steps > 0
		workload.Append(j.Workload)
		outcome.Append(m.Outcome.String())
		rank.Append(m.Rank)
		status.Append(m.Status)
		ranks.Append(int64(j.Ranks()))
		hosts.Append(int64(len(j.Nodes)))
		gradients.Append(j.Gradients)
		steps.Append(int64(m.Steps))
		for _, c := range times {
			if some {
				c.to.Append(c.of(&m))
			} else {
				c.to.Append(units.Never)
			}
		}
		compute.Append(j.Compute)
		theory.Append(m.Theory)
		appendKnown(slowdown, m.Slowdown, some)
		appendKnown(share, m.Share, some)
		appendKnown(busy, m.Busy, some)
		appendKnown(kept, m.Kept, some)
	}
	return t
}

// gist is what became of a job, in a line.
func (j *Training) gist() string {
	m := j.Result()
	var text string
	switch m.Outcome {
	case programs.Aborted:
		text = fmt.Sprintf("aborted after %s: %s gave up: %s", results.Plural(int64(m.Steps), "step"), m.Rank, m.Cause)
	case programs.Slowed:
		text = fmt.Sprintf("slowed: %.2f times as long as in theory", m.Slowdown)
	default:
		text = m.Outcome.String()
	}
	if m.Steps == 0 {
		return text
	}
	return text + fmt.Sprintf("; a step of %s (theory %s), of which the exchange of %s adds %s, %s; it goes on for %s; %.2f cores a host busy and %.2f kept",
		m.Step.Human(), m.Theory.Human(), j.Gradients, m.Exposed.Human(), results.Percent(m.Share), m.Exchange.Human(), m.Busy, m.Kept)
}
