package rnic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// sleeper waits for events and takes what is there when one comes.
type sleeper struct {
	solicited bool
	once      bool
	events    []units.Time
	taken     []int // completions at each event
	async     []string
}

func (s *sleeper) Completed(*rnic.CQ, units.Time) {}

func (s *sleeper) Event(cq *rnic.CQ, now units.Time) {
	n := 0
	for {
		if _, ok := cq.Poll(); !ok {
			break
		}
		n++
	}
	s.events, s.taken = append(s.events, now), append(s.taken, n)
	if !s.once {
		cq.Arm(s.solicited)
	}
}

func (s *sleeper) Async(e rnic.AsyncEvent, _ units.Time) { s.async = append(s.async, e.Kind.String()) }

// pair makes one more queue pair of each end, connected, with queues of its own.
func (e *ends) pair(a, b rnic.QPInit) (qa, qb *rnic.VerbsQP) {
	e.t.Helper()
	a.PD, b.PD, a.Data, b.Data = e.a.pd, e.b.pd, simtest.Data, simtest.Data
	qa, qb = e.a.nic.CreateQP(a), e.b.nic.CreateQP(b)
	ha, hb := attributes(qb.Handle(0)), attributes(qa.Handle(0))
	for _, s := range []rnic.State{rnic.Init, rnic.RTR, rnic.RTS} {
		if qa.Modify(s, ha, 0) != nil || qb.Modify(s, hb, 0) != nil {
			e.t.Fatal("not connected")
		}
	}
	return qa, qb
}

// An armed queue raises one event, for the first completion that comes; who wants more arms
// it again.
func TestAnArmedQueueRaisesOneEvent(t *testing.T) {
	for _, once := range []bool{true, false} {
		e := connect(t, rnic.RC)
		s := &sleeper{once: once}
		cq := e.a.nic.CreateCQ(16, s)
		q, _ := e.pair(rnic.QPInit{SendCQ: cq, RecvCQ: cq, SendDepth: 8, AllSignalled: true},
			rnic.QPInit{SendCQ: e.b.cq, RecvCQ: e.b.cq, SendDepth: 8})
		cq.Arm(false)
		for i := range 3 {
			_ = q.PostSend(rnic.SendRequest{ID: uint64(i), Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey}, units.Time(i)*units.Microsecond, 0)
		}
		e.run()
		want := "[1 1 1]"
		if once {
			want = "[1]"
		}
		expect(t, "completions at events", fmt.Sprint(s.taken), want)
	}
}

// Moderation gathers completions: an event for every third, or a period after the first
// that is left over.
func TestModerationGathersCompletions(t *testing.T) {
	e := connect(t, rnic.RC)
	s := new(sleeper)
	cq := e.a.nic.CreateCQ(16, s)
	cq.Moderate(3, 50*units.Microsecond)
	q, _ := e.pair(rnic.QPInit{SendCQ: cq, RecvCQ: cq, SendDepth: 8, AllSignalled: true},
		rnic.QPInit{SendCQ: e.b.cq, RecvCQ: e.b.cq, SendDepth: 8})
	cq.Arm(false)
	for i := range 5 {
		_ = q.PostSend(rnic.SendRequest{ID: uint64(i), Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey}, units.Time(i)*units.Microsecond, 0)
	}
	e.run()
	// A WRITE of 8 B, 106 B on the wire, and its ACK of 86 B cross two links each: done
	// 2 x 8.48 + 2 x 6.88 + 2000 ns after it was posted. The third was at 2 us, the fourth at 3.
	const done = 2030720
	want := fmt.Sprint([]units.Time{2*units.Microsecond + done, 53*units.Microsecond + done})
	expect(t, "completions at events", fmt.Sprint(s.taken, s.events), "[3 2] "+want)
}

