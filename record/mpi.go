package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Collective is a collective operation that MPI ranks of the run do again and again, under the label of its workload.
type Collective struct {
	Workload string
	*programs.MPI
}

// mpiTable is the name of the table of collective operations.
const mpiTable = "mpi"

// timeColumn is a column of times, and where they come from.
type timeColumn[T any] struct {
	to *results.Values[units.Time]
	of func(*T) units.Time
}

// MPITable is the table of collective operations.
func (r *Run) MPITable() *results.Table {
	t := results.NewTable("mpi.csv", "one row a workload of MPI ranks")
	workload, operation := t.String("workload", "workload it belongs to"), t.String("operation", "what ranks do together")
	algorithm := t.String("algorithm", "how they do it")
	ranks, size := t.Int("ranks", "ranks", "how many they are"), t.Bytes("payload_bytes", "what each contributes; 0 in a barrier")
	operations := t.Int("operations", "operations", "operations that are measured and that all ranks have done")
	steps := t.Int("steps", "messages", "messages of an operation that follow each other, each because of the one before")
	times := []timeColumn[programs.MPIResult]{
		{t.Time("step_us", "half the round trip of such a message when nothing else goes on, between rank 0 and those to whom it sends, in the mean"), func(m *programs.MPIResult) units.Time { return m.Step }},
		{t.Time("bound_us", "what theory gives for an operation: steps times step"), func(m *programs.MPIResult) units.Time { return m.Bound }},
		{t.Time("t_avg_us", "mean over ranks and operations of the time that a rank spends in one, as OSU benchmarks report it"), func(m *programs.MPIResult) units.Time { return m.Own }},
		{t.Time("t_min_us", "shortest operation, from when the last rank has entered it until the last has left"), func(m *programs.MPIResult) units.Time { return m.Min }},
		{t.Time("t_op_us", "mean of all operations, likewise"), func(m *programs.MPIResult) units.Time { return m.Mean }},
		{t.Time("t_median_us", "median, likewise"), func(m *programs.MPIResult) units.Time { return m.Median }},
		{t.Time("t_p99_us", "what 99 % of the operations do not exceed"), func(m *programs.MPIResult) units.Time { return m.P99 }},
		{t.Time("t_max_us", "longest operation"), func(m *programs.MPIResult) units.Time { return m.Max }},
		{t.Time("period_us", "mean time from one operation to the next"), func(m *programs.MPIResult) units.Time { return m.Period }},
		{t.Time("cpu_us", "processor time of a rank for an operation, in the mean, without computing"), func(m *programs.MPIResult) units.Time { return m.Processor }},
	}
	noise := []timeColumn[programs.MPIResult]{
		{t.Time("noise_us", "by how much longer a rank computed before an operation, in the mean, as its operating system took its core"), func(m *programs.MPIResult) units.Time { return m.Noise }},
		{t.Time("noise_theory_us", "what that is to be"), func(m *programs.MPIResult) units.Time { return m.NoiseTheory }},
		{t.Time("noise_slowest_us", "by how much longer the slowest rank did, for whom all others waited, in the mean over operations"), func(m *programs.MPIResult) units.Time { return m.Slowest }},
		{t.Time("noise_slowest_theory_us", "what that is to be: the expected maximum over ranks"), func(m *programs.MPIResult) units.Time { return m.SlowestTheory }},
		{t.Time("period_bound_us", "what the period is by theory, at the most: computing, the slowest rank's noise, and the operation; less where the slowest does not leave the operation before last"), func(m *programs.MPIResult) units.Time { return m.PeriodBound }},
	}
	amplification := t.Float("noise_amplification", "", "how many times as long as its own noise a rank waits because of the noise of all")
	compute := t.Time("compute_us", "processor time of a rank before each operation")
	lost := t.Float("lost", "", "share of the period that ranks do not compute")
	for i := range r.Collectives {
		c := &r.Collectives[i]
		m := c.Result()
		workload.Append(c.Workload)
		operation.Append(c.operation())
		algorithm.Append(c.Algorithm.String())
		ranks.Append(int64(len(c.Ranks)))
		size.Append(c.Size)
		operations.Append(int64(m.Operations))
		steps.Append(int64(c.Steps()))
		for k, column := range times {
			if m.Operations == 0 && k > 1 {
				column.to.Append(units.Never)
			} else {
				column.to.Append(column.of(&m))
			}
		}
		for _, column := range noise {
			if m.Operations == 0 {
				column.to.Append(units.Never)
			} else {
				column.to.Append(column.of(&m))
			}
		}
		appendKnown(amplification, m.Amplification(), m.Noise > 0)
		compute.Append(c.Compute)
		appendKnown(lost, m.Lost, m.Operations > 0)
	}
	return t
}

// operation is the name of what ranks do.
func (c *Collective) operation() string {
	if c.Algorithm == programs.Dissemination {
		return "barrier"
	}
	return "allreduce"
}

// gist is what the operation came to, in a line.
func (c *Collective) gist() string {
	m := c.Result()
	if m.Operations == 0 {
		return "no operation has ended"
	}
	text := fmt.Sprintf("%s of %d ranks in %s (median; theory %s: %s of %s), 99 %% within %s",
		c.what(), len(c.Ranks), m.Median.Human(), m.Bound.Human(), results.Plural(int64(c.Steps()), "step"), m.Step.Human(), m.P99.Human())
	if c.Compute > 0 {
		text += fmt.Sprintf("; of a period of %s with %s of computing %s is lost", m.Period.Human(), c.Compute.Human(), results.Percent(m.Lost))
	}
	if c.Noise.Duration > 0 {
		text += fmt.Sprintf("; noise takes a rank %s in the mean (theory %s), and the slowest, for whom all wait, %s (theory %s): %.3g times as long; a period of at most %s in theory",
			m.Noise.Human(), m.NoiseTheory.Human(), m.Slowest.Human(), m.SlowestTheory.Human(), m.Amplification(), m.PeriodBound.Human())
	}
	return text
}

func (c *Collective) what() string {
	if c.Algorithm == programs.Dissemination {
		return "a barrier"
	}
	return "an allreduce of " + c.Size.String()
}

// text is what the operation came to, as a person reads it.
func (c *Collective) text() string {
	m := c.Result()
	var b strings.Builder
	fmt.Fprintf(&b, "%s among %d ranks by %s; a step of %s, %d of them in theory\n",
		c.operation(), len(c.Ranks), c.Algorithm, m.Step.Human(), c.Steps())
	fmt.Fprintf(&b, "%12s %10s %12s %12s %12s %12s %12s %12s %12s %12s %9s\n",
		"#bytes", "#ops", "theory[us]", "t_avg[us]", "t_min[us]", "t_op[us]", "median[us]", "99%[us]", "t_max[us]", "period[us]", "lost[%]")
	if m.Operations == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "%12d %10d %12.3f %12.3f %12.3f %12.3f %12.3f %12.3f %12.3f %12.3f %9.2f\n", c.Size, m.Operations, m.Bound.Microseconds(),
		m.Own.Microseconds(), m.Min.Microseconds(), m.Mean.Microseconds(), m.Median.Microseconds(), m.P99.Microseconds(), m.Max.Microseconds(),
		m.Period.Microseconds(), 100*m.Lost)
	return b.String()
}
