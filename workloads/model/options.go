package model

import (
	"fmt"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Options are those of a training job.
type Options struct {
	Model *Model
	Parallel
	Processor
	Samples int // of a micro-batch of each data parallel rank, at least 1
	Micros  int // micro-batches of an iteration, at least 1
	Order       // in which the stages of a pipeline take them
	// Sharded has each data parallel rank keep a part of the parameters, gradients and optimiser states only (ZeRO-3, FSDP); else all of them
	// (DistributedDataParallel). Prefetch is how many layers ahead of the one that is computed parameters are gathered; 0 for none.
	Sharded  bool
	Prefetch int
	// Bucket is how many bytes of gradients are summed up together, FirstBucket those of the first bucket; unused if sharded.
	Bucket, FirstBucket units.Bytes
	// Late has gradients wait until all of the backward pass is over.
	Late bool
	// ParamBytes, GradientBytes and ActivationBytes are what a number of each kind has, at least 1.
	ParamBytes, GradientBytes, ActivationBytes int
	Update                                     units.Time // what the optimiser takes each rank, at the end of an iteration
	Stragglers                                 []Straggler
	Iterations                                 int // at least 1
	Warmup                                     int // the first of these, which results leave out
}

// Labels under which results count what a training job does.
const (
	forward uint16 = iota + 1
	backward
	update
	late
	gradients
	gather
	scatter
	sums
	dispatch
	combine
	activations
)

// Labels are the words for them, as in [schedule.Job].
var Labels = []string{"", "forward", "backward", "update", "straggler", "gradients", "gather", "scatter", "tensor-sum", "dispatch", "combine", "activations"}

// Plan is a job, and what follows from its table without a network.
type Plan struct {
	*schedule.Job
	// Compute is how long the rank that has most to compute does so in an iteration: what it takes at least.
	Compute units.Time
	// Stages is where the stages of the pipeline begin, among all layers in their order, and the end of the last one.
	Stages []int
	// Bubble is the share of the time for which stages would wait for each other if messages took no time.
	Bubble units.Ratio
}

// Check finds options that cannot be. Errors are *[units.FieldError].
func (o *Options) Check() error {
	if err := o.Parallel.check(o.Model); err != nil {
		return err
	}
	for i := range o.Model.Layers {
		if err := o.Model.Layers[i].check(); err != nil {
			return err
		}
	}
	for _, s := range o.Stragglers {
		if s.Rank < 0 || s.Rank >= o.Ranks() {
			return units.Field("stragglers", s.Rank, fmt.Sprintf("there are %d ranks", o.Ranks()), fmt.Sprintf("0 to %d", o.Ranks()-1))
		}
	}
	if ops := o.operations(); ops > maxOperations {
		return &units.FieldError{Problem: fmt.Sprintf("%d operations of all ranks in an iteration are too many", ops),
			Want: fmt.Sprintf("at most %d: fewer layers of those that are alike, micro-batches or ranks", int64(maxOperations))}
	}
	return nil
}

// maxOperations bounds the operations of all graphs, so that a slip does not fill the memory.
const maxOperations = 1 << 25

// operations is about how many operations all graphs have.
func (o *Options) operations() int64 {
	var each int64
	for _, l := range o.Model.Layers {
		each += int64(l.Count) * int64(4+l.ForwardSums+l.BackwardSums+4*min(1, l.Experts))
	}
	return each * int64(o.Micros) * int64(o.Tensor) * int64(o.Data)
}
