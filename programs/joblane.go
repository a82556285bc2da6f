package programs

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// jobMember is a rank as a member of a communicator: it does one collective after the other, in the order of its schedule.
type jobMember struct {
	comm     *jobComm
	rank     *jobRank
	position int32
	lanes    []*jobLane
	ops      []int32      // collectives of the graph
	readyAt  []units.Time // of them in this round; [units.Never] if they are not
	next     int
	running  bool
	number   uint64 // of the collective that is next, over all rounds
	begun    units.Time
	left     int        // lanes at work
	spans    []partSpan // of all that are done
}

// partSpan is from when to when a rank was in a collective, and what the threads of its host had worked by then, if it is the first
// rank there.
type partSpan struct {
	from, to, busy units.Time
	op             int32
}

// begin begins a round.
func (m *jobMember) begin() {
	if m.ops == nil {
		eachCollective(m.rank.graph, func(i int, op *schedule.Op) {
			if m.rank.job.comms[op.Group] == m.comm {
				m.ops = append(m.ops, int32(i))
			}
		})
		m.readyAt = make([]units.Time, len(m.ops))
	}
	for i := range m.readyAt {
		m.readyAt[i] = units.Never
	}
	m.next = 0
}

// ready tells that what a collective waits for in the schedule is over.
func (m *jobMember) ready(t *host.Thread, op int32, now units.Time) {
	at, _ := slices.BinarySearch(m.ops, op)
	m.readyAt[at] = now
	m.turn(t, now)
}

// turn begins the next collective, if it is ready and none is under way.
func (m *jobMember) turn(t *host.Thread, now units.Time) {
	if m.running || m.next == len(m.ops) || m.readyAt[m.next] == units.Never {
		return
	}
	m.running = true
	m.begun = max(now, m.readyAt[m.next])
	if launch := m.rank.job.Launch; launch > 0 {
		m.rank.home.after(m.begun+launch, jobEvent{kind: eventLaunch, member: m})
		return
	}
	m.launch(t, m.begun)
}

// launch has the lanes begin.
func (m *jobMember) launch(t *host.Thread, now units.Time) {
	j := m.rank.job
	i := m.ops[m.next]
	op := m.rank.graph.Op(int(i))
	m.rank.started(t, i, now)
	plans := m.comm.plans[j.keyOf(m.comm, op)]
	m.left = j.lanesOf(m.comm, plans.algorithm)
	lanes := m.lanes[:m.left]
	for _, l := range lanes {
		l.begin(t, plans, op, len(lanes), now)
	}
	for _, l := range lanes {
		l.catchUp(t, now)
	}
}

// laneEnded ends a lane's part in a collective.
func (m *jobMember) laneEnded(t *host.Thread, now units.Time) {
	if m.left--; m.left > 0 {
		return
	}
	i := m.ops[m.next]
	span := partSpan{from: m.begun, to: now, op: i}
	if n := m.rank.node; n.ranks[0] == m.rank {
		span.busy = n.busy()
	}
	m.spans = append(m.spans, span)
	m.next++
	m.number++
	m.running = false
	m.rank.done(t, i, now)
	m.turn(t, now)
}

// waits says what keeps a collective from going on; empty if none is under way.
func (m *jobMember) waits() string {
	if !m.running {
		return ""
	}
	op := m.rank.graph.Op(int(m.ops[m.next]))
	for _, l := range m.lanes {
		if !l.running {
			continue
		}
		for at, from := range l.plan.sources {
			if int(l.cursor[at]) < len(l.plan.receives[at]) {
				return fmt.Sprintf("rank %d in %v of %v", m.comm.members[from.position], op.What, op.Size)
			}
		}
	}
	return fmt.Sprintf("its own part in %v of %v", op.What, op.Size)
}

// jobLane is a member's part of one channel of a communicator, on which it does its part of each collective.
type jobLane struct {
	member    *jobMember
	number    int
	links     map[laneKey]*jobLink
	running   bool
	plan      *jobPlan
	kind      collective.Kind
	algorithm *collective.Algorithm
	size      units.Bytes // of this lane's part
	root      int32
	sums      []uint64 // by chunk: of the marks of those whose contributions it has
	counts    []uint32 // and how many these are
	strands   []laneStrand
	cursor    []int32 // by source of the plan: receives that are over
	received  int
	unsent    int
	early     []laneMessage // for collectives that it has not begun
}

// laneKey is a member and how messages go to it: by the lane's rail or by the NICs of the two.
type laneKey struct {
	position int32
	railed   bool
}

