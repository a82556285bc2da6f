package programs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

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
	next    queue[readyOp]
	going   bool // through next
	streams []jobStream
	matches schedule.Matching[host.Message]
	asked   map[int32]bool            // sends that the other end has not answered
	awaited map[peerKey]*queue[int32] // receives that have been answered, whose messages are on their way
	coming  int                       // these
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

// readyOp is an operation that waits for nothing any more, and since when.
type readyOp struct {
	op int32
	at units.Time
}

// Of a message of the schedule, B has the sender's operation, the rail and what it is. Messages of up to
// [ChannelOptions.Eager] are sent when their senders come to them; longer ones when the other end has answered that there is a
// receive for it, so that such a send is not over before it.
const (
	wordRail = 32
	wordPart = 62
)

const (
	partWhole  uint64 = iota
	partAsk           // a message will follow, of A bytes
	partAnswer        // to the operation that has asked
	partData
)

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
	r.going = true
	for i := range g.Ops() {
		if g.Needs(i) == 0 {
			r.begins(t, int32(i), now)
		}
	}
	r.going = false
	r.goOn(t)
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

// begins has an operation that waits for nothing any more begin, or stand in line for its stream.
func (r *jobRank) begins(t *host.Thread, i int32, now units.Time) {
	op := r.graph.Op(int(i))
	switch {
	case op.Kind == schedule.Calc || op.Kind == schedule.Send && r.takesTurns(op):
		s := r.stream(op.Stream)
		s.ready.add(now, i)
		r.turn(t, s)
	case op.Kind == schedule.Send:
		r.started(t, i, now)
		r.send(t, i, now)
	case op.Kind == schedule.Recv:
		r.started(t, i, now)
		if m, from, ok := r.matches.Post(i, op.Peer, op.Tag); ok {
			r.received(t, i, from, m, now)
		}
	case op.Kind == schedule.Collective:
		r.member(op.Group).ready(t, i, now)
	}
}

// goOn has all begin that is ready.
func (r *jobRank) goOn(t *host.Thread) {
	if r.going {
		return
	}
	r.going = true
	for {
		next, ok := r.next.pop()
		if !ok {
			break
		}
		r.begins(t, next.op, next.at)
	}
	r.going = false
}

// takesTurns tells whether a message of the schedule needs its stream.
func (r *jobRank) takesTurns(op *schedule.Op) bool { return r.job.InTurn || r.job.costs(op) > 0 }

