package model

import (
	"slices"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// writer writes the graph of a rank.
type writer struct {
	*jobMaker
	*schedule.Builder
	stage         int
	layers        []*layerWork
	pace          *pace
	groups        [4]int32
	before, after int32         // its neighbours in the pipeline; -1 if there is none
	last          int           // operation of the chain of what it does one after the other; -1 if there is none yet
	waits         []int         // what the next one of the chain waits for beside it
	latest        map[int32]int // of a group: the collective beside the chain that was begun last
	received      [2]int        // the last message from either neighbour, and one more
	steps         []step
	gathers       [][]int // of steps: what gathers their parameters
	buckets       [2]bucketQueue
}

// step is a pass of a micro-batch through a layer.
type step struct {
	pass
	layer       int  // of the rank's
	first, last bool // of the pass
	finally     bool // it is of the last backward pass, after which gradients are complete
}

// paced is how long the rank computes.
func (w *writer) paced(a actions) (sum units.Time) {
	for _, one := range a {
		sum += w.pace.of(one.time)
	}
	return sum
}

// write writes all of an iteration.
func (w *writer) write(passes []pass) {
	for i, p := range passes {
		for k := range w.layers {
			s := step{pass: p, layer: k, first: k == 0, last: k == len(w.layers)-1, finally: p.backward && i == len(passes)-1}
			if p.backward {
				s.layer = len(w.layers) - 1 - k
			}
			w.steps = append(w.steps, s)
		}
	}
	if w.pace.added > 0 {
		w.chain(schedule.Op{Kind: schedule.Calc, Time: w.pace.added, Label: late})
	}
	w.gathers = make([][]int, len(w.steps))
	if !w.Sharded {
		w.fillBuckets()
	}
	for i := range min(w.Prefetch+1, len(w.steps)) {
		w.gather(i, w.last)
	}
	for i := range w.steps {
		w.step(i)
		if ahead := i + w.Prefetch + 1; ahead < len(w.steps) {
			w.gather(ahead, w.last)
		}
	}
	if w.Update > 0 {
		for _, group := range [...]int32{w.groups[dataGroup], w.groups[replicaGroup]} {
			if op, has := w.latest[group]; has && !slices.Contains(w.waits, op) {
				w.waits = append(w.waits, op)
			}
		}
		w.chain(schedule.Op{Kind: schedule.Calc, Time: w.pace.of(w.Update), Label: update})
	}
}

// chain adds an operation that follows the last one.
func (w *writer) chain(op schedule.Op) {
	i := w.Add(op)
	if w.last >= 0 {
		w.Requires(i, w.last)
	}
	for _, before := range w.waits {
		w.Requires(i, before)
	}
	w.last, w.waits = i, w.waits[:0]
}

// beside adds a collective that goes on beside the chain, when an operation of it has ended (-1: at once) and so has the group's last one.
func (w *writer) beside(op schedule.Op, after int) int {
	i := w.Add(op)
	if after >= 0 {
		w.Requires(i, after)
	}
	if before, has := w.latest[op.Group]; has {
		w.Requires(i, before)
	}
	w.latest[op.Group] = i
	return i
}

// shards are the collectives over all of a layer's numbers that sharded ranks do.
func (w *writer) shards(l *layerWork, what collective.Kind, bytes int, label uint16) (all []schedule.Op) {
	for _, of := range [...]struct {
		group   groupOf
		numbers int64
	}{{dataGroup, l.params}, {replicaGroup, l.experts}} {
		if group := w.groups[of.group]; group >= 0 && of.numbers > 0 {
			all = append(all, schedule.Op{Kind: schedule.Collective, What: what, Group: group, Size: units.Bytes(of.numbers) * units.Bytes(bytes), Label: label})
		}
	}
	return all
}

// gather has the parameters for a step gathered.
func (w *writer) gather(i, after int) {
	if !w.Sharded {
		return
	}
	for _, op := range w.shards(w.layers[w.steps[i].layer], collective.AllGather, w.ParamBytes, gather) {
		w.gathers[i] = append(w.gathers[i], w.beside(op, after))
	}
}

// step writes a step, what it has to wait for and what follows from it.
func (w *writer) step(i int) {
	s := &w.steps[i]
	l := w.layers[s.layer]
	work := l.forward
	if s.backward {
		work = l.backward
	}
	w.waits = append(w.waits, w.gathers[i]...)
	switch {
	case !s.first:
	case s.backward && w.after >= 0:
		w.receive(s, w.after, w.boundary(w.stage))
	case !s.backward && w.before >= 0:
		w.receive(s, w.before, w.boundary(w.stage-1))
	}
	for _, a := range work {
		switch group := w.groups[a.of]; {
		case !a.collective:
			w.chain(schedule.Op{Kind: schedule.Calc, Time: w.pace.of(a.time), Label: a.label})
		case group >= 0 && a.size > 0:
			w.chain(schedule.Op{Kind: schedule.Collective, What: a.what, Group: group, Size: a.size, Label: a.label})
		}
	}
	switch {
	case !s.last:
	case s.backward && w.before >= 0:
		w.send(s, w.before, w.boundary(w.stage-1))
	case !s.backward && w.after >= 0:
		w.send(s, w.after, w.boundary(w.stage))
	}
	if s.backward {
		w.exchange(s)
	}
}

// exchange has ranks exchange the gradients of a step, as far as they are complete.
func (w *writer) exchange(s *step) {
	if w.Sharded {
		for _, op := range w.shards(w.layers[s.layer], collective.ReduceScatter, w.GradientBytes, scatter) {
			w.beside(op, w.last)
		}
	}
	for k := range w.buckets {
		if s.finally {
			w.sum(&w.buckets[k], len(w.layers)-1-s.layer)
		}
	}
}

// boundary is the size of what a stage hands on to the next one for a micro-batch; so is that of the gradients that come back.
func (j *jobMaker) boundary(stage int) units.Bytes { return j.layers[j.begins[stage+1]-1].output }

// send has what a step has made sent on.
func (w *writer) send(s *step, to int32, size units.Bytes) {
	i := w.Add(schedule.Op{Kind: schedule.Send, Peer: to, Tag: uint32(s.micro), Size: size, Label: activations})
	w.Requires(i, w.last)
}

// receive has a step wait for what it begins with.
func (w *writer) receive(s *step, from int32, size units.Bytes) {
	i := w.Add(schedule.Op{Kind: schedule.Recv, Peer: from, Tag: uint32(s.micro), Size: size, Label: activations})
	side := 0
	if s.backward {
		side = 1
	}
	if before := w.received[side]; before > 0 {
		w.Requires(i, before-1)
	}
	w.received[side] = i + 1
	w.waits = append(w.waits, i)
}

// fillBuckets divides the rank's gradients into buckets.
func (w *writer) fillBuckets() {
	for k, of := range [...]struct {
		group   groupOf
		numbers func(*layerWork) int64
	}{
		{dataGroup, func(l *layerWork) int64 { return l.params }},
		{replicaGroup, func(l *layerWork) int64 { return l.experts }},
	} {
		group := w.groups[of.group]
		if group < 0 {
			continue
		}
		var sizes []units.Bytes
		for _, l := range slices.Backward(w.layers) {
			sizes = append(sizes, units.Bytes(of.numbers(l))*units.Bytes(w.GradientBytes))
		}
		w.buckets[k] = bucketQueue{group, Buckets(sizes, w.FirstBucket, w.Bucket)}
	}
}

// bucketQueue is the buckets of a group that have not been summed up.
type bucketQueue struct {
	group int32
	left  []Bucket
}

// sum has a bucket summed up if the layer with that number, in the order in which gradients become ready, was the last of it; with Late,
// all buckets when that order is over.
func (w *writer) sum(q *bucketQueue, layer int) {
	over := layer == len(w.layers)-1
	for len(q.left) > 0 && (q.left[0].Last <= layer && !w.Late || over) {
		w.beside(schedule.Op{Kind: schedule.Collective, What: collective.AllReduce, Group: q.group, Size: q.left[0].Size, Label: gradients}, w.last)
		q.left = q.left[1:]
	}
}
