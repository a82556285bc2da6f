package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// jobRank is a rank that goes through its graph, again and again.
type jobRank struct {
	job     *Job
	node    *jobNode
	number  int32
	place   RankPlace
	home    *jobThread // that goes on with what is over at the host itself
	graph   *schedule.Graph
	links   map[peerKey]*jobLink
	members []*jobMember // of communicators
	needs   []uint32     // of operations: what they still wait for
	left    int          // operations of this time through the graph
	streams []jobStream
	matches matching
	rounds  []jobRound
	begun   units.Time // of this round
	covered units.Time // until when computing is counted
	compute units.Time // in this round
	bytes   []labelled // by label, of messages that the schedule sends
}

// jobRound is once through the graph.
type jobRound struct{ Begun, Ended, Compute units.Time }

// labelled is what has been sent under a label.
type labelled struct {
	messages int64
	bytes    units.Bytes
}

// jobStream is what operations take turns on.
type jobStream struct {
	free  units.Time
	busy  bool
	ready pending[int32] // operations that wait for it, by when they became ready
}

// begin begins a round.
func (r *jobRank) begin(now units.Time) {
	g := r.graph
	r.begun, r.covered, r.compute = now, now, 0
	r.left = g.Ops()
	if r.needs == nil {
		r.needs = make([]uint32, g.Ops())
	}
	for i := range r.needs {
		r.needs[i] = uint32(g.Needs(i))
	}
	for _, m := range r.members {
		m.begin()
	}
	r.home.after(now, jobEvent{kind: eventRound, rank: r})
}

// start starts all that waits for nothing.
func (r *jobRank) start(t *host.Thread, now units.Time) {
	if r.left == 0 {
		r.ended(now)
		return
	}
	g := r.graph
	for i := range g.Ops() {
		if g.Needs(i) == 0 {
			r.ready(t, int32(i), now)
		}
	}
}

// finished tells whether a rank has gone through its graph as often as it should.
func (r *jobRank) finished() bool { return len(r.rounds) == r.job.rounds() }

// rounds is how often each rank goes through its graph.
func (j *Job) rounds() int { return max(1, j.Schedule.Repeat) }

// ended ends a round.
func (r *jobRank) ended(at units.Time) {
	r.rounds = append(r.rounds, jobRound{r.begun, at, r.compute})
	if !r.finished() {
		r.begin(at)
		return
	}
	r.node.left--
	if r.node.left == 0 {
		r.node.call(at)
	}
}

// ready has an operation that waits for nothing any more begin, or stand in line for its stream.
func (r *jobRank) ready(t *host.Thread, i int32, now units.Time) {
	op := r.graph.Op(int(i))
	switch {
	case op.Kind == schedule.Calc || op.Kind == schedule.Send && r.job.costs(op) > 0:
		s := r.stream(op.Stream)
		s.ready.add(now, i)
		r.turn(t, s)
	case op.Kind == schedule.Send:
		r.started(t, i, now)
		r.send(t, i, now)
	case op.Kind == schedule.Recv:
		r.started(t, i, now)
		if m, ok := r.matches.post(i, op.Peer, op.Tag); ok {
			r.received(t, i, m, now)
		}
	case op.Kind == schedule.Collective:
		r.member(op.Group).ready(t, i, now)
	}
}

// costs is what a rank is busy with a message.
func (j *Job) costs(op *schedule.Op) units.Time {
	o := j.SendTime
	if op.Kind == schedule.Recv {
		o = j.ReceiveTime
	}
	return o + j.ByteTime*units.Time(op.Size)
}

// stream is that of a number.
func (r *jobRank) stream(number uint8) *jobStream {
	for int(number) >= len(r.streams) {
		r.streams = append(r.streams, jobStream{})
	}
	return &r.streams[number]
}

