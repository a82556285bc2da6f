package rnic_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

// Places in the memory of each host of a crowd.
const (
	crowdMemory = 64 * units.MiB
	counterAt   = base          // what all add to
	ownAt       = base + 0x1000 // for each end: a word that the other one compares and swaps
	targetAt    = base + 1<<20  // for each end: where the other one writes
	sourceAt    = base + 2<<20  // for each request: what it sends
	sinkAt      = base + 16<<20 // for each request: what it reads
	inboxAt     = base + 32<<20 // for each receive request
	pieceBytes  = 0x4000        // of each of these
)

// crowd is several hosts and queue pairs between them, and what is to happen to these.
type crowd struct {
	plan  crowdPlan
	c     *host.Cluster
	nodes []*crowdHost
	ends  []*crowdEnd // 2k and 2k+1 are connected
}

type crowdPlan struct {
	service  rnic.Service
	change   func(*simtest.Net)
	equip    func(*host.Cluster)
	faults   host.Faults
	lose     [3][]int // of the packets that each host sends, by their number, and how often round
	loseTo   [3][]int // likewise of those that its switch sends to it
	losses   int      // of each of these, at most
	attr     rnic.Attributes
	srq      bool
	recovery *rnic.Recovery
	ends     []endPlan
	length   int // of WRITEs and READs
}

type endPlan struct {
	host     int
	depth    int
	requests []requestPlan
	receives []units.Time // when each is posted
	events   []eventPlan
	mayFail  bool // more is lost than it need survive
}

type requestPlan struct {
	at     units.Time
	verb   rnic.Verb
	length int // of SENDs
	fence, inline, signalled, solicited,
	empty bool
}

type eventPlan struct {
	at units.Time
	to rnic.State
}

// crowdHost is a host's thread: it does what is due, and looks for completions.
type crowdHost struct {
	nic    *rnic.NIC
	cq     *rnic.CQ
	srq    *rnic.SRQ
	pd     memory.PD
	region *memory.Region
	ends   []*crowdEnd
	due    []action
	events []string
}

type action struct {
	at units.Time
	do func(t *host.Thread, now units.Time) bool // whether it is done
}

// crowdEnd is an end of a connection, and what it has seen.
type crowdEnd struct {
	plan   *endPlan
	number int
	node   *crowdHost
	peer   *crowdEnd
	qp     *rnic.VerbsQP
	sent   []rnic.SendRequest
	done   []rnic.Completion
	got    []rnic.Completion
	taken  int // receive requests posted
	broken bool
}

func (h *crowdHost) Completed(cq *rnic.CQ, _ units.Time) {
	for c, ok := cq.Poll(); ok; c, ok = cq.Poll() {
		for _, e := range h.ends {
			if e.qp.QPN() != c.QPN {
				continue
			}
			if c.Verb >= rnic.Recv {
				e.got = append(e.got, c)
			} else {
				e.done = append(e.done, c)
			}
		}
	}
}
func (h *crowdHost) Event(*rnic.CQ, units.Time) {}
func (h *crowdHost) Async(e rnic.AsyncEvent, _ units.Time) {
	h.events = append(h.events, e.Kind.String())
}

func (h *crowdHost) Step(t *host.Thread) {
	var left []action
	next := units.Never
	for _, a := range h.due {
		if a.at > t.Now() {
			left = append(left, a)
			next = min(next, a.at)
			continue
		}
		if !a.do(t, t.Now()) {
			a.at = t.Now() + 50*units.Microsecond
			left = append(left, a)
			next = min(next, a.at)
		}
	}
	h.due = left
	if next != units.Never {
		t.CallAt(next)
	}
}
func (h *crowdHost) Done() bool    { return len(h.due) == 0 }
func (h *crowdHost) Failed() error { return nil }
func (h *crowdHost) Waits() string { return "waits for its turn" }

