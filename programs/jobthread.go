package programs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// jobNode is a host, as the ranks on it and the threads that serve them know it: what they tell each other goes
// through their memory.
type jobNode struct {
	job       *Job
	at        int
	name      string
	threads   []*jobThread // of each NIC those that drive it, one NIC after the other
	ranks     []*jobRank
	left      int          // ranks that have not finished
	nvOut     []units.Time // by GPU: when it can send to others of the host
	nvIn      []units.Time // and take from them
	stagedOut []units.Time // by NIC: when what is to be copied is
	stagedIn  []units.Time
	spacedOut []units.Time // by NIC: when the next message of a schedule can go
	spacedIn  []units.Time // and be taken
	failed    error        // of a thread
}

// call has all threads of the host called at a time.
func (n *jobNode) call(at units.Time) {
	for _, t := range n.threads {
		t.thread.CallAt(at)
	}
}

// busy is what processors have worked for the host's threads so far.
func (n *jobNode) busy() (sum units.Time) {
	for _, t := range n.threads {
		sum += t.box.Busy()
	}
	return sum
}

// jobSend is the operation of a message, or of a collective the strand, and whether that goes on only when it is known to have
// been delivered.
type jobSend struct {
	op     int32
	unsure bool
	spaced bool // it keeps its distance from others
}

// nobody waits for a message to be delivered.
const nobody = -1

// send sends a message of a GPU's rank by a link. Within the host, it returns when it will have come.
func (n *jobNode) send(t *host.Thread, gpu int, link *jobLink, m host.Message, s jobSend, now units.Time) units.Time {
	if link.thread == nil {
		to := link.to.rank
		at := n.within(gpu, to.place.GPU, m.Size, now)
		to.home.after(at, jobEvent{kind: eventCame, end: &link.to, m: m})
		return at
	}
	at := now
	if link.relay != noRelay && int(link.relay) != gpu {
		at = n.within(gpu, int(link.relay), m.Size, now)
	}
	if rate := n.job.Staging; rate > 0 {
		copied := &n.stagedOut[link.thread.nic]
		at = max(*copied, at) + rate.Serialise(int(m.Size))
		*copied = at
	}
	if s.spaced {
		at = spaced(&n.spacedOut[link.thread.nic], at, n.job.Gap)
	}
	if at == now && link.thread.thread == t && link.waiting == 0 {
		link.thread.post(t, link, m, s)
		return 0
	}
	link.waiting++
	link.thread.after(at, jobEvent{kind: eventPost, link: link, m: m, send: s})
	return 0
}

// spaced is a time as soon as another one that has come, and so much from then on none comes.
func spaced(free *units.Time, at, gap units.Time) units.Time {
	if gap > 0 {
		at = max(*free, at)
		*free = at + gap
	}
	return at
}

// within is when a message from one GPU of the host to another has come: it takes the sender's way out, and, as soon
// as that is free, the receiver's way in.
func (n *jobNode) within(from, to int, size units.Bytes, now units.Time) units.Time {
	if from == to {
		return now
	}
	takes := n.job.NVLink.Serialise(int(size))
	begin := max(now, n.nvOut[from])
	n.nvOut[from] = begin + takes
	n.nvIn[to] = max(begin, n.nvIn[to]) + takes
	return n.nvIn[to] + n.job.NVLinkDelay
}

// errTold is the error of a thread that others have told that one has failed.
var errTold = errors.New("another rank has aborted the job")

// jobAbort is the contents of a message by which a thread tells that it has failed.
const jobAbort = ^uint64(0)

// jobThread is a thread that serves the ranks of a host at a NIC, as the proxy of NCCL or the progress thread of MPI does.
type jobThread struct {
	node    *jobNode
	nic     int
	thread  *host.Thread
	box     *Mailbox
	ins     []jobIn // by channel
	later   pending[jobEvent]
	err     error
	failing string // the rank whose messages cannot go on, if there is one
}

// jobIn is who takes what comes by a channel, and the link whose channel it is.
type jobIn struct {
	end   *jobEnd
	link  *jobLink
	place int32
}

// eventKind is what is over.
type eventKind uint8

