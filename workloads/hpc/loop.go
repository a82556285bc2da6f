package hpc

import (
	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Loop is ranks that compute and then do one collective operation, again and again: a solver whose steps hang on a scalar product, or a
// simulation that waits for all of it.
type Loop struct {
	Ranks int // at least 2
	What  collective.Kind
	Size  units.Bytes // of the operation, as nccl-tests counts it; 0 of a barrier
	Compute
	Iterations int // at least 1
	Warmup     int // the first of these, which results leave out
}

// Job makes the job. All ranks do the same.
func (w *Loop) Job() (*schedule.Job, error) {
	b := schedule.NewBuilder()
	last := w.Compute.add(b, nil)
	op := b.Add(schedule.Op{Kind: schedule.Collective, What: w.What, Size: w.Size})
	b.Requires(op, last)
	g, err := b.Graph()
	if err != nil {
		return nil, err
	}
	job := &schedule.Job{Groups: [][]int32{all(w.Ranks)}, Labels: Labels, Repeat: w.Iterations, Warmup: w.Warmup}
	for range w.Ranks {
		job.Ranks = append(job.Ranks, g)
	}
	return job, nil
}