// newCrowd makes the hosts h0 and h1 on one switch and h2 on another, which a short cable
// joins and a long way over a third.
func newCrowd(t simtest.TB, p crowdPlan) (*crowd, *simtest.Net) {
	const gbps, near, far = 100 * units.Gbps, 500 * units.Nanosecond, 15 * units.Microsecond
	graph, err := topology.New([]topology.Node{{Name: "h0"}, {Name: "h1"}, {Name: "h2"},
		{Name: "s0", Kind: topology.Switch}, {Name: "s1", Kind: topology.Switch}, {Name: "s2", Kind: topology.Switch}},
		[]topology.Link{{A: 0, B: 3, Rate: gbps, Delay: near}, {A: 1, B: 3, Rate: gbps, Delay: near}, {A: 2, B: 4, Rate: gbps, Delay: near},
			{A: 3, B: 4, Rate: gbps, Delay: near}, {A: 3, B: 5, Rate: gbps, Delay: far}, {A: 5, B: 4, Rate: gbps, Delay: far}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	net := simtest.On(graph)
	net.NIC.MTU, net.NIC.Timeout = 1024, 6
	net.Run = host.RunOptions{Limit: 4 * units.Second, Workers: 1, Together: simtest.Always}
	p.change(net)
	w := &crowd{plan: p, c: net.Cluster(t)}
	if err := w.c.Inject(p.faults); err != nil {
		t.Fatalf("%v", err)
	}
	if p.equip != nil {
		p.equip(w.c)
	}
	for i := range 3 {
		h := &crowdHost{nic: w.c.Hosts[i].NIC(0)}
		h.cq = h.nic.CreateCQ(1<<16, h)
		h.pd = h.nic.Memory().AllocPD()
		h.region, _ = h.nic.Memory().Register(h.pd, base, crowdMemory, everything)
		if p.srq {
			h.srq = h.nic.CreateSRQ(h.pd, 1024, 2, h)
		}
		w.nodes = append(w.nodes, h)
		for k, lose := range [2][]int{p.lose[i], p.loseTo[i]} {
			if len(lose) == 0 {
				continue
			}
			node, port := i, 0
			if k == 1 {
				at := graph.Ports(i)[0]
				node, port = at.Peer, at.PeerPort
			}
			seen, lost := 0, 0
			simtest.Watch(w.c, node, port).Lose = func(*wire.Packet, units.Time) bool {
				seen++
				if lost < p.losses && lose[seen%len(lose)] == 0 {
					lost++
					return true
				}
				return false
			}
		}
	}
	for i := range p.ends {
		e := &crowdEnd{plan: &p.ends[i], number: i, node: w.nodes[p.ends[i].host], broken: p.ends[i].mayFail}
		e.qp = e.node.nic.CreateQP(rnic.QPInit{
			Service: p.service, PD: e.node.pd, SendCQ: e.node.cq, RecvCQ: e.node.cq, SRQ: e.node.srq, SendDepth: e.plan.depth, RecvDepth: 1024,
			MaxInline: 2000, Recovery: p.recovery, Data: simtest.Data,
		})
		e.node.ends = append(e.node.ends, e)
		w.ends = append(w.ends, e)
	}
	for i, e := range w.ends {
		e.peer = w.ends[i^1]
		if i%2 == 0 {
			w.join(t, e, e.peer)
		}
		w.script(e)
	}
	for i, h := range w.nodes {
		w.c.AddThread(i, h, host.ThreadOptions{Name: "crowd"})
	}
	return w, net
}

func (w *crowd) join(t simtest.TB, a, b *crowdEnd) {
	attr := w.plan.attr
	ha, hb := a.qp.Handle(attr.SendPSN), b.qp.Handle(attr.SendPSN)
	for _, side := range []struct {
		*crowdEnd
		remote rnic.Handle
	}{{a, hb}, {b, ha}} {
		attr.Remote = side.remote
		for _, state := range []rnic.State{rnic.Init, rnic.RTR, rnic.RTS} {
			if err := side.qp.Modify(state, attr, 0); err != nil {
				t.Fatalf("%v", err)
			}
		}
	}
}

// script has an end post what its plan says, in order, as soon as there is room.
func (w *crowd) script(e *crowdEnd) {
	h := e.node
	for i := range e.plan.requests {
		r := w.request(e, i)
		at := e.plan.requests[i].at
		h.due = append(h.due, action{at, func(_ *host.Thread, now units.Time) bool {
			if len(e.sent) > i {
				return true // it has been reset
			}
			if len(e.sent) != i || e.qp.State() < rnic.RTS {
				return false
			}
			err := e.qp.PostSend(r, now, now)
			if errors.Is(err, rnic.ErrQueueFull) {
				return false
			}
			if err != nil {
				panic(err)
			}
			e.sent = append(e.sent, r)
			return true
		}})
	}
	for i, at := range e.plan.receives {
		slot := uint64(e.number*100 + i)
		r := rnic.RecvRequest{ID: slot, Local: rnic.Slice{Addr: inboxAt + slot*pieceBytes, Length: pieceBytes, Key: h.region.LKey}}
		h.due = append(h.due, action{at, func(_ *host.Thread, now units.Time) bool {
			var err error
			if e.qp.State() == rnic.Reset {
				return false
			}
			if h.srq != nil {
				err = h.srq.PostRecv(r, now)
			} else {
				err = e.qp.PostRecv(r, now)
			}
			if err != nil {
				panic(err)
			}
			e.taken++
			return true
		}})
	}
	for _, ev := range e.plan.events {
		h.due = append(h.due, action{ev.at, func(_ *host.Thread, now units.Time) bool {
			if ev.to == rnic.Err {
				e.broken = true
			}
			_ = e.qp.Modify(ev.to, rnic.Attributes{}, now) // an error if it has failed
			return true
		}})
	}
}

// request is the i-th request of an end. A WRITE writes i+1 into the first and last word of
// its target; a READ reads that; a compare and swap swaps in the number of those before it.
func (w *crowd) request(e *crowdEnd, i int) rnic.SendRequest {
	p, h := &e.plan.requests[i], e.node
	to := w.ends[e.number^1].plan.host
	slot := uint64(e.number*100 + i)
	swaps := uint64(0)
	for k := range i {
		if e.plan.requests[k].verb == rnic.CompareSwap {
			swaps++
		}
	}
	r := rnic.SendRequest{
		ID: uint64(i), Verb: p.verb, Signalled: p.signalled, Fence: p.fence, Solicited: p.solicited, Inline: p.inline, Imm: uint32(i),
		Local: rnic.Slice{Addr: sourceAt + slot*pieceBytes, Length: units.Bytes(w.plan.length), Key: h.region.LKey},
		RKey:  w.nodes[to].region.RKey, Remote: targetAt + uint64(e.number)*pieceBytes,
	}
	m := h.nic.Memory()
	switch p.verb {
	case rnic.Send, rnic.SendImm:
		r.Local.Length = units.Bytes(p.length)
	case rnic.Read:
		r.Local.Addr = sinkAt + slot*pieceBytes
	case rnic.FetchAdd:
		r.Local.Addr, r.Local.Length, r.Remote, r.CompareAdd = sinkAt+slot*pieceBytes, 8, counterAt, 1
	case rnic.CompareSwap:
		r.Local.Addr, r.Local.Length, r.Remote = sinkAt+slot*pieceBytes, 8, ownAt+8*uint64(e.number)
		r.CompareAdd, r.Swap = swaps, swaps+1
	}
	if p.empty && p.verb < rnic.CompareSwap {
		r.Local.Length = 0
	}
	if p.verb < rnic.Read && r.Local.Length >= 8 {
		m.Store(r.Local.Addr, uint64(i+1))
		m.Store(r.Local.Addr+lastWord(r.Local.Length), uint64(i+1))
		for o := uint64(1024); o < lastWord(r.Local.Length); o += 1024 {
			m.Store(r.Local.Addr+o, uint64(i+1))
		}
	}
	r.Inline = r.Inline && p.verb < rnic.Read && r.Local.Length <= 2000
	return r
}

func lastWord(length units.Bytes) uint64 { return uint64(length-8) / 8 * 8 }

// failsAt is the first request that did not end well; all if there is none.
func (e *crowdEnd) failsAt() int {
	for _, c := range e.done {
		if c.Status != rnic.Success {
			return int(c.ID)
		}
	}
	return len(e.sent)
}

// verify finds what must not be.
func (w *crowd) verify(r host.Report) error {
	adds, sure := map[*crowdHost]uint64{}, map[*crowdHost]uint64{}
	olds := map[*crowdHost]map[uint64]bool{}
	for _, e := range w.ends {
		say := func(format string, args ...any) error {
			return fmt.Errorf("end %d (state %v): %s; outcome %v; sent %s; done %v; got %v; cause %s", e.number, e.qp.State(), fmt.Sprintf(format, args...), r.Outcome, list(e.sent), e.done, e.peer.got, e.qp.Cause())
		}
		if len(e.sent) != len(e.plan.requests) {
			return say("%d of %d posted", len(e.sent), len(e.plan.requests))
		}
		fails := e.failsAt()
		if fails < len(e.sent) && !e.broken && !e.peer.broken {
			return say("request %d failed", fails)
		}
		k := 0
		for i, s := range e.sent {
			if i < fails && !s.Signalled {
				continue
			}
			if k == len(e.done) || e.done[k].ID != uint64(i) {
				return say("completion %d is not that of request %d", k, i)
			}
			if c := e.done[k]; i < fails != (c.Status == rnic.Success) || i > fails && c.Status != rnic.FlushError {
				return say("completion %d is %v", k, c)
			}
			k++
		}
		if k != len(e.done) {
			return say("more completions than requests")
		}
		// What has been carried out there is a number of requests from the first on.
		imm, immSure, last, lastSure := []uint32{}, 0, uint64(0), uint64(0)
		swaps, swapsSure := uint64(0), uint64(0)
		for i, s := range e.sent {
			certain := i < fails
			switch {
			case s.Verb <= rnic.SendImm || s.Verb == rnic.WriteImm:
				imm = append(imm, uint32(i))
				if certain {
					immSure++
				}
			case s.Verb == rnic.FetchAdd:
				adds[e.peer.node]++
				if certain {
					sure[e.peer.node]++
				}
			case s.Verb == rnic.CompareSwap:
				swaps++
				if certain {
					swapsSure++
				}
			}
			if (s.Verb == rnic.Write || s.Verb == rnic.WriteImm) && s.Local.Length > 0 {
				last = uint64(i + 1)
				if certain {
					lastSure = last
				}
			}
		}
		k = 0
		for _, c := range e.peer.got {
			if c.Status != rnic.Success {
				continue
			}
			if k == len(imm) || e.sent[imm[k]].Verb != rnic.Send && c.Imm != imm[k] || e.sent[imm[k]].Verb == rnic.WriteImm != (c.Verb == rnic.RecvWithImm) || c.Bytes != e.sent[imm[k]].Local.Length {
				return say("receive completion %d is %+v", k, c)
			}
			if at := inboxAt + c.ID*pieceBytes; c.Verb == rnic.Recv && c.Bytes >= 8 {
				m := e.peer.node.nic.Memory()
				if a, b := m.Load(at), m.Load(at+lastWord(c.Bytes)); a != uint64(imm[k]+1) || b != a {
					return say("receive completion %d came with %d and %d", k, a, b)
				}
			}
			k++
		}
		if k < immSure {
			return say("%d received, %d sure", k, immSure)
		}
		there := e.peer.node.nic.Memory()
		if w.plan.length >= 8 {
			at := targetAt + uint64(e.number)*pieceBytes
			for _, o := range []uint64{0, lastWord(units.Bytes(w.plan.length))} {
				if v := there.Load(at + o); v < lastSure || v > last {
					return say("%d is written at %d, want %d to %d", v, o, lastSure, last)
				}
			}
		}
		if v := there.Load(ownAt + 8*uint64(e.number)); v < swapsSure || v > swaps {
			return say("%d swaps, want %d to %d", v, swapsSure, swaps)
		}
		swaps = 0
		for i, s := range e.sent[:fails] {
			here, slot := e.node.nic.Memory(), sinkAt+uint64(e.number*100+i)*pieceBytes
			switch s.Verb {
			case rnic.CompareSwap:
				if v := here.Load(slot); v != swaps {
					return say("swap %d found %d, want %d", i, v, swaps)
				}
				swaps++
			case rnic.FetchAdd:
				v := here.Load(slot)
				if olds[e.peer.node] == nil {
					olds[e.peer.node] = map[uint64]bool{}
				}
				if olds[e.peer.node][v] {
					return say("two found %d", v)
				}
				olds[e.peer.node][v] = true
			case rnic.Read:
				if s.Local.Length < 8 {
					break
				}
				least := uint64(0)
				for k, b := range e.sent[:i] {
					if (b.Verb == rnic.Write || b.Verb == rnic.WriteImm) && b.Local.Length > 0 {
						least = uint64(k + 1)
					}
				}
				for _, o := range []uint64{0, lastWord(s.Local.Length)} {
					if v := here.Load(slot + o); v < least || v > last {
						return say("READ %d found %d at %d, want %d to %d", i, v, o, least, last)
					}
				}
			}
		}
	}
	for i, h := range w.nodes {
		v := h.nic.Memory().Load(counterAt)
		if v < sure[h] || v > adds[h] {
			return fmt.Errorf("host %d: counter %d, want %d to %d", i, v, sure[h], adds[h])
		}
		for o := range olds[h] {
			if o >= v {
				return fmt.Errorf("host %d: counter %d, but somebody found %d", i, v, o)
			}
		}
	}
	return nil
}

// Two ends that are reset and joined again, in the middle of whatever goes on, begin afresh
// though their numbers are the old ones: what is left over on the way does no harm.
func TestAQueuePairThatIsResetBeginsAfresh(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := drawCrowd(r)
		for i := range p.ends {
			p.ends[i].events = nil
		}
		p.losses = 0
		down := units.Time(rapid.IntRange(0, 800).Draw(r, "reset at")) * units.Microsecond / 10
		up := down + units.Time(rapid.IntRange(100, 600).Draw(r, "and joined after"))*units.Microsecond/10
		w, net := newCrowd(r, p)
		handles := make([]rnic.Handle, len(w.ends))
		ended := make([]int, len(w.ends))
		for i, e := range w.ends {
			attr := p.attr
			e.node.due = append(e.node.due, action{down, func(_ *host.Thread, now units.Time) bool {
				_ = e.qp.Modify(rnic.Reset, rnic.Attributes{}, now)
				handles[i] = e.qp.Handle(attr.SendPSN)
				// What the plan had for it is over.
				e.sent = make([]rnic.SendRequest, len(e.plan.requests))
				return true
			}}, action{up, func(t *host.Thread, now units.Time) bool {
				ended[i] = len(e.done)
				attr.Remote = handles[i^1]
				for _, s := range []rnic.State{rnic.Init, rnic.RTR, rnic.RTS} {
					if err := e.qp.Modify(s, attr, now); err != nil {
						panic(err)
					}
				}
				for k := range 5 {
					slot := sinkAt + uint64(e.number*100+k)*pieceBytes
					_ = e.qp.PostSend(rnic.SendRequest{
						ID: uint64(1000 + k), Verb: rnic.Verb([]rnic.Verb{rnic.Write, rnic.Read, rnic.FetchAdd}[k%3]), Signalled: true,
						Local: rnic.Slice{Addr: slot, Length: 8, Key: e.node.region.LKey}, Remote: ownAt + 0x800, RKey: e.peer.node.region.RKey,
					}, now, now)
				}
				return true
			}})
		}
		if _, err := w.c.Run(context.Background(), net.Run); err != nil {
			r.Fatal(err)
		}
		for i, e := range w.ends {
			var late []rnic.Completion
			for _, c := range e.done[ended[i]:] {
				if c.ID >= 1000 {
					late = append(late, c)
				}
			}
			want := min(5, e.plan.depth)
			for k, c := range late {
				if c.ID != uint64(1000+k) || c.Status != rnic.Success {
					r.Fatalf("end %d: %v", i, e.done)
				}
			}
			if len(late) != want {
				r.Fatalf("end %d (state %v): %d of %d done after a reset: %v; %s", i, e.qp.State(), len(late), want, e.done, e.qp.Cause())
			}
		}
	})
}

