package rnic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// losing loses the packets from the host of a cluster's node for which lose says so.
func (e *ends) losing(node int, lose func(p *wire.Packet) bool) *simtest.Tap {
	tap := simtest.Watch(e.c, node, 0)
	tap.Lose = func(p *wire.Packet, _ units.Time) bool { return lose(p) }
	return tap
}

// times says yes to the first n packets of an opcode.
func times(n int, ops ...wire.Opcode) func(*wire.Packet) bool {
	return func(p *wire.Packet) bool {
		for _, op := range ops {
			if p.Op == op && n > 0 {
				n--
				return true
			}
		}
		return false
	}
}

// told lists completions as "VERB id STATUS".
func told(s []seen) string {
	var lines []string
	for _, c := range s {
		lines = append(lines, fmt.Sprintf("%v %d %v", c.Verb, c.ID, c.Status))
	}
	return strings.Join(lines, ", ")
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s; want %s", what, got, want)
	}
}

func (e *end) receives(n, length int) {
	for i := range n {
		_ = e.qp.PostRecv(rnic.RecvRequest{ID: uint64(100 + i), Local: e.slice(0x8000+i*length, length)}, 0)
	}
}

// A WRITE of eight bytes changes the word it names, and nothing else; a READ brings it.
func TestWordsTravelWithWRITEAndREAD(t *testing.T) {
	e := connect(t, rnic.RC)
	e.a.nic.Memory().Store(base+8, 0xfeed)
	e.b.nic.Memory().Store(base+0x100, 1)
	e.b.nic.Memory().Store(base+0x108, 2)
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Write, Local: e.a.slice(8, 8), Remote: base + 0x100, RKey: e.b.region.RKey})
	e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.Read, Local: e.a.slice(0x1000, 16), Remote: base + 0x100, RKey: e.b.region.RKey})
	e.run()
	expect(t, "completions", told(e.a.seen), "RDMA_WRITE 1 SUCCESS, RDMA_READ 2 SUCCESS")
	if b := e.b.nic.Memory(); b.Load(base+0x100) != 0xfeed || b.Load(base+0x108) != 2 {
		t.Errorf("at the receiver stand %#x and %#x", b.Load(base+0x100), b.Load(base+0x108))
	}
	if a := e.a.nic.Memory(); a.Load(base+0x1000) != 0xfeed || a.Load(base+0x1008) != 2 {
		t.Errorf("read %#x and %#x", a.Load(base+0x1000), a.Load(base+0x1008))
	}
	if len(e.b.seen) != 0 {
		t.Errorf("the receiver's processor heard of %s", told(e.b.seen))
	}
}

// A word is carried in any packet of a message, whichever way it goes, and again if that is
// lost.
func TestWordsTravelInAnyPacketOfAMessage(t *testing.T) {
	for _, verb := range []rnic.Verb{rnic.Write, rnic.Send, rnic.Read} {
		t.Run(verb.String(), func(t *testing.T) {
			e := connect(t, rnic.RC)
			from, to := &e.a, &e.b
			if verb == rnic.Read {
				from, to = &e.b, &e.a
			}
			for k := range 4 {
				from.nic.Memory().Store(base+uint64(k)*1024+512, uint64(k+1))
			}
			to.nic.Memory().Store(base+0x8000+2048, 99) // is overwritten with 0
			e.b.receives(1, 4096)
			lost := map[wire.Opcode]bool{}
			for node := range 2 {
				e.losing(node, func(p *wire.Packet) bool {
					first := !lost[p.Op] && p.Op.IsData()
					lost[p.Op] = true
					return first
				})
			}
			r := rnic.SendRequest{ID: 1, Verb: verb, Local: e.a.slice(0, 4096), Remote: base + 0x8000, RKey: e.b.region.RKey}
			if verb == rnic.Read {
				r.Local, r.Remote = e.a.slice(0x8000, 4096), base
			}
			e.post(&e.a, r)
			e.net.Run.Limit = units.Second
			e.run()
			expect(t, "completions", told(e.a.seen), verb.String()+" 1 SUCCESS")
			for k := range 4 {
				if got := to.nic.Memory().Load(base + 0x8000 + uint64(k)*1024 + 512); got != uint64(k+1) {
					t.Errorf("in packet %d: %d", k, got)
				}
			}
			if got := to.nic.Memory().Load(base + 0x8000 + 2048); got != 0 {
				t.Errorf("%d was not overwritten", got)
			}
		})
	}
}

