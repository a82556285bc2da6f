package programs

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// Service is how long something computes for a request: a random time.
type Service struct {
	Shape ServiceShape
	Mean  units.Time
	Sigma float64 // of LogNormal: standard deviation of the logarithm
	// SlowShare is the part of the requests, from 0 to 1, that take Slow in place of that.
	SlowShare float64
	Slow      units.Time
}

// ServiceShape is a family of distributions of times.
type ServiceShape uint8

// The families.
const (
	Fixed ServiceShape = iota
	Exponential
	LogNormal
)

// ServiceShapes are the words for them in scenarios, in their order.
var ServiceShapes = []string{"fixed", "exponential", "log-normal"}

// draw draws a time.
func (s *Service) draw(r Random) units.Time {
	if s.SlowShare > 0 && variate.Uniform(r) < s.SlowShare {
		return s.Slow
	}
	switch s.Shape {
	case Exponential:
		return units.Time(float64(float64(s.Mean) * variate.Exponential(r)))
	case LogNormal:
		return units.Time(float64(float64(s.Mean) * variate.LogNormal(r, s.Sigma)))
	}
	return s.Mean
}

// least is the shortest time there can be.
func (s *Service) least() units.Time {
	switch {
	case s.Shape != Fixed:
		return 0
	case s.SlowShare > 0:
		return min(s.Mean, s.Slow)
	}
	return s.Mean
}

// FanOutOptions are those of roots that ask many leaves at once.
type FanOutOptions struct {
	Roots, Leaves []int // hosts; several roots of one host are threads of it; no leaf is among them
	Threads       int   // of each leaf, at least 1
	// Fan is how many leaves a query asks, from 1 to all: the next ones in turn. Need is how many answers
	// end it, from 1 to Fan: all, or the first of them.
	Fan, Need int
	// Queries, Outstanding and Interval are as in [KeyValueOptions].
	Queries, Outstanding int
	Interval             units.Time
	Request, Reply       units.Bytes
	Service              Service // of a leaf for a request
	Think                units.Time
	Events               bool
	Start                units.Time
	Channel              ChannelOptions
	Random               Streams // makes the streams from which roots and leaves draw
}

// FanOut is roots that ask many leaves at once and wait for their answers.
type FanOut struct {
	FanOutOptions
	roots  []*fanRoot
	leaves []*fanLeaf
}

// NewFanOut makes roots and leaves on hosts of a cluster. It is an error if they cannot reach each
// other.
func NewFanOut(c *host.Cluster, o FanOutOptions) (*FanOut, error) {
	f := &FanOut{FanOutOptions: o}
	f.Channel.Memory = max(o.Request, o.Reply, o.Channel.Memory)
	for _, at := range o.Leaves {
		for i := range o.Threads {
			l := &fanLeaf{of: f, random: o.Random(fmt.Sprintf("service/%s/%d", nameOf(c, at), i))}
			l.thread = c.AddThread(at, l, mailboxThread(c, &o.Channel, fmt.Sprintf("fan-out leaf %d", i), o.Start, o.Events))
			l.box = NewMailbox(c, at, l.thread)
			f.leaves = append(f.leaves, l)
		}
	}
	for i, at := range o.Roots {
		r := &fanRoot{of: f, number: i, next: i, loop: openLoop{interval: o.Interval, random: o.Random(fmt.Sprintf("arrivals/%s/%d", nameOf(c, at), i))}}
		r.thread = c.AddThread(at, r, mailboxThread(c, &o.Channel, "fan-out root", o.Start, o.Events))
		r.box = NewMailbox(c, at, r.thread)
		if i == 0 {
			r.probes = pings
		}
		for l := range o.Leaves {
			if _, _, err := Open(r.box, f.leaves[l*o.Threads+i%o.Threads].box, i, f.Channel); err != nil {
				return nil, err
			}
		}
		f.roots = append(f.roots, r)
	}
	return f, nil
}

