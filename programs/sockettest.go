package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// makeOverTCP makes the test over sockets: each queue pair is a connection that stands before
// it runs, and what an adapter would do at the other end, a thread does there.
//
//   - Latency is that of a message and of the one that answers it: as long for WRITE and SEND,
//     what was asked for for READ, 8 bytes for atomics. It is measured as over RDMA, from the
//     call that sends to the next.
//   - A stream has TxDepth messages under way on each connection of which it has not heard.
//     The other end says when it has read half as many, in a message of 4 bytes: that is the
//     completion. READs complete by their answers. PostList messages go to the kernel in one
//     system call.
//   - Where both ends send, either direction has threads and connections of its own.
func (p *Perftest) makeOverTCP(c *host.Cluster, client, server int) error {
	p.mtu = int(c.SocketMTU())
	p.client, p.server = end{test: p, role: "client"}, end{test: p, role: "server"}
	asks, answers, err := p.direction(c, client, server, &p.client, &p.server)
	if err != nil {
		return err
	}
	p.clientSide, p.serverLoads = asks, answers.measuredLoads
	if !p.Bidirectional {
		return nil
	}
	asksBack, answersBack, err := p.direction(c, server, client, &p.server, &p.client)
	if err != nil {
		return err
	}
	p.serverSide, p.clientLoads = asksBack, answersBack.measuredLoads
	p.serverLoads = func() []Load { return sumLoads(answers.loads, asksBack.measuredLoads) }
	return nil
}

// direction makes the two threads of a test that measure one direction, and joins them.
func (p *Perftest) direction(c *host.Cluster, from, to int, a, b *end) (*socketAsker, *socketAnswerer, error) {
	asks := &socketAsker{meter: meter{end: a}, links: map[*host.Socket]*socketLink{}}
	answers := &socketAnswerer{meter: meter{end: b}, links: map[*host.Socket]*socketLink{}}
	run := func(at int, program host.Program, role string) *host.Thread {
		return c.AddThread(at, program, host.ThreadOptions{Name: p.Test.String() + " " + role, Start: p.Start, Events: !c.SpinsOnSockets()})
	}
	here, there := run(from, asks, a.role), run(to, answers, b.role)
	for range p.QPs {
		s, peer, err := c.Pair(here, there, host.SocketOptions{Class: p.Data})
		if err != nil {
			return nil, nil, err
		}
		link := &socketLink{Socket: s}
		asks.all, asks.links[s] = append(asks.all, link), link
		answers.links[peer] = &socketLink{Socket: peer}
		asks.sockets, answers.sockets = append(asks.sockets, s), append(answers.sockets, peer)
	}
	return asks, answers, nil
}

// socketLink is a connection of a test, as one end has it.
type socketLink struct {
	*host.Socket
	sent, done int // messages of the present size
	pending    int // read, and not yet confirmed
	queued     bool
}

// socketAsker is the end of a test that measures.
type socketAsker struct {
	meter
	links     map[*host.Socket]*socketLink
	all       []*socketLink
	room      queue[*socketLink] // that may have more under way
	total     int                // complete, of all connections
	posted    []units.Time
	completed []completed
}

// Step implements [host.Program].
func (a *socketAsker) Step(t *host.Thread) {
	for !a.Done() {
		if t.Working() || !a.begin(t) {
			return
		}
		if a.total == 0 && len(a.posted) == 0 {
			for _, l := range a.all {
				a.queue(l)
			}
		}
		if !a.hear(t) && !a.post(t) {
			return
		}
	}
}

func (a *socketAsker) queue(l *socketLink) {
	if !l.queued && l.sent < a.test.Iterations {
		l.queued = true
		a.room.push(l)
	}
}

// messages is the number of messages of a size.
func (a *socketAsker) messages() int { return a.test.Iterations * a.test.QPs }

// times tells whether the times of all messages are kept; see [stream].
func (a *socketAsker) times() bool {
	return a.test.Test.MeasuresLatency() || a.messages() <= peakIterations
}

// post sends a batch on the next connection that may have more under way.
func (a *socketAsker) post(t *host.Thread) bool {
	o := &a.test.Options
	for range a.room.len() {
		l, _ := a.room.pop()
		l.queued = false
		n := min(o.PostList, o.Iterations-l.sent)
		if l.sent+n > l.done+o.TxDepth {
			continue // until it has heard
		}
		if l.Unsent() > 0 {
			a.queue(l)
			continue
		}
		for range n {
			if a.times() || len(a.posted) == 0 {
				a.posted = append(a.posted, t.Now())
			}
		}
		l.sent += n
		t.Send(l.Socket, a.message(n))
		a.queue(l)
		return true
	}
	return false
}

