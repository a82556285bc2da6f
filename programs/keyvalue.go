package programs

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// KeyValueOptions are those of clients of a key-value store.
type KeyValueOptions struct {
	Clients []int // hosts; several of one host are threads of it
	Servers []int // hosts, among which keys are dealt out; none of the clients
	Threads int   // of each server, at least 1
	// Chain is how many GETs a query makes, each for a key that the one before has brought.
	Chain int
	// Queries are those of each client, Outstanding how many it has under way; both at least 1.
	Queries, Outstanding int
	Key, Value           units.Bytes
	// Service is what a server computes for each GET, Think what a client does before it makes
	// the next of a query.
	Service, Think units.Time
	// Reads, if not 0, is how many READs of the server's memory make a GET, in place of a
	// message and its answer: the last is for the value, those before for Bucket bytes of
	// the index. The server's processor has no part in it.
	Reads   int
	Bucket  units.Bytes
	Events  bool
	Start   units.Time
	Channel ChannelOptions
}

// settling is how long clients wait while one of them measures what a GET takes when nobody else is
// there.
const settling = units.Millisecond

// KeyValue is clients that get values from servers.
type KeyValue struct {
	KeyValueOptions
	clients []*kvClient
	servers []*kvServer
	names   []string // of servers
}

// Tags of messages that are no GET of a query.
const (
	kvProbe = ^uint32(0) - iota // a GET for which the server computes nothing
	kvBye
)

// NewKeyValue makes clients and servers on hosts of a cluster. It is an error if they cannot
// reach each other.
func NewKeyValue(c *host.Cluster, o KeyValueOptions) (*KeyValue, error) {
	k := &KeyValue{KeyValueOptions: o}
	k.Channel.Memory = max(o.Value, o.Bucket, o.Channel.Memory)
	for _, at := range o.Servers {
		k.names = append(k.names, nameOf(c, at))
		for i := range o.Threads {
			s := &kvServer{of: k}
			s.thread = c.AddThread(at, s, mailboxThread(c, &o.Channel, fmt.Sprintf("key-value server %d", i), o.Start, o.Events))
			s.box = NewMailbox(c, at, s.thread)
			k.servers = append(k.servers, s)
		}
	}
	for i, at := range o.Clients {
		cl := &kvClient{of: k, number: i, queries: make([]kvQuery, min(o.Outstanding, o.Queries))}
		cl.thread = c.AddThread(at, cl, mailboxThread(c, &o.Channel, "key-value client", o.Start, o.Events))
		cl.box = NewMailbox(c, at, cl.thread)
		if i == 0 {
			cl.probes = pings
		}
		for s := range o.Servers {
			if _, _, err := Open(cl.box, k.servers[s*o.Threads+i%o.Threads].box, i, k.Channel); err != nil {
				return nil, err
			}
		}
		k.clients = append(k.clients, cl)
	}
	return k, nil
}

// ServerNames are the names of the servers' hosts.
func (k *KeyValue) ServerNames() []string { return k.names }

// stored is the value of a key, as far as it matters: it says which key is next.
func stored(key uint64) uint64 { return mixed(key) }

// kvQuery is a query under way.
type kvQuery struct {
	key        uint64
	gets       int // made
	reads      int // of this GET
	begun, got units.Time
}

// kvClient is the program of a client.
type kvClient struct {
	of      *KeyValue
	number  int
	thread  *host.Thread
	box     *Mailbox
	queries []kvQuery

	probes  int // left
	probing bool
	probe   kvQuery
	empty   []units.Time // what they took
	begun   bool
	started int
	done    int
	began   units.Time
	ended   units.Time
	busy    units.Time // of the thread when it began
	gets    []units.Time
	took    []units.Time
	err     error
}

// Done implements [host.Program].
func (c *kvClient) Done() bool {
	return c.err != nil || c.done == c.of.Queries && c.box.Idle()
}

