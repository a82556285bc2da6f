package model

import (
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Layer is a layer of a model, or several alike in a row. Positions are what a sample consists of: the tokens of a sequence, or one
// image.
type Layer struct {
	Name   string
	Count  int   // such layers in a row, at least 1
	Params int64 // parameters of each, beside those of experts
	FLOPs  int64 // floating-point operations of the forward pass for each position, beside those of experts
	Output int64 // numbers that it hands on to the next layer for each position
	// ForwardSums and BackwardSums are how often tensor parallel ranks sum up its output on the way forward and the
	// gradients of its input on the way back; with both 0 they do not divide it, and each has it whole.
	ForwardSums, BackwardSums int
	// Experts is how many experts it has, each with so many parameters and so many operations for each position that comes to
	// it; every position goes to TopK of them. 0 for none.
	Experts, TopK             int
	ExpertParams, ExpertFLOPs int64
	// Forward and Backward are what the passes take a rank for each micro-batch, in place of what follows from operations; 0 if
	// these tell.
	Forward, Backward units.Time
}

// Model is a table of layers.
type Model struct {
	Name   string
	Doc    string // one line
	Length int    // positions of a sample: the tokens of a sequence; 1 for images
	Layers []Layer
}

// Bounds of a table, so that no product of it exceeds what an int64 holds, and no file fills the memory.
const (
	MaxLayers = 1 << 16
	maxCount  = int64(1) << 50
)

// check finds what cannot be in a layer.
func (l *Layer) check() error {
	for _, of := range []struct {
		column string
		value  int64
		least  int64
		most   int64
	}{
		{"count", int64(l.Count), 1, MaxLayers},
		{"params", l.Params, 0, maxCount},
		{"flops", l.FLOPs, 0, maxCount},
		{"output", l.Output, 0, math.MaxInt32},
		{"forward_all_reduces", int64(l.ForwardSums), 0, 64},
		{"backward_all_reduces", int64(l.BackwardSums), 0, 64},
		{"experts", int64(l.Experts), 0, MaxLayers},
		{"top_k", int64(l.TopK), 0, int64(l.Experts)},
		{"expert_params", l.ExpertParams, 0, maxCount},
		{"expert_flops", l.ExpertFLOPs, 0, maxCount},
		{"forward", int64(l.Forward), 0, int64(MaxTime)},
		{"backward", int64(l.Backward), 0, int64(MaxTime)},
	} {
		if of.value < of.least || of.value > of.most {
			return units.Field(of.column, of.value, "out of range", fmt.Sprintf("%d to %d", of.least, of.most))
		}
	}
	switch {
	case l.Experts > 0 && l.TopK == 0:
		return units.Field("top_k", 0, "no position goes to any of the experts", fmt.Sprintf("1 to %d", l.Experts))
	case l.Experts == 0 && l.ExpertParams+l.ExpertFLOPs > 0:
		return units.Field("experts", 0, "what they have is given", "at least 1")
	case l.Experts > 0 && max(l.ForwardSums, l.BackwardSums) > 2:
		return units.Field("forward_all_reduces", l.ForwardSums, "a layer with experts has two parts, that before them and their own", "at most 2")
	case l.Params+int64(l.Experts)*l.ExpertParams+l.FLOPs+l.ExpertFLOPs+int64(l.Forward+l.Backward) == 0:
		return &units.FieldError{Problem: "a layer that has no parameters and takes no time", Want: "params, flops or forward"}
	}
	return nil
}

// parameters of one such layer, those of experts included.
func (l *Layer) parameters() int64 { return l.Params + int64(l.Experts)*l.ExpertParams }

// Params is how many parameters the model has, experts' included.
func (m *Model) Params() (sum int64) {
	for i := range m.Layers {
		sum += int64(m.Layers[i].Count) * m.Layers[i].parameters()
	}
	return sum
}

// FLOPs is how many floating-point operations the forward pass of a position takes.
func (m *Model) FLOPs() (sum int64) {
	for _, l := range m.Layers {
		sum += int64(l.Count) * (l.FLOPs + int64(l.TopK)*l.ExpertFLOPs)
	}
	return sum
}

// Depth is how many layers there are.
func (m *Model) Depth() (layers int) {
	for _, l := range m.Layers {
		layers += l.Count
	}
	return layers
}

// Slice is how much of a model is simulated: so many of its layers that are alike, and of how many.
type Slice struct{ Layers, Of int }

// String is the factor by which what the layers take is to be multiplied, and why.
func (s Slice) String() string {
	if s.Layers == s.Of {
		return "all layers"
	}
	return fmt.Sprintf("%d of %d layers that are alike, without the others: all of them take %.4g times as long", s.Layers, s.Of, s.Scale())
}

// Scale is how many times as long all those layers take as the ones that are simulated.
func (s Slice) Scale() float64 { return float64(s.Of) / float64(s.Layers) }

// Slice returns a model of so many of those layers of which most are alike, 1 to as many as there are, and says of how many they are. The other layers,
// such as an embedding, are left out, since they would count as often as these; of the models that are shipped they have less than
// a hundredth of the parameters, but for llama2-7b's, which have 4 %. With 0, or as many as there are, it is the whole model.
func (m *Model) Slice(layers int) (*Model, Slice, error) {
	most := 0
	for i, l := range m.Layers {
		if l.Count > m.Layers[most].Count {
			most = i
		}
	}
	of := m.Layers[most].Count
	switch {
	case layers == 0 || layers == of:
		return m, Slice{of, of}, nil
	case layers < 0 || layers > of:
		return nil, Slice{}, units.Field("layers", layers, fmt.Sprintf("%s has no more than %d layers in a row that are alike", m.Name, of), fmt.Sprintf("0 to %d", of))
	}
	sliced := *m
	sliced.Layers = []Layer{m.Layers[most]}
	sliced.Layers[0].Count = layers
	return &sliced, Slice{layers, of}, nil
}
