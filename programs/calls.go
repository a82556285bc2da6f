package programs

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Via is how a call is made.
type Via uint8

// The ways.
const (
	// BySend: requests and replies are SENDs, which take receive requests.
	BySend Via = iota
	// ByWriteImm: both are WRITEs with immediate: payload goes where the sender wants it, and
	// a receive request tells of it.
	ByWriteImm
	// ByRead: the client READs the reply out of the server's memory; nothing runs there.
	ByRead
)

// Ways are the words for them in scenarios, in their order.
var Ways = []string{"send", "write-imm", "read"}

// String is the word.
func (v Via) String() string { return Ways[v] }

// CallOptions are those of calls.
type CallOptions struct {
	Via            Via
	Connections    int // of each client, at least 1
	Outstanding    int // calls under way on each connection, at least 1
	Calls          int // on each connection, at least 1
	Request, Reply units.Bytes
	Think          units.Time // of the server for each call
	Threads        int        // of the server, at least 1
	Shared         bool       // the connections of a thread share a receive queue
	Receives       int        // posted on each connection, or shared by a thread; 0 for as many as calls can be under way
	Refill         int        // calls after which as many receive requests are posted again, at least 1
	MinRNR         int        // code of the RNR timer that the server asks for, 0 to 31
	RNRRetries     int        // 0 to 7, [rnic.Infinite]
	Events         bool       // threads sleep until there is a completion
	Start          units.Time
	Data           rnic.Class
	// Transport is how messages travel. Over TCP connections are those of sockets, calls are
	// messages both ways whatever Via says, and nothing is posted to receive them.
	Transport Transport
}

// Calls are remote procedure calls of clients to a server.
type Calls struct {
	CallOptions
	cluster *host.Cluster
	server  int
	clients []*caller
	servers []*callee
	memory  map[*rnic.NIC]*callMemory
	most    int // connections of all clients

	socketClients []*socketCaller
	socketServers []*socketCallee
}

// callMemory is what is registered at a NIC.
type callMemory struct {
	pd     memory.PD
	region *memory.Region
}

