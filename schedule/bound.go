package schedule

import (
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Costs is what a model says that operations take which are alone in the network.
type Costs interface {
	// Collective is what a collective takes from when the last of its ranks begins it.
	Collective(op *Op) units.Time
	// Message is how a message of a rank goes.
	Message(op *Op, from int32) Passage
	// Processor is what a message keeps the stream of a send or of a receive busy, and whether it waits for that to be free.
	Processor(op *Op) (busy units.Time, inTurn bool)
}

// Passage is how a message goes from rank to rank.
type Passage struct {
	Way   uint8 // messages of a rank that go by the same way follow each other
	Short bool  // it goes in between the packets of others that go by the way
	// Busy is for how long it keeps others from going, and Arrives after what time from its beginning it has arrived.
	Busy, Arrives units.Time
	// Ask is what a question takes to the receiver, and its answer back when there is a receive for the message, which goes then
	// only; a send that has asked is over Told after its message has arrived. 0: it goes without asking, and its send is over.
	Ask, Told units.Time
}

// Bound is how long the job's ranks take to go through their graphs once where nothing takes longer than it must: streams compute one operation
// after the other, a rank sends one message after the other by each of its ways, collectives of a group follow each other, and nothing is in
// the way of anything else. Since streams take what is ready first, a schedule may end a little earlier than that where something takes a little
// longer (Graham, 1969). The job must pass [Job.Check]. It is [units.Never] if ranks wait for each other for good.
func Bound(j *Job, c Costs) units.Time {
	b := &bound{job: j, costs: c, ranks: make([]boundRank, len(j.Ranks)), groups: make([]boundGroup, len(j.Groups)), begun: map[[2]int32]int{}}
	for r, g := range j.Ranks {
		b.ranks[r].needs = slices.Clone(g.needs)
		for i := range g.Ops() {
			if g.Needs(i) == 0 {
				b.add(0, boundReady, int32(r), int32(i), 0)
			}
		}
	}
	left := j.Ops()
	for {
		e, ok := b.next()
		if !ok {
			break
		}
		if e.what == boundDone {
			left--
		}
		b.happen(&e)
	}
	if left > 0 {
		return units.Never
	}
	return b.now
}

// boundWhat is what happens.
type boundWhat uint8

const (
	boundReady    boundWhat = iota // an operation waits for nothing any more
	boundStarted                   // it has its stream
	boundDone                      // it is over
	boundFree                      // the processor has done its part for a send
	boundArrived                   // the message of a send has come, or the question whether it may
	boundAnswered                  // it may, for a receive
	boundData                      // and it has, then
)

type boundEvent struct {
	at              units.Time
	number          uint64
	rank, op, other int32
	what            boundWhat
}

func (e *boundEvent) before(f *boundEvent) bool {
	return e.at < f.at || e.at == f.at && e.number < f.number
}

type bound struct {
	job    *Job
	costs  Costs
	ranks  []boundRank
	groups []boundGroup
	begun  map[[2]int32]int // collectives that a rank has begun in a group
	now    units.Time
	today  []boundEvent // that happen now, from place done on
	done   int
	later  []boundEvent // a heap
	added  uint64
}

// boundRank is how far a rank is.
type boundRank struct {
	needs   []uint32
	free    []units.Time // by stream
	sending []units.Time // by way: until when
	matches Matching[int32]
	ready   []int32 // of [bound.tell]
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

// add has something happen. What happens at once has its turn after everything that has been added before for the same time.
func (b *bound) add(at units.Time, what boundWhat, rank, op, other int32) {
	b.added++
	e := boundEvent{at, b.added, rank, op, other, what}
	if at == b.now {
		b.today = append(b.today, e)
		return
	}
	h := append(b.later, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&h[up]) {
			break
		}
		h[i], i = h[up], up
	}
	h[i] = e
	b.later = h
}

// next is what happens next.
func (b *bound) next() (e boundEvent, ok bool) {
	switch {
	case len(b.later) > 0 && b.later[0].at == b.now:
		return b.pop(), true
	case b.done < len(b.today):
		e = b.today[b.done]
		b.done++
		return e, true
	case len(b.later) == 0:
		return e, false
	}
	b.today, b.done = b.today[:0], 0
	b.now = b.later[0].at
	return b.pop(), true
}

// pop takes the first of the heap.
func (b *bound) pop() boundEvent {
	h := b.later
	first, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; len(h) > 0; {
		least := 4*i + 1
		for k := least + 1; k < min(4*i+5, len(h)); k++ {
			if h[k].before(&h[least]) {
				least = k
			}
		}
		if least >= len(h) || !h[least].before(&last) {
			h[i] = last
			break
		}
		h[i], i = h[least], least
	}
	b.later = h
	return first
}

func (b *bound) happen(e *boundEvent) {
	op := b.job.Ranks[e.rank].Op(int(e.op))
	switch e.what {
	case boundReady:
		b.begin(e, op)
	case boundStarted:
		b.tell(e.rank, e.op, true)
	case boundDone:
		b.tell(e.rank, e.op, false)
	case boundFree:
		b.send(e, op)
	case boundArrived:
		if receive, ok := b.ranks[op.Peer].matches.Arrive(e.rank, op.Tag, e.op); ok {
			b.meet(e.rank, e.op, receive)
		}
	case boundAnswered:
		p := b.costs.Message(op, e.rank)
		b.add(b.leave(e.rank, &p)+p.Arrives, boundData, e.rank, e.op, e.other)
	case boundData:
		b.add(b.now+b.costs.Message(op, e.rank).Told, boundDone, e.rank, e.op, 0)
		b.take(op.Peer, e.other)
	}
}

// tell has what waits for an operation go on.
func (b *bound) tell(rank, op int32, onStart bool) {
	r := &b.ranks[rank]
	r.ready = r.ready[:0]
	for _, s := range b.job.Ranks[rank].Successors(int(op)) {
		if s.OnStart() != onStart {
			continue
		}
		if r.needs[s.Op()]--; r.needs[s.Op()] == 0 {
			r.ready = append(r.ready, int32(s.Op()))
		}
	}
	slices.Sort(r.ready)
	for _, next := range r.ready {
		b.add(b.now, boundReady, rank, next, 0)
	}
}

// occupy has an operation take its stream, and returns until when.
func (r *boundRank) occupy(stream uint8, at, takes units.Time) (from, to units.Time) {
	free := placeOf(&r.free, stream)
	from = max(at, *free)
	*free = from + takes
	return from, from + takes
}

// placeOf is a place of a list that is as long as it has to be.
func placeOf(list *[]units.Time, i uint8) *units.Time {
	for int(i) >= len(*list) {
		*list = append(*list, 0)
	}
	return &(*list)[i]
}

// begin begins an operation.
func (b *bound) begin(e *boundEvent, op *Op) {
	r := &b.ranks[e.rank]
	switch op.Kind {
	case Calc:
		from, to := r.occupy(op.Stream, b.now, op.Time)
		b.add(from, boundStarted, e.rank, e.op, 0)
		b.add(to, boundDone, e.rank, e.op, 0)
	case Send:
		from, to := b.now, b.now
		if busy, inTurn := b.costs.Processor(op); inTurn {
			from, to = r.occupy(op.Stream, b.now, busy)
		}
		b.add(from, boundStarted, e.rank, e.op, 0)
		b.add(to, boundFree, e.rank, e.op, 0)
	case Recv:
		b.tell(e.rank, e.op, true)
		if send, from, ok := r.matches.Post(e.op, op.Peer, op.Tag); ok {
			b.meet(from, send, e.op)
		}
	case Collective:
		b.join(e, op)
	}
}

// leave has a message leave, and returns when it does.
func (b *bound) leave(rank int32, p *Passage) units.Time {
	free := placeOf(&b.ranks[rank].sending, p.Way)
	from := max(b.now, *free)
	*free = from + p.Busy
	if p.Short {
		return b.now
	}
	return from
}

// send has a message leave, or the question whether it may.
func (b *bound) send(e *boundEvent, op *Op) {
	p := b.costs.Message(op, e.rank)
	if p.Ask > 0 {
		b.add(b.now+p.Ask, boundArrived, e.rank, e.op, 0)
		return
	}
	b.add(b.leave(e.rank, &p)+p.Arrives, boundArrived, e.rank, e.op, 0)
	b.add(b.now, boundDone, e.rank, e.op, 0)
}

// meet has a message that has come, or been announced, meet its receive.
func (b *bound) meet(from, send, receive int32) {
	op := b.job.Ranks[from].Op(int(send))
	if ask := b.costs.Message(op, from).Ask; ask > 0 {
		b.add(b.now+ask, boundAnswered, from, send, receive)
		return
	}
	b.take(op.Peer, receive)
}

// take has a receive take its message.
func (b *bound) take(rank, receive int32) {
	op, to := b.job.Ranks[rank].Op(int(receive)), b.now
	if busy, inTurn := b.costs.Processor(op); inTurn {
		_, to = b.ranks[rank].occupy(op.Stream, b.now, busy)
	}
	b.add(to, boundDone, rank, receive, 0)
}

// join has a rank begin its next collective of a group.
func (b *bound) join(e *boundEvent, op *Op) {
	g, begun := &b.groups[op.Group], [2]int32{e.rank, op.Group}
	at := b.begun[begun] - g.first
	b.begun[begun]++
	for at >= len(g.open) {
		g.open = append(g.open, boundCollective{})
	}
	c := &g.open[at]
	c.ranks, c.ops, c.latest = append(c.ranks, e.rank), append(c.ops, e.op), max(c.latest, b.now)
	b.tell(e.rank, e.op, true)
	for len(g.open) > 0 && len(g.open[0].ranks) == len(b.job.Groups[op.Group]) {
		c := &g.open[0]
		first := b.job.Ranks[c.ranks[0]].Op(int(c.ops[0]))
		g.free = max(g.free, c.latest) + b.costs.Collective(first)
		for i, rank := range c.ranks {
			b.add(g.free, boundDone, rank, c.ops[i], 0)
		}
		g.open, g.first = g.open[1:], g.first+1
	}
}