// A SEND takes a receive request and completes it with its length; an immediate comes with
// it, and a key is invalidated.
func TestASENDCompletesAReceiveRequest(t *testing.T) {
	e := connect(t, rnic.RC)
	e.b.receives(4, 4096)
	other, _ := e.b.nic.Memory().Register(e.b.pd, 0x900000, 4096, everything)
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Send, Local: e.a.slice(0, 3000)})
	e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.SendImm, Local: e.a.slice(0, 10), Imm: 77})
	e.post(&e.a, rnic.SendRequest{ID: 3, Verb: rnic.SendInv, Local: e.a.slice(0, 0), Imm: other.RKey})
	e.post(&e.a, rnic.SendRequest{ID: 4, Verb: rnic.WriteImm, Local: e.a.slice(0, 2048), Remote: base, RKey: e.b.region.RKey, Imm: 78})
	e.post(&e.a, rnic.SendRequest{ID: 5, Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: 0x900000, RKey: other.RKey})
	e.run()
	expect(t, "sender", told(e.a.seen), "SEND 1 SUCCESS, SEND_WITH_IMM 2 SUCCESS, SEND_WITH_INV 3 SUCCESS, RDMA_WRITE_WITH_IMM 4 SUCCESS, RDMA_WRITE 5 REM_ACCESS_ERR")
	got := ""
	for _, c := range e.b.seen {
		got += fmt.Sprintf("%v %d: %d B, imm %d %v, key %v; ", c.Verb, c.ID, c.Bytes, c.Imm, c.HasImm, c.Invalidated == other.RKey)
	}
	expect(t, "receiver", got, "RECV 100: 3000 B, imm 0 false, key false; RECV 101: 10 B, imm 77 true, key false; "+
		"RECV 102: 0 B, imm 0 false, key true; RECV_RDMA_WITH_IMM 103: 2048 B, imm 78 true, key false; ")
}

// A receiver without a receive request answers with an RNR NAK; the sender waits for the
// time of its code and sends the message again. Two links of 500 ns, frames of 150 B
// (SEND of 64 B: 146 + 4 B of no payload) aside, each round takes the timer and a round trip.
func TestAnRNRNAKHasTheSenderWaitItsTimer(t *testing.T) {
	for _, code := range []int{1, 5, 12, 13} {
		e := connect(t, rnic.RC, func(_ *simtest.Net, a *rnic.Attributes) { a.MinRNR = code })
		tap := simtest.Watch(e.c, 0, 0)
		e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Send, Local: e.a.slice(0, 64)})
		e.net.Run.Limit = 20 * units.Millisecond
		e.run()
		sent := tap.Starts(func(p *wire.Packet) bool { return p.Op == wire.SendOnly })
		// There: 2 x 146 B and 1000 ns; back: 2 x 86 B and 1000 ns.
		round := 2*(100*units.Gbps).Serialise(146) + 2*(100*units.Gbps).Serialise(86) + 2*units.Microsecond
		if want := wire.RNRTimer(code) + round; len(sent) < 2 || sent[1]-sent[0] != want {
			t.Errorf("code %d: sent at %v, want %v apart", code, sent, want)
		}
	}
}

// Seven is RNR retries without end; with n the n+1st NAK ends the queue pair.
func TestRNRRetriesRunOut(t *testing.T) {
	e := connect(t, rnic.RC, func(_ *simtest.Net, a *rnic.Attributes) { a.MinRNR, a.RNRRetries = 1, 3 })
	tap := simtest.Watch(e.c, 0, 0)
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Send, Local: e.a.slice(0, 64)})
	e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.Write, Local: e.a.slice(0, 64), Remote: base, RKey: e.b.region.RKey})
	e.run()
	expect(t, "completions", told(e.a.seen), "SEND 1 RNR_RETRY_EXC_ERR, RDMA_WRITE 2 WR_FLUSH_ERR")
	if n := len(tap.Starts(func(p *wire.Packet) bool { return p.Op == wire.SendOnly })); n != 4 {
		t.Errorf("sent %d times, want once and 3 times again", n)
	}
	if e.a.qp.State() != rnic.Err {
		t.Errorf("state %v", e.a.qp.State())
	}
}

