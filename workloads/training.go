package workloads

import (
	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Training is a training job whose GPUs have the same model and exchange gradients in each step.
type Training struct {
	GPUs      `key:",inline"`
	Steps     int         `key:"steps" default:"3" min:"1" max:"100000" doc:"steps of the job"`
	Gradients units.Bytes `key:"gradients" default:"400MB" min:"1KB" max:"1TiB" doc:"gradients of each GPU, that all sum up in each step" source:"assumed: 100 million parameters of 4 bytes"`
	Bucket    units.Bytes `key:"bucket" default:"25MiB" min:"0B" max:"1TiB" doc:"gradients that are exchanged at a time; 0B: all" source:"PyTorch DistributedDataParallel: bucket_cap_mb"`
	Compute   units.Time  `key:"compute" default:"100ms" min:"0s" max:"100s" doc:"time of the GPUs for a step" source:"assumed"`
	Overlap   int         `key:"overlap" default:"0" min:"0" max:"100" doc:"percent of it, at its end, during which buckets become ready, evenly, so that they can be exchanged meanwhile; 0: all are at its end"`
}

// Programs returns the program.
func (w *Training) Programs(env Env) ([]Program, error) { return jobOf(w, "training", env) }

// schedule implements [Jobber].
func (w *Training) schedule(_ Env, job *RankJob) (*schedule.Job, error) {
	each := w.Bucket
	if each == 0 || each > w.Gradients {
		each = w.Gradients
	}
	n := (w.Gradients + each - 1) / each
	during := w.Compute * units.Time(w.Overlap) / 100
	b := schedule.NewBuilder()
	last := -1
	calc := func(t units.Time) {
		at := b.Add(schedule.Op{Kind: schedule.Calc, Time: t})
		if last >= 0 {
			b.Requires(at, last)
		}
		last = at
	}
	calc(w.Compute - during)
	for i := range n {
		if during > 0 {
			calc(during*units.Time(i+1)/units.Time(n) - during*units.Time(i)/units.Time(n))
		}
		op := schedule.Op{Kind: schedule.Collective, What: collective.AllReduce, Size: min(each, w.Gradients-i*each)}
		b.Requires(b.Add(op), last)
	}
	graph, err := b.Graph()
	out := &schedule.Job{Groups: [][]int32{everyRank(len(job.Places))}, Repeat: w.Steps}
	for range job.Places {
		out.Ranks = append(out.Ranks, graph)
	}
	return out, err
}