// On an unreliable connection what comes whole comes once and in order, whatever is lost or
// overtaken; and no receive request gets lost: each has a completion or is still there.
func TestACrowdOfUnreliableConnections(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := drawCrowd(r)
		p.service = rnic.UC
		for i := range p.ends {
			e := &p.ends[i]
			e.receives = e.receives[:rapid.IntRange(0, len(e.receives)).Draw(r, "receives")]
			for k := range e.requests {
				if q := &e.requests[k]; q.verb >= rnic.Read {
					q.verb = rnic.WriteImm
				}
			}
		}
		w, net := newCrowd(r, p)
		if _, err := w.c.Run(context.Background(), net.Run); err != nil {
			r.Fatal(err)
		}
		posted, seen := map[*crowdHost]int{}, map[*crowdHost]int{}
		for i, e := range w.ends {
			last, left := -1, e.qp.Receives()
			for _, c := range e.got {
				if c.Status != rnic.Success {
					continue
				}
				if c.HasImm {
					if int(c.Imm) <= last {
						r.Fatalf("end %d: message %d comes after %d", i, c.Imm, last)
					}
					last = int(c.Imm)
				}
				if c.Bytes > pieceBytes {
					r.Fatalf("end %d: %+v", i, c)
				}
			}
			if w.plan.srq {
				posted[e.node] += e.taken
				seen[e.node] += len(e.got)
			} else if e.taken != left+len(e.got) && !e.qp.Receiving() {
				r.Fatalf("end %d: %d receive requests, %d left and %d done", i, e.taken, left, len(e.got))
			}
			if e.qp.State() == rnic.RTS && len(e.sent) != len(e.plan.requests) {
				r.Fatalf("end %d: %d of %d posted: %s", i, len(e.sent), len(e.plan.requests), e.qp.Cause())
			}
		}
		for i, h := range w.nodes {
			open := 0
			for _, e := range h.ends {
				if e.qp.Receiving() {
					open++
				}
			}
			if w.plan.srq && posted[h] != h.srq.Len()+seen[h]+open {
				r.Fatalf("host %d: %d receive requests, %d left, %d done and %d in use", i, posted[h], h.srq.Len(), seen[h], open)
			}
		}
	})
}

