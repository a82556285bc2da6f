package programs

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// GPUOptions are those of hosts with GPUs that sum up what all of them have, as NCCL does.
type GPUOptions struct {
	Nodes []int // hosts, at least 2
	GPUs  int   // of each, at least 1
	Rails int   // NICs of each that are used, in the order of their ports; 0 for all
	// Hierarchical has the GPUs of a host sum up among themselves first, and spread the result
	// last; in between rings of hosts sum up what each GPU has, on its rail. Else one ring
	// goes through all GPUs, host by host.
	Hierarchical bool
	// Channels are rings on each rail, among which data is divided; Threads of a host drive
	// those of a rail. Both at least 1.
	Channels, Threads int
	Chunk             units.Bytes // most data of a message, at least 1
	Window            int         // messages on their way to a neighbour, at least 2
	// NVLink is what a GPU can send to others of its host, each message with a delay of NVLinkDelay.
	NVLink      units.Rate
	NVLinkDelay units.Time
	// Staging is the rate at which each rail's data is copied between GPU and host memory, in
	// either direction at a time; 0 if the adapter reaches the GPU itself.
	Staging units.Rate
	Launch  units.Time // before each operation
	Events  bool       // threads sleep until something has come
	Start   units.Time
	Channel ChannelOptions // of it, overhead and the class
}

// gpuOperation is an allreduce that all GPUs do.
type gpuOperation struct {
	size  units.Bytes
	after units.Time // of the step's begin: when it can begin
	last  bool       // of its step
}

// gpuCluster is hosts with GPUs that go through the same operations.
type gpuCluster struct {
	GPUOptions
	operations []gpuOperation
	compute    units.Time // of each step
	nodes      []*gpuNode
	rate       units.Rate // of a host's rails together
	alpha      units.Time // half a round trip
	shares     uint64
}

// chain is how many GPUs of a host are in a ring, and around how many the whole ring is.
func (g *gpuCluster) chain() (local, all int) {
	local = g.GPUs
	if g.Hierarchical {
		local = 1
	}
	return local, local * len(g.Nodes)
}

// newGPUs makes the programs on hosts of a cluster.
func newGPUs(c *host.Cluster, o GPUOptions, operations []gpuOperation, compute units.Time) (*gpuCluster, error) {
	g := &gpuCluster{GPUOptions: o, operations: operations, compute: compute}
	if g.Rails == 0 {
		g.Rails = len(c.Hosts[o.Nodes[0]].NICs())
	}
	for _, at := range o.Nodes {
		if n := len(c.Hosts[at].NICs()); n < g.Rails {
			return nil, units.Field("rails", g.Rails, fmt.Sprintf("%s has %d NICs", nameOf(c, at), n), fmt.Sprintf("at most %d", n))
		}
	}
	g.Channel.Header, g.Channel.Eager, g.Channel.Credits = MessageHeader, o.Chunk, o.Window
	for i, at := range o.Nodes {
		n := &gpuNode{of: g, number: i, name: nameOf(c, at), stepBegan: o.Start}
		_, all := g.chain()
		n.nvFree = make([]units.Time, o.GPUs)
		n.stagedOut, n.stagedIn = make([]units.Time, g.Rails), make([]units.Time, g.Rails)
		for k := range g.Rails * o.Threads {
			t := &gpuThread{node: n, rail: k / o.Threads}
			t.thread = c.AddThread(at, t, mailboxThread(c, &g.Channel,
				fmt.Sprintf("GPU rank %d, proxy %d", i*o.GPUs+t.rail*o.GPUs/g.Rails, k%o.Threads), o.Start, o.Events))
			t.box = NewMailbox(c, at, t.thread)
			n.threads = append(n.threads, t)
		}
		for k := range all / len(o.Nodes) {
			g.shares += contribution(i*all/len(o.Nodes)+k, 0, 0)
		}
		g.nodes = append(g.nodes, n)
	}
	for rail := range g.Rails {
		g.rate += c.Hosts[o.Nodes[0]].NIC(rail).Rate()
		for k := range o.Channels {
			if err := g.ring(rail, k); err != nil {
				return nil, err
			}
		}
	}
	ends, err := c.Ends(o.Nodes[0], o.Nodes[1], 0)
	g.alpha = ends.BaseRTT / 2
	for _, n := range g.nodes {
		n.schedule(o.Start)
	}
	return g, err
}

