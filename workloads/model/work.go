package model

import (
	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/sim/units"
)

// action is a piece of a pass through a layer: computing, or a collective that the rank waits for.
type action struct {
	time       units.Time // of computing
	collective bool
	what       collective.Kind
	of         groupOf
	size       units.Bytes
	label      uint16
}

// actions follow each other.
type actions []action

// compute is how long all of them compute.
func (a actions) compute() (sum units.Time) {
	for _, one := range a {
		sum += one.time
	}
	return sum
}

// layerWork is what a rank does for a layer.
type layerWork struct {
	forward, backward actions
	params, experts   int64 // that the rank has of it, without and of experts, before they are sharded
	output            units.Bytes
}

// layer works out what a rank does for a layer of the table.
func (o *Options) layer(i int) *layerWork {
	l := &o.Model.Layers[i]
	positions := int64(o.Samples) * int64(o.Model.Length)
	parts := int64(1)
	if l.ForwardSums+l.BackwardSums > 0 {
		parts = int64(o.Tensor)
	}
	wide := units.Bytes(positions) * units.Bytes(o.ActivationBytes)
	input := l.Output
	if i > 0 {
		input = o.Model.Layers[i-1].Output
	}
	w := &layerWork{
		params:  ceil(l.Params, parts),
		experts: ceil(int64(l.Experts)*l.ExpertParams, parts*int64(o.Expert)),
		output:  units.Bytes(l.Output) * wide,
	}
	if o.Expert == 1 {
		// The same ranks have experts and the rest.
		w.params, w.experts = w.params+w.experts, 0
	}
	dense := o.time(ceil(l.FLOPs, parts), positions)
	routed := o.time(ceil(l.ExpertFLOPs, parts), positions*int64(l.TopK))
	back, routedBack := scale(dense, o.Backward), scale(routed, o.Backward)
	if l.Forward > 0 {
		dense, routed = divide(l.Forward, dense, routed)
		if l.Backward == 0 {
			back, routedBack = scale(dense, o.Backward), scale(routed, o.Backward)
		}
	}
	if l.Backward > 0 {
		back, routedBack = divide(l.Backward, back, routedBack)
	}
	tokens := units.Bytes(l.TopK) * units.Bytes(l.Output) * wide
	forwardSum := action{collective: true, what: collective.AllReduce, of: tensorGroup, size: units.Bytes(l.Output) * wide, label: sums}
	backwardSum := action{collective: true, what: collective.AllReduce, of: tensorGroup, size: units.Bytes(input) * wide, label: sums}
	if l.Experts == 0 {
		w.forward = alternate(dense, forward, l.ForwardSums, forwardSum)
		w.backward = alternate(back, backward, l.BackwardSums, backwardSum)
		return w
	}
	there := action{collective: true, what: collective.AllToAll, of: expertGroup, size: tokens, label: dispatch}
	home := action{collective: true, what: collective.AllToAll, of: expertGroup, size: tokens, label: combine}
	w.forward = append(alternate(dense, forward, min(1, l.ForwardSums), forwardSum), there, action{time: routed, label: forward}, home)
	if l.ForwardSums > 1 {
		w.forward = append(w.forward, forwardSum)
	}
	w.backward = actions{there, {time: routedBack, label: backward}, home}
	if l.BackwardSums > 1 {
		w.backward = append(w.backward, backwardSum)
	}
	w.backward = append(w.backward, alternate(back, backward, min(1, l.BackwardSums), backwardSum)...)
	return w
}

// divide gives a time to two parts as it was between them; all to the first if they had none.
func divide(t, first, second units.Time) (units.Time, units.Time) {
	if first+second == 0 {
		first = 1
	}
	part := scale(t, units.Ratio{Num: int64(first), Den: int64(first + second)})
	return part, t - part
}

// alternate is computing, in n equal pieces with a collective after each; without one if there is none.
func alternate(t units.Time, label uint16, n int, sum action) (all actions) {
	for i := range max(1, n) {
		pieces := units.Time(max(1, n))
		all = append(all, action{time: t*units.Time(i+1)/pieces - t*units.Time(i)/pieces, label: label})
		if n > 0 {
			all = append(all, sum)
		}
	}
	return all
}

// ceil is a quotient, rounded up.
func ceil(n, by int64) int64 { return (n + by - 1) / by }
