package astra

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Options say how a table is run.
type Options struct {
	Ranks int
	// PerNode is how many ranks a node has: the first dimension of HYBRID_DATA_MODEL and HYBRID_MODEL_DATA.
	PerNode int
	Cycle   units.Time // length of a cycle; 0 is a nanosecond
}

// Notes are what a user should know of a job that was made of a table.
type Notes struct {
	Tensor, Data, Expert, Pipeline int // ranks of a group of each kind, and stages
	// Left are collectives of the table that its parallelism has no group for, and Alone those of groups of one rank.
	Left, Alone int
	Parts       int // of a batch, that follow each other through a pipeline
}

// What a job counts its operations under.
const (
	labelCompute = 1 + iota // of the three passes
	_
	_
	labelUpdate
	labelStage
	labelCollective // of the three passes
)

var labels = []string{"", "forward", "input gradient", "weight gradient", "update", "pipeline",
	"forward collective", "input-gradient collective", "weight-gradient collective"}

// The passes, as they stand in a line.
const (
	forward = iota
	inputGradient
	weightGradient
)

// maxOps bounds the operations of a job, so that a slip does not fill the memory.
const maxOps = 1 << 25

// Job returns what each of the ranks does in one iteration. The order is ASTRA-sim's (astra-sim/workload/Workload.cc, version
// 1.0): the forward pass through all layers, each waiting for its collective; then back through them, and in each layer
//
//   - with DATA, the gradient of the weights, and then that of the inputs, but for the first layer;
//   - else the gradient of the inputs, whose collective a transformer waits for at once, and other kinds when the
//     gradient of the weights is computed, which comes next.
//
// Nobody waits for the collectives of weights before the iteration ends. Those of one group follow each other, as in a communicator of
// NCCL. DLRM has the embedding's all-to-all under way while it computes the bottom layers, and its gradient's while it does these.
//
// With pp: n each rank goes through the table in its stage, as in SimAI. A part of a batch, of which there are as many as ga: says
// if the table has as many layers named embedding_layer, waits for pp_comm bytes from the stage before, and sends as many to the
// next one; in the other direction in the way back.
//
// Rank r is number r mod t of its tensor-parallel group of t, in stage r/t mod p, and number r/tp of its data-parallel group.
func (t *Table) Job(o Options) (*schedule.Job, *Notes, error) {
	if o.Cycle == 0 {
		o.Cycle = units.Nanosecond
	}
	b := &builder{Table: t, Options: o, index: map[groupKey]int32{}}
	if err := b.divide(); err != nil {
		return nil, nil, err
	}
	job := &schedule.Job{Labels: labels}
	alike := !b.byNode && b.pipeline == 1 && b.expert == 1 && (b.tensor == 1 || b.data == 1) // all ranks are in the same groups
	b.ops = schedule.NewBuilder()
	for rank := range o.Ranks {
		if alike && rank > 0 {
			job.Ranks = append(job.Ranks, job.Ranks[0])
			continue
		}
		b.rank, b.after, b.lastOf = rank, nil, map[int32]int{}
		b.notes.Left, b.notes.Alone = 0, 0
		b.iteration()
		if each := b.ops.Ops(); !alike && each*o.Ranks > maxOps {
			return nil, nil, fmt.Errorf("%s:2: %d ranks of %d operations each, from %d layers, are too many: at most %d together", t.name, o.Ranks, each, len(t.Layers), maxOps)
		}
		g, err := b.ops.Graph()
		if err != nil {
			return nil, nil, err
		}
		job.Ranks = append(job.Ranks, g)
	}
	job.Groups = b.groups
	return job, &b.notes, nil
}

type builder struct {
	*Table
	Options
	notes                          Notes
	tensor, data, expert, pipeline int
	byNode                         bool
	parts                          [][2]int // of a batch: from which layer to which
	groups                         [][]int32
	index                          map[groupKey]int32

	// Of the rank whose graph is made:
	ops    *schedule.Builder
	rank   int
	after  []int         // what the next step waits for
	lastOf map[int32]int // the last collective of each group
}

const none = -1

// divide finds how many ranks a group of each kind has.
func (b *builder) divide() error {
	if b.GPUs > 0 && b.GPUs != b.Ranks {
		return fmt.Errorf("%s:1: all_gpus: %d, and there are %d ranks", b.name, b.GPUs, b.Ranks)
	}
	b.tensor, b.expert, b.pipeline = 1, max(1, b.Table.Expert), max(1, b.Table.Pipeline)
	switch b.Policy {
	case Model, DistributedInference:
		b.tensor = b.Ranks
	case Transformer, TransformerCheckpoint:
		b.tensor = b.Table.Tensor
	case HybridDataModel, HybridModelData, HybridCustomized:
		if b.PerNode < 1 || b.Ranks%b.PerNode != 0 {
			return fmt.Errorf("%s:1: %v divides by nodes, and %d ranks are no whole number of nodes of %d", b.name, b.Policy, b.Ranks, b.PerNode)
		}
		b.byNode = true
	}
	if b.Ranks%(b.tensor*b.pipeline) != 0 {
		return fmt.Errorf("%s:1: %d ranks cannot be divided among model_parallel_NPU_group: %d times pp: %d", b.name, b.Ranks, b.tensor, b.pipeline)
	}
	b.data = b.Ranks / b.tensor / b.pipeline
	if b.data%b.expert != 0 {
		return fmt.Errorf("%s:1: ep: %d does not divide the %d ranks of a data-parallel group", b.name, b.expert, b.data)
	}
	b.cut()
	b.notes = Notes{Tensor: b.tensor, Data: b.data, Expert: b.expert, Pipeline: b.pipeline, Parts: len(b.parts)}
	return nil
}