// laneStrand is how far a strand of a plan is.
type laneStrand struct {
	sent   int
	unsure bool          // whether what it has sent has been delivered, where it must be before the next goes
	prefix int           // receives that are over, from the first on
	held   []heldReceive // messages of others
}

// heldReceive is a message that has come before its turn.
type heldReceive struct {
	place int32
	m     host.Message
}

// laneMessage is a message and from whom it is.
type laneMessage struct {
	peer int32
	m    host.Message
}

// Words of a message of a collective: the first chunk is its tag, A is the sum of the marks, and B has these.
const (
	wordCount   = 24 // bits of the contributors' number
	wordNumber  = 16 // of the collective's
	wordStrand  = 4  // of the strand's
	wordMessage = 19 // of the message's on its link, where there are several queue pairs
	wordsBefore = wordCount + wordNumber + wordStrand
	wordParts   = 1 << 63
)

// begin begins a lane's part in a collective.
func (l *jobLane) begin(t *host.Thread, plans *jobPlans, op *schedule.Op, lanes int, now units.Time) {
	m := l.member
	p := plans.byMember[m.position]
	l.plan, l.kind, l.algorithm, l.root, l.running = p, op.What, plans.algorithm, op.Root, true
	l.size = op.Size / units.Bytes(lanes)
	if units.Bytes(l.number) < op.Size%units.Bytes(lanes) {
		l.size++
	}
	own := mark(m.rank.number, m.number)
	l.sums, l.counts = l.sums[:0], l.counts[:0]
	for c := range p.Chunks {
		sum, count := uint64(0), uint32(0)
		if !p.Apart && collective.Begins(op.What, m.comm.shape, int(m.position), int(op.Root), c, p.Chunks) {
			sum, count = own, 1
		}
		l.sums, l.counts = append(l.sums, sum), append(l.counts, count)
	}
	for c := range p.Chunks {
		if p.Apart && collective.Begins(op.What, m.comm.shape, int(m.position), int(op.Root), c, p.Chunks) {
			l.sums[c], l.counts[c] = l.addressed(m.position, m.position), 1
		}
	}
	l.received, l.unsent = 0, 0
	l.strands = append(l.strands[:0], make([]laneStrand, len(p.Strands))...)
	for s := range p.Strands {
		l.unsent += len(p.Strands[s].Sends)
	}
	l.cursor = append(l.cursor[:0], make([]int32, len(p.sources))...)
	l.goOn(t, now)
}

// addressed is what a member contributes for another one alone.
func (l *jobLane) addressed(from, to int32) uint64 {
	m := l.member
	return mark(m.comm.members[from], m.number) + mark(to, m.number<<1)
}

// catchUp takes what has come before the collective was begun.
func (l *jobLane) catchUp(t *host.Thread, now units.Time) {
	if len(l.early) == 0 {
		l.end(t, now)
		return
	}
	early := l.early
	l.early = nil
	for _, e := range early {
		l.take(t, e.peer, e.m, now)
	}
	l.end(t, now)
}

// goOn sends what can be sent.
func (l *jobLane) goOn(t *host.Thread, now units.Time) {
	for s := range l.plan.Strands {
		sends, at := l.plan.Strands[s].Sends, &l.strands[s]
		for at.sent < len(sends) {
			send := &sends[at.sent]
			if at.unsure || l.strands[send.Strand].prefix < int(send.After) {
				break
			}
			at.sent++
			l.unsent--
			l.send(t, send, s, now)
		}
	}
}

// send sends a message of the plan.
func (l *jobLane) send(t *host.Thread, send *collective.Send, strand int, now units.Time) {
	m := l.member
	sum, count := uint64(0), uint32(0)
	switch {
	case l.plan.Apart:
		sum, count = l.addressed(m.position, send.Peer), 1
	case send.Count > 0:
		sum, count = l.sums[send.First], l.counts[send.First]
		for c := send.First; c < send.First+send.Count; c++ {
			if l.sums[c] != sum {
				l.fail(t, fmt.Errorf("chunks %d and %d of one message have contributions of different ranks", send.First, c))
				return
			}
		}
	}
	message := host.Message{
		Size: max(LeastPart, l.plan.Bytes(l.size, send.First, send.Count)), Tag: uint32(send.First), A: sum,
		B: uint64(count)&(1<<wordCount-1) | m.number&(1<<wordNumber-1)<<wordCount | uint64(strand)<<(wordCount+wordNumber),
	}
	link := l.linkOf(send.Peer)
	s := jobSend{op: int32(strand), unsure: l.plan.Strands[strand].InTurn && link.thread != nil && l.strands[strand].sent < len(l.plan.Strands[strand].Sends)}
	l.strands[strand].unsure = s.unsure
	m.rank.node.send(t, m.rank.place.GPU, link, message, s, now)
}

