package schedule

import (
	"container/heap"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Costs is what a model says that operations take which are alone in the network.
type Costs interface {
	// Collective is what a collective takes from when the last of its ranks begins it.
	Collective(op *Op) units.Time
	// Message is for how long a message keeps the rank that sends it from sending others, and after what time it has arrived.
	Message(op *Op, from int32) (busy, arrives units.Time)
	// Processor is what a message keeps the stream of a send or of a receive busy.
	Processor(op *Op) units.Time
}

// Bound is how long the job's ranks take to go through their graphs once where nothing takes longer than it must: streams compute one operation
// after the other, a rank sends one message after the other, collectives of a group follow each other, and nothing is in
// the way of anything else. The job must pass [Job.Check]. It is [units.Never] if wildcards leave a rank waiting.
func Bound(j *Job, c Costs) units.Time {
	b := &bound{job: j, costs: c, ranks: make([]boundRank, len(j.Ranks))}
	for r := range j.Ranks {
		b.ranks[r].start(j.Ranks[r], len(j.Groups))
	}
	b.groups = make([]boundGroup, len(j.Groups))
	for r := range j.Ranks {
		g := j.Ranks[r]
		for i := range g.Ops() {
			if g.Needs(i) == 0 {
				b.add(0, boundReady, int32(r), int32(i))
			}
		}
	}
	var end units.Time
	left := j.Ops()
	for len(b.events) > 0 {
		e := heap.Pop(&b.events).(boundEvent)
		if e.what == boundDone {
			left--
			end = max(end, e.at)
		}
		b.happen(&e)
	}
	if left > 0 {
		return units.Never
	}
	return end
}

// boundWhat is what happens.
type boundWhat uint8

const (
	boundReady   boundWhat = iota // an operation waits for nothing any more
	boundDone                     // an operation is over
	boundArrived                  // the message of a send has come
	boundFree                     // a processor has done its part for a message
)

type boundEvent struct {
	at       units.Time
	number   int
	what     boundWhat
	rank, op int32
}

type bound struct {
	job    *Job
	costs  Costs
	ranks  []boundRank
	groups []boundGroup
	events boundEvents
	added  int
}

// boundRank is how far a rank is.
type boundRank struct {
	needs   []uint32
	free    map[uint8]units.Time // by stream
	sending units.Time           // until when
	posted  []int32              // receives
	came    []boundMessage       // without one
	next    []int                // by group: collectives begun
}

type boundMessage struct {
	from int32
	op   *Op
}

// boundGroup is the collectives of a group that some of its ranks have begun, the first of which has a number.
type boundGroup struct {
	first int
	open  []boundCollective
	free  units.Time // when the last one is over
}

type boundCollective struct {
	ranks, ops []int32
	latest     units.Time
}

func (r *boundRank) start(g *Graph, groups int) {
	r.needs = append([]uint32(nil), g.needs...)
	r.free = map[uint8]units.Time{}
	r.next = make([]int, groups)
}

func (b *bound) add(at units.Time, what boundWhat, rank, op int32) {
	b.added++
	heap.Push(&b.events, boundEvent{at, b.added, what, rank, op})
}

func (b *bound) happen(e *boundEvent) {
	g := b.job.Ranks[e.rank]
	op := g.Op(int(e.op))
	switch e.what {
	case boundReady:
		b.begin(e, op)
	case boundFree:
		b.send(e, op)
	case boundArrived:
		b.arrive(e, op)
	case boundDone:
		b.tell(e, g, false)
	}
}

// tell has what waits for an operation go on.
func (b *bound) tell(e *boundEvent, g *Graph, onStart bool) {
	for _, s := range g.Successors(int(e.op)) {
		if s.OnStart() != onStart {
			continue
		}
		needs := b.ranks[e.rank].needs
		if needs[s.Op()]--; needs[s.Op()] == 0 {
			b.add(e.at, boundReady, e.rank, int32(s.Op()))
		}
	}
}

// take has an operation take its stream.
func (r *boundRank) take(stream uint8, at, takes units.Time) (from, to units.Time) {
	from = max(at, r.free[stream])
	r.free[stream] = from + takes
	return from, from + takes
}

// begin begins an operation.
func (b *bound) begin(e *boundEvent, op *Op) {
	r := &b.ranks[e.rank]
	if op.Kind == Collective {
		b.join(e, op)
		return
	}
	began := *e
	switch op.Kind {
	case Calc:
		var to units.Time
		began.at, to = r.take(op.Stream, e.at, op.Time)
		b.add(to, boundDone, e.rank, e.op)
	case Send:
		var to units.Time
		began.at, to = r.take(op.Stream, e.at, b.costs.Processor(op))
		b.add(to, boundFree, e.rank, e.op)
	case Recv:
		r.posted = append(r.posted, e.op)
		b.match(e.rank, e.at)
	}
	b.tell(&began, b.job.Ranks[e.rank], true)
}

// send has a message leave.
func (b *bound) send(e *boundEvent, op *Op) {
	r := &b.ranks[e.rank]
	busy, arrives := b.costs.Message(op, e.rank)
	from := max(e.at, r.sending)
	r.sending = from + busy
	b.add(from+arrives, boundArrived, e.rank, e.op)
	b.add(e.at, boundDone, e.rank, e.op)
}

// arrive has a message come.
func (b *bound) arrive(e *boundEvent, op *Op) {
	to := &b.ranks[op.Peer]
	to.came = append(to.came, boundMessage{e.rank, op})
	b.match(op.Peer, e.at)
}

// match finds the receive of a message: the oldest that fits.
func (b *bound) match(rank int32, at units.Time) {
	r := &b.ranks[rank]
	g := b.job.Ranks[rank]
	for m, message := range r.came {
		for p, i := range r.posted {
			op := g.Op(int(i))
			if op.Peer != Any && op.Peer != message.from || op.Tag != AnyTag && op.Tag != message.op.Tag {
				continue
			}
			r.came = append(r.came[:m], r.came[m+1:]...)
			r.posted = append(r.posted[:p], r.posted[p+1:]...)
			_, to := r.take(op.Stream, at, b.costs.Processor(op))
			b.add(to, boundDone, rank, i)
			return
		}
	}
}

// join has a rank begin its next collective of a group.
func (b *bound) join(e *boundEvent, op *Op) {
	r, g := &b.ranks[e.rank], &b.groups[op.Group]
	at := r.next[op.Group] - g.first
	r.next[op.Group]++
	for at >= len(g.open) {
		g.open = append(g.open, boundCollective{})
	}
	c := &g.open[at]
	c.ranks, c.ops, c.latest = append(c.ranks, e.rank), append(c.ops, e.op), max(c.latest, e.at)
	b.tell(e, b.job.Ranks[e.rank], true)
	for len(g.open) > 0 && len(g.open[0].ranks) == len(b.job.Groups[op.Group]) {
		c := &g.open[0]
		first := b.job.Ranks[c.ranks[0]].Op(int(c.ops[0]))
		g.free = max(g.free, c.latest) + b.costs.Collective(first)
		for i, rank := range c.ranks {
			b.add(g.free, boundDone, rank, c.ops[i])
		}
		g.open, g.first = g.open[1:], g.first+1
	}
}

// boundEvents are in the order of their times, and then of when they were added.
type boundEvents []boundEvent

// Len implements [heap.Interface].
func (h boundEvents) Len() int { return len(h) }

// Less implements [heap.Interface].
func (h boundEvents) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].number < h[j].number
}

// Swap implements [heap.Interface].
func (h boundEvents) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *boundEvents) Push(v any) { *h = append(*h, v.(boundEvent)) }

// Pop implements [heap.Interface].
func (h *boundEvents) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