// cut finds the parts of a batch. What stands before the first one belongs to it.
func (b *builder) cut() {
	var begins []int
	for i := range b.Layers {
		if b.Layers[i].Name == "embedding_layer" {
			begins = append(begins, i)
		}
	}
	if b.pipeline == 1 || len(begins) != b.Accumulation || len(begins) == 0 {
		b.parts = [][2]int{{0, len(b.Layers)}}
		return
	}
	for k, from := range begins {
		to := len(b.Layers)
		if k+1 < len(begins) {
			to = begins[k+1]
		}
		if k == 0 {
			from = 0
		}
		b.parts = append(b.parts, [2]int{from, to})
	}
}

// stage is the one that a rank is in, in its pipeline.
func (b *builder) stage() int { return b.rank / b.tensor % b.pipeline }

// add adds an operation that waits for all that the next step does.
func (b *builder) add(op schedule.Op) int {
	i := b.ops.Add(op)
	for _, before := range b.after {
		b.ops.Requires(i, before)
	}
	return i
}

// then adds an operation for which the next step waits.
func (b *builder) then(op schedule.Op) { b.after = append(b.after[:0], b.add(op)) }

// compute adds the computing of a pass.
func (b *builder) compute(l *Layer, pass int) {
	if cycles := l.Passes[pass].Compute; cycles > 0 {
		b.then(schedule.Op{Kind: schedule.Calc, Time: units.Time(cycles) * b.Cycle, Label: uint16(labelCompute + pass)})
	}
}

// communicate begins the collective of a pass after the last step, and returns what to wait for: the end of its
// update, or none if there is nothing.
func (b *builder) communicate(l *Layer, pass int) int {
	p := &l.Passes[pass]
	if p.None {
		return none
	}
	group, ranks := b.group(l, pass)
	switch {
	case ranks == 0:
		b.notes.Left++
		return none
	case ranks == 1:
		b.notes.Alone++
		return none
	}
	op := schedule.Op{Kind: schedule.Collective, What: p.Collective, Group: group, Size: p.Size, Label: uint16(labelCollective + pass)}
	if p.Collective == collective.AllGather && !b.IsSimAI() {
		op.Size *= units.Bytes(ranks)
	}
	i := b.add(op)
	if before, is := b.lastOf[group]; is && !slices.Contains(b.after, before) {
		b.ops.Requires(i, before)
	}
	b.lastOf[group] = i
	if l.Update == 0 {
		return i
	}
	update := b.ops.Add(schedule.Op{Kind: schedule.Calc, Stream: 1, Time: units.Time(l.Update) * b.Cycle, Label: labelUpdate})
	b.ops.Requires(update, i)
	return update
}

// wait has the next step wait for an operation besides.
func (b *builder) wait(op int) {
	if op != none {
		b.after = append(b.after, op)
	}
}

// blocking does a collective and has the next step wait for it.
func (b *builder) blocking(l *Layer, pass int) {
	if op := b.communicate(l, pass); op != none {
		b.after = append(b.after[:0], op)
	}
}

// hand has the next step wait for what the pipeline's neighbour sends, or sends it what it waits for.
func (b *builder) hand(kind schedule.Kind, by, part int) {
	stage := b.stage() + by
	if b.StageBytes == 0 || stage < 0 || stage >= b.pipeline {
		return
	}
	backwards := by > 0 == (kind == schedule.Recv)
	op := schedule.Op{Kind: kind, Peer: int32(b.rank + by*b.tensor), Tag: uint32(2 * part), Size: b.StageBytes, Label: labelStage}
	if backwards {
		op.Tag++
	}
	if kind == schedule.Recv {
		b.wait(b.ops.Add(op)) // posted from the beginning
		return
	}
	b.add(op)
}

// iteration makes what the rank does.
func (b *builder) iteration() {
	switch b.Policy {
	case Micro:
		for i := range b.Layers {
			l := &b.Layers[i]
			for pass := range weightGradient {
				if !l.Passes[pass].None {
					b.notes.Left++
				}
			}
			b.blocking(l, weightGradient)
		}
		return
	case DLRM, DLRMEnhanced:
		b.dlrm()
		return
	}
	for part, layers := range b.parts {
		b.hand(schedule.Recv, -1, part)
		b.again(layers[0], layers[1])
		b.hand(schedule.Send, 1, part)
	}
	if b.Policy == DistributedInference {
		return
	}
	for part := len(b.parts) - 1; part >= 0; part-- {
		b.hand(schedule.Recv, 1, part)
		for i := b.parts[part][1] - 1; i >= b.parts[part][0]; i-- {
			b.back(i)
		}
		b.hand(schedule.Send, -1, part)
	}
}

