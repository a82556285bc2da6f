package programs

import (
	"errors"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// TrainingOptions are those of a training job whose GPUs have the same model and exchange gradients
// in each step.
type TrainingOptions struct {
	GPUOptions
	Steps     int         // at least 1
	Gradients units.Bytes // of each GPU
	// Bucket is how much of them is exchanged at a time; 0 for all.
	Bucket  units.Bytes
	Compute units.Time // of a step
	// Overlap is the share of a step's computing, in percent, during which buckets become ready, evenly, the last at
	// its end; 0 for all at its end.
	Overlap int
}

// Training is a training job.
type Training struct {
	TrainingOptions
	gpus *gpuCluster
}

// NewTraining makes the job on hosts of a cluster.
func NewTraining(c *host.Cluster, o TrainingOptions) (*Training, error) {
	buckets := o.buckets()
	var all []gpuOperation
	for range o.Steps {
		all = append(all, buckets...)
	}
	g, err := newGPUs(c, o.GPUOptions, all, o.Compute)
	if err != nil {
		return nil, err
	}
	o.GPUOptions = g.GPUOptions
	return &Training{o, g}, nil
}

// buckets are the operations of a step.
func (o *TrainingOptions) buckets() (all []gpuOperation) {
	each := o.Bucket
	if each == 0 || each > o.Gradients {
		each = o.Gradients
	}
	n := (o.Gradients + each - 1) / each
	during := o.Compute * units.Time(o.Overlap) / 100
	for i := range n {
		size := min(each, o.Gradients-i*each)
		after := o.Compute - during + during*units.Time(i+1)/units.Time(n)
		all = append(all, gpuOperation{size: size, after: after, last: i == n-1})
	}
	return all
}

// Ranks is how many GPUs there are.
func (j *Training) Ranks() int { return j.GPUs * len(j.Nodes) }

// Outcome is how a job ended.
type Outcome uint8

// The outcomes.
const (
	// Unfinished: the run ended before the job did.
	Unfinished Outcome = iota
	Finished
	// Slowed: it took longer by a tenth or more than computing and the alpha-beta model say.
	Slowed
	// Aborted: a rank gave up, and all others with it.
	Aborted
)

// Outcomes are the words for them.
var Outcomes = []string{"unfinished", "finished", "slowed", "aborted"}

// String is the word.
func (o Outcome) String() string { return Outcomes[o] }

// TrainingResult is what became of a job.
type TrainingResult struct {
	Outcome Outcome
	Steps   int // that all hosts have done
	// Step is the mean time of a step, and Longest the longest.
	Step, Longest units.Time
	// Theory is what a step takes by the alpha-beta model, and Slowdown how many times as
	// long it took.
	Theory   units.Time
	Slowdown float64
	// Exchange is the mean time of a step during which gradients are under way; Exposed is what
	// it adds to the time of computing, and Share its share of the step.
	Exchange, Exposed units.Time
	Share             float64
	// Busy is how many cores of a host the threads worked on in the mean, and Kept how many they
	// kept from others.
	Busy, Kept float64
	// Rank gave up first with Cause, a message of status Status; empty if none has.
	Rank, Cause, Status string
}

// slowed is the slowdown from which on a job counts as slowed.
const slowed = 1.1

// Result is what became of the job.
func (j *Training) Result() TrainingResult {
	r := TrainingResult{Steps: j.TrainingOptions.Steps, Theory: j.theory()}
	for _, n := range j.gpus.nodes {
		r.Steps = min(r.Steps, len(n.steps))
	}
	if r.Steps > 0 {
		j.measure(&r)
	}
	switch rank, err := j.gpus.aborted(); {
	case err != nil:
		r.Outcome, r.Rank, r.Cause = Aborted, rank, err.Error()
		var failed *ChannelError
		if errors.As(err, &failed) {
			r.Status = failed.Status
		}
	case r.Steps < j.TrainingOptions.Steps:
		r.Outcome = Unfinished
	case r.Slowdown >= slowed:
		r.Outcome = Slowed
	default:
		r.Outcome = Finished
	}
	return r
}

// measure works out the times of the steps that are done.
func (j *Training) measure(r *TrainingResult) {
	buckets := len(j.gpus.operations) / j.TrainingOptions.Steps
	var exchange units.Time
	for _, n := range j.gpus.nodes {
		last, began := units.Time(0), j.Start
		for s, end := range n.steps[:r.Steps] {
			r.Longest = max(r.Longest, end-began)
			// Operations follow each other, but may wait for their gradients in between.
			for b := range buckets {
				exchange += n.done[s*buckets+b] - n.begun[s*buckets+b]
			}
			last, began = end, end
		}
		r.Step = max(r.Step, (last-j.Start)/units.Time(r.Steps))
		busy := n.busy[r.Steps*buckets-1]
		r.Busy += float64(busy) / float64(max(1, last-j.Start)) / float64(len(j.gpus.nodes))
		r.Kept = r.Busy
		if !n.threads[0].thread.Sleeps() {
			r.Kept = float64(len(n.threads))
		}
	}
	r.Exchange = exchange / units.Time(r.Steps*len(j.gpus.nodes))
	r.Exposed = max(0, r.Step-j.Compute)
	if r.Step > 0 {
		r.Share = float64(r.Exposed) / float64(r.Step)
	}
	if r.Theory > 0 {
		r.Slowdown = float64(r.Step) / float64(r.Theory)
	}
}

// theory is what a step takes by the alpha-beta model: buckets follow each other, each when it is
// ready.
func (j *Training) theory() (end units.Time) {
	for _, b := range j.buckets() {
		end = max(end, b.after) + j.gpus.theory(b.size)
	}
	return max(end, j.Compute)
}