// Tags of messages that are of no query.
const (
	fanProbe = ^uint32(0) - iota // a request for which a leaf computes nothing
	fanBye
)

// fanQuery is a query under way: it keeps its place until every leaf has answered, and is done before that if not all are
// needed.
type fanQuery struct {
	begun    units.Time // or was to begin
	answered int
}

// fanRoot is the program of a root.
type fanRoot struct {
	of      *FanOut
	number  int
	thread  *host.Thread
	box     *Mailbox
	loop    openLoop
	queries []fanQuery
	free    []uint32
	next    int // leaf that is asked next

	probes  int // left
	probing bool
	probed  units.Time
	empty   []units.Time // what they took

	begun   bool
	started int
	done    int
	over    int // all leaves have answered
	left    bool
	began   units.Time
	ended   units.Time
	answers []units.Time
	took    []units.Time
	err     error
}

// Done implements [host.Program].
func (r *fanRoot) Done() bool { return r.err != nil || r.left && r.box.Idle() }

// Failed implements [host.Program].
func (r *fanRoot) Failed() error { return r.err }

// Waits implements [host.Program].
func (r *fanRoot) Waits() string {
	text := fmt.Sprintf("waits for answers of its leaves; %d of %d queries done", r.done, r.started)
	if why := r.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (r *fanRoot) Step(t *host.Thread) {
	for !r.Done() && !t.Working() {
		if r.begin(t) {
			continue
		}
		a, ok, err := r.box.Next(t)
		switch {
		case err != nil:
			r.fail(err)
			return
		case !ok:
			return
		case a.Tag == fanProbe:
			r.empty = append(r.empty, t.Now()-r.probed)
			r.probes--
			r.probing = false
		default:
			r.answer(t, &a)
		}
	}
}

func (r *fanRoot) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("%w; %d of %d queries done", err, r.done, r.started)
	}
}

// begin makes a probe, or begins queries when it is time; it tells whether it has.
func (r *fanRoot) begin(t *host.Thread) bool {
	switch due := r.of.Start + settling; {
	case r.begun:
		return r.arrive(t)
	case r.probes > 0 && !r.probing:
		r.probing, r.probed = true, t.Now()
		r.ask(t, 0, fanProbe)
		return true
	case r.probes > 0:
		return false
	case t.Now() < due:
		t.CallAt(due)
		return false
	}
	r.begun, r.began = true, t.Now()
	if r.of.Interval > 0 {
		r.loop.begin(r.began, r.of.Queries)
		return true
	}
	for range min(r.of.Outstanding, r.of.Queries) {
		r.query(t, t.Now())
	}
	return true
}

// arrive begins the next query of an open loop if its time has come, or leaves after the last; it tells whether it has.
func (r *fanRoot) arrive(t *host.Thread) bool {
	since, begins, over := r.loop.next(t)
	switch {
	case begins:
		r.query(t, since)
	case over:
		r.leave(t)
	}
	return begins || over
}

// query begins a query, which was to begin at a time.
func (r *fanRoot) query(t *host.Thread, at units.Time) {
	n := len(r.free)
	if n == 0 {
		r.free, n = append(r.free, uint32(len(r.queries))), 1
		r.queries = append(r.queries, fanQuery{})
	}
	i := r.free[n-1]
	r.free = r.free[:n-1]
	r.queries[i] = fanQuery{begun: at}
	r.started++
	r.loop.last = r.loop.last || r.of.Interval == 0 && r.started == r.of.Queries
	t.Work(r.of.Think)
	for range r.of.Fan {
		r.ask(t, r.next, i)
		r.next = (r.next + 1) % len(r.of.Leaves)
	}
}

// ask sends a request to a leaf.
func (r *fanRoot) ask(t *host.Thread, leaf int, tag uint32) {
	if err := r.box.channels[leaf%len(r.of.Leaves)].Send(t, host.Message{Size: r.of.Request, Tag: tag, A: uint64(tag)}); err != nil {
		r.fail(err)
	}
}

