package programs

import (
	"fmt"
	"slices"

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

// kvServer is a thread of a server.
type kvServer struct {
	of     *KeyValue
	thread *host.Thread
	box    *Mailbox
	served int
	byes   int
	begun  bool
	busy   units.Time // of the thread when the first request came that is no probe
	worked units.Time // since then, up to the last such
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
		before := t.Busy()
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
			if !s.begun {
				s.begun, s.busy = true, before
			}
			t.Work(s.of.Service)
			s.served++
		}
		if s.err = s.box.Channel(a.From).Send(t, s.answer(&a)); s.err != nil {
			return
		}
		if s.begun {
			s.worked = t.Busy() - s.busy
		}
	}
}

// answer is the answer to a request.
func (s *kvServer) answer(a *Arrival) host.Message {
	switch {
	case a.Wrote:
		return host.Message{Size: confirmed, Tag: a.Tag, A: mixed(uint64(a.Tag))}
	case a.B == kvPut:
		return host.Message{Size: confirmed, Tag: a.Tag, A: stored(a.A)}
	}
	return host.Message{Size: s.of.sizeOf(a.A), Tag: a.Tag, A: stored(a.A)}
}

// Spread is the distribution of some times: all are 0 without any.
type Spread struct {
	Count                             int
	Min, Mean, Median, P99, P999, Max units.Time
}

// newSpread is that of times, which it sorts. Percentiles are by nearest rank.
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
	return Spread{Count: n, Min: all[0], Mean: sum / units.Time(n), Median: at(500), P99: at(990), P999: at(999), Max: all[n-1]}
}

// KeyValueResult is what clients have measured.
type KeyValueResult struct {
	Queries, Gets, Puts int // that have been answered
	// Empty is what a GET takes in the empty network when the server computes nothing, but for
	// what the client computes: the median of some. Bound is what a query of GETs takes by that, with
	// what server and client compute for each. Never if they are not known.
	Empty, Bound    units.Time
	Get, Put, Query Spread
	// PerSecond are operations in a second from the first to the last.
	PerSecond float64
	// UnderWay is the product of the rate of queries and their mean latency: by Little's law what is under
	// way in the mean. Latencies is the sum of these, and Held for how long each of a client's places for
	// a query was taken, from its first query to the end of its last; in a closed loop there is no gap
	// between, so that both are the same to the picosecond.
	UnderWay        float64
	Latencies, Held units.Time
	// Client and Server are the processor time of all clients since they began, and of all servers.
	Client, Server units.Time
	// ByServer is what each server had to do.
	ByServer []KeyValueServer
	// Load is the share of their time for which the servers' threads worked on requests, of the busiest
	// server; Offered what an open loop asks of all of them for, by what a request took them; 0 if it is closed.
	Load, Offered float64
	// Wait is how much longer a GET took in the mean than network and service, and QueueWait what
	// theory gives for the line before a server's thread: requests that come at random, each of
	// which takes it the same time (M/D/1), weighted by requests. Never if it is not known: Wait of READs
	// and of values of several sizes, QueueWait where a thread works all the time, or of a closed loop, in which no
	// more can wait than clients have under way.
	Wait, QueueWait units.Time
	// HotShare is the part of the operations that went to the most popular key, and HotTheory what it
	// is by the law that they are drawn from; 0 if all keys are alike.
	HotShare, HotTheory float64
}

// KeyValueServer is what one server had to do.
type KeyValueServer struct {
	Name string
	// Operations are those on its keys, whoever did them; Share is their part of all, and Theory
	// what it is by the popularity of the keys that it has.
	Operations    int
	Share, Theory float64
	Requests      int        // that its threads have answered
	Each          units.Time // for which a thread works on a request, kernels' softirqs left out
	Load          float64    // share of the time of its threads that they worked on requests
	QueueWait     units.Time // M/D/1 before one of its threads, in the mean; Never in a closed loop, and if one works all the time
}

