package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/model"
	"pgregory.net/rapid"
)

// ones are the options of a job that divides nothing, in which a number has one byte and a FLOP takes a picosecond.
func ones(layers ...model.Layer) model.Options {
	return model.Options{
		Model:     &model.Model{Name: "test", Length: 1, Layers: layers},
		Parallel:  model.Parallel{Tensor: 1, Data: 1, Pipeline: 1, Expert: 1},
		Processor: model.Processor{TFLOPS: 1, Efficiency: units.Ratio{Num: 1, Den: 1}, Backward: units.Ratio{Num: 2, Den: 1}},
		Samples:   1, Micros: 1, Iterations: 1,
		ParamBytes: 1, GradientBytes: 1, ActivationBytes: 1,
		Bucket: 25 * units.MiB, FirstBucket: units.MiB,
	}
}

// alike are n layers with so many parameters that take a millisecond forward.
func alike(n int, params int64) model.Layer {
	return model.Layer{Name: "block", Count: n, Params: params, FLOPs: int64(units.Millisecond), Output: 1000, ForwardSums: 2, BackwardSums: 2}
}

// jobOf makes the job of the options.
func jobOf(t interface {
	Helper()
	Fatal(...any)
}, o model.Options) *model.Plan {
	t.Helper()
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	p, err := o.Job()
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// network says what messages and collectives take.
type network struct {
	message    func(size units.Bytes) (busy, arrives units.Time)
	collective func(op *schedule.Op, ranks int) units.Time
}

// costs are those of a network for a job.
type costs struct {
	network
	*schedule.Job
}

// Message implements [schedule.Costs].
func (c costs) Message(op *schedule.Op, _ int32) schedule.Passage {
	busy, arrives := c.message(op.Size)
	return schedule.Passage{Busy: busy, Arrives: arrives}
}

// Collective implements [schedule.Costs].
func (c costs) Collective(op *schedule.Op) units.Time {
	return c.collective(op, len(c.Groups[op.Group]))
}

// Processor implements [schedule.Costs].
func (c costs) Processor(*schedule.Op) (units.Time, bool) { return 0, false }

// free is a network on which nothing takes any time.
var free = network{
	message:    func(units.Bytes) (busy, arrives units.Time) { return 0, 0 },
	collective: func(*schedule.Op, int) units.Time { return 0 },
}

// only makes one kind of collective take a time, whatever its size.
func only(kind collective.Kind, t units.Time) network {
	n := free
	n.collective = func(op *schedule.Op, _ int) units.Time {
		if op.What == kind {
			return t
		}
		return 0
	}
	return n
}

// alphaBeta is a network of 100 Gb/s with 5 us for each message, on which collectives go around rings.
var alphaBeta = network{
	message: func(size units.Bytes) (busy, arrives units.Time) {
		busy = (100 * units.Gbps).Serialise(int(size))
		return busy, busy + 5*units.Microsecond
	},
	collective: func(op *schedule.Op, ranks int) units.Time {
		return collective.Default(op.What).Theory(op.What, collective.Shape{Ranks: ranks, PerNode: 1}, op.Size, 1,
			collective.Cost{Alpha: 5 * units.Microsecond, Rate: 100 * units.Gbps})
	},
}

// takes is how long an iteration takes on a network that nothing else is on.
func takes(p *model.Plan, n network) units.Time { return schedule.Bound(p.Job, costs{n, p.Job}) }

// computes is how long a rank computes in an iteration.
func computes(p *model.Plan, rank int) (sum units.Time) {
	g := p.Ranks[rank]
	for i := range g.Ops() {
		sum += g.Op(i).Time
	}
	return sum
}

// near tells whether two times are within a nanosecond: sizes and pieces are rounded.
func near(a, b units.Time) bool { return a-b < units.Nanosecond && b-a < units.Nanosecond }

// Four layers of 10, 20, 30 and 40 MB take 10 ms each on the way back; of buckets of 25 MB that of layer 4 is ready at 10 ms, that of
// layer 3 at 20 ms and that of the other two at 40 ms. Their sums among 8 ranks take 14 messages of 5 us and 7/4 of their size at
// 100 Gb/s: 5.67, 4.27 and 4.27 ms. None meets another one, so that the last ends at 44.27 ms.
func TestBucketsAreSummedUpWhileTheBackwardPassGoesOn(t *testing.T) {
	var layers []model.Layer
	for i := range 4 {
		layers = append(layers, model.Layer{Name: fmt.Sprint("layer ", i+1), Count: 1, Params: 10_000_000 * int64(i+1), Backward: 10 * units.Millisecond})
	}
	o := ones(layers...)
	o.Data, o.Bucket, o.FirstBucket = 8, 25*units.MB, 25*units.MB
	p := jobOf(t, o)
	if got, want := takes(p, alphaBeta), 44_270*units.Microsecond; got != want {
		t.Errorf("a step takes %v, want %v", got, want)
	}
	if p.Compute != 40*units.Millisecond {
		t.Errorf("of which it computes for %v", p.Compute)
	}
	o.Late = true
	// 40 ms, and then all three: 5.67 + 4.27 + 4.27 ms.
	if got, want := takes(jobOf(t, o), alphaBeta), 54_210*units.Microsecond; got != want {
		t.Errorf("if all wait for the end of the backward pass, %v, want %v", got, want)
	}
	o.Late, o.Update = false, 3*units.Millisecond
	if got, want := takes(jobOf(t, o), alphaBeta), 47_270*units.Microsecond; got != want {
		t.Errorf("with an update of 3ms, %v, want %v", got, want)
	}
}

func TestSumsOfBucketsFollowEachOther(t *testing.T) {
	o := ones(alike(4, 30_000_000))
	o.Data = 8
	// Layers are ready at 6, 8, 10 and 12 ms, and each has a bucket that takes 10 ms: they end at 16, 26, 36 and 46 ms.
	if got, want := takes(jobOf(t, o), only(collective.AllReduce, 10*units.Millisecond)), 46*units.Millisecond; got != want {
		t.Errorf("a step takes %v, want %v", got, want)
	}
}

func TestABucketIsClosedWhenItIsFull(t *testing.T) {
	got := fmt.Sprint(model.Buckets([]units.Bytes{0, 2, 3, 0, 4, 4, 20, 1, 1, 0}, 2, 8))
	// The first one holds 2 bytes, the others 8; layers without gradients close none.
	if want := "[{1 1 2B} {2 5 11B} {6 6 20B} {7 8 2B}]"; got != want {
		t.Errorf("buckets are %s, want %s", got, want)
	}
}

// sent adds up what a rank sends in an iteration for all collectives of one label, by the plans of their default algorithms.
func sent(p *model.Plan, rank int, label string) (sum units.Bytes, operations int) {
	g := p.Ranks[rank]
	for i := range g.Ops() {
		op := g.Op(i)
		if op.Kind != schedule.Collective || p.Labels[op.Label] != label {
			continue
		}
		operations++
		group := p.Groups[op.Group]
		place := 0
		for k, r := range group {
			if int(r) == rank {
				place = k
			}
		}
		plan := collective.Default(op.What).Plan(op.What, collective.Shape{Ranks: len(group), PerNode: 1}, place, 0, 1)
		for _, s := range plan.Strands {
			for _, m := range s.Sends {
				sum += plan.Bytes(op.Size, m.First, m.Count)
			}
		}
	}
	return sum, operations
}

// With all of P parameters gathered twice and their gradients scattered once each rank sends 3(n-1)/n P, and 2(n-1)/n P if gradients are summed
// up (Rajbhandari and others: ZeRO, 2020, section 7).
func TestShardedRanksSendHalfAsMuchAgain(t *testing.T) {
	const params, ranks = 8 * 1_000_000, 8
	o := ones(alike(10, params/10))
	o.Data, o.ParamBytes, o.GradientBytes = ranks, 2, 2
	all, _ := sent(jobOf(t, o), 3, "gradients")
	o.Sharded, o.Prefetch = true, 1
	p := jobOf(t, o)
	gathered, gathers := sent(p, 3, "gather")
	scattered, scatters := sent(p, 3, "scatter")
	if want := units.Bytes(2 * params * 2 * (ranks - 1) / ranks); all != want {
		t.Errorf("a rank sends %v to sum up gradients, want %v", all, want)
	}
	if want := units.Bytes(3 * params * 2 * (ranks - 1) / ranks); gathered+scattered != want || gathers != 20 || scatters != 10 {
		t.Errorf("a sharded rank sends %v in %d gathers and %v in %d scatters, want %v in 20 and 10", gathered, gathers, scattered, scatters, want)
	}
}

// Of L layers each is gathered for g, and takes f forward and 2f backward.
func TestPrefetchHidesGathersBehindComputing(t *testing.T) {
	const layers = 6
	o := ones(alike(layers, 1000))
	o.Data, o.Sharded = 4, true
	f := units.Millisecond
	for _, c := range []struct {
		prefetch  int
		g, wanted units.Time
	}{
		{0, f / 2, 2*layers*(f/2) + layers*3*f},           // nothing is gathered while anything is computed
		{1, f / 2, f/2 + layers*3*f},                      // all but the first
		{1, 3 * f / 2, layers*3*f/2 + 3*f/2 + layers*2*f}, // forward passes are hidden behind gathers, gathers behind backward passes
		{2 * layers, 5 * f, 2*layers*5*f + 2*f},           // one gather after the other, and the last pass
	} {
		o.Prefetch = c.prefetch
		if got := takes(jobOf(t, o), only(collective.AllGather, c.g)); got != c.wanted {
			t.Errorf("prefetch %d, gathers of %v: %v, want %v", c.prefetch, c.g, got, c.wanted)
		}
	}
}

// A pipeline of p stages with m micro-batches of time t takes (m+p-1)t, of which each stage works for mt.
func TestAPipelineHasItsBubble(t *testing.T) {
	for _, order := range []model.Order{model.OneForwardOneBackward, model.AllForwardAllBackward} {
		for _, stages := range []int{1, 2, 4, 8} {
			for _, micros := range []int{1, 3, 8, 16} {
				o := ones(alike(8, 1000))
				o.Pipeline, o.Micros, o.Order, o.Data = stages, micros, order, 2
				p := jobOf(t, o)
				each := 3 * 8 / units.Time(stages) * units.Millisecond // forward and back
				got, want := takes(p, free), units.Time(micros+stages-1)*each
				if got != want || p.Compute != units.Time(micros)*each {
					t.Errorf("%v, %d stages, %d micro-batches: %v of which %v are computed, want %v and %v", order, stages, micros, got, p.Compute, want, units.Time(micros)*each)
				}
				if b := p.Bubble; int64(want-p.Compute)*b.Den != int64(want)*b.Num {
					t.Errorf("%d stages, %d micro-batches: a bubble of %v is not %v of %v", stages, micros, want-p.Compute, b, want)
				}
			}
		}
	}
}

// 1F1B keeps the activations of no more micro-batches than stages follow, GPipe those of all (Narayanan and others, 2021, section 2.2).
func TestFewMicroBatchesAreUnderWayIn1F1B(t *testing.T) {
	for order, want := range map[model.Order][]int{model.OneForwardOneBackward: {4, 3, 2, 1}, model.AllForwardAllBackward: {10, 10, 10, 10}} {
		o := ones(alike(4, 1000))
		o.Pipeline, o.Micros, o.Order = 4, 10, order
		p := jobOf(t, o)
		for r, g := range p.Ranks {
			open, most := 0, 0
			for i := range g.Ops() {
				switch p.Labels[g.Op(i).Label] {
				case "forward":
					open++
				case "backward":
					open--
				}
				most = max(most, (open+1)/2) // a layer computes in two pieces
			}
			if open != 0 || most != want[r] {
				t.Errorf("%v: stage %d has %d micro-batches under way and %d in the end, want %d and none", order, r, most, open, want[r])
			}
		}
	}
}

// Each block of width h sums up activations of b sequences of s tokens twice forward and twice backward (Shoeybi and others: Megatron-LM, 2019, section 3);
// so do ranks of a whole model beside these for the embedding, once forward, and for the head, once backward.
func TestTensorParallelRanksSumUpFourTimesALayer(t *testing.T) {
	m := model.Named("llama2-7b")
	m.Layers[1].Count = 3
	o := ones()
	o.Model, o.Tensor, o.Samples, o.ActivationBytes = m, 4, 2, 2
	p := jobOf(t, o)
	count := 0
	for i := range p.Ranks[0].Ops() {
		if op := p.Ranks[0].Op(i); op.Kind == schedule.Collective {
			count++
			if op.What != collective.AllReduce || op.Size != 2*4096*4096*2 {
				t.Errorf("operation %d is %v, want an all-reduce of %d bytes", i, op, 2*4096*4096*2)
			}
		}
	}
	if count != 4*3+2 {
		t.Errorf("%d all-reduces of 3 blocks, want 14", count)
	}
}

// Tokens, each to 2 experts, go to those and back in both passes: 4 all-to-alls a layer of tokens·2·h·2 bytes (Lepikhin and others: GShard, 2021).
func TestExpertParallelRanksExchangeTokensFourTimesALayer(t *testing.T) {
	m, _, err := model.Named("mixtral-8x7b").Slice(3)
	if err != nil {
		t.Fatal(err)
	}
	o := ones()
	o.Model, o.Data, o.Expert, o.ActivationBytes, o.GradientBytes = m, 16, 8, 2, 2
	p := jobOf(t, o)
	exchanges := 0
	sums := map[int]units.Bytes{}
	for i := range p.Ranks[0].Ops() {
		switch op := p.Ranks[0].Op(i); {
		case op.Kind != schedule.Collective:
		case op.What == collective.AllToAll:
			exchanges++
			if op.Size != 4096*2*4096*2 || len(p.Groups[op.Group]) != 8 {
				t.Errorf("operation %d is %v among %v", i, op, p.Groups[op.Group])
			}
		default:
			sums[len(p.Groups[op.Group])] += op.Size
		}
	}
	if exchanges != 4*3 {
		t.Errorf("%d all-to-alls of 3 blocks, want 12", exchanges)
	}
	// An eighth of the experts is summed up with the one other rank that has the same, the rest with all 16.
	experts := int64(3 * 176_160_768)
	if rest := m.Params() - 8*experts; sums[2] != units.Bytes(2*experts) || sums[16] != units.Bytes(2*rest) {
		t.Errorf("gradients of %v, want %d bytes among 2 ranks and %d among 16", sums, 2*experts, 2*rest)
	}
}

// As Megatron-LM's documentation of initialize_model_parallel has it for 16 GPUs, tensor parallel 2 and pipeline parallel 4.
func TestRanksAreGroupedAsMegatronDoes(t *testing.T) {
	o := ones(alike(4, 1000))
	o.Tensor, o.Pipeline, o.Data = 2, 4, 2
	p := jobOf(t, o)
	got := fmt.Sprint(p.Groups)
	for _, group := range []string{"[0 1]", "[2 3]", "[12 13]", "[14 15]", "[0 2]", "[1 3]", "[4 6]", "[5 7]", "[12 14]", "[13 15]"} {
		if !strings.Contains(got, group) {
			t.Errorf("%s is not among the groups %s", group, got)
		}
	}
	if len(p.Groups) != 16 {
		t.Errorf("%d groups, want 8 of tensor and 8 of data parallel ranks", len(p.Groups))
	}
	for i := range p.Ranks[5].Ops() {
		if op := p.Ranks[5].Op(i); op.Kind == schedule.Send && op.Peer != 1 && op.Peer != 9 {
			t.Errorf("rank 5 sends to rank %d; its pipeline is [1 5 9 13]", op.Peer)
		}
	}
}

func TestOneLateRankDelaysAllByAsMuch(t *testing.T) {
	o := ones(alike(4, 1_000_000))
	o.Data = 8
	before := takes(jobOf(t, o), alphaBeta)
	o.Stragglers = []model.Straggler{{Rank: 5, Added: units.Millisecond}}
	if late := takes(jobOf(t, o), alphaBeta) - before; late != units.Millisecond {
		t.Errorf("an iteration takes %v longer, want 1ms", late)
	}
	o.Stragglers = []model.Straggler{{Rank: 2, Factor: units.Ratio{Num: 3, Den: 2}}}
	if p := jobOf(t, o); p.Compute != 18*units.Millisecond { // 1.5 times 4 layers of 3 ms
		t.Errorf("a rank that is slower by half computes for %v", p.Compute)
	}
}

// A log-normal factor has a mean of 1; that of 10,000 ranks with sigma 0.1 is within 0.004 of it (four deviations of it) in all but one of 15,000 draws.
func TestRandomStragglersHaveAMeanOfOneAndDependOnTheirStreamOnly(t *testing.T) {
	stream, again := sim.NewStream(1, "job", "stragglers"), sim.NewStream(1, "job", "stragglers")
	all := model.RandomStragglers(10_000, 0.1, &stream)
	var sum int64
	for r, s := range all {
		sum += s.Factor.Num
		if s.Rank != r || s.Factor.Den != 1_000_000 || s.Factor.Num <= 0 {
			t.Fatalf("straggler %d is %+v", r, s)
		}
	}
	if mean := float64(sum) / 1e10; mean < 0.996 || mean > 1.004 {
		t.Errorf("a mean of %v", mean)
	}
	if fmt.Sprint(model.RandomStragglers(10, 0.1, &again)) != fmt.Sprint(all[:10]) {
		t.Error("the same stream gives others")
	}
}

func TestStagesTakeAboutTheSameTime(t *testing.T) {
	o := ones()
	o.Model, o.Pipeline = model.Named("gpt3-175b"), 8
	o.TFLOPS = 312
	if got := fmt.Sprint(jobOf(t, o).Stages); got != "[0 13 25 37 49 61 73 85 98]" { // 12 blocks each, the embedding and the head at the ends
		t.Errorf("stages begin at %s", got)
	}
	// 9 layers in 4 stages: none has more than 3, none is without any.
	o = ones(alike(9, 1000))
	o.Pipeline = 4
	begins := jobOf(t, o).Stages
	for i := range 4 {
		if n := begins[i+1] - begins[i]; n < 1 || n > 3 {
			t.Errorf("stages begin at %v", begins)
		}
	}
}

// A forward pass of 1e12 operations at 40 % of 312e12 a second takes 8.0128 ms.
func TestComputingTakesWhatTheProcessorAllows(t *testing.T) {
	o := ones(model.Layer{Name: "a", Count: 1, FLOPs: 1_000_000_000, Params: 1})
	o.Data, o.Samples = 2, 1000
	o.Processor = model.Processor{TFLOPS: 312, Efficiency: units.Ratio{Num: 2, Den: 5}, Backward: units.Ratio{Num: 2, Den: 1}}
	f := 8_012_820_513 * units.Picosecond // 1e12 / (312e12·0.4) s
	if p := jobOf(t, o); !near(p.Compute, 3*f) {
		t.Errorf("forward and backward take %v, want 3 times %v", p.Compute, f)
	}
}

func TestTimesOfATableTakeThePlaceOfOperations(t *testing.T) {
	layers := []model.Layer{
		{Name: "a", Count: 2, FLOPs: 7, Params: 1, Forward: 3 * units.Millisecond}, // back 6 ms
		{Name: "b", Count: 1, Params: 1, Forward: units.Millisecond, Backward: 5 * units.Millisecond},
		{Name: "c", Count: 1, Params: 1, Experts: 2, TopK: 1, FLOPs: 1, ExpertFLOPs: 3, Forward: 4 * units.Millisecond}, // back 8 ms
	}
	o := ones(layers...)
	o.Data = 2
	if p := jobOf(t, o); p.Compute != (2*9+6+12)*units.Millisecond {
		t.Errorf("%v, want 36ms", p.Compute)
	}
}

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	moe := alike(4, 1000)
	moe.Experts, moe.TopK, moe.ExpertParams = 8, 2, 10
	plain := model.Layer{Name: "convolution", Count: 4, Params: 1000}
	for want, change := range map[string]func(*model.Options){
		"at least 2 ranks together":                             func(o *model.Options) {},
		`tensor: "0": nobody; at least 1`:                       func(o *model.Options) { o.Tensor = 0 },
		`pipeline: "5": test has 4 layers; at most 4`:           func(o *model.Options) { o.Pipeline = 5 },
		"no layers that ranks can have parts of":                func(o *model.Options) { o.Model.Layers[0], o.Tensor = plain, 2 },
		"test has no experts; 1":                                func(o *model.Options) { o.Expert, o.Data = 2, 2 },
		"the 8 experts of layer block cannot be divided evenly": func(o *model.Options) { o.Model.Layers[0], o.Expert, o.Data = moe, 3, 3 },
		"the 6 data parallel ranks cannot be divided evenly":    func(o *model.Options) { o.Model.Layers[0], o.Expert, o.Data = moe, 4, 6 },
		`stragglers: "2": there are 2 ranks; 0 to 1`:            func(o *model.Options) { o.Data, o.Stragglers = 2, []model.Straggler{{Rank: 2}} },
		"fewer layers of those that are alike":                  func(o *model.Options) { o.Data, o.Micros = 10_000, 10_000 },
	} {
		o := ones(alike(4, 1000))
		change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Whatever is divided among whomever, a job ends, all ranks of a stage compute as long as each other, and no sum of gradients is left out.
func TestEveryCombinationEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moe := alike(rapid.IntRange(1, 5).Draw(t, "experts' layers"), 3_000_000)
		moe.Experts, moe.TopK, moe.ExpertParams, moe.ExpertFLOPs = 4, 2, 1_000_000, 1_000_000_000
		o := ones(alike(1, 1_000_000), moe, model.Layer{Name: "head", Count: 1, Params: 77, BackwardSums: 1})
		o.Expert = rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "expert")
		o.Data = o.Expert * rapid.IntRange(1, 3).Draw(t, "replicas")
		o.Tensor = rapid.IntRange(1, 3).Draw(t, "tensor")
		o.Pipeline = rapid.IntRange(1, 3).Draw(t, "pipeline")
		if o.Ranks() < 2 {
			o.Tensor = 2
		}
		o.Micros = rapid.IntRange(1, 5).Draw(t, "micro-batches")
		o.Sharded = rapid.Bool().Draw(t, "sharded")
		o.Prefetch = rapid.IntRange(0, 9).Draw(t, "prefetch")
		o.Late = rapid.Bool().Draw(t, "late")
		o.Order = model.Order(rapid.IntRange(0, 1).Draw(t, "order"))
		o.Update = units.Time(rapid.IntRange(0, 1).Draw(t, "update")) * units.Millisecond
		p := jobOf(t, o)
		if got := takes(p, alphaBeta); got == units.Never || got < p.Compute {
			t.Fatalf("an iteration takes %v, of which %v are computed", got, p.Compute)
		}
		for r := range p.Ranks {
			first := r - r%(o.Tensor*o.Data) // of its stage
			if c := computes(p, r); c > p.Compute || c != computes(p, first) {
				t.Fatalf("rank %d computes for %v, the longest %v, the first of its stage %v", r, c, p.Compute, computes(p, first))
			}
			var summed units.Bytes
			for i := range p.Ranks[r].Ops() {
				op := p.Ranks[r].Op(i)
				if l := p.Labels[op.Label]; l == "gradients" || l == "scatter" && o.Micros == 1 {
					summed += op.Size
				}
			}
			if summed == 0 && o.Data > o.Expert && (!o.Sharded || o.Micros == 1) {
				t.Fatalf("rank %d sums up no gradients", r)
			}
		}
	})
}
