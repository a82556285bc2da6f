package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// KeyValueOptions are those of clients of a key-value store.
type KeyValueOptions struct {
	Clients []int // hosts; several of one host are threads of it
	Servers []int // hosts, among which keys are dealt out by a hash; none of the clients
	Threads int   // of each server, at least 1
	// Chain is how many operations a query has, each for a key that the one before has brought.
	Chain int
	// Queries are those of each client, in an open loop in the mean; Outstanding how many it has under way
	// in a closed one; both at least 1.
	Queries, Outstanding int
	// Interval, if not 0, makes it an open loop: queries of a client begin at random times with this
	// mean between them (a Poisson process), whatever is under way, and their latency counts from
	// then. It lasts for Queries times as long.
	Interval units.Time
	// Keys is how popular keys are; nil if all that there can be are alike.
	Keys *variate.Zipf
	// Puts is how many of a hundred operations are PUTs; the others are GETs.
	Puts int
	// Value is the size of all values, or the greatest of them if Sizes draws that of each.
	Key, Value units.Bytes
	Sizes      func(variate.Source) units.Bytes
	// Service is what a server computes for each request, Think what a client does before it makes
	// the next of a query.
	Service, Think units.Time
	// Reads, if not 0, is how many READs of the server's memory make a GET, in place of a
	// message and its answer: the last is for the value, those before for Bucket bytes of
	// the index. The server's processor has no part in it.
	Reads  int
	Bucket units.Bytes
	// WritePuts has a PUT go by WRITE with immediate into the server's memory, and not by a message.
	WritePuts bool
	Events    bool
	Start     units.Time
	Channel   ChannelOptions
	// Random makes the streams from which clients draw; it may be nil if they draw nothing.
	Random Streams
}

// settling is how long clients wait while one of them measures what a GET takes when nobody else is
// there.
const settling = units.Millisecond

// KeyValue is clients that get values from servers, and put some there.
type KeyValue struct {
	KeyValueOptions
	clients []*kvClient
	servers []*kvServer // Threads of each
	names   []string    // of servers
}

// Tags of messages that are no operation of a query.
const (
	kvProbe = ^uint32(0) - iota // a GET for which the server computes nothing
	kvBye
)

// What a request asks for, in its second content.
const (
	kvGet uint64 = iota
	kvPut
)

// confirmed is the size of the answer to a PUT.
const confirmed units.Bytes = 8