// A queue armed for solicited completions sleeps through the others.
func TestASolicitedEventWakesTheReceiver(t *testing.T) {
	e := connect(t, rnic.RC)
	s := &sleeper{solicited: true}
	cq := e.b.nic.CreateCQ(16, s)
	q, p := e.pair(rnic.QPInit{SendCQ: e.a.cq, RecvCQ: e.a.cq, SendDepth: 8},
		rnic.QPInit{SendCQ: cq, RecvCQ: cq, SendDepth: 8, RecvDepth: 8})
	cq.Arm(true)
	for i := range 4 {
		_ = p.PostRecv(rnic.RecvRequest{ID: uint64(i), Local: e.b.slice(0, 4096)}, 0)
		_ = q.PostSend(rnic.SendRequest{Verb: rnic.Send, Local: e.a.slice(0, 2000), Solicited: i == 2}, units.Time(i)*units.Microsecond, 0)
	}
	e.run()
	expect(t, "completions at events", fmt.Sprint(s.taken), "[3]")
}

// Queue pairs that share a receive queue take from it in the order in which messages come;
// below its limit it says so, once. When it is empty the sender hears that nobody is ready.
func TestASharedReceiveQueueServesTheFirstThatComes(t *testing.T) {
	e := connect(t, rnic.RC)
	s := new(sleeper)
	srq := e.b.nic.CreateSRQ(e.b.pd, 8, 2, s)
	for i := range 3 {
		if err := srq.PostRecv(rnic.RecvRequest{ID: uint64(i), Local: e.b.slice(i*4096, 4096)}, 0); err != nil {
			t.Fatal(err)
		}
	}
	var qs []*rnic.VerbsQP
	for range 2 {
		q, p := e.pair(rnic.QPInit{SendCQ: e.a.cq, RecvCQ: e.a.cq, SendDepth: 8},
			rnic.QPInit{SendCQ: e.b.cq, RecvCQ: e.b.cq, SendDepth: 8, SRQ: srq})
		if err := p.PostRecv(rnic.RecvRequest{}, 0); err != rnic.ErrRequest {
			t.Errorf("a receive request for the queue pair itself: %v", err)
		}
		qs = append(qs, q)
	}
	for i := range 4 {
		_ = qs[i%2].PostSend(rnic.SendRequest{Verb: rnic.SendImm, Imm: uint32(i), Local: e.a.slice(0, 8)}, units.Time(i)*units.Microsecond, 0)
	}
	e.net.Run.Limit = units.Millisecond
	e.run()
	got := ""
	for _, c := range e.b.seen {
		got += fmt.Sprintf("%d: imm %d; ", c.ID, c.Imm)
	}
	expect(t, "received", got, "0: imm 0; 1: imm 1; 2: imm 2; ")
	expect(t, "events", strings.Join(s.async, " "), "SRQ_LIMIT_REACHED")
	if qs[1].Counted.RNRNaks < 1 {
		t.Errorf("%d RNR NAKs for the fourth message", qs[1].Counted.RNRNaks)
	}
}

// A queue pair that drains finishes what it has begun, says so, and begins nothing more
// until it is ready to send again.
func TestADrainedQueueBeginsNothing(t *testing.T) {
	e := connect(t, rnic.RC)
	tap := simtest.Watch(e.c, 0, 0)
	s := &drain{e: e}
	cq := e.a.nic.CreateCQ(16, s)
	q, _ := e.pair(rnic.QPInit{SendCQ: cq, RecvCQ: cq, SendDepth: 8, AllSignalled: true},
		rnic.QPInit{SendCQ: e.b.cq, RecvCQ: e.b.cq, SendDepth: 8})
	s.q = q
	for i := range 3 {
		_ = q.PostSend(rnic.SendRequest{ID: uint64(i), Verb: rnic.Write, Local: e.a.slice(0, 4096), Remote: base, RKey: e.b.region.RKey}, 0, 0)
	}
	_ = q.Modify(rnic.SQD, rnic.Attributes{}, 0)
	e.run()
	expect(t, "what happened", s.log, "drained; 0 done; 1 done; 2 done; ")
	first := tap.Starts(func(p *wire.Packet) bool { return p.Op == wire.WriteFirst })
	if len(first) != 3 {
		t.Errorf("messages left at %v", first)
	}
}

