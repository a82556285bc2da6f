package workloads

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/model"
)

// Training is a training job whose GPUs have the same model, or parts of it, and exchange in each step what they need.
type Training struct {
	GPUs       `key:",inline"`
	Steps      int         `key:"steps" default:"3" min:"1" max:"100000" doc:"steps of the job that are measured"`
	Warmup     int         `key:"warmup" default:"0" min:"0" max:"100000" doc:"steps before these"`
	Gradients  units.Bytes `key:"gradients" default:"400MB" min:"1KB" max:"1TiB" unless:"model" doc:"gradients of each GPU, that all sum up in each step" source:"assumed: 100 million parameters of 4 bytes"`
	Bucket     units.Bytes `key:"bucket" default:"25MiB" min:"0B" max:"1TiB" doc:"gradients that are exchanged at a time, at least; 0B: all" source:"PyTorch DistributedDataParallel: bucket_cap_mb"`
	Compute    units.Time  `key:"compute" default:"100ms" min:"0s" max:"100s" unless:"model" doc:"time of the GPUs for a step" source:"assumed"`
	Overlap    int         `key:"overlap" default:"0" min:"0" max:"100" unless:"model" doc:"percent of it, at its end, during which buckets become ready, evenly, so that they can be exchanged meanwhile; 0: all are at its end"`
	Stragglers []Straggler `key:"stragglers" doc:"ranks that are slower than the others"`
	Spread     float64     `key:"spread" default:"0" min:"0" max:"2" doc:"by how much ranks differ in how fast they compute: standard deviation of the logarithm of log-normal factors, drawn by the seed"`
	Network    `key:",inline"`

	base string
}

// Straggler is a rank that is slower than the others.
type Straggler struct {
	Rank   int         `key:"rank" required:"true" min:"0" doc:"its number"`
	Factor units.Ratio `key:"factor" default:"1" max:"1000" doc:"by how much all that it computes takes longer, such as 1.2"`
	Added  units.Time  `key:"added" default:"0s" max:"1000s" doc:"what it does before each step"`
}

// Network are the parameters of a training job that follows from a table of layers.
type Network struct {
	Model       *string     `key:"model" doc:"the layers of a model: resnet-50, gpt2, olmoe-1b-7b, llama2-7b, llama2-70b, gpt3-175b, mixtral-8x7b, or a file of comma-separated values (docs/training.md), relative to the scenario file; what GPUs compute and exchange follows from them, in place of gradients, compute and overlap"`
	Positions   int         `key:"sequence" default:"0" min:"0" max:"16777216" doc:"tokens of a sample; 0: as the model's table has it, 1 in a file"`
	Layers      int         `key:"layers" default:"0" min:"0" max:"65536" doc:"how many of the layers that are alike are simulated; the factor by which the whole takes longer is printed; 0: all"`
	Batch       int         `key:"batch" default:"1" min:"1" max:"1048576" doc:"samples of a micro-batch, of each data parallel rank"`
	Micros      int         `key:"micro_batches" default:"1" min:"1" max:"65536" doc:"micro-batches of a step, after the last of which gradients are exchanged"`
	Parallel    Parallelism `key:"parallel" doc:"among how many ranks what is divided; ranks that are left over are data parallel"`
	Sharding    string      `key:"sharding" default:"none" oneof:"none|zero3" doc:"none: each data parallel rank has all parameters, and gradients are summed up in buckets (DistributedDataParallel); zero3: each has a part of them, which all gather before each layer, forward and backward, and a part of the gradients (ZeRO-3, FSDP)"`
	Prefetch    int         `key:"prefetch" default:"1" min:"0" max:"65536" doc:"zero3: layers whose parameters are gathered ahead" source:"PyTorch FSDP: BACKWARD_PRE, and forward as the processor runs ahead"`
	FirstBucket units.Bytes `key:"first_bucket" default:"1MiB" min:"0B" max:"1TiB" doc:"the first bucket of a step, which is exchanged early; 0B: like the others" source:"PyTorch DistributedDataParallel: first_bucket_bytes_cap"`
	Late        bool        `key:"late" default:"false" doc:"whether gradients wait until all of the backward pass is over"`
	GPU         string      `key:"gpu" default:"a100" oneof:"v100|a100|h100|b200" doc:"what ranks compute with, by what dense matrices of 16-bit numbers take: 125, 312, 989 or 2250 TFLOPS" source:"NVIDIA's data sheets"`
	Efficiency  units.Ratio `key:"efficiency" default:"45%" max:"1" doc:"share of that which is reached" source:"Megatron-LM, SC 2021: 44 to 52 % on A100"`
	Backward    units.Ratio `key:"backward" default:"2" max:"100" doc:"how many times as long as the forward pass the backward pass takes; 3 if it computes the forward pass again" source:"gradients of inputs and of parameters: twice the operations"`
	Update      units.Time  `key:"update" default:"0s" max:"1000s" doc:"what the optimiser takes at the end of a step"`
	Param       int         `key:"parameter_bytes" default:"2" min:"1" max:"8" doc:"bytes of a parameter that is gathered" source:"bfloat16"`
	Gradient    int         `key:"gradient_bytes" default:"2" min:"1" max:"8" doc:"bytes of a gradient" source:"bfloat16; 4 without mixed precision"`
	Activation  int         `key:"activation_bytes" default:"2" min:"1" max:"8" doc:"bytes of an activation" source:"bfloat16"`
}