// ring joins all hosts by a ring on a rail.
func (g *gpuCluster) ring(rail, channel int) error {
	local, _ := g.chain()
	lanes := make([]*gpuLane, len(g.nodes))
	for i, n := range g.nodes {
		t := n.threads[rail*g.Threads+channel%g.Threads]
		lanes[i] = &gpuLane{thread: t, number: rail*g.Channels + channel, gpus: make([]gpuRank, local)}
		t.lanes = append(t.lanes, lanes[i])
	}
	for i, from := range lanes {
		to := lanes[(i+1)%len(lanes)]
		from.out, to.in = from.thread.box.Channels(), to.thread.box.Channels()
		if _, _, err := Open(from.thread.box, to.thread.box, rail, g.Channel); err != nil {
			return err
		}
		to.thread.ins = append(to.thread.ins, gpuIn{to.in, to})
	}
	return nil
}

// lanes is how many rings there are.
func (g *gpuCluster) lanes() int { return g.Rails * g.Channels }

// share is what a ring carries of an operation, in how many pieces for each GPU in it.
func (g *gpuCluster) share(size units.Bytes, lane int) (data units.Bytes, pieces int) {
	_, all := g.chain()
	data = size / units.Bytes(g.lanes())
	if units.Bytes(lane) < size%units.Bytes(g.lanes()) {
		data++
	}
	each := (data + units.Bytes(all) - 1) / units.Bytes(all)
	return data, max(1, int((each+g.Chunk-1)/g.Chunk))
}

// within is how long the GPUs of a host take before or after the rings of hosts.
func (g *gpuCluster) within(size units.Bytes) units.Time {
	if !g.Hierarchical || g.GPUs == 1 {
		return 0
	}
	return g.NVLink.Serialise(int(size/units.Bytes(g.GPUs))*(g.GPUs-1)) + units.Time(g.GPUs-1)*g.NVLinkDelay
}

// theory is how long an operation takes by the alpha-beta model: 2(n-1) messages, each of which has its
// latency and its time on the wire, of a ring that all of them go around at once. Where a step has
// several pieces, they fill the ring, until they wait for the slowest link and not for each other.
func (g *gpuCluster) theory(size units.Bytes) units.Time {
	local, all := g.chain()
	data, pieces := g.share(size, 0)
	each := int(data) / (all * pieces)
	wire := (g.rate / units.Rate(g.lanes())).Serialise(each)
	hosts := units.Time(len(g.Nodes))
	around := hosts * (g.alpha + wire)
	if local > 1 {
		around += (units.Time(all) - hosts) * (g.NVLinkDelay + g.NVLink.Serialise(each))
	}
	return g.Launch + 2*g.within(size) + 2*units.Time(all-1)*max(units.Time(pieces)*wire, around/units.Time(all))
}

// gpuNode is a host, as the GPUs on it and the threads that serve them know it: what they
// tell each other goes through their memory.
type gpuNode struct {
	of        *gpuCluster
	number    int
	name      string
	threads   []*gpuThread
	operation int        // that is under way
	due       units.Time // when its rings begin
	ended     int        // of its rings
	latest    units.Time
	stepBegan units.Time
	nvFree    []units.Time // by GPU: when it can send to the next
	stagedOut []units.Time // by rail: when what is to be copied is
	stagedIn  []units.Time
	begun     []units.Time // of operations: when they could begin
	done      []units.Time // and ended
	busy      []units.Time // of all threads by then
	steps     []units.Time // when they ended
	failed    error        // of a thread
}

// schedule has the next operation begin when it can.
func (n *gpuNode) schedule(now units.Time) {
	o := &n.of.operations[n.operation]
	ready := max(now, n.stepBegan+o.after)
	n.begun = append(n.begun, ready)
	n.due = ready + n.of.Launch + n.of.within(o.size)
	n.call(n.due)
}

// call has all threads of the host called at a time.
func (n *gpuNode) call(at units.Time) {
	for _, t := range n.threads {
		t.thread.CallAt(at)
	}
}

// finished tells whether all operations are done.
func (n *gpuNode) finished() bool { return n.operation == len(n.of.operations) }

// laneEnded ends a ring's part in the operation.
func (n *gpuNode) laneEnded(now units.Time) {
	n.ended++
	n.latest = max(n.latest, now)
	if n.ended < n.of.lanes() {
		return
	}
	o := &n.of.operations[n.operation]
	end := n.latest + n.of.within(o.size)
	n.done = append(n.done, end)
	var busy units.Time
	for _, t := range n.threads {
		busy += t.box.Busy()
	}
	n.busy = append(n.busy, busy)
	if o.last {
		n.stepBegan = max(end, n.stepBegan+n.of.compute)
		n.steps = append(n.steps, n.stepBegan)
	}
	n.operation++
	n.ended, n.latest = 0, 0
	if n.finished() {
		n.call(max(end, n.stepBegan))
	} else {
		n.schedule(end)
	}
}

