package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Pause is the time between two sizes, in which perftest's ends tell each other that they are
// done.
const Pause = 10 * units.Microsecond

// Perftest is one test between two hosts. Its options are complete.
type Perftest struct {
	Options
	clientName, serverName string
	mtu                    int
	client, server         end
	clientSide, serverSide measurer      // serverSide is nil but in bidirectional tests
	serverLoads            func() []Load // nil where nothing runs at the server
	clientLoads            func() []Load // of what runs at the client beside what measures; nil if nothing does
}

// measurer is a program that measures.
type measurer interface {
	host.Program
	measured() []Result
}

// NICs are those of the client and of the server; nil over TCP, where connections may use any.
func (p *Perftest) NICs() (client, server *rnic.NIC) { return p.client.nic, p.server.nic }

// New makes a test between two hosts of a cluster, by their places in the graph's list. It
// runs when the cluster does. It is an error if the hosts cannot reach each other, or if
// options are such as [Options.Check] refuses.
func New(c *host.Cluster, client, server int, o Options) (*Perftest, error) {
	mtu := units.Bytes(c.NIC.MTU)
	o = o.withDefaults(mtu)
	if err := o.Check(mtu); err != nil {
		return nil, err
	}
	p := &Perftest{
		Options: o, mtu: c.NIC.MTU,
		clientName: hostName(c, client), serverName: hostName(c, server),
	}
	if o.Transport == TCP {
		return p, p.makeOverTCP(c, client, server)
	}
	ends, err := c.Ends(client, server, 0)
	if err != nil {
		return nil, err
	}
	p.client = end{test: p, role: "client", nic: ends.A}
	p.server = end{test: p, role: "server", nic: ends.B}
	p.start(c, client, server)
	base := uint64(len(c.Threads)) << 36
	for _, e := range []*end{&p.client, &p.server} {
		if err := e.allocate(base); err != nil {
			return nil, err
		}
	}
	p.client.remote, p.server.remote = p.server.local, p.client.local
	s := settings{mtu: c.NIC.MTU, timeout: c.NIC.Timeout, retries: c.NIC.Retries, minRNR: minRNRTimer, rnrRetries: rnic.Infinite, baseRTT: ends.BaseRTT}
	for range o.QPs {
		if err := connect(p.client.createQP(), p.server.createQP(), s); err != nil {
			return nil, err
		}
	}
	p.client.meet(&p.server)
	p.server.meet(&p.client)
	return p, p.prepare()
}

// start makes the programs of both ends and their threads.
func (p *Perftest) start(c *host.Cluster, client, server int) {
	run := func(at int, program host.Program, role string) *host.Thread {
		return c.AddThread(at, program, host.ThreadOptions{Name: p.Test.String() + " " + role, Start: p.Start, Events: p.Events})
	}
	switch p.Test {
	case WriteLat, SendLat:
		asks, answers := &pingpong{meter: meter{end: &p.client}, begins: true}, &pingpong{meter: meter{end: &p.server}}
		p.clientSide, p.serverLoads = asks, func() []Load { return answers.loads }
		p.client.sender = run(client, asks, "client")
		p.server.sender = run(server, answers, "server")
		p.client.receiver, p.server.receiver = p.client.sender, p.server.sender
		return
	case ReadLat, AtomicLat:
		asks := &asker{meter: meter{end: &p.client}}
		p.clientSide = asks
		p.client.sender = run(client, asks, "client")
		return
	}
	sends := &stream{meter: meter{end: &p.client}}
	p.clientSide = sends
	p.client.sender = run(client, sends, "client")
	if p.Bidirectional {
		back := &stream{meter: meter{end: &p.server}}
		p.serverSide, p.serverLoads = back, func() []Load { return back.loads }
		p.server.sender = run(server, back, "server")
	}
	if p.Test == SendBW {
		takes := &sink{meter: meter{end: &p.server}}
		p.server.receiver = run(server, takes, "server")
		sent := p.serverLoads
		p.serverLoads = func() []Load { return sumLoads(takes.loads, sent) }
		if p.Bidirectional {
			p.client.receiver = run(client, &sink{meter: meter{end: &p.client}}, "client")
		}
	}
}

// sumLoads adds what another program of the same end took, if there is one.
func sumLoads(a []Load, more func() []Load) []Load {
	if more == nil {
		return a
	}
	b := more()
	sum := make([]Load, min(len(a), len(b)))
	for i := range sum {
		sum[i] = a[i].plus(b[i])
	}
	return sum
}

// prepare posts the receives that are there before anything is sent, as perftest does, and
// has latency tests of WRITE look at memory.
func (p *Perftest) prepare() error {
	for _, e := range []*end{&p.client, &p.server} {
		if p.Test == WriteLat {
			e.watch = e.sender.Watch(e.nic, e.local.Start, p.largest())
		}
		if !p.Test.sends() || e.receiver == nil {
			continue
		}
		for qp := range e.qps {
			for range min(p.RxDepth, e.receivesLeft(qp)) {
				e.received[qp]++
				if err := e.qps[qp].PostRecv(e.receive(qp), 0); err != nil {
					return fmt.Errorf("receives of %v: %w", p.Test, err)
				}
			}
		}
	}
	return nil
}

// Client is the name of the host that measures.
func (p *Perftest) Client() string { return p.clientName }