// Errors that the responder finds, in the order in which it looks, with the status that the
// requester's completion has; the queue pairs of both ends fail.
func TestTheResponderRefuses(t *testing.T) {
	for _, tc := range []struct {
		what   string
		change func(e *ends, a *rnic.Attributes)
		r      func(e *ends) rnic.SendRequest
		want   string
		there  string // what the receiver's program hears of
	}{
		{"an unknown key", nil, func(e *ends) rnic.SendRequest {
			return rnic.SendRequest{Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey + 1}
		}, "RDMA_WRITE 0 REM_ACCESS_ERR", ""},
		{"bytes beyond the region", nil, func(e *ends) rnic.SendRequest {
			return rnic.SendRequest{Verb: rnic.Read, Local: e.a.slice(0, 16), Remote: base + 1<<20 - 8, RKey: e.b.region.RKey}
		}, "RDMA_READ 0 REM_ACCESS_ERR", ""},
		{"a queue pair that does not allow READs", func(_ *ends, a *rnic.Attributes) { a.Access = memory.LocalWrite | memory.RemoteWrite },
			func(e *ends) rnic.SendRequest {
				return rnic.SendRequest{Verb: rnic.Read, Local: e.a.slice(0, 16), Remote: base, RKey: e.b.region.RKey}
			}, "RDMA_READ 0 REM_INV_REQ_ERR", ""},
		{"an atomic that is not aligned", nil, func(e *ends) rnic.SendRequest {
			return rnic.SendRequest{Verb: rnic.FetchAdd, Local: e.a.slice(0, 8), Remote: base + 4, RKey: e.b.region.RKey}
		}, "ATOMIC_FETCH_AND_ADD 0 REM_INV_REQ_ERR", ""},
		{"more READs than it answers", func(_ *ends, a *rnic.Attributes) { a.ReadsAccepted = 0 }, func(e *ends) rnic.SendRequest {
			return rnic.SendRequest{Verb: rnic.Read, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey}
		}, "RDMA_READ 0 REM_INV_REQ_ERR", ""},
		{"a message longer than the receive buffer", nil, func(e *ends) rnic.SendRequest {
			e.b.receives(1, 2000)
			return rnic.SendRequest{Verb: rnic.Send, Local: e.a.slice(0, 2001)}
		}, "SEND 0 REM_INV_REQ_ERR", "RECV 100 LOC_LEN_ERR"},
		{"a receive buffer that is not registered", nil, func(e *ends) rnic.SendRequest {
			_ = e.b.qp.PostRecv(rnic.RecvRequest{ID: 5, Local: rnic.Slice{Addr: 1, Length: 4096, Key: 3}}, 0)
			return rnic.SendRequest{Verb: rnic.Send, Local: e.a.slice(0, 64)}
		}, "SEND 0 REM_OP_ERR", "RECV 5 LOC_PROT_ERR"},
		{"nothing: no bytes need no key", nil, func(e *ends) rnic.SendRequest {
			return rnic.SendRequest{Verb: rnic.Write, Local: e.a.slice(0, 0), Remote: 1, RKey: 12345}
		}, "RDMA_WRITE 0 SUCCESS", ""},
	} {
		t.Run(tc.what, func(t *testing.T) {
			e := connect(t, rnic.RC, func(_ *simtest.Net, a *rnic.Attributes) {
				if tc.change != nil {
					tc.change(nil, a)
				}
			})
			e.post(&e.a, tc.r(e))
			e.run()
			expect(t, "requester", told(e.a.seen), tc.want)
			expect(t, "responder", told(e.b.seen), tc.there)
			state := rnic.Err
			if strings.HasSuffix(tc.want, "SUCCESS") {
				state = rnic.RTS
			}
			if e.a.qp.State() != state || e.b.qp.State() != state {
				t.Errorf("states %v and %v, want %v", e.a.qp.State(), e.b.qp.State(), state)
			}
		})
	}
}

