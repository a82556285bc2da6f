package programs

import (
	"cmp"
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Reuse is what a client of [ShortLived] uses again.
type Reuse uint8

// What may be used again.
const (
	// ReuseNothing: each session has a new queue pair and a new connection.
	ReuseNothing Reuse = iota
	// ReuseQueuePairs: queue pairs are made before, at both ends, and used again when their
	// numbers have rested; connections are new.
	ReuseQueuePairs
	// ReuseConnections: all sessions of a client go over one connection.
	ReuseConnections
)

// String is how scenarios spell it.
func (r Reuse) String() string { return [...]string{"nothing", "queue-pairs", "connections"}[r] }

// ShortLivedOptions are those of a test of short connections.
type ShortLivedOptions struct {
	Clients  []int // hosts; several of one host are threads of it
	Server   int   // the host to which they connect
	Sessions int   // of each client, one after the other
	Requests int   // of each session, each of which waits for the answer to the one before
	// RequestSize and AnswerSize are payloads of SENDs.
	RequestSize, AnswerSize units.Bytes
	Reuse                   Reuse
	Pool                    int // queue pairs at each client, and for each at the server, with ReuseQueuePairs
	// Register has either end register a buffer of this size for each connection, 0 for one
	// buffer that is registered before; Registration is what that takes its processor.
	Register     units.Bytes
	Registration memory.Registration
	// Open is what a client takes to open its device, once, before its first session.
	Open  units.Time
	Start units.Time
	Data  rnic.Class
	// Transport is how messages travel. Over TCP sessions are connections of sockets, opened and
	// closed by system calls; nothing is registered or opened, and queue pairs to use again there
	// are none.
	Transport Transport
	// Beside has each client do the same over TCP when it has done with RDMA, for comparison.
	Beside bool
	// DataTCP is the class of what goes over TCP.
	DataTCP rnic.Class
}

// Check finds options that cannot be. Errors are *[units.FieldError] with keys as scenarios
// spell them.
func (o *ShortLivedOptions) Check() error {
	switch {
	case o.Sessions < 1:
		return units.Field("sessions", o.Sessions, "nothing to do", "at least 1")
	case o.Requests < 1:
		return units.Field("requests", o.Requests, "nothing to do", "at least 1")
	case o.RequestSize < 1 || o.RequestSize > units.GiB:
		return units.Field("request_size", o.RequestSize, "not the size of a message", "1B to 1GiB")
	case o.AnswerSize < 1 || o.AnswerSize > units.GiB:
		return units.Field("answer_size", o.AnswerSize, "not the size of a message", "1B to 1GiB")
	}
	return nil
}

// ShortLived is clients that connect to a server, send it some requests, get the answers
// and disconnect, again and again.
type ShortLived struct {
	ShortLivedOptions
	names    []string // of the clients
	rtts     []units.Time
	server   string
	clients  []*visitor
	overTCP  []*socketVisitor // beside them, or in their place
	acceptor *host.Acceptor   // of these
}

// Session is what one session of a client took, from one instant to the next.
type Session struct {
	Begun     units.Time // the client wants to connect
	Connected units.Time // it may send
	Answered  units.Time // it has its last answer
	Ended     units.Time // the connection is over, or given back
}

// firstService is that of the first test of a run; each has its own.
const firstService = 18515 // the port on which perftest listens

// NewShortLived makes a test of short connections on a cluster. It runs when the cluster
// does. It is an error if the hosts cannot reach each other, or if options are such as
// [ShortLivedOptions.Check] refuses.
func NewShortLived(c *host.Cluster, o ShortLivedOptions) (*ShortLived, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	s := &ShortLived{ShortLivedOptions: o, server: nameOf(c, o.Server)}
	if o.Transport == TCP || o.Beside {
		s.openDoor(c)
	}
	if o.Transport == TCP {
		for i := range o.Clients {
			if err := s.addOverTCP(c, i, nil); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	service := uint64(firstService + len(c.Threads))
	receptionists := map[*rnic.NIC]*receptionist{} // a server has one for each NIC
	for i, at := range o.Clients {
		ends, err := c.Acquaint(at, o.Server, i)
		if err != nil {
			return nil, err
		}
		a := receptionists[ends.B]
		if a == nil {
			a = &receptionist{party: party{test: s, nic: ends.B, base: uint64(len(c.Threads)) << 36}, open: map[uint32]*rnic.VerbsQP{}, early: map[uint32]bool{}}
			receptionists[ends.B] = a
			a.thread = c.AddThread(o.Server, a, host.ThreadOptions{Name: "short-connections server", Start: o.Start})
			if err := a.prepare(); err != nil {
				return nil, err
			}
			a.events = a.thread.Connections()
			a.nic.Listen(service, a.events)
		}
		k := &visitor{party: party{test: s, nic: ends.A, base: uint64(len(c.Threads)) << 36}, to: ends.B.Endpoint(), service: service}
		k.thread = c.AddThread(at, k, host.ThreadOptions{Name: "short-connections client", Start: o.Start})
		if err := k.prepare(); err != nil {
			return nil, err
		}
		k.events = k.thread.Connections()
		if o.Reuse == ReuseQueuePairs {
			k.fillPool(o.Pool)
			a.fillPool(o.Pool)
		}
		a.left += k.connections()
		s.clients, s.names, s.rtts = append(s.clients, k), append(s.names, nameOf(c, at)), append(s.rtts, ends.BaseRTT)
		if o.Beside {
			if err := s.addOverTCP(c, i, k); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func nameOf(c *host.Cluster, at int) string { return c.Net.Graph.Nodes[c.Net.Graph.Hosts()[at]].Name }

// Server is the name of the server.
func (s *ShortLived) Server() string { return s.server }

// Client is the name of the host of a client.
func (s *ShortLived) Client(i int) string { return s.names[i] }

// BaseRTT is the round trip of a full packet from a client through the empty network.
func (s *ShortLived) BaseRTT(client int) units.Time { return s.rtts[client] }

// SessionsOf a client are those that have ended.
func (s *ShortLived) SessionsOf(client int) []Session {
	if s.Transport == TCP {
		return s.overTCP[client].sessions
	}
	return s.clients[client].sessions
}

// SessionsBeside are those of a client over TCP that have ended, with Beside.
func (s *ShortLived) SessionsBeside(client int) []Session {
	if s.Transport == TCP || !s.Beside {
		return nil
	}
	return s.overTCP[client].sessions
}

// party is one end of short connections.
type party struct {
	test   *ShortLived
	nic    *rnic.NIC
	thread *host.Thread
	events *host.Connections
	base   uint64
	pd     memory.PD
	buffer *memory.Region
	cq     *rnic.CQ
	made   map[*rnic.VerbsQP]bool // queue pairs that were made before; others are the NIC's
	pool   []*rnic.VerbsQP        // those of them that are not in use
	err    error
}

// completionsAhead is the depth of a party's completion queue: enough for what is flushed
// when many connections end.
const completionsAhead = 1 << 16

func (p *party) prepare() (err error) {
	p.pd = p.nic.Memory().AllocPD()
	p.buffer, err = p.nic.Memory().Register(p.pd, p.base, max(p.test.RequestSize, p.test.AnswerSize), memory.LocalWrite)
	p.cq = p.nic.CreateCQ(completionsAhead, p.thread)
	return err
}

// Failed implements [host.Program].
func (p *party) Failed() error { return p.err }

// init is what the party's queue pairs are made with.
func (p *party) init() rnic.QPInit {
	return rnic.QPInit{Service: rnic.RC, PD: p.pd, SendCQ: p.cq, RecvCQ: p.cq, SendDepth: 4, RecvDepth: 4, Data: p.test.Data}
}

func (p *party) fillPool(n int) {
	if p.made == nil {
		p.made = map[*rnic.VerbsQP]bool{}
	}
	for range n {
		q := p.nic.CreateQP(p.init())
		p.made[q] = true
		p.pool = append(p.pool, q)
	}
}

// queuePair is what the party wants to connect with; of a pool that is empty it makes a new
// one.
func (p *party) queuePair(receive units.Bytes) rnic.ConnectionQP {
	const infinite, soon = rnic.Infinite, 1 // an RNR NAK asks to wait for 10 us
	q := rnic.ConnectionQP{
		Init: p.init(), Reads: 1, Serves: 1, RNRRetries: infinite, MinRNR: soon,
		Receives: []rnic.RecvRequest{p.receive(receive)},
	}
	if n := len(p.pool); n > 0 {
		q.Use = p.pool[0]
		copy(p.pool, p.pool[1:])
		p.pool = p.pool[:n-1]
	}
	return q
}

func (p *party) receive(size units.Bytes) rnic.RecvRequest {
	return rnic.RecvRequest{Local: rnic.Slice{Addr: p.buffer.Start, Length: size, Key: p.buffer.LKey}}
}

// released takes a queue pair of the pool back.
func (p *party) released(c *rnic.Connection) {
	if p.made[c.QP] {
		p.pool = append(p.pool, c.QP)
	}
}

// register registers a buffer for a connection, if that is asked for.
func (p *party) register() {
	if size := p.test.Register; size > 0 {
		p.thread.Work(p.test.Registration.Time(size))
	}
}

// visitorStage is what a client does next.
type visitorStage uint8

const (
	visitorOpens visitorStage = iota
	visitorRegisters
	visitorConnects
	visitorWaits // for the connection
	visitorAsks
	visitorListens // for an answer
	visitorParts
	visitorLeaves // waits for the connection's end
)

// visitor is a client of short connections.
type visitor struct {
	party
	to       int32
	service  uint64
	stage    visitorStage
	connect  *rnic.Connection
	asked    int // requests of the session
	present  Session
	sessions []Session
	next     *socketVisitor // begins when it has ended
}

// connections is how many it will open.
func (k *visitor) connections() int { return k.test.connections() }

// connections is how many each client opens.
func (o *ShortLivedOptions) connections() int {
	if o.Reuse == ReuseConnections {
		return 1
	}
	return o.Sessions
}

// Done implements [host.Program].
func (k *visitor) Done() bool { return k.err != nil || len(k.sessions) == k.test.Sessions }

// Waits implements [host.Program].
func (k *visitor) Waits() string {
	what := "an answer"
	switch k.stage {
	case visitorWaits, visitorLeaves:
		what = fmt.Sprintf("its connection to %s, which is %v", k.test.server, k.connect.State())
	}
	return fmt.Sprintf("waits for %s; %d of %d sessions done", what, len(k.sessions), k.test.Sessions)
}

// Step implements [host.Program].
func (k *visitor) Step(t *host.Thread) {
	for !k.Done() && k.advance(t) {
	}
	if k.next != nil && k.Done() {
		k.next.thread.CallAt(t.Now())
		k.next.waits, k.next = false, nil
	}
}

// advance takes one step, and tells whether there may be another one now.
func (k *visitor) advance(t *host.Thread) bool {
	switch k.stage {
	case visitorOpens:
		t.Work(k.test.Open)
		k.stage = visitorRegisters
		k.begin(t)
	case visitorRegisters:
		if t.Working() {
			return false
		}
		if k.connect != nil { // it is used again
			k.present.Connected = t.Now()
			k.stage = visitorAsks
			return true
		}
		k.register()
		k.stage = visitorConnects
	case visitorConnects:
		if t.Working() {
			return false
		}
		k.takeBack()
		k.connect, k.err = k.events.Connect(k.nic, k.to, k.service, k.queuePair(k.test.AnswerSize), nil)
		k.stage = visitorWaits
	case visitorWaits, visitorLeaves:
		return k.hear(t)
	case visitorAsks:
		if t.Working() {
			return false
		}
		k.err = t.Post(k.connect.QP, rnic.SendRequest{
			Verb: rnic.Send, Local: rnic.Slice{Addr: k.buffer.Start, Length: k.test.RequestSize, Key: k.buffer.LKey},
			Signalled: true,
		})
		k.asked++
		k.stage = visitorListens
	case visitorListens:
		return k.listen(t)
	case visitorParts:
		if t.Working() {
			return false
		}
		k.err = k.events.Disconnect(k.connect)
		k.stage = visitorLeaves
	}
	return true
}

// begin begins a session.
func (k *visitor) begin(t *host.Thread) { k.present, k.asked = Session{Begun: t.Now()}, 0 }

// hear takes an event of a connection.
func (k *visitor) hear(t *host.Thread) bool {
	c, e, ok := k.events.Next()
	if !ok {
		return false
	}
	switch e.Kind {
	case rnic.ConnectionEstablished:
		k.present.Connected = t.Now()
		k.stage = visitorAsks
	case rnic.ConnectionEnded:
		if c == k.connect && k.stage == visitorLeaves {
			k.connect = nil
			k.over(t)
		} else {
			k.err = fmt.Errorf("the server has ended the connection")
		}
	case rnic.ConnectionReleased:
		k.released(c)
	case rnic.ConnectionRefused:
		if e.Reason == rdmacm.Stale { // the server still knows of a connection with that number
			k.connect, k.stage = nil, visitorConnects
			return true
		}
		fallthrough
	default:
		k.err = fmt.Errorf("no connection to %s: %v, %v", k.test.server, e.Kind, e.Reason)
	}
	return true
}

// listen takes a completion: that of a request that was sent, or an answer.
func (k *visitor) listen(t *host.Thread) bool {
	c, ok := t.Poll(k.cq)
	switch {
	case !ok:
		return false
	case c.QPN != k.connect.QP.QPN() || c.Status == rnic.FlushError:
		return true // of an earlier connection
	case c.Status != rnic.Success:
		k.err = failed(c)
		return true
	case c.Verb != rnic.Recv:
		return true
	}
	if k.asked < k.test.Requests || k.test.Reuse == ReuseConnections {
		k.err = t.Receive(k.connect.QP, k.receive(k.test.AnswerSize))
	}
	k.stage = visitorAsks
	if k.asked < k.test.Requests {
		return true
	}
	k.present.Answered = t.Now()
	if k.test.Reuse == ReuseConnections && len(k.sessions)+1 < k.test.Sessions {
		k.over(t)
		return true
	}
	k.stage = visitorParts
	return true
}

// takeBack takes back queue pairs that have rested while the client was busy.
func (k *visitor) takeBack() {
	for {
		c, e, ok := k.events.Next()
		switch {
		case !ok:
			return
		case e.Kind == rnic.ConnectionReleased:
			k.released(c)
		default:
			k.err = fmt.Errorf("a connection is %v that was over", e.Kind)
		}
	}
}

// over ends a session, and begins the next.
func (k *visitor) over(t *host.Thread) {
	k.present.Ended = t.Now()
	k.sessions = append(k.sessions, k.present)
	k.stage = visitorRegisters
	k.begin(t)
}

// receptionist is the server of short connections at one of its NICs.
type receptionist struct {
	party
	left    int // connections that will come
	open    map[uint32]*rnic.VerbsQP
	early   map[uint32]bool    // queue pairs with a request that came before the connection was known to stand
	pending []*rnic.Connection // to be accepted when their buffers are registered
}

// Done implements [host.Program].
func (a *receptionist) Done() bool { return a.err != nil || a.left == 0 }

// Waits implements [host.Program].
func (a *receptionist) Waits() string {
	return fmt.Sprintf("waits for requests and connections; %s to come or to end", countOf(a.left, "connection"))
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Step implements [host.Program].
func (a *receptionist) Step(t *host.Thread) {
	for !a.Done() {
		switch {
		case t.Working():
			return
		case len(a.pending) > 0:
			a.accept()
		case a.hear(t), a.take(t):
		default:
			return
		}
	}
}

// accept accepts the connection for which a buffer has been registered.
func (a *receptionist) accept() {
	c := a.pending[0]
	a.pending = a.pending[1:]
	a.err = a.events.Accept(c, a.queuePair(a.test.RequestSize), nil)
}

// hear takes an event of a connection.
func (a *receptionist) hear(t *host.Thread) bool {
	c, e, ok := a.events.Next()
	if !ok {
		return false
	}
	switch e.Kind {
	case rnic.ConnectionAsked:
		a.register()
		a.pending = append(a.pending, c)
	case rnic.ConnectionEstablished:
		a.open[c.QP.QPN()] = c.QP
		if a.early[c.QP.QPN()] {
			delete(a.early, c.QP.QPN())
			a.answer(t, c.QP)
		}
	case rnic.ConnectionEnded, rnic.ConnectionUnreachable, rnic.ConnectionRefused:
		if e.Kind == rnic.ConnectionEnded {
			a.left--
			delete(a.open, c.QP.QPN())
		}
	case rnic.ConnectionReleased:
		a.released(c)
	}
	return true
}

// take takes a completion: a request, or an answer that was sent.
func (a *receptionist) take(t *host.Thread) bool {
	c, ok := t.Poll(a.cq)
	switch qp := a.open[c.QPN]; {
	case !ok:
		return false
	case c.Verb != rnic.Recv || c.Status != rnic.Success:
	case qp == nil:
		a.early[c.QPN] = true
	default:
		a.answer(t, qp)
	}
	return true
}

// answer answers a request.
func (a *receptionist) answer(t *host.Thread, qp *rnic.VerbsQP) {
	a.err = cmp.Or(t.Receive(qp, a.receive(a.test.RequestSize)), t.Post(qp, rnic.SendRequest{
		Verb: rnic.Send, Local: rnic.Slice{Addr: a.buffer.Start, Length: a.test.AnswerSize, Key: a.buffer.LKey}, Signalled: true,
	}))
}