// drain lets a queue pair go on when it has drained.
type drain struct {
	e   *ends
	q   *rnic.VerbsQP
	log string
}

func (d *drain) Completed(cq *rnic.CQ, _ units.Time) {
	c, _ := cq.Poll()
	d.log += fmt.Sprintf("%d done; ", c.ID)
}
func (d *drain) Event(*rnic.CQ, units.Time) {}
func (d *drain) Async(_ rnic.AsyncEvent, now units.Time) {
	d.log += "drained; "
	if err := d.q.Modify(rnic.RTS, rnic.Attributes{}, now); err != nil {
		d.e.t.Error(err)
	}
}

// A send queue that stands still says why.
func TestASendQueueSaysWhatItWaitsFor(t *testing.T) {
	for _, tc := range []struct {
		what string
		lose wire.Opcode
		rs   []rnic.SendRequest
		want string
	}{
		{"no receive request", wire.CNP, []rnic.SendRequest{{Verb: rnic.Send}}, "a receive request at the other end, which has answered"},
		{"a READ that is not answered", wire.ReadResponseOnly, []rnic.SendRequest{{Verb: rnic.Read}, {Verb: rnic.Read}}, "as many as it may have under way (max_rd_atomic 1)"},
		{"a fence", wire.ReadResponseOnly, []rnic.SendRequest{{Verb: rnic.Read}, {Verb: rnic.Write, Fence: true}}, "the 1 READs and atomics before its fence"},
		{"an acknowledgement", wire.Acknowledge, []rnic.SendRequest{{Verb: rnic.Write}}, "the acknowledgement of PSN 0; retransmission at"},
		{"nothing", wire.CNP, []rnic.SendRequest{{Verb: rnic.Write}}, ""},
	} {
		e := connect(t, rnic.RC, func(_ *simtest.Net, a *rnic.Attributes) { a.ReadsIssued = 1 })
		e.losing(1, times(9, tc.lose))
		for _, r := range tc.rs {
			r.Remote, r.RKey = base, e.b.region.RKey
			e.post(&e.a, r)
		}
		e.net.Run.Limit = units.Millisecond
		e.run()
		if got := e.a.qp.Cause(); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s: it waits for %q, want %q", tc.what, got, tc.want)
		}
	}
}

// A queue pair that is reset while doorbells are ringing forgets what they were for; one
// that is posted afterwards comes at its own time.
func TestAResetForgetsDoorbellsThatAreRinging(t *testing.T) {
	e := connect(t, rnic.RC)
	write := rnic.SendRequest{ID: 1, Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey}
	if err := e.a.qp.PostSend(write, 10*units.Microsecond, 0); err != nil {
		t.Fatal(err)
	}
	for _, side := range []struct{ from, to *end }{{&e.a, &e.b}, {&e.b, &e.a}} {
		if err := side.from.qp.Modify(rnic.Reset, rnic.Attributes{}, 0); err != nil {
			t.Fatal(err)
		}
	}
	ha, hb := attributes(e.b.qp.Handle(0)), attributes(e.a.qp.Handle(0))
	for _, s := range []rnic.State{rnic.Init, rnic.RTR, rnic.RTS} {
		if e.a.qp.Modify(s, ha, 0) != nil || e.b.qp.Modify(s, hb, 0) != nil {
			t.Fatal("not connected again")
		}
	}
	write.ID = 2
	if err := e.a.qp.PostSend(write, 30*units.Microsecond, 0); err != nil {
		t.Fatal(err)
	}
	e.run()
	expect(t, "completions", told(e.a.seen), "RDMA_WRITE 2 SUCCESS")
	// A WRITE of 8 B and its ACK, 2030.72 ns after the doorbell.
	if len(e.a.seen) == 1 && e.a.seen[0].at != 30*units.Microsecond+2030720 {
		t.Errorf("done at %v", e.a.seen[0].at)
	}
	if e.a.nic.Useful() {
		t.Error("the adapter still waits for something")
	}
}