// Parallelism is among how many ranks what is divided.
type Parallelism struct {
	Tensor   int    `key:"tensor" default:"1" min:"1" max:"1024" doc:"ranks that have parts of each layer, next to each other, and sum up its output"`
	Pipeline int    `key:"pipeline" default:"1" min:"1" max:"4096" doc:"ranks that have layers that follow each other, furthest from each other, and pass on activations"`
	Expert   int    `key:"expert" default:"1" min:"1" max:"4096" doc:"data parallel ranks that have other experts of each layer, to which tokens go and come back"`
	Order    string `key:"order" default:"1f1b" oneof:"1f1b|gpipe" doc:"in which order a pipeline takes micro-batches: 1f1b: a backward pass after each forward pass, so that few are under way; gpipe: all forward passes first"`
}

// SetBase sets the directory that a relative path starts from.
func (w *Training) SetBase(dir string) { w.base = dir }

// Programs returns the program.
func (w *Training) Programs(env Env) ([]Program, error) { return jobOf(w, "training", env) }

// schedule implements [Jobber].
func (w *Training) schedule(env Env, job *RankJob) (*schedule.Job, error) {
	stragglers, err := w.stragglers(env, len(job.Places))
	if err != nil {
		return nil, err
	}
	if w.Model == nil {
		return w.exchange(len(job.Places), stragglers)
	}
	o, slice, err := w.options(len(job.Places))
	if err != nil {
		return nil, err
	}
	o.Stragglers = stragglers
	if err := o.Check(); err != nil {
		return nil, inParallel(err)
	}
	plan, err := o.Job()
	if err != nil {
		return nil, err
	}
	job.Notes, job.Scale = w.notes(o, plan, slice), slice.Scale()
	return plan.Job, nil
}

// exchange is training of which no more is known than its gradients.
func (w *Training) exchange(ranks int, stragglers []model.Straggler) (*schedule.Job, error) {
	e := model.Exchange{
		Ranks: ranks, Compute: w.Compute, Gradients: w.Gradients, Bucket: w.Bucket, Overlap: w.Overlap,
		Stragglers: stragglers, Iterations: w.Steps + w.Warmup, Warmup: w.Warmup,
	}
	if n := e.Buckets(); n > maxBuckets {
		return nil, units.Field("bucket", w.Bucket, fmt.Sprintf("%d of them are too many", n), fmt.Sprintf("at most %d", maxBuckets))
	}
	plan, err := e.Job()
	if err != nil {
		return nil, err
	}
	return plan.Job, nil
}

// maxBuckets bounds the buckets of a step.
const maxBuckets = 1 << 20

// stragglers are those that are named and those that are drawn.
func (w *Training) stragglers(env Env, ranks int) (all []model.Straggler, err error) {
	for i, s := range w.Stragglers {
		if s.Rank >= ranks {
			return nil, units.Field(fmt.Sprintf("stragglers[%d].rank", i), s.Rank, fmt.Sprintf("there are %d ranks", ranks), fmt.Sprintf("0 to %d", ranks-1))
		}
		if s.Factor.IsZero() {
			return nil, units.Field(fmt.Sprintf("stragglers[%d].factor", i), s.Factor, "it would compute in no time", "more than 0")
		}
		all = append(all, model.Straggler{Rank: s.Rank, Factor: s.Factor, Added: s.Added})
	}
	if w.Spread > 0 {
		all = append(all, model.RandomStragglers(ranks, w.Spread, env.Rand("spread"))...)
	}
	return all, nil
}