// NewKeyValue makes clients and servers on hosts of a cluster. It is an error if they cannot
// reach each other.
func NewKeyValue(c *host.Cluster, o KeyValueOptions) (*KeyValue, error) {
	k := &KeyValue{KeyValueOptions: o}
	k.Channel.Memory = max(o.Key+o.Value, o.Bucket, o.Channel.Memory)
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
		cl := &kvClient{of: k, number: i, asked: make([]int, len(o.Servers))}
		cl.thread = c.AddThread(at, cl, mailboxThread(c, &o.Channel, "key-value client", o.Start, o.Events))
		cl.box = NewMailbox(c, at, cl.thread)
		if i == 0 {
			cl.probes = pings
		}
		if o.Random != nil {
			draw := func(what string) Random { return o.Random(fmt.Sprintf("%s/%s/%d", what, nameOf(c, at), i)) }
			cl.keys, cl.mix = draw("keys"), draw("mix")
			cl.loop = openLoop{interval: o.Interval, random: draw("arrivals")}
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

// stored is the value of a key, as far as it matters: with what a query looks for, it says which key is next.
func stored(key uint64) uint64 { return mixed(key) }

// sizeOf is the size of the value of a key, whoever puts it there.
func (k *KeyValue) sizeOf(key uint64) units.Bytes {
	if k.Sizes == nil {
		return k.Value
	}
	stream := derived(key)
	return min(k.Value, k.Sizes(&stream))
}

// pick is a key out of a stream of random bits, and its rank: a key is the hash of its rank, so that popular ones are with any
// server.
func (k *KeyValue) pick(s variate.Source) (key uint64, rank int) {
	if k.Keys == nil {
		return s.Uint64(), -1
	}
	rank = k.Keys.Draw(s)
	return mixed(uint64(rank)), rank
}

// serverOf is who has a key.
func (k *KeyValue) serverOf(key uint64) int { return int(key % uint64(len(k.Servers))) }

// kvQuery is a query under way.
type kvQuery struct {
	key, salt  uint64
	put        bool
	operations int // done
	reads      int // of this GET
	// begun is when it began, or was to begin; got when its operation did.
	begun, got units.Time
}

// kvPlace is from when to when a place of queries was taken.
type kvPlace struct{ from, to units.Time }

// kvClient is the program of a client.
type kvClient struct {
	of      *KeyValue
	number  int
	thread  *host.Thread
	box     *Mailbox
	queries []kvQuery
	free    []uint32 // places of queries that are done

	keys, mix Random
	loop      openLoop

	probes  int // left
	probing bool
	probe   kvQuery
	empty   []units.Time // what they took
	begun   bool
	started int
	done    int
	left    bool // servers have been told that it is done
	began   units.Time
	ended   units.Time
	busy    units.Time // of the thread when it began
	gets    []units.Time
	puts    []units.Time
	took    []units.Time
	places  []kvPlace // of a closed loop
	asked   []int     // operations by server
	hottest int       // operations on the most popular key
	err     error
}

// Done implements [host.Program].
func (c *kvClient) Done() bool {
	return c.err != nil || c.left && c.box.Idle()
}

// Failed implements [host.Program].
func (c *kvClient) Failed() error { return c.err }

// Waits implements [host.Program].
func (c *kvClient) Waits() string {
	text := fmt.Sprintf("waits for values; %d of %d queries done", c.done, c.planned())
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
		c.err = fmt.Errorf("%w; %d of %d queries done", err, c.done, c.planned())
	}
}

// planned is how many queries it has begun, or is to make.
func (c *kvClient) planned() int {
	if c.of.Interval > 0 {
		return c.started
	}
	return c.of.Queries
}

// begin makes a probe, or begins queries when it is time; it tells whether it has.
func (c *kvClient) begin(t *host.Thread) bool {
	switch due := c.of.Start + settling; {
	case c.begun:
		return c.arrive(t)
	case c.probes > 0 && !c.probing:
		c.probing, c.probe = true, kvQuery{key: mixed(uint64(c.probes))}
		c.request(t, kvProbe, &c.probe)
		return true
	case c.probes > 0:
		return false
	case t.Now() < due:
		t.CallAt(due)
		return false
	}
	c.begun, c.began, c.busy = true, t.Now(), c.box.Busy()
	if c.of.Interval > 0 {
		c.loop.begin(c.began, c.of.Queries)
		return true
	}
	for range min(c.of.Outstanding, c.of.Queries) {
		c.query(t, t.Now())
	}
	return true
}

// arrive begins the next query of an open loop if its time has come, or leaves after the last; it tells whether it has.
func (c *kvClient) arrive(t *host.Thread) bool {
	since, begins, over := c.loop.next(t)
	switch {
	case begins:
		c.query(t, since)
	case over:
		c.leave(t)
	}
	return begins || over
}

// query begins a query, which was to begin at a time.
func (c *kvClient) query(t *host.Thread, at units.Time) {
	n := len(c.free)
	if n == 0 {
		c.free, n = append(c.free, uint32(len(c.queries))), 1
		c.queries = append(c.queries, kvQuery{})
		c.places = append(c.places, kvPlace{from: at})
	}
	i := c.free[n-1]
	c.free = c.free[:n-1]
	q := &c.queries[i]
	*q = kvQuery{begun: at, salt: mixed(uint64(c.number)<<32 | uint64(c.started))}
	c.started++
	c.loop.last = c.loop.last || c.of.Interval == 0 && c.started == c.of.Queries
	stream := Random(new(derived(q.salt)))
	if c.keys != nil {
		stream = c.keys
	}
	c.operate(t, i, stream)
	if c.of.Interval > 0 {
		q.got = at
	}
}

// operate makes the next operation of a query, on a key out of a stream.
func (c *kvClient) operate(t *host.Thread, i uint32, stream Random) {
	q := &c.queries[i]
	key, rank := c.of.pick(stream)
	if rank == 0 {
		c.hottest++
	}
	q.key = key
	q.put = c.of.Puts > 0 && int(variate.Uniform(c.mix)*100) < c.of.Puts
	c.asked[c.of.serverOf(key)]++
	c.request(t, i, q)
}

// request makes an operation.
func (c *kvClient) request(t *host.Thread, tag uint32, q *kvQuery) {
	o := &c.of.KeyValueOptions
	t.Work(o.Think)
	q.got, q.reads = t.Now(), 0
	var err error
	switch size := o.Key + c.of.sizeOf(q.key); {
	case q.put && o.WritePuts:
		err = c.server(q).PutTelling(t, size, tag)
	case q.put:
		err = c.server(q).Send(t, host.Message{Size: size, Tag: tag, A: q.key, B: kvPut})
	case o.Reads > 0:
		err = c.read(t, tag, q)
	default:
		err = c.server(q).Send(t, host.Message{Size: o.Key, Tag: tag, A: q.key, B: kvGet})
	}
	if err != nil {
		c.fail(err)
	}
}

// read makes the next READ of a GET.
func (c *kvClient) read(t *host.Thread, tag uint32, q *kvQuery) error {
	size := c.of.Bucket
	if q.reads++; q.reads == c.of.Reads {
		size = c.of.sizeOf(q.key)
	}
	return c.server(q).Get(t, size, tag)
}

// server is the channel to who has a key.
func (c *kvClient) server(q *kvQuery) OneSided { return c.box.channels[c.of.serverOf(q.key)] }

// came handles what has come for an operation; it tells whether that is all.
func (c *kvClient) came(t *host.Thread, q *kvQuery, a *Arrival) bool {
	want := stored(q.key)
	if q.put && c.of.WritePuts {
		want = mixed(uint64(a.Tag)) // who is told of a WRITE has the tag only
	}
	switch {
	case a.Got && q.reads < c.of.Reads:
		if err := c.read(t, a.Tag, q); err != nil {
			c.fail(err)
		}
		return false
	case !a.Got && a.A != want:
		c.fail(fmt.Errorf("%s answered a request for %#x with what belongs to another", c.box.Channel(a.From).Peer(), q.key))
	}
	return true
}

// goOn goes on with a query of which something has come.
func (c *kvClient) goOn(t *host.Thread, i uint32, a *Arrival) {
	q := &c.queries[i]
	if !c.came(t, q, a) {
		return
	}
	of := &c.gets
	if q.put {
		of = &c.puts
	}
	*of = append(*of, t.Now()-q.got)
	if q.operations++; q.operations < c.of.Chain {
		c.operate(t, i, new(derived(stored(q.key)^q.salt)))
		return
	}
	c.took = append(c.took, t.Now()-q.begun)
	c.done++
	c.places[i].to = t.Now()
	c.free = append(c.free, i)
	c.ended = t.Now()
	if c.of.Interval == 0 && !c.loop.last {
		c.query(t, t.Now())
	}
	c.leave(t)
}

// leave tells servers when everything is done.
func (c *kvClient) leave(t *host.Thread) {
	if !c.loop.last || c.left || c.done < c.started {
		return
	}
	c.left = true
	for s := range c.of.Servers {
		if err := c.box.Channel(s).Send(t, host.Message{Tag: kvBye}); err != nil {
			c.fail(err)
		}
	}
}