// errTold is the error of a thread that others have told that one has failed.
var errTold = errors.New("another rank has aborted the job")

// gpuAbort is the tag of a message by which a thread tells that it has failed.
const gpuAbort = ^uint32(0)

// gpuThread is a thread that serves rings of a rail: what the proxy of NCCL is.
type gpuThread struct {
	node   *gpuNode
	rail   int
	thread *host.Thread
	box    *Mailbox
	lanes  []*gpuLane
	ins    []gpuIn
	later  pending[gpuEvent]
	err    error
}

// gpuIn is the channel by which a ring comes.
type gpuIn struct {
	channel int
	lane    *gpuLane
}

// gpuEvent is something that is over at a time: a message from one GPU to the next, or a copy.
type gpuEvent struct {
	lane *gpuLane
	gpu  int // that has it then; as many as there are in the ring here: it is to be sent
	m    host.Message
}

// Done implements [host.Program]. What it has still to copy and to send is for another host, which may wait for it.
func (p *gpuThread) Done() bool {
	return p.err != nil || p.node.finished() && p.later.len() == 0 && p.box.Idle()
}

// Failed implements [host.Program].
func (p *gpuThread) Failed() error { return p.err }

// Waits implements [host.Program].
func (p *gpuThread) Waits() string {
	text := fmt.Sprintf("waits for its neighbours; %d of %d operations done", p.node.operation, len(p.node.of.operations))
	if why := p.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (p *gpuThread) Step(t *host.Thread) {
	for !p.Done() && !t.Working() {
		switch {
		case p.node.failed != nil:
			p.fail(t, p.node.failed)
			return
		case p.later.due(t.Now()):
			e := p.later.take()
			if e.gpu == len(e.lane.gpus) {
				p.send(t, e.lane, e.m)
			} else {
				e.lane.take(t, e.gpu, e.m)
			}
			continue
		case p.begin(t):
			continue
		}
		a, ok, err := p.box.Next(t)
		switch {
		case err != nil:
			p.fail(t, fmt.Errorf("%w; %d of %d operations done", err, p.node.operation, len(p.node.of.operations)))
			return
		case !ok:
			return
		case a.Tag == gpuAbort:
			p.fail(t, errTold)
			return
		}
		for i := range p.ins {
			if p.ins[i].channel == a.From {
				p.came(t, p.ins[i].lane, a.Message)
			}
		}
	}
}

// begin begins the operation on a ring that has not begun it yet, if it is time to; it tells
// whether there was one.
func (p *gpuThread) begin(t *host.Thread) bool {
	if p.node.finished() || t.Now() < p.node.due {
		return false
	}
	for _, l := range p.lanes {
		if l.operation == p.node.operation {
			l.begin(t)
			return true
		}
	}
	return false
}

// came handles a message of a neighbour.
func (p *gpuThread) came(t *host.Thread, l *gpuLane, m host.Message) {
	if rate := p.node.of.Staging; rate > 0 {
		at := &p.node.stagedIn[p.rail]
		*at = max(*at, t.Now()) + rate.Serialise(int(m.Size))
		p.after(*at, l, 0, m)
		return
	}
	l.take(t, 0, m)
}

// after has something be over at a time.
func (p *gpuThread) after(at units.Time, l *gpuLane, gpu int, m host.Message) {
	p.later.add(at, gpuEvent{l, gpu, m})
	p.thread.CallAt(at)
}

// send sends to the next host.
func (p *gpuThread) send(t *host.Thread, l *gpuLane, m host.Message) {
	if err := p.box.Channel(l.out).Send(t, m); err != nil {
		p.fail(t, err)
	}
}

// fail ends the thread, and tells all others that it can reach.
func (p *gpuThread) fail(t *host.Thread, err error) {
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
		_ = p.box.Channel(i).Send(t, host.Message{Tag: gpuAbort})
	}
}

// gpuLane is a host's part of a ring.
type gpuLane struct {
	thread    *gpuThread
	number    int // of the ring, among all
	in, out   int // channels
	operation int // that it does next
	begun     bool
	data      units.Bytes
	pieces    int // of what each GPU has
	gpus      []gpuRank
	ended     int
	early     queue[host.Message] // for operations that it has not begun
}

// gpuRank is a GPU in a ring.
type gpuRank struct {
	sent, got int // messages
	values    []uint64
}