// turn has the next operation in line take the stream, if it is free.
func (r *jobRank) turn(t *host.Thread, s *jobStream) {
	if s.busy || s.ready.len() == 0 {
		return
	}
	since := s.ready.heap[0].at
	i := s.ready.take()
	op := r.graph.Op(int(i))
	begin := max(s.free, since)
	took := op.Time
	if op.Kind == schedule.Calc {
		if r.job.Noise != nil {
			took += r.job.Noise(int(r.number))
		}
		r.compute += max(0, begin+took-max(begin, r.covered))
		r.covered = max(r.covered, begin+took)
	} else {
		took = r.job.costs(op)
	}
	s.busy, s.free = true, begin+took
	if op.Kind != schedule.Recv {
		r.started(t, i, begin)
	}
	r.home.after(s.free, jobEvent{kind: eventStream, rank: r, op: i})
}

// left the stream: what an operation had it for is over.
func (r *jobRank) leave(t *host.Thread, i int32) {
	op := r.graph.Op(int(i))
	s := r.stream(op.Stream)
	s.busy = false
	at := s.free
	r.turn(t, s)
	if op.Kind == schedule.Send {
		r.send(t, i, at)
		return
	}
	r.done(t, i, at)
}

// started tells those that wait for an operation to start.
func (r *jobRank) started(t *host.Thread, i int32, now units.Time) { r.tell(t, i, true, now) }

// done ends an operation.
func (r *jobRank) done(t *host.Thread, i int32, now units.Time) {
	r.left--
	r.tell(t, i, false, now)
	if r.left == 0 {
		r.left = -1
		r.ended(max(now, r.latest()))
	}
}

// latest is when the last of what was computed in this round ended.
func (r *jobRank) latest() units.Time { return r.covered }

// tell has what waits for an operation go on.
func (r *jobRank) tell(t *host.Thread, i int32, onStart bool, now units.Time) {
	for _, s := range r.graph.Successors(int(i)) {
		if s.OnStart() != onStart {
			continue
		}
		if r.needs[s.Op()]--; r.needs[s.Op()] == 0 {
			r.ready(t, int32(s.Op()), now)
		}
	}
}

// send sends a message of the schedule.
func (r *jobRank) send(t *host.Thread, i int32, now units.Time) {
	op := r.graph.Op(int(i))
	for int(op.Label) >= len(r.bytes) {
		r.bytes = append(r.bytes, labelled{})
	}
	r.bytes[op.Label].messages++
	r.bytes[op.Label].bytes += op.Size
	link := r.links[peerKey{op.Peer, op.NIC}]
	m := host.Message{Size: op.Size, Tag: op.Tag, A: uint64(op.Size)}
	unsure := link.thread != nil && op.Size > r.job.Channel.Eager
	r.node.send(t, r.place.GPU, link, m, jobSend{i, unsure}, now)
	if !unsure {
		r.done(t, i, now)
	}
}

// received ends a receive whose message is there.
func (r *jobRank) received(t *host.Thread, i int32, m host.Message, now units.Time) {
	op := r.graph.Op(int(i))
	if units.Bytes(m.A) > op.Size {
		r.home.fail(t, fmt.Errorf("rank %d has received a message of %v where it expected no more than %v (%v)", r.number, units.Bytes(m.A), op.Size, op))
		return
	}
	if r.job.costs(op) > 0 {
		s := r.stream(op.Stream)
		s.ready.add(now, i)
		r.turn(t, s)
		return
	}
	r.done(t, i, now)
}

// came handles a message of the schedule.
func (r *jobRank) came(t *host.Thread, from int32, m host.Message, now units.Time) {
	if i, ok := r.matches.arrive(from, m); ok {
		r.received(t, i, m, now)
	}
}

// member is the rank as a member of a communicator.
func (r *jobRank) member(group int32) *jobMember {
	for _, m := range r.members {
		if m.comm == r.job.comms[group] {
			return m
		}
	}
	panic("programs: not a member of the group")
}