// again is the forward pass through some layers.
func (b *builder) again(from, to int) {
	for i := from; i < to; i++ {
		b.compute(&b.Layers[i], forward)
		b.blocking(&b.Layers[i], forward)
	}
}

// back is the way back through a layer.
func (b *builder) back(i int) {
	l := &b.Layers[i]
	if b.Policy == Data {
		b.compute(l, weightGradient)
		b.communicate(l, weightGradient)
		if i > 0 {
			b.compute(l, inputGradient)
		}
		return
	}
	if l.Again {
		from := i
		for !b.Layers[from].Checkpoint {
			from--
		}
		b.again(from, i)
	}
	b.compute(l, inputGradient)
	if b.Policy == Transformer || b.Policy == TransformerCheckpoint {
		b.blocking(l, inputGradient)
		b.compute(l, weightGradient)
		b.communicate(l, weightGradient)
		return
	}
	inputs := none
	if i > 0 {
		inputs = b.communicate(l, inputGradient)
	}
	b.compute(l, weightGradient)
	b.communicate(l, weightGradient)
	b.wait(inputs)
}

// dlrm is an iteration of a recommendation model: layer 0 is its embedding.
func (b *builder) dlrm() {
	embedding := none
	for i := range b.Layers {
		l := &b.Layers[i]
		b.compute(l, forward)
		if p := &l.Passes[forward]; !p.None && p.Collective == collective.AllToAll {
			if op := b.communicate(l, forward); i == 0 {
				embedding = op
			}
		} else if i == b.LastBottom {
			b.wait(embedding)
		}
	}
	gradient := none
	for i := len(b.Layers) - 1; i >= 0; i-- {
		l := &b.Layers[i]
		b.compute(l, weightGradient)
		b.communicate(l, weightGradient)
		if i == 0 {
			break
		}
		b.compute(l, inputGradient)
		if i == b.LastBottom+1 {
			gradient = b.communicate(&b.Layers[0], inputGradient)
		}
	}
	if b.Policy == DLRM {
		b.wait(gradient)
	}
}

// groupKey tells groups apart: the kind, and the first of its ranks.
type groupKey struct {
	kind  groupKind
	first int
}

// groupKind is who is in a group.
type groupKind uint8

const (
	allRanks    groupKind = iota
	sameNode              // of one node
	acrossNodes           // the k-th of each node
	tensorRanks
	dataRanks
	expertRanks
	sameExperts
)

// group returns the group of a collective and how many ranks it has: 0 if the layer's parallelism has none for it.
func (b *builder) group(l *Layer, pass int) (index int32, ranks int) {
	kind, is := b.kind(l, pass)
	if !is {
		return 0, 0
	}
	members := b.members(kind)
	key := groupKey{kind, int(members[0])}
	index, known := b.index[key]
	if !known {
		index = int32(len(b.groups))
		b.groups = append(b.groups, members)
		b.index[key] = index
	}
	return index, len(members)
}

// kind is which group a collective of a layer is among; false for none.
func (b *builder) kind(l *Layer, pass int) (groupKind, bool) {
	weights := pass == weightGradient
	switch l.Policy {
	case DLRM, DLRMEnhanced:
		return allRanks, weights || l == &b.Layers[0]
	case Data, Micro:
		return allRanks, weights
	case Model, DistributedInference:
		return allRanks, !weights
	case HybridDataModel:
		if weights {
			return acrossNodes, true
		}
		return sameNode, true
	case HybridModelData:
		if weights {
			return sameNode, true
		}
		return acrossNodes, true
	}
	switch group := l.Passes[pass].Group; {
	case group == Experts:
		return expertRanks, true
	case group == SameExperts:
		return sameExperts, true
	case group == DataParallel || group == Usual && weights:
		return dataRanks, true
	}
	return tensorRanks, true
}

// members are the ranks of the group of a kind that the rank is in.
func (b *builder) members(kind groupKind) []int32 {
	every := func(first, stride, n int) (ranks []int32) {
		for k := range n {
			ranks = append(ranks, int32(first+k*stride))
		}
		return ranks
	}
	stride := b.tensor * b.pipeline // from one rank of a data-parallel group to the next
	place := b.rank / stride
	switch kind {
	case sameNode:
		return every(b.rank/b.PerNode*b.PerNode, 1, b.PerNode)
	case acrossNodes:
		return every(b.rank%b.PerNode, b.PerNode, b.Ranks/b.PerNode)
	case tensorRanks:
		return every(b.rank/b.tensor*b.tensor, 1, b.tensor)
	case dataRanks:
		return every(b.rank%stride, stride, b.data)
	case expertRanks:
		return every(b.rank%stride+place/b.expert*b.expert*stride, stride, b.expert)
	case sameExperts:
		return every(b.rank%stride+place%b.expert*stride, stride*b.expert, b.data/b.expert)
	}
	return every(0, 1, b.Ranks)
}