// Failed implements [host.Program].
func (c *kvClient) Failed() error { return c.err }

// Waits implements [host.Program].
func (c *kvClient) Waits() string {
	text := fmt.Sprintf("waits for values; %d of %d queries done", c.done, c.of.Queries)
	if why := c.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (c *kvClient) Step(t *host.Thread) {
	for !c.Done() && !t.Working() {
		if c.begin(t) {
			continue
		}
		a, ok, err := c.box.Next(t)
		switch {
		case err != nil:
			c.fail(err)
			return
		case !ok:
			return
		case a.Tag == kvProbe:
			if c.came(t, &c.probe, &a) {
				c.empty = append(c.empty, t.Now()-c.probe.got)
				c.probes--
				c.probing = false
			}
		default:
			c.goOn(t, a.Tag, &a)
		}
	}
}

func (c *kvClient) fail(err error) {
	if c.err == nil {
		c.err = fmt.Errorf("%w; %d of %d queries done", err, c.done, c.of.Queries)
	}
}

// begin makes a probe, or the first queries when it is time; it tells whether it has.
func (c *kvClient) begin(t *host.Thread) bool {
	switch due := c.of.Start + settling; {
	case c.begun:
		return false
	case c.probes > 0 && !c.probing:
		c.probing, c.probe = true, kvQuery{key: uint64(c.probes)}
		c.get(t, kvProbe, &c.probe)
		return true
	case c.probes > 0:
		return false
	case t.Now() < due:
		t.CallAt(due)
		return false
	}
	c.begun, c.began, c.busy = true, t.Now(), c.box.Busy()
	for i := range c.queries {
		c.query(t, uint32(i))
	}
	return true
}

// query begins a query.
func (c *kvClient) query(t *host.Thread, i uint32) {
	c.queries[i] = kvQuery{key: mixed(uint64(c.number)<<32 | uint64(c.started)), begun: t.Now()}
	c.started++
	c.get(t, i, &c.queries[i])
}

// get makes a GET.
func (c *kvClient) get(t *host.Thread, tag uint32, q *kvQuery) {
	o := &c.of.KeyValueOptions
	t.Work(o.Think)
	q.got, q.reads = t.Now(), 0
	if o.Reads > 0 {
		c.read(t, tag, q)
		return
	}
	if err := c.server(q).Send(t, host.Message{Size: o.Key, Tag: tag, A: q.key}); err != nil {
		c.fail(err)
	}
}

// read makes the next READ of a GET.
func (c *kvClient) read(t *host.Thread, tag uint32, q *kvQuery) {
	size := c.of.Bucket
	if q.reads++; q.reads == c.of.Reads {
		size = c.of.Value
	}
	if err := c.server(q).Get(t, size, tag); err != nil {
		c.fail(err)
	}
}

// server is the channel to who has a key.
func (c *kvClient) server(q *kvQuery) OneSided {
	return c.box.channels[q.key%uint64(len(c.of.Servers))]
}

// came handles what has come for a GET; it tells whether that is all.
func (c *kvClient) came(t *host.Thread, q *kvQuery, a *Arrival) bool {
	value := stored(q.key)
	switch {
	case a.Got && q.reads < c.of.Reads:
		c.read(t, a.Tag, q)
		return false
	case !a.Got && a.A != value:
		c.fail(fmt.Errorf("%s answered a GET of %#x with another's value", c.box.Channel(a.From).Peer(), q.key))
	}
	q.key = value
	return true
}

// goOn goes on with a query of which something has come.
func (c *kvClient) goOn(t *host.Thread, i uint32, a *Arrival) {
	q := &c.queries[i]
	if !c.came(t, q, a) {
		return
	}
	c.gets = append(c.gets, t.Now()-q.got)
	if q.gets++; q.gets < c.of.Chain {
		c.get(t, i, q)
		return
	}
	c.took = append(c.took, t.Now()-q.begun)
	c.done++
	switch {
	case c.started < c.of.Queries:
		c.query(t, i)
	case c.done == c.of.Queries:
		c.ended = t.Now()
		for s := range c.of.Servers {
			if err := c.box.Channel(s).Send(t, host.Message{Tag: kvBye}); err != nil {
				c.fail(err)
			}
		}
	}
}

// kvServer is a thread of a server.
type kvServer struct {
	of     *KeyValue
	thread *host.Thread
	box    *Mailbox
	served int
	byes   int
	err    error
}

// Done implements [host.Program].
func (s *kvServer) Done() bool {
	return s.err != nil || s.byes == s.box.Channels() && s.box.Idle()
}

// Failed implements [host.Program].
func (s *kvServer) Failed() error { return s.err }

// Waits implements [host.Program].
func (s *kvServer) Waits() string {
	text := fmt.Sprintf("waits for requests; %d served, %d of %d clients have left", s.served, s.byes, s.box.Channels())
	if why := s.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (s *kvServer) Step(t *host.Thread) {
	for !s.Done() {
		a, ok, err := s.box.Next(t)
		switch {
		case err != nil:
			s.err = fmt.Errorf("%w; %d requests served", err, s.served)
			return
		case !ok:
			return
		case a.Tag == kvBye:
			s.byes++
			continue
		case a.Tag != kvProbe:
			t.Work(s.of.Service)
			s.served++
		}
		if s.err = s.box.Channel(a.From).Send(t, host.Message{Size: s.of.Value, Tag: a.Tag, A: stored(a.A)}); s.err != nil {
			return
		}
	}
}

// Spread is the distribution of some times: all are 0 without any.
type Spread struct {
	Min, Mean, Median, P99, P999, Max units.Time
}

// newSpread is that of times, which it sorts.
func newSpread(all []units.Time) (s Spread) {
	n := len(all)
	if n == 0 {
		return s
	}
	slices.Sort(all)
	var sum units.Time
	for _, t := range all {
		sum += t
	}
	at := func(perMille int) units.Time { return all[(n*perMille+999)/1000-1] }
	return Spread{Min: all[0], Mean: sum / units.Time(n), Median: at(500), P99: at(990), P999: at(999), Max: all[n-1]}
}

// KeyValueResult is what clients have measured.
type KeyValueResult struct {
	Queries, Gets int // that have been answered
	// Empty is what a GET takes in the empty network when the server computes nothing, but for
	// what the client computes: the median of some. Bound is what a query takes by that, with
	// what server and client compute for each of its GETs. Never if they are not known.
	Empty, Bound units.Time
	Get, Query   Spread
	// PerSecond are GETs in a second from the first to the last.
	PerSecond float64
	// Client and Server are the processor time of all clients since they began, and of all servers.
	Client, Server units.Time
}

// Result is what the clients have measured.
func (k *KeyValue) Result() KeyValueResult {
	r := KeyValueResult{Empty: units.Never, Bound: units.Never}
	var gets, took []units.Time
	began, ended := units.Never, units.Time(0)
	for _, c := range k.clients {
		gets, took = append(gets, c.gets...), append(took, c.took...)
		if c.begun {
			began = min(began, c.began)
			r.Client += c.box.Busy() - c.busy
		}
		ended = max(ended, c.ended)
	}
	for _, s := range k.servers {
		r.Server += s.box.Busy()
	}
	if empty := k.clients[0].empty; len(empty) > 0 {
		r.Empty = newSpread(slices.Clone(empty)).Median
		each := r.Empty + k.Think
		if k.Reads == 0 {
			each += k.Service
		}
		r.Bound = each * units.Time(k.Chain)
	}
	r.Queries, r.Gets = len(took), len(gets)
	r.Get, r.Query = newSpread(gets), newSpread(took)
	r.PerSecond = perSecond(r.Gets, ended-began)
	return r
}
