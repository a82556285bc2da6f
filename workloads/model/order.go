package model

import "github.com/rdmasim/rdmasim/sim/units"

// Order is in which order a stage of a pipeline takes the passes of its micro-batches.
type Order uint8

// The orders.
const (
	// OneForwardOneBackward (1F1B): as many forward passes as there are stages to follow, then a backward pass after each forward one, so
	// that no more micro-batches are under way than there are stages (PipeDream, SOSP 2019; Megatron-LM, SC 2021).
	OneForwardOneBackward Order = iota
	// AllForwardAllBackward: all forward passes, then all backward ones, the last micro-batch first (GPipe, NeurIPS 2019).
	AllForwardAllBackward
)

// Orders are the words for them.
var Orders = []string{"1f1b", "gpipe"}

// String is the word.
func (o Order) String() string { return Orders[o] }

// pass is a pass of a micro-batch through a stage.
type pass struct {
	micro    int
	backward bool
}

// passes are what a stage does, one after the other.
func (o Order) passes(stage, stages, micros int) (all []pass) {
	ahead := micros
	if o == OneForwardOneBackward {
		ahead = min(micros, stages-1-stage)
	}
	for i := range ahead {
		all = append(all, pass{micro: i})
	}
	if o == AllForwardAllBackward {
		for i := range micros {
			all = append(all, pass{micros - 1 - i, true})
		}
		return all
	}
	for i := ahead; i < micros; i++ {
		all = append(all, pass{micro: i}, pass{i - ahead, true})
	}
	for i := micros - ahead; i < micros; i++ {
		all = append(all, pass{i, true})
	}
	return all
}

// Bubble is the share of the time for which a stage of a pipeline has nothing to do, if all take the same time and messages none: (p-1)/(m+p-1).
func Bubble(stages, micros int) units.Ratio {
	return units.Ratio{Num: int64(stages - 1), Den: int64(micros + stages - 1)}
}
