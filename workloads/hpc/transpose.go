package hpc

import (
	"fmt"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Transpose is a Fourier transform of what is spread over all ranks: each transforms what it has along one dimension, and then they transpose it, in an
// all-to-all, so that it lies along the next one. Cut into slabs, all ranks transpose once; cut into pencils, those of each row of a grid of ranks do, and
// then those of each column (Pekurovsky: P3DFFT, SIAM J. Sci. Comput. 2012).
type Transpose struct {
	Rows, Columns int         // of ranks; of slabs there is a single row
	Size          units.Bytes // that each rank has
	Compute                   // before each transpose, and after the last
	Back          bool        // the transform is undone in the same step, with as many transposes
	Iterations    int         // at least 1
	Warmup        int         // the first of these, which results leave out
}

// Check finds what cannot be. Errors are *[units.FieldError].
func (w *Transpose) Check() error {
	n := w.Rows * w.Columns
	switch {
	case w.Rows < 1 || w.Columns < 1 || n < 2 || n > maxRanks:
		return units.Field("rows", w.Rows, fmt.Sprintf("%d rows of %d ranks", w.Rows, w.Columns), fmt.Sprintf("2 to %d ranks", maxRanks))
	case w.Size < units.Bytes(max(w.Rows, w.Columns)):
		return units.Field("size", w.Size, fmt.Sprintf("each rank has a part for each of %d", max(w.Rows, w.Columns)), fmt.Sprintf("at least %dB", max(w.Rows, w.Columns)))
	}
	return nil
}

// transposes are the groups in which a rank transposes, in their order.
func (w *Transpose) transposes(rank int) (groups []int32) {
	if w.Columns > 1 {
		groups = append(groups, int32(rank/w.Columns))
	}
	if w.Rows > 1 {
		column := rank % w.Columns
		if w.Columns > 1 {
			column += w.Rows
		}
		groups = append(groups, int32(column))
	}
	if w.Back {
		for i := len(groups) - 1; i >= 0; i-- {
			groups = append(groups, groups[i])
		}
	}
	return groups
}

// Phases is how often a rank computes in a step.
func (w *Transpose) Phases() int { return len(w.transposes(0)) + 1 }

// Job makes the job, which has been checked. Rank r is in row r/Columns.
func (w *Transpose) Job() (*schedule.Job, error) {
	job := &schedule.Job{Labels: Labels, Repeat: w.Iterations, Warmup: w.Warmup}
	for first := 0; first < w.Rows && w.Columns > 1; first++ {
		job.Groups = append(job.Groups, every(first*w.Columns, w.Columns, 1))
	}
	for first := 0; first < w.Columns && w.Rows > 1; first++ {
		job.Groups = append(job.Groups, every(first, w.Rows, w.Columns))
	}
	b := schedule.NewBuilder()
	for rank := range w.Rows * w.Columns {
		last := w.Compute.add(b, nil)
		for _, group := range w.transposes(rank) {
			op := b.Add(schedule.Op{Kind: schedule.Collective, What: collective.AllToAll, Group: group, Size: w.Size, Label: transposes})
			b.Requires(op, last)
			last = w.Compute.add(b, []int{op})
		}
		g, err := b.Graph()
		if err != nil {
			return nil, err
		}
		job.Ranks = append(job.Ranks, g)
	}
	return job, nil
}

// every are n ranks with the same distance.
func every(first, n, step int) (ranks []int32) {
	for i := range n {
		ranks = append(ranks, int32(first+i*step))
	}
	return ranks
}