// costs is what a rank is busy with a message.
func (j *Job) costs(op *schedule.Op) units.Time {
	o := j.SendTime
	if op.Kind == schedule.Recv {
		o = j.ReceiveTime
	}
	return o + j.ByteTime*units.Time(max(0, op.Size-1))
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

// tell has what waits for an operation go on, of several operations the first ones first.
func (r *jobRank) tell(t *host.Thread, i int32, onStart bool, now units.Time) {
	was := r.next.len()
	for _, s := range r.graph.Successors(int(i)) {
		if s.OnStart() != onStart {
			continue
		}
		if r.needs[s.Op()]--; r.needs[s.Op()] == 0 {
			r.next.push(readyOp{int32(s.Op()), now})
		}
	}
	slices.SortFunc(r.next.items[r.next.head+was:], func(a, b readyOp) int { return cmp.Compare(a.op, b.op) })
	r.goOn(t)
}

// send sends a message of the schedule, or asks whether there is a receive for it.
func (r *jobRank) send(t *host.Thread, i int32, now units.Time) {
	op := r.graph.Op(int(i))
	for int(op.Label) >= len(r.bytes) {
		r.bytes = append(r.bytes, labelled{})
	}
	r.bytes[op.Label].messages++
	r.bytes[op.Label].bytes += op.Size
	link := r.links[peerKey{op.Peer, op.NIC}]
	m := host.Message{Tag: op.Tag, A: uint64(op.Size), B: partWhole<<wordPart | uint64(op.NIC)<<wordRail | uint64(i)}
	if op.Size > r.job.Channel.Eager {
		if r.asked == nil {
			r.asked = map[int32]bool{}
		}
		r.asked[i] = true
		m.B |= partAsk << wordPart
		r.node.send(t, r.place.GPU, link, m, jobSend{}, now)
		return
	}
	m.Size = op.Size
	r.node.send(t, r.place.GPU, link, m, jobSend{spaced: true}, now)
	r.done(t, i, now)
}

// answered sends a message for which there is a receive.
func (r *jobRank) answered(t *host.Thread, i int32, now units.Time) {
	delete(r.asked, i)
	op := r.graph.Op(int(i))
	link := r.links[peerKey{op.Peer, op.NIC}]
	m := host.Message{Size: op.Size, Tag: op.Tag, A: uint64(op.Size), B: partData << wordPart}
	came := r.node.send(t, r.place.GPU, link, m, jobSend{op: i, unsure: link.thread != nil, spaced: true}, now)
	if link.thread == nil {
		r.home.after(came, jobEvent{kind: eventSent, rank: r, op: i})
	}
}

// received goes on with a receive whose message is there, or has been announced.
func (r *jobRank) received(t *host.Thread, i, from int32, m host.Message, now units.Time) {
	op := r.graph.Op(int(i))
	if units.Bytes(m.A) > op.Size {
		r.home.fail(t, fmt.Errorf("rank %d has received a message of %v where it expected no more than %v, with %s", r.number, units.Bytes(m.A), op.Size, r.called(i)))
		return
	}
	if m.B>>wordPart == partWhole {
		r.take(t, i, now)
		return
	}
	key := peerKey{from, uint8(m.B >> wordRail)}
	if r.awaited == nil {
		r.awaited = map[peerKey]*queue[int32]{}
	}
	if r.awaited[key] == nil {
		r.awaited[key] = new(queue[int32])
	}
	r.awaited[key].push(i)
	r.coming++
	answer := host.Message{B: partAnswer<<wordPart | m.B&(1<<wordPart-1)}
	r.node.send(t, r.place.GPU, r.links[key], answer, jobSend{}, now)
}

// take ends a receive whose message has come.
func (r *jobRank) take(t *host.Thread, i int32, now units.Time) {
	if op := r.graph.Op(int(i)); r.takesTurns(op) {
		s := r.stream(op.Stream)
		s.ready.add(now, i)
		r.turn(t, s)
		return
	}
	r.done(t, i, now)
}

// came handles a message of the schedule that has come by a rail.
func (r *jobRank) came(t *host.Thread, from int32, nic uint8, m host.Message, now units.Time) {
	switch m.B >> wordPart {
	case partAnswer:
		r.answered(t, int32(uint32(m.B)), now)
	case partData:
		i, _ := r.awaited[peerKey{from, nic}].pop()
		r.coming--
		r.take(t, i, now)
	default:
		if i, ok := r.matches.Arrive(from, m.Tag, m); ok {
			r.received(t, i, from, m, now)
		}
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
	for i := range r.streams {
		if s := &r.streams[i]; s.busy {
			text += fmt.Sprintf(", computes until %v", s.free)
			break
		}
	}
	if i, ok := r.matches.Oldest(); ok {
		text += ", waits for the message of " + r.called(i)
	}
	if r.coming > 0 {
		text += fmt.Sprintf(", has asked for the data of %d of its messages, which are on their way", r.coming)
	}
	if len(r.asked) > 0 {
		first := slices.Sorted(maps.Keys(r.asked))[0]
		text += fmt.Sprintf(", waits for rank %d to receive %s", r.graph.Op(int(first)).Peer, r.called(first))
	}
	if from, tag, ok := r.matches.Unasked(); ok {
		text += fmt.Sprintf(", has a message of rank %d with tag %d that it has not asked for", from, tag)
	}
	return text
}

// called is what an operation is called in reports.
func (r *jobRank) called(i int32) string {
	text := fmt.Sprintf("operation %d (%v)", i, r.graph.Op(int(i)))
	if r.job.Where != nil {
		if at := r.job.Where(int(r.number), int(i)); at != "" {
			return at + ", " + text
		}
	}
	return text
}