const (
	eventRound  eventKind = iota // the time until a rank begins a round
	eventStream                  // what an operation has its stream for
	eventLaunch                  // the launch of a collective
	eventPost                    // what is before a message is posted
	eventCame                    // the way of a message, and what copies it
	eventSent                    // a message to another rank of the host
)

// jobEvent is something that is over at a time.
type jobEvent struct {
	kind   eventKind
	op     int32
	rank   *jobRank
	member *jobMember
	link   *jobLink
	end    *jobEnd
	m      host.Message
	send   jobSend
}

// Done implements [host.Program]. What it has still to copy and to send is for another host, which may wait for it.
func (p *jobThread) Done() bool {
	return p.err != nil || p.node.left == 0 && p.later.len() == 0 && p.box.Idle()
}

// Failed implements [host.Program].
func (p *jobThread) Failed() error { return p.err }

// Audit implements [host.Auditor]; one thread does it for the job.
func (p *jobThread) Audit() error {
	if p != p.node.job.nodes[0].threads[0] {
		return nil
	}
	return p.node.job.audit()
}

// Waits implements [host.Program].
func (p *jobThread) Waits() string {
	const most = 3
	var texts []string
	for _, r := range p.node.ranks {
		if text := r.waits(); text != "" && r.home == p {
			texts = append(texts, text)
		}
	}
	if len(texts) > most {
		texts = append(texts[:most], fmt.Sprintf("and %d more", len(texts)-most))
	}
	if why := p.box.Waits(); why != "" {
		texts = append(texts, why)
	}
	if texts == nil {
		return "waits for its ranks"
	}
	return strings.Join(texts, "; ")
}

// after has something be over at a time.
func (p *jobThread) after(at units.Time, e jobEvent) {
	p.later.add(at, e)
	p.thread.CallAt(at)
}

// Step implements [host.Program].
func (p *jobThread) Step(t *host.Thread) {
	for !p.Done() && !t.Working() {
		if p.node.failed != nil {
			p.fail(t, p.node.failed)
			return
		}
		if p.later.due(t.Now()) {
			at := p.later.heap[0].at
			e := p.later.take()
			p.over(t, &e, at)
			continue
		}
		a, ok, err := p.box.Next(t)
		switch {
		case err != nil:
			p.fail(t, p.named(err))
			return
		case !ok:
			return
		}
		p.came(t, &p.ins[a.From], &a)
	}
}

// over goes on after something.
func (p *jobThread) over(t *host.Thread, e *jobEvent, at units.Time) {
	switch e.kind {
	case eventRound:
		e.rank.start(t, at)
	case eventStream:
		e.rank.leave(t, e.op)
	case eventLaunch:
		e.member.launch(t, at)
	case eventPost:
		e.link.waiting--
		p.post(t, e.link, e.m, e.send)
	case eventCame:
		e.end.deliver(t, e.m, at)
	case eventSent:
		e.rank.done(t, e.op, at)
	}
}

// post posts a message by a link's channels.
func (p *jobThread) post(t *host.Thread, link *jobLink, m host.Message, s jobSend) {
	n := len(link.channels)
	if n > 1 {
		m.B |= uint64(link.number) & (1<<wordMessage - 1) << wordsBefore
		link.number++
	}
	if n > 1 && p.node.job.Split && m.Size >= units.Bytes(n)*LeastPart {
		m.B |= wordParts
		whole := m.Size
		for k, channel := range link.channels {
			m.Size = whole / units.Bytes(n)
			if units.Bytes(k) < whole%units.Bytes(n) {
				m.Size++
			}
			p.note(link, k, s, k == n-1)
			p.hand(t, channel, m)
		}
		return
	}
	k := int(link.turn) % n
	link.turn++
	p.note(link, k, s, true)
	p.hand(t, link.channels[k], m)
}

// note writes down who waits for a message to be delivered, or for the last of its parts.
func (p *jobThread) note(link *jobLink, channel int, s jobSend, last bool) {
	switch {
	case s.unsure && last:
		link.unsure[channel].push(s.op)
	case s.unsure || link.told:
		link.unsure[channel].push(nobody)
	}
}

// hand hands a message to a channel.
func (p *jobThread) hand(t *host.Thread, channel int32, m host.Message) {
	if err := p.box.Channel(int(channel)).Send(t, m); err != nil {
		p.fail(t, p.named(err))
	}
}