// Connection is the service of its queue pairs, or tcp.
func (p *Perftest) Connection() string {
	if p.Transport == TCP {
		return "tcp"
	}
	return p.Service.String()
}

// Server is the name of the other one.
func (p *Perftest) Server() string { return p.serverName }

// Results are what it measured, one for each size that it came to the end of.
func (p *Perftest) Results() []Result {
	results := p.clientSide.measured()
	var loads []Load
	if p.serverLoads != nil {
		loads = p.serverLoads()
	}
	if p.serverSide != nil {
		back := p.serverSide.measured()
		results = results[:min(len(results), len(back))]
		for i := range results {
			both := *results[i].Bandwidth
			both.Peak += back[i].Bandwidth.Peak
			both.Average += back[i].Bandwidth.Average
			both.MessageRate += back[i].Bandwidth.MessageRate
			results[i].Bandwidth = &both
		}
	}
	var more []Load
	if p.clientLoads != nil {
		more = p.clientLoads()
	}
	for i := range results {
		if i < len(loads) {
			results[i].Server = loads[i]
		}
		if i < len(more) {
			results[i].Client = results[i].Client.plus(more[i])
		}
	}
	return results
}

// end is one end of a test: its queue pairs and its memory.
type end struct {
	test             *Perftest
	role             string
	nic              *rnic.NIC
	sender, receiver *host.Thread // nil where nothing runs
	pd               memory.PD
	local, remote    *memory.Region
	qps              []*rnic.VerbsQP
	sendCQ, recvCQ   *rnic.CQ
	to               []*rnic.AddressHandle // of datagrams, by queue pair
	received         []int                 // receives posted so far, by queue pair
	watch            *host.Watch
}

// allocate makes the memory and the completion queues of an end.
func (e *end) allocate(base uint64) (err error) {
	p := e.test
	space := e.nic.Memory()
	e.pd = space.AllocPD()
	length := max(p.largest()+greeting, 4*units.KiB)
	e.local, err = space.Register(e.pd, base, length, memory.LocalWrite|memory.RemoteWrite|memory.RemoteRead|memory.RemoteAtomic)
	if err != nil {
		return err
	}
	e.sendCQ = e.nic.CreateCQ(p.TxDepth*p.QPs, listener(e.sender))
	e.recvCQ = e.nic.CreateCQ(p.RxDepth*p.QPs, listener(e.receiver))
	return nil
}

// listener is a thread as whoever it is that waits, or nobody.
func listener(t *host.Thread) rnic.Listener {
	if t == nil {
		return nil
	}
	return t
}

func (e *end) createQP() *rnic.VerbsQP {
	p := e.test
	q := e.nic.CreateQP(rnic.QPInit{
		Service: p.Service, PD: e.pd, SendCQ: e.sendCQ, RecvCQ: e.recvCQ, SendDepth: p.TxDepth, RecvDepth: p.RxDepth,
		MaxInline: int(*p.Inline), Data: p.Data,
	})
	e.qps = append(e.qps, q)
	e.received = append(e.received, 0)
	return q
}

// meet learns where datagrams to the other end go.
func (e *end) meet(other *end) {
	if e.test.Service != rnic.UD {
		return
	}
	for _, q := range other.qps {
		e.to = append(e.to, e.nic.CreateAH(q.Handle(0), queueKey))
	}
}

// request makes a work request of a size on a queue pair.
func (e *end) request(qp int, size units.Bytes) rnic.SendRequest {
	p := e.test
	r := rnic.SendRequest{
		Verb: p.verb(), Local: rnic.Slice{Addr: e.local.Start, Length: size, Key: e.local.LKey},
		Remote: e.remote.Start, RKey: e.remote.RKey, Signalled: true,
	}
	switch r.Verb {
	case rnic.Send, rnic.Write:
		r.Inline = size <= *p.Inline
	case rnic.FetchAdd, rnic.CompareSwap:
		r.CompareAdd, r.Swap = 1, 2
	}
	if e.to != nil {
		r.To = e.to[qp]
	}
	return r
}

// receive makes a receive request for messages of any size.
func (e *end) receive(qp int) rnic.RecvRequest {
	size := e.test.largest()
	if e.test.Service == rnic.UD {
		size += greeting
	}
	return rnic.RecvRequest{ID: uint64(qp), Local: rnic.Slice{Addr: e.local.Start, Length: size, Key: e.local.LKey}}
}

// receivesLeft is how many messages to a queue pair have no receive posted for them.
func (e *end) receivesLeft(qp int) int {
	return e.test.Iterations*len(e.test.Sizes) - e.received[qp]
}

// takeNext takes a message if one has come, and posts another receive in its place.
func (e *end) takeNext(t *host.Thread) (c rnic.Completion, ok bool, err error) {
	c, ok = t.Poll(e.recvCQ)
	switch {
	case !ok:
		t.Arm(e.recvCQ)
		return c, false, nil
	case c.Status != rnic.Success:
		return c, true, failed(c)
	}
	if qp := int(c.ID); e.receivesLeft(qp) > 0 {
		e.received[qp]++
		err = t.Receive(e.qps[qp], e.receive(qp))
	}
	return c, true, err
}

// failed is the error of a completion.
func failed(c rnic.Completion) error {
	return fmt.Errorf("a %v ended with %v", c.Verb, c.Status)
}