// message is a batch of messages. A is their size, for whoever answers.
func (a *socketAsker) message(n int) host.Message {
	size := a.current()
	each := size
	switch a.test.Test {
	case ReadLat, ReadBW:
		each = readRequest
	case AtomicLat:
		each = atomicRequest
	}
	return host.Message{Size: each * units.Bytes(n), Tag: uint32(n), A: uint64(size)}
}

// hear takes an answer.
func (a *socketAsker) hear(t *host.Thread) bool {
	s, ok := t.Ready()
	if !ok {
		return false
	}
	if err := s.Failed(); err != nil {
		a.fail(err, a.total, a.messages())
		return true
	}
	m, ok := t.Recv(s)
	if !ok {
		return t.Working()
	}
	l := a.links[s]
	l.done += int(m.Tag)
	a.total += int(m.Tag)
	a.queue(l)
	if a.test.Test.MeasuresLatency() {
		if a.total == a.messages() {
			latency := NewLatency(a.posted, a.test.Test.roundTrip())
			a.over(t, Result{Latency: &latency})
		}
		return true
	}
	if !a.times() {
		a.completed = a.completed[:0]
	}
	a.completed = append(a.completed, completed{a.total, t.Now()})
	if a.total == a.messages() {
		bandwidth := newBandwidth(a.current(), a.posted, a.completed)
		a.over(t, Result{Bandwidth: &bandwidth})
	}
	return true
}

// over ends a size.
func (a *socketAsker) over(t *host.Thread, r Result) {
	r.Size, r.Iterations, r.Begun, r.Ended, r.Client = a.current(), a.total, a.posted[0], t.Now(), a.load(t)
	a.results = append(a.results, r)
	a.total, a.posted, a.completed = 0, a.posted[:0], a.completed[:0]
	for _, l := range a.all {
		l.sent, l.done = 0, 0
	}
	a.finish(t)
	a.pauseBefore(t)
}

// Waits implements [host.Program].
func (a *socketAsker) Waits() string {
	return a.waits("an answer of the other end"+socketCause(a.sockets), a.total, a.messages())
}

// socketCause is what the first connection that waits for anything waits for, after a semicolon.
func socketCause(sockets []*host.Socket) string {
	for i, s := range sockets {
		if why := s.Endpoint().Cause(); why != "" {
			return fmt.Sprintf(", and connection %d for %s", i, why)
		}
	}
	return ""
}

// socketAnswerer is the other end.
type socketAnswerer struct {
	meter
	links map[*host.Socket]*socketLink
	got   int // of all connections
}

// Step implements [host.Program].
func (a *socketAnswerer) Step(t *host.Thread) {
	for !a.Done() && !t.Working() {
		a.begin(t)
		s, ok := t.Ready()
		if !ok {
			return
		}
		if err := s.Failed(); err != nil {
			a.fail(err, a.got, a.messages())
			return
		}
		if m, ok := t.Recv(s); ok {
			a.answer(t, a.links[s], m)
		}
	}
}

func (a *socketAnswerer) messages() int { return a.test.Iterations * a.test.QPs }

// answer answers a batch of messages.
func (a *socketAnswerer) answer(t *host.Thread, l *socketLink, m host.Message) {
	n := int(m.Tag)
	switch a.test.Test {
	case WriteLat, SendLat:
		t.Send(l.Socket, host.Message{Size: m.Size, Tag: m.Tag})
	case ReadLat, ReadBW:
		t.Send(l.Socket, host.Message{Size: units.Bytes(m.A) * units.Bytes(n), Tag: m.Tag})
	case AtomicLat:
		t.Send(l.Socket, host.Message{Size: atomicAnswer, Tag: m.Tag})
	default:
		l.done += n
		if l.pending += n; l.pending >= max(1, a.test.TxDepth/2) || l.done == a.test.Iterations {
			t.Send(l.Socket, host.Message{Size: confirmation, Tag: uint32(l.pending)})
			l.pending = 0
		}
	}
	if a.got += n; a.got == a.messages() {
		a.got = 0
		for _, s := range a.sockets {
			a.links[s].done = 0
		}
		a.finish(t)
	}
}

// Waits implements [host.Program].
func (a *socketAnswerer) Waits() string {
	return a.waits("messages of the other end"+socketCause(a.sockets), a.got, a.messages())
}