// came handles what has come by a channel.
func (p *jobThread) came(t *host.Thread, in *jobIn, a *Arrival) {
	if a.Sent {
		op, _ := in.link.unsure[in.place].pop()
		switch {
		case op == nobody:
		case in.end.lane != nil:
			in.end.lane.delivered(t, op, t.Now())
		default:
			in.end.rank.done(t, op, t.Now())
		}
		return
	}
	m := a.Message
	if m.A == jobAbort && m.B == jobAbort {
		p.fail(t, errTold)
		return
	}
	if a.Direct {
		m.B = partData << wordPart
	}
	if len(in.link.channels) > 1 {
		in.end.sort(m, len(in.link.channels), func(m host.Message) { p.taken(t, in.end, m) })
		return
	}
	p.taken(t, in.end, m)
}

// taken hands on a message that has come whole, when it has been copied to where it belongs.
func (p *jobThread) taken(t *host.Thread, end *jobEnd, m host.Message) {
	at := t.Now()
	if rate := p.node.job.Staging; rate > 0 {
		copied := &p.node.stagedIn[p.nic]
		at = max(*copied, at) + rate.Serialise(int(m.Size))
		*copied = at
	}
	if part := m.B >> wordPart; end.lane == nil && (part == partWhole || part == partData) {
		at = spaced(&p.node.spacedIn[p.nic], at, p.node.job.Gap)
	}
	if at > t.Now() {
		p.after(at, jobEvent{kind: eventCame, end: end, m: m})
		return
	}
	end.deliver(t, m, at)
}

// deliver hands on a message to whom it is for.
func (e *jobEnd) deliver(t *host.Thread, m host.Message, now units.Time) {
	if e.lane != nil {
		e.lane.take(t, e.peer, m, now)
		return
	}
	e.rank.came(t, e.peer, e.nic, m, now)
}

// sort hands on messages in the order in which they were sent, each when all its parts have come.
func (e *jobEnd) sort(m host.Message, parts int, whole func(host.Message)) {
	const mask = 1<<wordMessage - 1
	number := uint32(m.B >> wordsBefore & mask)
	missing := 0
	if m.B&wordParts != 0 {
		missing = parts - 1
	}
	m.B &^= wordParts | mask<<wordsBefore
	found := false
	for i := range e.held {
		if h := &e.held[i]; h.number == number {
			h.missing--
			h.m.Size += m.Size
			found = true
		}
	}
	if !found {
		e.held = append(e.held, heldMessage{m, number, missing})
	}
	for i := 0; i < len(e.held); i++ {
		if h := e.held[i]; h.number == e.expected && h.missing == 0 {
			e.held = append(e.held[:i], e.held[i+1:]...)
			e.expected = (e.expected + 1) & mask
			whole(h.m)
			i = -1
		}
	}
}

// heldMessage is a message that has not come whole, or before others.
type heldMessage struct {
	m       host.Message
	number  uint32
	missing int // parts
}

// fail ends the thread, and tells all others that it can reach.
func (p *jobThread) fail(t *host.Thread, err error) {
	if p.err != nil {
		return
	}
	p.err = err
	if p.node.failed == nil {
		p.node.failed = errTold
		p.node.call(t.Now())
	}
	for i := range p.box.Channels() {
		// Some of them may be those that have failed.
		_ = p.box.Channel(i).Send(t, host.Message{Size: LeastPart, A: jobAbort, B: jobAbort})
	}
}

// named is an error of a channel with the rank whose messages it carries.
func (p *jobThread) named(err error) error {
	var failed *ChannelError
	if errors.As(err, &failed) && p.failing == "" {
		p.failing = fmt.Sprintf("rank %d at %s", p.ins[failed.Channel].end.rank.number, p.node.name)
	}
	return err
}

// aborted is which ranks' thread failed first, and why; empty if none has.
func (j *Job) aborted() (rank string, err error) {
	for _, n := range j.nodes {
		for _, t := range n.threads {
			if t.err != nil && !errors.Is(t.err, errTold) {
				if t.failing == "" {
					return t.thread.Name() + " of " + n.name, t.err
				}
				return t.failing, t.err
			}
		}
	}
	return "", nil
}