// waits says what a rank waits for.
func (r *jobRank) waits() string {
	if r.finished() {
		return ""
	}
	text := fmt.Sprintf("rank %d", r.number)
	if n := r.job.rounds(); n > 1 {
		text += fmt.Sprintf(", %d of %d times through its schedule", len(r.rounds), n)
	}
	text += fmt.Sprintf(", %d of %d operations done", r.graph.Ops()-max(0, r.left), r.graph.Ops())
	for _, m := range r.members {
		if why := m.waits(); why != "" {
			return text + ", waits for " + why
		}
	}
	if i, ok := r.matches.first(); ok {
		return text + fmt.Sprintf(", waits for what operation %d is to receive: %v", i, r.graph.Op(int(i)))
	}
	return text
}

// matching pairs messages with receives, as MPI does: of those that fit each other the oldest.
type matching struct {
	posted  byKey[postedOp]
	open    []postedOp // with wildcards, in their order
	unasked byKey[unaskedMessage]
	count   uint64
}

// byKey is queues by key, in the order in which keys were first seen.
type byKey[T any] struct {
	at    map[matchKey]int
	keys  []matchKey
	queue []queue[T]
}

// find is the queue of a key; nil if there has never been anything in it.
func (b *byKey[T]) find(key matchKey) *queue[T] {
	if at, known := b.at[key]; known {
		return &b.queue[at]
	}
	return nil
}

// push puts something into the queue of a key.
func (b *byKey[T]) push(key matchKey, v T) {
	at, known := b.at[key]
	if !known {
		if b.at == nil {
			b.at = map[matchKey]int{}
		}
		at = len(b.keys)
		b.at[key] = at
		b.keys, b.queue = append(b.keys, key), append(b.queue, queue[T]{})
	}
	b.queue[at].push(v)
}

type matchKey struct {
	peer int32
	tag  uint32
}

type postedOp struct {
	key    matchKey
	op     int32
	number uint64
}

type unaskedMessage struct {
	m      host.Message
	number uint64
}

// fits tells whether a receive takes what has come from whom with which tag.
func (k matchKey) fits(peer int32, tag uint32) bool {
	return (k.peer == schedule.Any || k.peer == peer) && (k.tag == schedule.AnyTag || k.tag == tag)
}

// post posts a receive, or finds its message if it has come already.
func (q *matching) post(op, peer int32, tag uint32) (m host.Message, ok bool) {
	key := matchKey{peer, tag}
	exact := peer != schedule.Any && tag != schedule.AnyTag
	from := q.unasked.find(key)
	for i := 0; i < len(q.unasked.keys) && !exact; i++ {
		some := &q.unasked.queue[i]
		if key.fits(q.unasked.keys[i].peer, q.unasked.keys[i].tag) && some.len() > 0 && (from == nil || some.at(0).number < from.at(0).number) {
			from = some
		}
	}
	if from != nil {
		if got, ok := from.pop(); ok {
			return got.m, true
		}
	}
	q.count++
	p := postedOp{key, op, q.count}
	if exact {
		q.posted.push(key, p)
	} else {
		q.open = append(q.open, p)
	}
	return m, false
}

// arrive finds the receive of a message, or keeps it until there is one.
func (q *matching) arrive(peer int32, m host.Message) (op int32, ok bool) {
	key := matchKey{peer, m.Tag}
	exact := q.posted.find(key)
	for i, p := range q.open {
		if !p.key.fits(peer, m.Tag) {
			continue
		}
		if exact != nil && exact.len() > 0 && exact.at(0).number < p.number {
			break
		}
		q.open = append(q.open[:i], q.open[i+1:]...)
		return p.op, true
	}
	if exact != nil {
		if p, ok := exact.pop(); ok {
			return p.op, true
		}
	}
	q.count++
	q.unasked.push(key, unaskedMessage{m, q.count})
	return 0, false
}

// first is the oldest receive that waits.
func (q *matching) first() (op int32, ok bool) {
	var oldest *postedOp
	look := func(p *postedOp) {
		if oldest == nil || p.number < oldest.number {
			oldest = p
		}
	}
	for i := range q.posted.queue {
		if some := &q.posted.queue[i]; some.len() > 0 {
			look(some.at(0))
		}
	}
	for i := range q.open {
		look(&q.open[i])
	}
	if oldest == nil {
		return 0, false
	}
	return oldest.op, true
}