// begin begins an operation.
func (l *gpuLane) begin(t *host.Thread) {
	g := l.thread.node.of
	_, all := g.chain()
	l.data, l.pieces = g.share(g.operations[l.operation].size, l.number)
	l.ended, l.begun = 0, true
	operation := l.operation
	l.operation++
	for i := range l.gpus {
		values := l.gpus[i].values[:0]
		for k := range all * l.pieces {
			values = append(values, contribution(l.position(i), k, operation))
		}
		l.gpus[i] = gpuRank{values: values}
	}
	for i := range l.gpus {
		l.goOn(t, i)
	}
	for l.begun && l.gpus[0].got < l.messages() && l.early.len() > 0 {
		m, _ := l.early.pop()
		l.take(t, 0, m)
	}
}

// position is the place of a GPU in the whole ring.
func (l *gpuLane) position(gpu int) int { return l.thread.node.number*len(l.gpus) + gpu }

// messages is how many each GPU sends in an operation.
func (l *gpuLane) messages() int {
	_, all := l.thread.node.of.chain()
	return 2 * (all - 1) * l.pieces
}

// piece is the place of what the GPU at a position sends with its i-th message.
func (l *gpuLane) piece(position, i int) int {
	_, all := l.thread.node.of.chain()
	step := i / l.pieces
	first := position - step
	if step >= all-1 {
		first = position + 1 - (step - (all - 1))
	}
	first = (first%all + 2*all) % all
	return first*l.pieces + i%l.pieces
}

// pieceSize is how long a piece is.
func (l *gpuLane) pieceSize(piece int) units.Bytes {
	_, all := l.thread.node.of.chain()
	n := units.Bytes(all * l.pieces)
	size := l.data / n
	if units.Bytes(piece) < l.data%n {
		size++
	}
	return size
}

// goOn has a GPU send what it can: its own part, and what it has got.
func (l *gpuLane) goOn(t *host.Thread, gpu int) {
	r := &l.gpus[gpu]
	node := l.thread.node
	for r.sent < min(l.messages(), l.pieces+r.got) {
		piece := l.piece(l.position(gpu), r.sent)
		m := host.Message{Size: l.pieceSize(piece), Tag: uint32(piece), A: r.values[piece]}
		r.sent++
		switch {
		case gpu < len(l.gpus)-1:
			at := &node.nvFree[gpu]
			*at = max(*at, t.Now()) + node.of.NVLink.Serialise(int(m.Size))
			l.thread.after(*at+node.of.NVLinkDelay, l, gpu+1, m)
		case node.of.Staging > 0:
			at := &node.stagedOut[l.thread.rail]
			*at = max(*at, t.Now()) + node.of.Staging.Serialise(int(m.Size))
			l.thread.after(*at, l, len(l.gpus), m)
		default:
			l.thread.send(t, l, m)
		}
	}
}

// take has a GPU take what the one before it has sent.
func (l *gpuLane) take(t *host.Thread, gpu int, m host.Message) {
	_, all := l.thread.node.of.chain()
	r := &l.gpus[gpu]
	if gpu == 0 && (!l.begun || r.got == l.messages()) {
		l.early.push(m)
		return
	}
	piece := l.piece((l.position(gpu)-1+all)%all, r.got)
	if int(m.Tag) != piece {
		l.thread.fail(t, fmt.Errorf("piece %d has come in place of %d", m.Tag, piece))
		return
	}
	if r.got < (all-1)*l.pieces {
		m.A += r.values[piece]
	}
	r.values[piece] = m.A
	r.got++
	l.goOn(t, gpu)
	if r.got == l.messages() && r.sent == l.messages() {
		if l.ended++; l.ended == len(l.gpus) {
			l.end(t)
		}
	}
}

// end ends an operation: every GPU has the contributions of all.
func (l *gpuLane) end(t *host.Thread) {
	g := l.thread.node.of
	_, all := g.chain()
	for i := range l.gpus {
		for k, v := range l.gpus[i].values {
			if v != g.shares*uint64(2*k+1)+uint64(all)*uint64(l.operation-1) {
				l.thread.fail(t, fmt.Errorf("operation %d: piece %d does not have the contribution of every rank once", l.operation-1, k))
				return
			}
		}
	}
	l.begun = false
	l.thread.node.laneEnded(t.Now())
}

// aborted is which rank failed first, and why; nil if none has.
func (g *gpuCluster) aborted() (rank string, err error) {
	for _, n := range g.nodes {
		for _, t := range n.threads {
			if t.err != nil && !errors.Is(t.err, errTold) {
				return t.thread.Name() + " at " + n.name, t.err
			}
		}
	}
	return "", nil
}