// Result is what the clients have measured.
func (k *KeyValue) Result() KeyValueResult {
	r := KeyValueResult{Empty: units.Never, Bound: units.Never, Wait: units.Never, QueueWait: units.Never}
	var gets, puts, took []units.Time
	began, ended := units.Never, units.Time(0)
	asked := make([]int, len(k.Servers))
	hottest := 0
	for _, c := range k.clients {
		gets, puts, took = append(gets, c.gets...), append(puts, c.puts...), append(took, c.took...)
		if c.begun {
			began = min(began, c.began)
			r.Client += c.box.Busy() - c.busy
		}
		ended = max(ended, c.ended)
		for _, p := range c.places {
			r.Held += max(0, p.to-p.from)
		}
		hottest += c.hottest
		for s, n := range c.asked {
			asked[s] += n
		}
	}
	for _, s := range k.servers {
		r.Server += s.box.Busy()
	}
	for _, t := range took {
		r.Latencies += t
	}
	if empty := k.clients[0].empty; len(empty) > 0 {
		r.Empty = newSpread(slices.Clone(empty)).Median
		each := r.Empty + k.Think
		if k.Reads == 0 {
			each += k.Service
		}
		r.Bound = each * units.Time(k.Chain)
	}
	r.Queries, r.Gets, r.Puts = len(took), len(gets), len(puts)
	r.Get, r.Put, r.Query = newSpread(gets), newSpread(puts), newSpread(took)
	span := ended - began
	r.PerSecond = perSecond(r.Gets+r.Puts, span)
	r.UnderWay = float64(perSecond(r.Queries, span) * r.Query.Mean.Seconds())
	if all := sum(asked); k.Keys != nil && all > 0 {
		r.HotShare, r.HotTheory = float64(hottest)/float64(all), k.Keys.Share(0)
	}
	k.queues(&r, asked, span)
	return r
}

func sum(all []int) (n int) {
	for _, v := range all {
		n += v
	}
	return n
}

// queues works out what servers had to do, and what theory gives for the lines before them.
func (k *KeyValue) queues(r *KeyValueResult, asked []int, span units.Time) {
	shares := k.shares()
	all := max(1, sum(asked))
	var worked, wait units.Time
	served, endless := 0, false
	for i, name := range k.names {
		s := KeyValueServer{Name: name, Operations: asked[i], Share: float64(asked[i]) / float64(all), Theory: shares[i]}
		overloaded := false
		var busy units.Time
		var waits float64
		for _, t := range k.servers[i*k.Threads : (i+1)*k.Threads] {
			s.Requests += t.served
			busy += t.worked
			if t.served == 0 || span <= 0 {
				continue
			}
			if w := waitMD1(t.worked/units.Time(t.served), float64(t.worked)/float64(span)); w == units.Never {
				overloaded = true
			} else {
				waits += float64(float64(w) * float64(t.served))
			}
		}
		if s.Requests > 0 && span > 0 {
			s.Each, s.QueueWait = busy/units.Time(s.Requests), units.Time(waits/float64(s.Requests))
			s.Load = float64(busy) / float64(float64(span)*float64(k.Threads))
		}
		if overloaded || k.Interval == 0 {
			s.QueueWait, endless = units.Never, true
		} else {
			wait += s.QueueWait * units.Time(s.Requests)
		}
		r.Load = max(r.Load, s.Load)
		worked += busy
		served += s.Requests
		r.ByServer = append(r.ByServer, s)
	}
	if served == 0 {
		return
	}
	if k.Interval > 0 {
		rate := float64(len(k.clients)*k.Chain) / k.Interval.Seconds() * float64(served) / float64(all)
		r.Offered = float64(rate * (worked / units.Time(served)).Seconds() / float64(len(k.servers)))
	}
	if !endless && k.Interval > 0 && r.Offered < 1 {
		r.QueueWait = wait / units.Time(served)
	}
	if k.Reads == 0 && k.Sizes == nil && r.Gets > 0 && r.Empty != units.Never {
		r.Wait = r.Get.Mean - r.Empty - k.Service
	}
}

// shares are the parts of all operations that go to each server, by the popularity of its keys.
func (k *KeyValue) shares() []float64 {
	of := make([]float64, len(k.Servers))
	if k.Keys == nil {
		for i := range of {
			of[i] = 1 / float64(len(of))
		}
		return of
	}
	for rank := range k.Keys.Len() {
		of[k.serverOf(mixed(uint64(rank)))] += k.Keys.Share(rank)
	}
	return of
}