// delivered has a strand go on whose last message is there.
func (l *jobLane) delivered(t *host.Thread, strand int32, now units.Time) {
	l.strands[strand].unsure = false
	l.goOn(t, now)
	l.end(t, now)
}

// linkOf is how messages go to a member.
func (l *jobLane) linkOf(peer int32) *jobLink {
	if link := l.links[laneKey{peer, l.railed()}]; link != nil {
		return link
	}
	panic("programs: no link to a peer of the plan")
}

// railed tells whether the collective under way goes by the lane's own rail.
func (l *jobLane) railed() bool { return l.algorithm.Railed }

// take takes a message of a member.
func (l *jobLane) take(t *host.Thread, peer int32, m host.Message, now units.Time) {
	number := m.B >> wordCount & (1<<wordNumber - 1)
	if !l.running || number != l.member.number&(1<<wordNumber-1) {
		l.early = append(l.early, laneMessage{peer, m})
		return
	}
	strand := int8(m.B >> (wordCount + wordNumber) & (1<<wordStrand - 1))
	at, known := l.plan.place(source{peer, strand})
	if !known || int(l.cursor[at]) == len(l.plan.receives[at]) {
		l.fail(t, fmt.Errorf("a message of rank %d has come that no plan has", l.member.comm.members[peer]))
		return
	}
	place := l.plan.receives[at][l.cursor[at]]
	l.cursor[at]++
	l.received++
	l.put(t, int(strand), place, m, now)
	l.end(t, now)
}

// put has a receive take effect when all before it in its strand have: sums depend on their order, and on what has been
// sent in between.
func (l *jobLane) put(t *host.Thread, strand int, place int32, m host.Message, now units.Time) {
	s := &l.strands[strand]
	receives := l.plan.Strands[strand].Receives
	if int(place) != s.prefix {
		s.held = append(s.held, heldReceive{place, m})
		return
	}
	l.merge(t, &receives[place], m)
	s.prefix++
	l.goOn(t, now)
	for i := 0; i < len(s.held); i++ {
		if h := s.held[i]; int(h.place) == s.prefix {
			s.held = append(s.held[:i], s.held[i+1:]...)
			l.merge(t, &receives[h.place], h.m)
			s.prefix++
			l.goOn(t, now)
			i = -1
		}
	}
}

// merge puts what has come to what there is.
func (l *jobLane) merge(t *host.Thread, r *collective.Receive, m host.Message) {
	if r.Count > 0 && !l.plan.Apart && int32(m.Tag) != r.First {
		l.fail(t, fmt.Errorf("chunk %d has come in place of %d", m.Tag, r.First))
		return
	}
	count := uint32(m.B & (1<<wordCount - 1))
	for c := r.First; c < r.First+r.Count; c++ {
		if r.Reduce {
			l.sums[c] += m.A
			l.counts[c] += count
		} else {
			l.sums[c], l.counts[c] = m.A, count
		}
	}
}

// end ends a lane's part, if there is nothing more to send or receive: the member has of every chunk that it should have
// the contributions of all who have any, each once.
func (l *jobLane) end(t *host.Thread, now units.Time) {
	if !l.running || l.unsent > 0 || l.received < l.plan.total {
		return
	}
	m := l.member
	p := &l.plan.Plan
	for c := range p.Chunks {
		if !p.Apart && !collective.Wants(l.kind, m.comm.shape, int(m.position), int(l.root), c, p.Chunks) {
			continue
		}
		if sum, count := l.whole(c); l.sums[c] != sum || l.counts[c] != count {
			l.fail(t, fmt.Errorf("rank %d does not have every contribution to chunk %d of %v once, but %d of %d", m.rank.number, c, l.kind, l.counts[c], count))
			return
		}
	}
	l.running = false
	m.laneEnded(t, now)
}

// whole is what a chunk is when it has all contributions, and how many these are.
func (l *jobLane) whole(chunk int32) (sum uint64, count uint32) {
	m := l.member
	first, n := collective.Contributors(l.kind, m.comm.shape, int(l.root), chunk, l.plan.Chunks)
	switch {
	case l.plan.Apart:
		return l.addressed(int32(first), m.position), 1
	case n == 1:
		return mark(m.comm.members[first], m.number), 1
	}
	return m.comm.total * (2*m.number + 1), uint32(n)
}

// fail ends the job.
func (l *jobLane) fail(t *host.Thread, err error) { l.member.rank.home.fail(t, err) }