// answer takes a leaf's answer.
func (r *fanRoot) answer(t *host.Thread, a *Arrival) {
	if a.A != mixed(uint64(a.Tag)) {
		r.fail(fmt.Errorf("%s answered query %d with what belongs to another", r.box.Channel(a.From).Peer(), a.Tag))
	}
	q := &r.queries[a.Tag]
	r.answers = append(r.answers, t.Now()-q.begun)
	q.answered++
	completes := q.answered == r.of.Need
	if completes {
		r.took = append(r.took, t.Now()-q.begun)
		r.done++
		r.ended = t.Now()
	}
	if q.answered == r.of.Fan {
		r.over++
		r.free = append(r.free, a.Tag)
	}
	if completes && r.of.Interval == 0 && !r.loop.last {
		r.query(t, t.Now())
	}
	r.leave(t)
}

// leave tells leaves when everything is done.
func (r *fanRoot) leave(t *host.Thread) {
	if !r.loop.last || r.left || r.over < r.started {
		return
	}
	r.left = true
	for l := range r.of.Leaves {
		r.ask(t, l, fanBye)
	}
}

// fanLeaf is a thread of a leaf.
type fanLeaf struct {
	of     *FanOut
	random Random
	thread *host.Thread
	box    *Mailbox
	served int
	byes   int
	worked units.Time // on requests
	err    error
}

// Done implements [host.Program].
func (l *fanLeaf) Done() bool { return l.err != nil || l.byes == l.box.Channels() && l.box.Idle() }

// Failed implements [host.Program].
func (l *fanLeaf) Failed() error { return l.err }