// The request that fails has a status of its own; what was done before is done, and what
// was posted behind is flushed. Completions are as many as requests.
func TestAnErrorFlushesWhatStandsBehindIt(t *testing.T) {
	e := connect(t, rnic.RC)
	e.a.receives(2, 64)
	write := func(id uint64, key uint32) rnic.SendRequest {
		return rnic.SendRequest{ID: id, Verb: rnic.Write, Local: e.a.slice(0, 3000), Remote: base, RKey: key}
	}
	for _, r := range []rnic.SendRequest{write(1, e.b.region.RKey), write(2, 1), write(3, e.b.region.RKey)} {
		e.post(&e.a, r)
	}
	e.run()
	expect(t, "completions", told(e.a.seen),
		"RDMA_WRITE 1 SUCCESS, RDMA_WRITE 2 REM_ACCESS_ERR, RDMA_WRITE 3 WR_FLUSH_ERR, RECV 100 WR_FLUSH_ERR, RECV 101 WR_FLUSH_ERR")
	if err := e.a.qp.PostSend(write(4, e.b.region.RKey), 0, 0); err != nil {
		t.Errorf("posting in the error state: %v", err)
	}
	expect(t, "events", strings.Join(e.a.events, " "), "QP_FATAL")
}

// A local buffer that is not registered fails the request that names it, after those
// before it, and the queue pair.
func TestALocalProtectionErrorWaitsForEarlierRequests(t *testing.T) {
	e := connect(t, rnic.RC)
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Write, Local: e.a.slice(0, 30000), Remote: base, RKey: e.b.region.RKey})
	e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.Read, Local: rnic.Slice{Addr: 8, Length: 8, Key: 9}, Remote: base, RKey: e.b.region.RKey})
	e.post(&e.a, rnic.SendRequest{ID: 3, Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey})
	e.run()
	expect(t, "completions", told(e.a.seen), "RDMA_WRITE 1 SUCCESS, RDMA_READ 2 LOC_PROT_ERR, RDMA_WRITE 3 WR_FLUSH_ERR")
}

// A lost atomic is asked for again; a lost answer too, and then it is replayed and not
// carried out again.
func TestAnAtomicIsCarriedOutOnce(t *testing.T) {
	for _, lost := range []wire.Opcode{wire.FetchAdd, wire.AtomicAcknowledge} {
		e := connect(t, rnic.RC, func(_ *simtest.Net, a *rnic.Attributes) { a.Timeout = 8 })
		e.b.nic.Memory().Store(base, 40)
		for node := range 2 {
			e.losing(node, times(2, lost))
		}
		e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.FetchAdd, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey, CompareAdd: 2})
		e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.CompareSwap, Local: e.a.slice(8, 8), Remote: base, RKey: e.b.region.RKey, CompareAdd: 42, Swap: 7})
		e.run()
		expect(t, "completions", told(e.a.seen), "ATOMIC_FETCH_AND_ADD 1 SUCCESS, ATOMIC_CMP_AND_SWP 2 SUCCESS")
		if len(e.a.seen) == 2 && (e.a.seen[0].Old != 40 || e.a.seen[1].Old != 42) {
			t.Errorf("found %d and %d, want 40 and 42", e.a.seen[0].Old, e.a.seen[1].Old)
		}
		if a, b := e.a.nic.Memory().Load(base), e.b.nic.Memory().Load(base); a != 40 || b != 7 {
			t.Errorf("%v lost: the words are %d and %d, want 40 and 7", lost, a, b)
		}
	}
}

// An acknowledgement completes no READ: if all responses are lost, a later WRITE's
// acknowledgement has the READ asked for again, long before the timer of 67 ms.
func TestLostResponsesAreAskedForAgain(t *testing.T) {
	e := connect(t, rnic.RC)
	e.losing(1, times(1, wire.ReadResponseOnly))
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Read, Local: e.a.slice(0, 64), Remote: base, RKey: e.b.region.RKey})
	e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.Write, Local: e.a.slice(0, 64), Remote: base, RKey: e.b.region.RKey})
	e.run()
	expect(t, "completions", told(e.a.seen), "RDMA_READ 1 SUCCESS, RDMA_WRITE 2 SUCCESS")
	if len(e.a.seen) == 2 && e.a.seen[1].at > 20*units.Microsecond {
		t.Errorf("done at %v", e.a.seen[1].at)
	}
}