func list(s []rnic.SendRequest) (l string) {
	for _, r := range s {
		l += fmt.Sprintf("%d:%v/%d ", r.ID, r.Verb, r.Local.Length)
	}
	return l
}

func drawCrowd(r *rapid.T) (p crowdPlan) {
	pick := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(r, name) }
	recovery := rapid.SampledFrom([]rnic.Recovery{rnic.GoBackN, rnic.Selective, rnic.Adaptive}).Draw(r, "recovery")
	if rapid.Bool().Draw(r, "of its own") {
		p.recovery = &recovery
	}
	window := rapid.SampledFrom([]int{0, 1, 2, 4, 30}).Draw(r, "window")
	ackEvery, rearm := pick("ack every", 6), rapid.SampledFrom([]units.Time{0, 100 * units.Microsecond}).Draw(r, "re-arm")
	profile := rapid.SampledFrom([]string{"ideal", "ideal", "connectx5", "connectx6", "connectx7"}).Draw(r, "profile")
	entries, txBuffer := 1+pick("contexts", 2), units.Bytes(rapid.SampledFrom([]int{0, 1, 3000, 100000}).Draw(r, "tx buffer"))
	memory := rapid.SampledFrom([]string{hardware.HostMemory, hardware.Near, hardware.Far, hardware.Bounce}).Draw(r, "memory")
	ackClass := rapid.Bool().Draw(r, "acknowledgements first")
	buffer := 0
	if rapid.Bool().Draw(r, "InfiniBand") {
		buffer = 1 + pick("packets of buffer", 3)
	}
	p.change = func(n *simtest.Net) {
		n.NIC.Recovery = recovery
		n.NIC.Selective = rnic.SelectiveRepeat{Window: window, TimerLow: 100 * units.Microsecond, TimerHigh: 320 * units.Microsecond, Few: 3}
		n.NIC.Adaptive = rnic.AdaptiveTimer{Start: 16 * units.Microsecond, Limit: 16 * units.Millisecond, Tries: 1}
		n.NIC.AckEvery, n.NIC.NakRearm = ackEvery, rearm
		if ackClass {
			n.NIC.Ack = simtest.CNP
		}
		if profile != "ideal" {
			n.NIC.Hardware = hardware.New(profile)
			n.NIC.Hardware.Contexts.Entries = entries
			n.NIC.Hardware.TxBuffer = txBuffer
			n.NIC.Hardware.Memory = memory
		}
		if buffer > 0 {
			n.InfiniBand(units.Bytes(buffer) * 17 * 64)
		}
	}
	if buffer == 0 && rapid.Bool().Draw(r, "slow hosts") {
		drain := units.Rate(1+pick("drain", 50)) * units.Gbps
		p.equip = func(c *host.Cluster) {
			for _, h := range c.Hosts {
				h.NIC(0).Limit(rnic.ReceiveBuffer{Drain: drain, Size: 30 * units.KiB, XOFF: 2 * units.KiB, XON: units.KiB, Lossless: 1 << 3})
			}
		}
	}
	p.losses = rapid.SampledFrom([]int{0, 1, 1, 12}).Draw(r, "losses")
	if p.losses > 0 {
		for i := range 3 {
			p.lose[i] = rapid.SliceOfN(rapid.IntRange(0, 9), 0, 30).Draw(r, "loss")
			p.loseTo[i] = rapid.SliceOfN(rapid.IntRange(0, 9), 0, 30).Draw(r, "loss back")
		}
	}
	us := func(name string, most int) units.Time {
		return units.Time(rapid.IntRange(0, most*10).Draw(r, name)) * units.Microsecond / 10
	}
	for range pick("outages", 4) {
		from := us("down", 60)
		link := rapid.SampledFrom([]int{3, 3, 3, 2}).Draw(r, "link")
		p.faults.Outages = append(p.faults.Outages, fabric.Outage{Link: link,
			Span: fabric.Span{From: from, To: from + us("for", 40)}, Convergence: us("convergence", 3)})
	}
	reads := rapid.SampledFrom([]int{1, 2, 4, 16}).Draw(r, "reads")
	p.attr = rnic.Attributes{
		Given: ^rnic.Attr(0), Access: everything, MTU: 1024, ReadsAccepted: reads, ReadsIssued: reads,
		MinRNR: 1 + pick("RNR timer", 31), Retries: 7, RNRRetries: 7, Timeout: 6,
		SendPSN: wire.PSN(rapid.SampledFrom([]int{0, 0xFFFFF0, 0x7FFFFA}).Draw(r, "PSN")),
	}
	p.srq = rapid.Bool().Draw(r, "SRQ")
	p.length = rapid.SampledFrom([]int{8, 1024, 1032, 3000, 9000}).Draw(r, "length")
	verbs := []rnic.Verb{rnic.Send, rnic.SendImm, rnic.Write, rnic.WriteImm, rnic.Read, rnic.CompareSwap, rnic.FetchAdd}
	ends := rapid.Bool().Draw(r, "ends")
	for range 1 + pick("connections", 4) {
		src := pick("from", 3)
		for _, h := range []int{src, (src + 1 + pick("to", 2)) % 3} {
			e := endPlan{host: h, depth: rapid.SampledFrom([]int{1, 2, 5, 40}).Draw(r, "depth")}
			at := units.Time(0)
			for i := range pick("requests", 13) {
				if rapid.Bool().Draw(r, "later") {
					at += us("after", 15)
				}
				e.requests = append(e.requests, requestPlan{
					at: at, verb: rapid.SampledFrom(verbs).Draw(r, "verb"), length: rapid.SampledFrom([]int{8, 64, 1024, 2056, 5000}).Draw(r, "bytes"),
					fence: rapid.Bool().Draw(r, "fence"), inline: rapid.Bool().Draw(r, "inline"), solicited: rapid.Bool().Draw(r, "solicited"),
					signalled: rapid.Bool().Draw(r, "signalled") || i%e.depth == e.depth-1, empty: pick("empty", 8) == 0,
				})
			}
			if n := len(e.requests); n > 0 {
				e.requests[n-1].signalled = true
			}
			if pick("drains", 4) == 0 {
				from := us("drains at", 60)
				e.events = append(e.events, eventPlan{from, rnic.SQD}, eventPlan{from + us("drains for", 60), rnic.RTS})
			}
			if ends && pick("breaks", 4) == 0 {
				e.events = append(e.events, eventPlan{us("breaks at", 100), rnic.Err})
			}
			e.mayFail = p.losses > 1
			p.ends = append(p.ends, e)
		}
	}
	for i := range p.ends {
		for _, q := range p.ends[i^1].requests {
			if q.verb <= rnic.SendImm || q.verb == rnic.WriteImm {
				at := units.Time(0)
				if rapid.Bool().Draw(r, "late receive") {
					at = us("receive at", 200)
				}
				p.ends[i].receives = append(p.ends[i].receives, at)
			}
		}
	}
	return p
}