// Waits implements [host.Program].
func (l *fanLeaf) Waits() string {
	text := fmt.Sprintf("waits for requests; %d served, %d of %d roots have left", l.served, l.byes, l.box.Channels())
	if why := l.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (l *fanLeaf) Step(t *host.Thread) {
	for !l.Done() {
		before := t.Busy()
		a, ok, err := l.box.Next(t)
		switch {
		case err != nil:
			l.err = fmt.Errorf("%w; %d requests served", err, l.served)
			return
		case !ok:
			return
		case a.Tag == fanBye:
			l.byes++
			continue
		case a.Tag != fanProbe:
			t.Work(l.of.Service.draw(l.random))
			l.served++
		}
		l.err = l.box.Channel(a.From).Send(t, host.Message{Size: l.of.Reply, Tag: a.Tag, A: mixed(a.A)})
		if a.Tag != fanProbe {
			l.worked += t.Busy() - before
		}
	}
}

// FanOutTail is how often answers and queries took longer than some time.
type FanOutTail struct {
	// PerMille is the percentile of the answers that the time Beyond is, in thousandths.
	PerMille int
	Beyond   units.Time
	// Answers and Queries are the parts of them that took longer.
	Answers, Queries float64
	// Theory is what Queries would be if leaves were slow independently of each other: of all N answers that
	// a query waits for, 1-(1-Answers)^N.
	Theory float64
}

// FanOutResult is what roots have measured.
type FanOutResult struct {
	Queries, Answers int
	// Empty is what one leaf's answer takes in the empty network when it computes nothing: the median of
	// some. Incast is for how long the answers that a query needs keep the root's link busy, but for one
	// of them. Bound is what a query takes at the least: both, with what root and leaf compute.
	// Never if they are not known.
	Empty, Incast, Bound units.Time
	// Answer is the distribution of the times until a leaf's answer is there, Query that of the times until
	// as many are as are needed, both from when the query began or was to begin.
	Answer, Query Spread
	// Independent is the mean of a query if its answers were drawn from the distribution Answer
	// independently of each other.
	Independent units.Time
	Tail        []FanOutTail
	// PerSecond are queries in a second, UnderWay that times their mean latency.
	PerSecond, UnderWay float64
	// Load is the share of the time for which leaves' threads worked on requests, in the mean.
	Load float64
	// Root and Leaf are processor times of a query at its root, and of a request at its leaf.
	Root, Leaf units.Time
}

// Result is what the roots have measured.
func (f *FanOut) Result() FanOutResult {
	m := FanOutResult{Empty: units.Never, Incast: units.Never, Bound: units.Never}
	var answers, took []units.Time
	began, ended := units.Never, units.Time(0)
	var root, leaf, worked units.Time
	served := 0
	for _, r := range f.roots {
		answers, took = append(answers, r.answers...), append(took, r.took...)
		if r.begun {
			began = min(began, r.began)
		}
		ended = max(ended, r.ended)
		root += r.box.Busy()
	}
	for _, l := range f.leaves {
		leaf += l.box.Busy()
		worked += l.worked
		served += l.served
	}
	if empty := f.roots[0].empty; len(empty) > 0 {
		m.Empty = newSpread(slices.Clone(empty)).Median
		m.Incast = f.replyTime() * units.Time(f.Need-1)
		m.Bound = m.Empty + m.Incast + f.Think + f.Service.least()
	}
	m.Queries, m.Answers = len(took), len(answers)
	m.Answer, m.Query = newSpread(answers), newSpread(took)
	if m.Queries == 0 {
		return m
	}
	span := ended - began
	m.PerSecond = perSecond(m.Queries, span)
	m.UnderWay = float64(m.PerSecond * m.Query.Mean.Seconds())
	m.Load = float64(worked) / float64(float64(max(1, span))*float64(len(f.leaves)))
	m.Root, m.Leaf = root/units.Time(m.Queries), leaf/units.Time(max(1, served))
	m.Independent = f.independent(answers)
	for _, perMille := range []int{500, 900, 990, 999} {
		x := answers[(len(answers)*perMille+999)/1000-1]
		tail := FanOutTail{PerMille: perMille, Beyond: x, Answers: beyond(answers, x), Queries: beyond(took, x)}
		tail.Theory = 1 - f.enough(1-tail.Answers)
		m.Tail = append(m.Tail, tail)
	}
	return m
}

// replyTime is for how long an answer keeps the links of a root's host busy.
func (f *FanOut) replyTime() units.Time {
	c := f.roots[0].box.cluster
	var rate float64 // answers a second, of all its NICs
	for _, n := range c.Hosts[f.Roots[0]].NICs() {
		each := n.Rate().Serialise(int(f.Reply))
		if f.Channel.Transport != TCP {
			// Times are known of WRITEs, which have their address in front in place of the message's header.
			each = n.MessageTimes(f.Reply+f.Channel.Header-readRequest, false).Wire
		}
		rate += 1 / each.Seconds()
	}
	return units.Time(float64(float64(units.Second) / rate))
}

// beyond is the part of sorted times that are longer than x.
func beyond(sorted []units.Time, x units.Time) float64 {
	longer, _ := slices.BinarySearch(sorted, x+1)
	return float64(len(sorted)-longer) / float64(len(sorted))
}

// enough is the probability that as many answers as a query needs are there, if each is with a probability p.
func (f *FanOut) enough(p float64) float64 {
	// Of N answers j are late with C(N,j) (1-p)^j p^(N-j).
	sum, ways := 0.0, 1.0
	for late := 0; late <= f.Fan-f.Need; late++ {
		sum += float64(float64(ways*power(1-p, late)) * power(p, f.Fan-late))
		ways = float64(ways*float64(f.Fan-late)) / float64(late+1)
	}
	return min(1, sum)
}

// independent is the mean of the last of the answers that a query needs, if they are drawn from a sorted sample independently
// of each other.
func (f *FanOut) independent(sorted []units.Time) units.Time {
	const steps = 20_000 // of the distribution, if there are more samples
	n := len(sorted)
	mean, before := 0.0, 0.0
	for i := 1; i <= min(n, steps); i++ {
		last := n * i / min(n, steps)
		enough := f.enough(float64(last) / float64(n))
		mean += float64((enough - before) * float64(sorted[last-1]))
		before = enough
	}
	return units.Time(mean)
}