// layers finds the model, or reads it.
func (w *Training) layers() (*model.Model, error) {
	if m := model.Named(*w.Model); m != nil {
		return m, nil
	}
	if !strings.Contains(*w.Model, ".") {
		return nil, units.Field("model", *w.Model, "no model, and not the name of a file such as mine.csv", "one of "+strings.Join(model.Names(), ", "))
	}
	path := *w.Model
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.base, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, &units.FieldError{Key: "model", Problem: err.Error()}
	}
	defer file.Close()
	m, err := model.Read(path, 1, file)
	if err != nil {
		return nil, &units.FieldError{Key: "model", Problem: err.Error()}
	}
	return m, nil
}

// options are those of the model for so many ranks.
func (w *Training) options(ranks int) (*model.Options, model.Slice, error) {
	whole, err := w.layers()
	if err != nil {
		return nil, model.Slice{}, err
	}
	m, slice, err := whole.Slice(w.Layers)
	if err != nil {
		return nil, slice, err
	}
	if w.Positions > 0 {
		own := *m
		own.Length = w.Positions
		m = &own
	}
	p := &w.Network.Parallel
	if each := p.Tensor * p.Pipeline; ranks%each != 0 {
		return nil, slice, units.Field("parallel", fmt.Sprintf("{tensor: %d, pipeline: %d}", p.Tensor, p.Pipeline), fmt.Sprintf("%d ranks cannot be divided into parts of %d", ranks, each), "a divisor of the ranks")
	}
	gpu := model.GPUs[slices.IndexFunc(model.GPUs, func(g model.GPU) bool { return g.Name == w.GPU })]
	o := &model.Options{
		Model:     m,
		Parallel:  model.Parallel{Tensor: p.Tensor, Data: ranks / p.Tensor / p.Pipeline, Pipeline: p.Pipeline, Expert: p.Expert},
		Processor: model.Processor{TFLOPS: gpu.TFLOPS, Efficiency: w.Efficiency, Backward: w.Backward},
		Samples:   w.Batch, Micros: w.Micros, Order: model.Order(slices.Index(model.Orders, p.Order)),
		Sharded: w.Sharding == "zero3", Prefetch: w.Prefetch, Bucket: w.Bucket, FirstBucket: w.FirstBucket, Late: w.Late,
		ParamBytes: w.Param, GradientBytes: w.Gradient, ActivationBytes: w.Activation, Update: w.Update,
		Iterations: w.Steps + w.Warmup, Warmup: w.Warmup,
	}
	if o.Bucket == 0 {
		o.Bucket = 1 << 62
	}
	if o.FirstBucket == 0 {
		o.FirstBucket = o.Bucket
	}
	if w.Efficiency.IsZero() {
		return nil, slice, units.Field("efficiency", w.Efficiency, "nothing would ever be computed", "more than 0")
	}
	return o, slice, nil
}

// inParallel has what is wrong with how ranks are divided stand where the user has said it.
func inParallel(err error) error {
	wrong, is := err.(*units.FieldError)
	if is && slices.Contains([]string{"tensor", "pipeline", "expert"}, wrong.Key) {
		moved := *wrong
		moved.Key = "parallel." + moved.Key
		return &moved
	}
	return err
}

// notes tell what the job follows from.
func (w *Training) notes(o *model.Options, plan *model.Plan, slice model.Slice) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	say("%s: %d layers, %.4g million parameters; %s", o.Model.Name, o.Model.Depth(), float64(o.Model.Params())/1e6, slice)
	say("%d ranks: tensor %d, data %d (expert %d), pipeline %d; %d micro-batches of %d samples; sharding %s", o.Ranks(), o.Tensor, o.Data, o.Expert, o.Pipeline, o.Micros, o.Samples, w.Sharding)
	say("a rank computes for %s in a step", plan.Compute.Human())
	if o.Pipeline > 1 {
		say("layers at which stages begin: %v; stages that take as long as each other, with messages that take no time, would wait for (p-1)/(m+p-1) = %d/%d of a step", plan.Stages[:o.Pipeline], plan.Bubble.Num, plan.Bubble.Den)
	}
	return all
}