// Of a READ only what is missing is asked for again.
func TestAPartOfAREADIsAskedForAgain(t *testing.T) {
	e := connect(t, rnic.RC)
	middle := 0
	tap := e.losing(1, func(p *wire.Packet) bool {
		if p.Op == wire.ReadResponseMid {
			middle++
		}
		return middle == 5 && p.Op == wire.ReadResponseMid
	})
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Read, Local: e.a.slice(0, 16*1024), Remote: base, RKey: e.b.region.RKey})
	e.run()
	expect(t, "completions", told(e.a.seen), "RDMA_READ 1 SUCCESS")
	// Packet 5 was lost: those from it on go out again, 11 of 16, as a First, Middles and a Last.
	firsts := len(tap.Starts(func(p *wire.Packet) bool { return p.Op == wire.ReadResponseFirst }))
	if e.b.qp.Counted.DuplicateReads != 1 || firsts != 2 {
		t.Errorf("%d READs answered again, in %d beginnings", e.b.qp.Counted.DuplicateReads, firsts)
	}
	if r := e.b.qp.Counted.Responses; r > 16+11 {
		t.Errorf("%d responses for 16 packets of which 1 was lost", r)
	}
}

// No more READs are under way than the ends have agreed on; what stands behind waits.
func TestReadsUnderWayAreBounded(t *testing.T) {
	e := connect(t, rnic.RC, func(_ *simtest.Net, a *rnic.Attributes) { a.ReadsIssued, a.ReadsAccepted = 2, 2 })
	tap := simtest.Watch(e.c, 0, 0)
	for i := range 6 {
		e.post(&e.a, rnic.SendRequest{ID: uint64(i), Verb: rnic.Read, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey})
	}
	e.run()
	sent := tap.Starts(func(p *wire.Packet) bool { return p.Op == wire.ReadRequest })
	if len(sent) != 6 || len(e.a.seen) != 6 {
		t.Fatalf("%d requests, %d done", len(sent), len(e.a.seen))
	}
	for i := 2; i < 6; i++ {
		if sent[i] < e.a.seen[i-2].at {
			t.Errorf("READ %d left at %v, before READ %d was done at %v", i, sent[i], i-2, e.a.seen[i-2].at)
		}
	}
}

// A fence holds a request until the READs before it are done; without it a WRITE follows
// at once.
func TestAFenceWaitsForREADs(t *testing.T) {
	for _, fence := range []bool{false, true} {
		e := connect(t, rnic.RC)
		tap := simtest.Watch(e.c, 0, 0)
		e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Read, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey})
		e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey, Fence: fence})
		e.run()
		write := tap.Starts(func(p *wire.Packet) bool { return p.Op == wire.WriteOnly })
		if len(write) != 1 || len(e.a.seen) != 2 {
			t.Fatalf("%d WRITEs sent, %s", len(write), told(e.a.seen))
		}
		if waited := write[0] >= e.a.seen[0].at; waited != fence {
			t.Errorf("fence %v: sent at %v, the READ was done at %v", fence, write[0], e.a.seen[0].at)
		}
	}
}

