package congestion_test

import (
	"container/heap"
	"math/rand/v2"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// bottleneck is a network of one queue in virtual time: all senders' packets pass it, acknowledgements come back over a
// path that is never busy. Hosts take no time.
type bottleneck struct {
	rate   units.Rate
	delay  units.Time // each way
	buffer int        // packets that wait or are sent; one more is lost; 0 sets no bound
	mark   int        // with so many in the queue a packet is marked; 0: none is
	loss   float64    // of data packets, each by itself
	burst  units.Time // for so long after a loss all are lost
	random *rand.Rand

	now    units.Time
	broken units.Time // until when all are lost
	free   units.Time // when the link has sent all
	leaves []units.Time
	events eventHeap
	order  uint64
	pairs  []*pair

	lost, passed, firsts int
	queued               func(packets int) // is told of the queue that each packet finds
}

// pair is a connection: a sender that always has data, unless its size is given, and a receiver that reads at once.
type pair struct {
	sender, receiver *tcp.Endpoint
	left             units.Bytes // to be written
	finished         units.Time  // when all was acknowledged
	timers           [2]units.Time
}

const endless = units.TB

type event struct {
	at    units.Time
	order uint64
	pair  *pair
	to    int // 0 the sender, 1 the receiver
	timer bool
	s     tcp.Segment
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(e any)   { *h = append(*h, e.(event)) }
func (h *eventHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

func newBottleneck(rate units.Rate, delay units.Time) *bottleneck {
	return &bottleneck{rate: rate, delay: delay, random: rand.New(rand.NewPCG(7, 7))}
}

// theory is a configuration as formulas have it: packets of 1460 bytes, each acknowledged by itself at once, buffers that
// bound nothing.
func theory() tcp.Config {
	cfg := tcp.Defaults()
	cfg.Timestamps, cfg.TSODefer = false, false
	cfg.DelayedAck, cfg.AckEvery, cfg.QuickAcks = 0, 1, 0
	cfg.ReceiveBuffer, cfg.SendBuffer = units.GiB, 512*units.MiB
	return cfg
}

// connect opens a connection at a time; of size bytes, or endless.
func (b *bottleneck) connect(cfg *tcp.Config, kind congestion.Kind, size units.Bytes, at units.Time) *pair {
	return b.connectWith(cfg, kind.Params().New, size, at)
}

func (b *bottleneck) connectWith(cfg *tcp.Config, control func() congestion.Control, size units.Bytes, at units.Time) *pair {
	p := &pair{
		sender: tcp.NewEndpoint(cfg, control(), 1000), receiver: tcp.NewEndpoint(cfg, control(), 2000),
		left: size, timers: [2]units.Time{units.Never, units.Never},
	}
	b.pairs = append(b.pairs, p)
	p.receiver.Listen()
	b.schedule(event{at: at, pair: p, to: 0, timer: true})
	return p
}

func (b *bottleneck) schedule(e event) {
	b.order++
	e.order = b.order
	heap.Push(&b.events, e)
}

func (p *pair) end(to int) *tcp.Endpoint { return [...]*tcp.Endpoint{p.sender, p.receiver}[to] }

// until runs the network up to a time, or until nothing is left to do.
func (b *bottleneck) until(end units.Time) {
	for len(b.events) > 0 && b.events[0].at <= end {
		e := heap.Pop(&b.events).(event)
		b.now = e.at
		switch {
		case !e.timer:
			e.pair.end(e.to).Receive(&e.s, b.now)
		case e.to == 0 && e.pair.sender.State() == tcp.Closed:
			e.pair.sender.Connect(b.now)
		case e.at != e.pair.timers[e.to]:
			continue // another deadline has replaced it
		default:
			e.pair.timers[e.to] = units.Never
			e.pair.end(e.to).OnTimer(b.now)
		}
		b.settle(e.pair, e.to)
	}
	b.now = max(b.now, end)
}

// settle lets the program, and then the endpoint, do what they can.
func (b *bottleneck) settle(p *pair, to int) {
	end := p.end(to)
	if to == 1 {
		end.Read(b.now, end.Readable())
	} else {
		p.left -= end.Write(p.left)
		if p.left == 0 && end.Acked() == end.Written() && p.finished == 0 {
			p.finished = b.now
		}
	}
	for {
		s, ok := end.Next(b.now, mss)
		if !ok {
			break
		}
		if to == 1 {
			b.schedule(event{at: b.now + b.delay, pair: p, to: 0, s: s})
		} else {
			b.forward(p, s)
		}
	}
	if at := end.Deadline(); at < units.Never && at != p.timers[to] {
		p.timers[to] = at
		b.schedule(event{at: max(at, b.now), pair: p, to: to, timer: true})
		p.timers[to] = max(at, b.now)
	}
}

// forward puts a packet into the queue.
func (b *bottleneck) forward(p *pair, s tcp.Segment) {
	for len(b.leaves) > 0 && b.leaves[0] <= b.now {
		b.leaves = b.leaves[1:]
	}
	if b.queued != nil {
		b.queued(len(b.leaves))
	}
	if s.Payload > 0 {
		b.passed++
		if b.now < b.broken || b.loss > 0 && b.random.Float64() < b.loss {
			if b.now >= b.broken {
				b.broken = b.now + b.burst
				b.firsts++
			}
			b.lost++
			return
		}
		if b.buffer > 0 && len(b.leaves) >= b.buffer {
			b.lost++
			return
		}
	}
	if b.mark > 0 && len(b.leaves) >= b.mark && s.ECT {
		s.Marked = s.Packets
	}
	const headers = 40
	b.free = max(b.free, b.now) + b.rate.Serialise(int(s.Payload)+headers)
	b.leaves = append(b.leaves, b.free)
	b.schedule(event{at: b.free + b.delay, pair: p, to: 1, s: s})
}

// goodput is what the receivers have been delivered between two times, in bit/s; the network runs up to the second.
func (b *bottleneck) goodput(from, to units.Time) float64 {
	sum := func() (n units.Bytes) {
		for _, p := range b.pairs {
			n += p.receiver.Delivered()
		}
		return n
	}
	b.until(from)
	before := sum()
	b.until(to)
	return 8 * float64(sum()-before) / (to - from).Seconds()
}

// within fails the test if got is not within a share of want.
func within(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	near(t, what, got, want, share*want)
}
