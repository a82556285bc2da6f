package model

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Parallel is among how many ranks what is divided; all at least 1. Ranks are numbered with the tensor parallel ones next to each other, then
// the data parallel ones, then the stages of the pipeline: rank = tensor + Tensor·(data + Data·stage), as Megatron-LM numbers them.
type Parallel struct {
	Tensor   int // ranks that have parts of each layer
	Data     int // that have other samples
	Pipeline int // that have other layers
	Expert   int // of the data parallel ones: that have other experts; divides Data
}

// Ranks is how many there are.
func (p *Parallel) Ranks() int { return p.Tensor * p.Data * p.Pipeline }

// rank is the number of one of them.
func (p *Parallel) rank(tensor, data, stage int) int {
	return tensor + p.Tensor*(data+p.Data*stage)
}

// Place is where a rank stands.
func (p *Parallel) Place(rank int) (tensor, data, stage int) {
	return rank % p.Tensor, rank / p.Tensor % p.Data, rank / p.Tensor / p.Data
}

// check finds what does not divide a model.
func (p *Parallel) check(m *Model) error {
	for _, of := range []struct {
		key string
		n   int
	}{{"tensor", p.Tensor}, {"data", p.Data}, {"pipeline", p.Pipeline}, {"expert", p.Expert}} {
		if of.n < 1 {
			return units.Field(of.key, of.n, "nobody", "at least 1")
		}
	}
	cut, experts := false, 0
	for i := range m.Layers {
		l := &m.Layers[i]
		cut = cut || l.ForwardSums+l.BackwardSums > 0
		if l.Experts > 0 {
			experts = l.Experts
		}
		if l.Experts%p.Expert != 0 {
			return units.Field("expert", p.Expert, fmt.Sprintf("the %d experts of layer %s cannot be divided evenly", l.Experts, l.Name), "a divisor of them")
		}
	}
	switch {
	case p.Ranks() < 2:
		return units.Field("data", p.Data, "a single rank has nobody to tell anything", "at least 2 ranks together")
	case p.Tensor > 1 && !cut:
		return units.Field("tensor", p.Tensor, m.Name+" has no layers that ranks can have parts of (forward_all_reduces, backward_all_reduces)", "1")
	case p.Expert > 1 && experts == 0:
		return units.Field("expert", p.Expert, m.Name+" has no experts", "1")
	case p.Data%p.Expert != 0:
		return units.Field("expert", p.Expert, fmt.Sprintf("the %d data parallel ranks cannot be divided evenly", p.Data), "a divisor of data")
	case p.Pipeline > m.Depth():
		return units.Field("pipeline", p.Pipeline, fmt.Sprintf("%s has %d layers", m.Name, m.Depth()), fmt.Sprintf("at most %d", m.Depth()))
	}
	return nil
}

// groups are the groups of a job, made as they are asked for. One of a single rank is none, -1.
type groups struct {
	Parallel
	all   [][]int32
	index map[groupKey]int32
}

type groupKey struct {
	of    groupOf
	first int // rank
}

// groupOf is what the ranks of a group share.
type groupOf uint8

const (
	tensorGroup  groupOf = iota // parts of the same layers for the same samples
	dataGroup                   // the same parameters, but those of experts
	expertGroup                 // other experts of the same layers
	replicaGroup                // the same experts
)

// of returns the group of a rank.
func (g *groups) of(of groupOf, rank int) int32 {
	t, d, p := g.Place(rank)
	var first, n, step int
	switch of {
	case tensorGroup:
		first, n, step = g.rank(0, d, p), g.Tensor, 1
	case dataGroup:
		first, n, step = g.rank(t, 0, p), g.Data, g.Tensor
	case expertGroup:
		first, n, step = g.rank(t, d-d%g.Expert, p), g.Expert, g.Tensor
	case replicaGroup:
		first, n, step = g.rank(t, d%g.Expert, p), g.Data/g.Expert, g.Tensor*g.Expert
	}
	if n == 1 {
		return -1
	}
	key := groupKey{of, first}
	if of == replicaGroup && g.Expert == 1 {
		key.of = dataGroup
	}
	i, known := g.index[key]
	if !known {
		i = int32(len(g.all))
		g.index[key] = i
		ranks := make([]int32, n)
		for k := range ranks {
			ranks[k] = int32(first + k*step)
		}
		g.all = append(g.all, ranks)
	}
	return i
}

// stages divides layers among the stages of a pipeline, each at least one and all in their order, so that the slowest is as fast as it can
// be. It returns where each begins, and the end of the last one.
func stages(times []units.Time, n int) []int {
	var longest, sum units.Time
	for _, t := range times {
		longest, sum = max(longest, t), sum+t
	}
	// The least time of a stage with which n of them are enough.
	low, high := longest, sum
	for low < high {
		middle := low + (high-low)/2
		if used := fill(times, middle, n); used != nil {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return fill(times, low, n)
}

// fill gives each stage as many layers as fit into a time, but leaves one for each that follows; nil if n stages are too few.
func fill(times []units.Time, most units.Time, n int) []int {
	begins := make([]int, 1, n+1)
	var sum units.Time
	for i, t := range times {
		left := n - len(begins) // stages to come
		if i > begins[len(begins)-1] && left > 0 && (sum+t > most || len(times)-i <= left) {
			begins, sum = append(begins, i), 0
		}
		if sum += t; sum > most {
			return nil
		}
	}
	return append(begins, len(times))
}