// Slots of requests that nobody hears of are free when a later one is heard of.
func TestUnsignalledRequestsAreFreedByASignalledOne(t *testing.T) {
	e := connect(t, rnic.RC)
	q := e.a.nic.CreateQP(rnic.QPInit{Service: rnic.RC, PD: e.a.pd, SendCQ: e.a.cq, RecvCQ: e.a.cq, SendDepth: 4, RecvDepth: 1, Data: simtest.Data})
	p := e.b.nic.CreateQP(rnic.QPInit{Service: rnic.RC, PD: e.b.pd, SendCQ: e.b.cq, RecvCQ: e.b.cq, SendDepth: 4, RecvDepth: 1, Data: simtest.Data})
	ha, hb := attributes(p.Handle(0)), attributes(q.Handle(0))
	for _, s := range []rnic.State{rnic.Init, rnic.RTR, rnic.RTS} {
		if q.Modify(s, ha, 0) != nil || p.Modify(s, hb, 0) != nil {
			t.Fatal("not connected")
		}
	}
	r := rnic.SendRequest{Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey}
	for range 4 {
		if err := q.PostSend(r, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.PostSend(r, 0, 0); err != rnic.ErrQueueFull {
		t.Errorf("a fifth request: %v, want %v", err, rnic.ErrQueueFull)
	}
	e.run()
	if err := q.PostSend(r, 0, 0); err != rnic.ErrQueueFull {
		t.Errorf("all are done, and nobody has heard of it: %v, want %v", err, rnic.ErrQueueFull)
	}
	if len(e.a.seen) != 0 {
		t.Errorf("completions %s", told(e.a.seen))
	}
}

// A queue pair goes from RESET to INIT, RTR and RTS, and each step needs its attributes.
func TestStatesNeedTheirAttributes(t *testing.T) {
	e := connect(t, rnic.RC)
	q := e.a.nic.CreateQP(rnic.QPInit{Service: rnic.RC, PD: e.a.pd, SendCQ: e.a.cq, RecvCQ: e.a.cq, SendDepth: 4, RecvDepth: 1, Data: simtest.Data})
	all := attributes(e.b.qp.Handle(0))
	if err := q.Modify(rnic.RTS, all, 0); err == nil || err.Error() != "a queue pair cannot go from RESET to RTS" {
		t.Errorf("RESET to RTS: %v", err)
	}
	if err := q.PostRecv(rnic.RecvRequest{}, 0); err != rnic.ErrState {
		t.Errorf("a receive request in RESET: %v", err)
	}
	less := all
	less.Given &^= rnic.AttrAccess
	if err := q.Modify(rnic.Init, less, 0); err == nil || !strings.Contains(err.Error(), "needs qp_access_flags") {
		t.Errorf("to INIT without rights: %v", err)
	}
	if err := q.Modify(rnic.Init, all, 0); err != nil {
		t.Error(err)
	}
	if err := q.PostRecv(rnic.RecvRequest{}, 0); err != nil {
		t.Errorf("a receive request in INIT: %v", err)
	}
	if err := q.PostSend(rnic.SendRequest{Verb: rnic.Send}, 0, 0); err != rnic.ErrState {
		t.Errorf("a send request in INIT: %v", err)
	}
	wrong := all
	wrong.MTU = 2048
	if err := q.Modify(rnic.RTR, wrong, 0); err == nil || err.Error() != "path_mtu 2048: want 1024 to 1024" {
		t.Errorf("another MTU: %v", err)
	}
	if err := q.Modify(rnic.Reset, rnic.Attributes{}, 0); err != nil || q.State() != rnic.Reset {
		t.Errorf("back to RESET: %v, %v", err, q.State())
	}
}

// The unreliable connection has no acknowledgements: a lost packet costs its message, and
// the next one is whole. Its receive request serves the next message.
func TestAnUnreliableConnectionLosesTheMessageOfALostPacket(t *testing.T) {
	e := connect(t, rnic.UC)
	e.b.receives(3, 4096)
	back := simtest.Watch(e.c, 1, 0)
	n := 0
	e.losing(0, func(p *wire.Packet) bool { n++; return n == 5 }) // the second of the second message
	for i := range 3 {
		e.post(&e.a, rnic.SendRequest{ID: uint64(i), Verb: rnic.SendImm, Local: e.a.slice(0, 3000), Imm: uint32(i)})
	}
	e.run()
	expect(t, "sender", told(e.a.seen), "SEND_WITH_IMM 0 SUCCESS, SEND_WITH_IMM 1 SUCCESS, SEND_WITH_IMM 2 SUCCESS")
	got := ""
	for _, c := range e.b.seen {
		got += fmt.Sprintf("%d: %d B imm %d; ", c.ID, c.Bytes, c.Imm)
	}
	expect(t, "receiver", got, "100: 3000 B imm 0; 101: 3000 B imm 2; ")
	if n := len(back.Starts(func(*wire.Packet) bool { return true })); n != 0 {
		t.Errorf("%d packets came back", n)
	}
	if err := e.a.qp.PostSend(rnic.SendRequest{Verb: rnic.Read}, 0, 0); err != rnic.ErrRequest {
		t.Errorf("a READ: %v", err)
	}
}

// A datagram says who has sent it, and leaves 40 bytes for the address in front. Without a
// receive request it is lost in silence.
func TestADatagramComesWithItsSender(t *testing.T) {
	e := connect(t, rnic.UD)
	e.b.receives(2, 1064)
	to := e.a.nic.CreateAH(e.b.qp.Handle(0), 0)
	for i := range 3 {
		e.post(&e.a, rnic.SendRequest{ID: uint64(i), Verb: rnic.SendImm, Local: e.a.slice(0, 1024), Imm: 5, To: to})
	}
	e.run()
	expect(t, "sender", told(e.a.seen), "SEND_WITH_IMM 0 SUCCESS, SEND_WITH_IMM 1 SUCCESS, SEND_WITH_IMM 2 SUCCESS")
	got := ""
	for _, c := range e.b.seen {
		got += fmt.Sprintf("%d: %d B imm %d from %v; ", c.ID, c.Bytes, c.Imm, c.SrcQP == e.a.qp.QPN())
	}
	expect(t, "receiver", got, "100: 1064 B imm 5 from true; 101: 1064 B imm 5 from true; ")
	e.post(&e.a, rnic.SendRequest{ID: 9, Verb: rnic.Send, Local: e.a.slice(0, 1025), To: to})
}

// A datagram longer than the MTU fails, and then nothing is sent any more; what comes is
// still received.
func TestADatagramIsOnePacket(t *testing.T) {
	e := connect(t, rnic.UD)
	to, back := e.a.nic.CreateAH(e.b.qp.Handle(0), 0), e.b.nic.CreateAH(e.a.qp.Handle(0), 0)
	e.a.receives(1, 200)
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Send, Local: e.a.slice(0, 1025), To: to})
	e.post(&e.b, rnic.SendRequest{ID: 2, Verb: rnic.Send, Local: e.a.slice(0, 100), To: back})
	e.run()
	expect(t, "completions", told(e.a.seen), "SEND 1 LOC_LEN_ERR, RECV 100 SUCCESS")
	if e.a.qp.State() != rnic.SQE {
		t.Errorf("state %v", e.a.qp.State())
	}
}