// NewCalls makes calls of clients to a server of a cluster, by their places in the graph's
// list of hosts. They run when the cluster does. It is an error if hosts cannot reach each
// other.
func NewCalls(c *host.Cluster, clients []int, server int, o CallOptions) (*Calls, error) {
	all := &Calls{
		CallOptions: o, cluster: c, server: server, memory: map[*rnic.NIC]*callMemory{}, most: o.Connections * len(clients),
	}
	if o.Transport == TCP {
		return all, all.makeOverTCP(clients)
	}
	if o.Via != ByRead {
		for i := range o.Threads {
			s := &callee{calls: all}
			s.thread = c.AddThread(server, s, all.thread(fmt.Sprintf("rpc server %d", i)))
			all.servers = append(all.servers, s)
		}
	}
	for _, client := range clients {
		cl := &caller{calling: calling{calls: all}}
		cl.thread = c.AddThread(client, cl, all.thread("rpc client"))
		all.clients = append(all.clients, cl)
		for k := range o.Connections {
			if err := all.join(cl, client, k); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range all.servers {
		if err := s.prepare(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (c *Calls) thread(name string) host.ThreadOptions {
	return host.ThreadOptions{Name: name, Start: c.Start, Events: c.Events}
}

// at is what is registered at a NIC: one buffer, in which all messages go.
func (c *Calls) at(n *rnic.NIC) (*callMemory, error) {
	if m := c.memory[n]; m != nil {
		return m, nil
	}
	m := &callMemory{pd: n.Memory().AllocPD()}
	var err error
	m.region, err = n.Memory().Register(m.pd, 1<<40, max(c.Request, c.Reply, 1),
		memory.LocalWrite|memory.RemoteWrite|memory.RemoteRead)
	c.memory[n] = m
	return m, err
}

// sendDepth leaves room for the calls under way and for those of which nobody has heard.
func (c *Calls) sendDepth() int { return 2 * max(c.Outstanding, 8) }

// join makes a connection of a client to the server thread whose turn it is.
func (c *Calls) join(cl *caller, client, k int) error {
	ends, err := c.cluster.Ends(client, c.server, k)
	if err != nil {
		return err
	}
	here, err := c.at(ends.A)
	if err != nil {
		return err
	}
	there, err := c.at(ends.B)
	if err != nil {
		return err
	}
	if cl.cq == nil {
		cl.cq = ends.A.CreateCQ(c.Connections*(c.sendDepth()+c.Outstanding), cl.thread)
	}
	init := rnic.QPInit{
		Service: rnic.RC, PD: here.pd, SendCQ: cl.cq, RecvCQ: cl.cq, SendDepth: c.sendDepth(), RecvDepth: c.Outstanding,
		MaxInline: inlineSend, Data: c.Data,
	}
	conn := &connection{number: k, qp: ends.A.CreateQP(init), local: here.region, remote: there.region}
	far := &connection{local: there.region, remote: here.region}
	init.PD = there.pd
	if c.Via == ByRead {
		cq := ends.B.CreateCQ(1, nil) // nothing ever completes there
		init.SendCQ, init.RecvCQ, init.RecvDepth = cq, cq, 1
	} else {
		s := c.servers[(len(c.clients)-1+k)%len(c.servers)]
		at := s.admit(ends.B, there.pd, &init)
		far.number = len(s.connections)
		s.connections = append(s.connections, far)
		at.ends[rnic.QPN(len(ends.B.QueuePairs()))] = far // the number that it gets next
	}
	far.qp = ends.B.CreateQP(init)
	cl.connections = append(cl.connections, conn)
	return connect(conn.qp, far.qp, settings{
		mtu: c.cluster.NIC.MTU, timeout: c.cluster.NIC.Timeout, retries: c.cluster.NIC.Retries,
		minRNR: c.MinRNR, rnrRetries: c.RNRRetries, baseRTT: ends.BaseRTT,
	})
}

// inlineSend is the payload that perftest posts inline with a SEND.
const inlineSend = 236

// connection is a queue pair, as one end has it.
type connection struct {
	number        int
	qp            *rnic.VerbsQP
	local, remote *memory.Region
	posted        []units.Time // when the calls under way were made
	begun         int
	sends         int
}

// message is a work request for a request or a reply. One in so many is heard of, so that
// the others' slots become free.
func (c *Calls) message(conn *connection, verb rnic.Verb, size units.Bytes) rnic.SendRequest {
	conn.sends++
	return rnic.SendRequest{
		ID: uint64(conn.number), Verb: verb, Local: rnic.Slice{Addr: conn.local.Start, Length: size, Key: conn.local.LKey},
		Remote: conn.remote.Start, RKey: conn.remote.RKey, Imm: uint32(conn.number),
		Inline: verb != rnic.Read && size <= inlineSend, Signalled: verb == rnic.Read || conn.sends%max(c.Outstanding, 8) == 0,
	}
}

func (c *Calls) verb() rnic.Verb { return [...]rnic.Verb{rnic.Send, rnic.WriteImm, rnic.Read}[c.Via] }

func (conn *connection) receive(size units.Bytes) rnic.RecvRequest {
	return rnic.RecvRequest{ID: uint64(conn.number), Local: rnic.Slice{Addr: conn.local.Start, Length: size, Key: conn.local.LKey}}
}

// calling is what a client has made of its calls.
type calling struct {
	calls      *Calls
	thread     *host.Thread
	begun      bool
	done       int
	took       []units.Time
	began, end units.Time
	err        error
}

func (c *calling) all() int { return c.calls.Connections * c.calls.CallOptions.Calls }

// Done implements [host.Program].
func (c *calling) Done() bool { return c.err != nil || c.done == c.all() }

// Failed implements [host.Program].
func (c *calling) Failed() error { return c.err }

// answered books a call that was made at a time.
func (c *calling) answered(t *host.Thread, posted units.Time) {
	c.took = append(c.took, t.Now()-posted)
	c.done++
	c.end = t.Now()
}

// caller is the program of a client: it keeps calls under way on each of its connections.
type caller struct {
	calling
	cq          *rnic.CQ
	connections []*connection
}

// Waits implements [host.Program].
func (c *caller) Waits() string {
	text := fmt.Sprintf("waits for replies; %d of %d calls done", c.done, c.all())
	for _, conn := range c.connections {
		if why := conn.qp.Cause(); why != "" {
			return text + fmt.Sprintf("; its queue pair %#x waits for %s", conn.qp.QPN(), why)
		}
	}
	return text
}

// Step implements [host.Program].
func (c *caller) Step(t *host.Thread) {
	if !c.begun {
		c.begun, c.began = true, t.Now()
		for _, conn := range c.connections {
			for range min(c.calls.Outstanding, c.calls.CallOptions.Calls) {
				c.call(t, conn)
			}
		}
	}
	for !c.Done() {
		w, ok := t.Poll(c.cq)
		switch {
		case !ok:
			t.Arm(c.cq)
			return
		case w.Status != rnic.Success:
			c.err = fmt.Errorf("%w; %d of %d calls done", failed(w), c.done, c.all())
			return
		case w.Verb == rnic.Send || w.Verb == rnic.WriteImm:
			continue // a request has got there; its reply counts
		}
		conn := c.connections[w.ID]
		c.answered(t, conn.posted[0])
		conn.posted = conn.posted[:copy(conn.posted, conn.posted[1:])]
		if conn.begun < c.calls.CallOptions.Calls {
			c.call(t, conn)
		}
	}
}

// call makes a call.
func (c *caller) call(t *host.Thread, conn *connection) {
	o := &c.calls.CallOptions
	conn.begun++
	conn.posted = append(conn.posted, t.Now())
	size := o.Request
	if o.Via == ByRead {
		size = o.Reply
	} else if err := t.Receive(conn.qp, conn.receive(o.Reply)); err != nil {
		c.err = err
	}
	if err := t.Post(conn.qp, c.calls.message(conn, c.calls.verb(), size)); err != nil && c.err == nil {
		c.err = fmt.Errorf("%w; %d of %d calls done", err, c.done, c.all())
	}
}

// callee is a thread of the server.
type callee struct {
	calls       *Calls
	thread      *host.Thread
	nics        []*served
	connections []*connection
	taken       []int // calls since receive requests were posted, by connection or at 0
	served      int
	err         error
}

// served are the queues of a thread at one NIC.
type served struct {
	nic  *rnic.NIC
	cq   *rnic.CQ
	srq  *rnic.SRQ
	ends map[uint32]*connection // by queue pair number
}

// admit adds what a queue pair of the thread at a NIC is made with.
func (s *callee) admit(n *rnic.NIC, pd memory.PD, init *rnic.QPInit) *served {
	i := slices.IndexFunc(s.nics, func(at *served) bool { return at.nic == n })
	if i < 0 {
		i = len(s.nics)
		at := &served{nic: n, cq: n.CreateCQ(s.calls.most*(s.calls.sendDepth()+s.calls.Outstanding), s.thread), ends: map[uint32]*connection{}}
		if s.calls.Shared {
			at.srq = n.CreateSRQ(pd, s.calls.receives(), 0, s.thread)
		}
		s.nics = append(s.nics, at)
	}
	at := s.nics[i]
	init.SendCQ, init.RecvCQ, init.SRQ, init.RecvDepth = at.cq, at.cq, at.srq, s.calls.receives()
	return at
}

// receives is how many receive requests are kept posted, on a connection or shared.
func (c *Calls) receives() int {
	switch {
	case c.Receives > 0:
		return c.Receives
	case c.Shared:
		return (c.most + len(c.servers) - 1) / len(c.servers) * c.Outstanding
	}
	return c.Outstanding
}

// prepare posts the receive requests that are there at the start.
func (s *callee) prepare() error {
	o := &s.calls.CallOptions
	s.taken = make([]int, len(s.connections))
	for _, at := range s.nics {
		if at.srq == nil {
			continue
		}
		for range s.calls.receives() {
			if err := at.srq.PostRecv(s.connections[0].receive(o.Request), 0); err != nil {
				return err
			}
		}
	}
	for _, conn := range s.connections {
		if o.Shared {
			break
		}
		for range s.calls.receives() {
			if err := conn.qp.PostRecv(conn.receive(o.Request), 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *callee) all() int { return len(s.connections) * s.calls.CallOptions.Calls }

// Done implements [host.Program].
func (s *callee) Done() bool { return s.err != nil || s.served == s.all() }

// Failed implements [host.Program].
func (s *callee) Failed() error { return s.err }

// Waits implements [host.Program].
func (s *callee) Waits() string {
	return fmt.Sprintf("waits for requests; %d of %d calls served", s.served, s.all())
}

// Step implements [host.Program].
func (s *callee) Step(t *host.Thread) {
	for !s.Done() {
		w, at, ok := s.poll(t)
		switch {
		case !ok:
			return
		case w.Status != rnic.Success:
			s.err = fmt.Errorf("%w; %d of %d calls served", failed(w), s.served, s.all())
			return
		case w.Verb == rnic.Recv || w.Verb == rnic.RecvWithImm:
			s.serve(t, at, at.ends[w.QPN])
		}
	}
}

// poll takes a completion of any NIC.
func (s *callee) poll(t *host.Thread) (w rnic.Completion, at *served, ok bool) {
	for _, at := range s.nics {
		if w, ok := t.Poll(at.cq); ok {
			return w, at, true
		}
	}
	for _, at := range s.nics {
		t.Arm(at.cq)
	}
	return rnic.Completion{}, nil, false
}

// serve answers a request.
func (s *callee) serve(t *host.Thread, at *served, conn *connection) {
	o := &s.calls.CallOptions
	s.served++
	t.Work(o.Think)
	taken := &s.taken[conn.number]
	if at.srq != nil {
		taken = &s.taken[0]
	}
	if *taken++; *taken >= o.Refill {
		for range *taken {
			var err error
			if at.srq != nil {
				err = t.ReceiveShared(at.srq, conn.receive(o.Request))
			} else {
				err = t.Receive(conn.qp, conn.receive(o.Request))
			}
			if err != nil {
				s.err = err
			}
		}
		*taken = 0
	}
	if err := t.Post(conn.qp, s.calls.message(conn, s.calls.verb(), o.Reply)); err != nil && s.err == nil {
		s.err = fmt.Errorf("%w; %d of %d calls served", err, s.served, s.all())
	}
}

// CallResult is what calls came to.
type CallResult struct {
	Clients, Calls int // calls that were answered
	Begun, Ended   units.Time
	// PerSecond are calls in a second from the first to the last.
	PerSecond float64
	// Min to Max are how long calls took, from the post of the request to the sight of the reply; 0 without any.
	Min, Mean, Median, P99, P999, Max units.Time
	// Client and Server are the processor time of all clients and all threads of the server; over
	// TCP that of kernels for their connections as well.
	Client, Server units.Time
	// Refused are messages that found no receive request, each time that they did.
	Refused uint64
}

// Result is what the calls have come to.
func (c *Calls) Result() CallResult {
	r := CallResult{Begun: units.Never}
	var took []units.Time
	add := func(cl *calling) {
		r.Clients++
		took = append(took, cl.took...)
		r.Client += cl.thread.Busy()
		if cl.begun {
			r.Begun = min(r.Begun, cl.began)
		}
		r.Ended = max(r.Ended, cl.end)
	}
	for _, cl := range c.clients {
		add(&cl.calling)
		for _, conn := range cl.connections {
			r.Refused += conn.qp.Counted.RNRNaks
		}
	}
	for _, cl := range c.socketClients {
		add(&cl.calling)
		r.Client += kernelTime(cl.sockets)
	}
	for _, s := range c.socketServers {
		r.Server += s.thread.Busy() + kernelTime(s.sockets)
	}
	for _, s := range c.servers {
		r.Server += s.thread.Busy()
		for _, conn := range s.connections {
			r.Refused += conn.qp.Counted.RNRNaks
		}
	}
	r.Calls = len(took)
	if r.Calls == 0 {
		return r
	}
	s := newSpread(took)
	r.Min, r.Mean, r.Median, r.P99, r.P999, r.Max = s.Min, s.Mean, s.Median, s.P99, s.P999, s.Max
	r.PerSecond = perSecond(r.Calls, r.Ended-r.Begun)
	return r
}

// Server is the name of the host that is called.
func (c *Calls) Server() string { return hostName(c.cluster, c.server) }

func hostName(c *host.Cluster, i int) string { return c.Net.Graph.Nodes[c.Net.Graph.Hosts()[i]].Name }