// Whatever several queue pairs of several hosts ask of each other, at once and both ways, and
// whatever is lost, late or overtaken: each request is carried out once, in order, or fails
// with all behind it; no update of a word is lost; the books balance; all of it ends.
func TestACrowdOfQueuePairsIsServedOnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := drawCrowd(r)
		workers := rapid.IntRange(1, 3).Draw(r, "workers")
		var first string
		for k := range 2 {
			w, net := newCrowd(r, p)
			if k == 1 {
				if workers == 1 {
					break
				}
				net.Run.Workers, net.Run.Together = workers, simtest.InTurns()
			}
			report, err := w.c.Run(context.Background(), net.Run)
			if err != nil {
				r.Fatal(err)
			}
			if err := w.verify(report); err != nil {
				r.Fatal(err)
			}
			var all string
			for _, e := range w.ends {
				all += fmt.Sprint(e.done, e.got, e.qp.Counted)
			}
			if k == 0 {
				first = all
			} else if all != first {
				r.Fatalf("with %d workers %s; with one %s", workers, all, first)
			}
		}
	})
}

// A send queue drains to the end of the request that is half sent: it says so once, then. A
// window of one packet has every packet acknowledged before the next is sent.
func TestAQueueIsDrainedWhenNoRequestIsHalfSent(t *testing.T) {
	e := connect(t, rnic.RC, func(n *simtest.Net, _ *rnic.Attributes) { n.NIC.Window = 1024 })
	for i := range 2 {
		e.post(&e.a, rnic.SendRequest{ID: uint64(i), Verb: rnic.Write, Local: e.a.slice(0, 3000), Remote: base, RKey: e.b.region.RKey})
	}
	var early int
	e.c.AddThread(0, &crowdHost{due: []action{
		{units.Microsecond, func(_ *host.Thread, now units.Time) bool {
			return e.a.qp.Modify(rnic.SQD, rnic.Attributes{}, now) == nil
		}},
		{6 * units.Microsecond, func(*host.Thread, units.Time) bool { early = len(e.a.events); return true }}, // two of three packets are acknowledged
		{40 * units.Microsecond, func(_ *host.Thread, now units.Time) bool {
			return e.a.qp.Modify(rnic.RTS, rnic.Attributes{}, now) == nil
		}},
	}}, host.ThreadOptions{Name: "drains"})
	e.run()
	expect(t, "events", fmt.Sprint(e.a.events), "[SQ_DRAINED]")
	if early != 0 || len(e.a.seen) != 2 || e.a.seen[0].at > 10*units.Microsecond || e.a.seen[1].at < 40*units.Microsecond {
		t.Errorf("%d events before the first was sent; %+v", early, e.a.seen)
	}
}