// The last packet of ten is lost, once or eight times: the timer of 4.096 us x 2^t brings it
// again, or, after seven rounds, the end.
func TestALostTailWaitsForTheTimer(t *testing.T) {
	for _, tc := range []struct{ timeout, losses int }{{14, 1}, {8, 1}, {8, 8}} {
		e := connect(t, rnic.RC, func(_ *simtest.Net, a *rnic.Attributes) { a.Timeout = tc.timeout })
		e.net.NIC.AckEvery = 1
		e.losing(0, times(tc.losses, wire.WriteLast))
		e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Write, Local: e.a.slice(0, 10240), Remote: base, RKey: e.b.region.RKey})
		e.run()
		timer := 4096 * units.Nanosecond << tc.timeout
		want, status := units.Time(tc.losses)*timer, "RDMA_WRITE 1 SUCCESS"
		if tc.losses == 8 {
			status = "RDMA_WRITE 1 RETRY_EXC_ERR"
		}
		expect(t, "completions", told(e.a.seen), status)
		if len(e.a.seen) == 1 && (e.a.seen[0].at < want || e.a.seen[0].at > want+6*units.Microsecond) { // it ran from the ninth acknowledgement, at 2.9 us; then a round trip of 2.2 us
			t.Errorf("timeout %d, lost %d times: done at %v, want %v and a round trip", tc.timeout, tc.losses, e.a.seen[0].at, want)
		}
	}
}

// A queue that overruns fails, and its queue pairs with it.
func TestAnOverrunFailsTheQueuePair(t *testing.T) {
	e := connect(t, rnic.RC)
	small := e.a.nic.CreateCQ(2, nil)
	q := e.a.nic.CreateQP(rnic.QPInit{Service: rnic.RC, PD: e.a.pd, SendCQ: small, RecvCQ: e.a.cq, SendDepth: 8, RecvDepth: 1, AllSignalled: true, Data: simtest.Data})
	p := e.b.nic.CreateQP(rnic.QPInit{Service: rnic.RC, PD: e.b.pd, SendCQ: e.b.cq, RecvCQ: e.b.cq, SendDepth: 4, RecvDepth: 1, Data: simtest.Data})
	ha, hb := attributes(p.Handle(0)), attributes(q.Handle(0))
	for _, s := range []rnic.State{rnic.Init, rnic.RTR, rnic.RTS} {
		if q.Modify(s, ha, 0) != nil || p.Modify(s, hb, 0) != nil {
			t.Fatal("not connected")
		}
	}
	for i := range 3 {
		_ = q.PostSend(rnic.SendRequest{ID: uint64(i), Verb: rnic.Write, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey}, 0, 0)
	}
	e.run()
	if !small.Failed() || q.State() != rnic.Err {
		t.Errorf("failed %v, state %v", small.Failed(), q.State())
	}
}
