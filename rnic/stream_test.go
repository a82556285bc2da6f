package rnic_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// overTCP has the adapters of a network run TCP.
func overTCP(n *simtest.Net, _ *rnic.Attributes) { n.IWARP(1500) }

// All that the verbs of a reliable connection do works over iWARP as well; a WRITE with immediate
// tells of the bytes that it has written.
func TestVerbsOverIWARP(t *testing.T) {
	e := connect(t, rnic.RC, overTCP)
	e.b.receives(3, 4096)
	e.a.nic.Memory().Store(base, 7)
	key := e.b.region.RKey
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Send, Local: e.a.slice(0, 3000)})
	e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.WriteImm, Local: e.a.slice(0, 2000), Remote: base + 0x100, RKey: key, Imm: 5})
	e.post(&e.a, rnic.SendRequest{ID: 3, Verb: rnic.FetchAdd, Local: e.a.slice(0x200, 8), Remote: base + 0x100, RKey: key, CompareAdd: 2})
	e.post(&e.a, rnic.SendRequest{ID: 4, Verb: rnic.Read, Local: e.a.slice(0x300, 2000), Remote: base + 0x100, RKey: key})
	e.post(&e.a, rnic.SendRequest{ID: 5, Verb: rnic.SendInv, Local: e.a.slice(0, 8), Imm: key})
	e.run()
	expect(t, "requests", told(e.a.seen), "SEND 1 SUCCESS, RDMA_WRITE_WITH_IMM 2 SUCCESS, ATOMIC_FETCH_AND_ADD 3 SUCCESS, RDMA_READ 4 SUCCESS, SEND_WITH_INV 5 SUCCESS")
	expect(t, "receives", told(e.b.seen), "RECV 100 SUCCESS, RECV_RDMA_WITH_IMM 101 SUCCESS, RECV 102 SUCCESS")
	if a := e.a.nic.Memory(); e.a.seen[2].Old != 7 || a.Load(base+0x300) != 9 {
		t.Errorf("the atomic found %d, the READ %d; want 7 and 9", e.a.seen[2].Old, a.Load(base+0x300))
	}
	if s := e.b.seen; s[0].Bytes != 3000 || s[1].Imm != 5 || s[1].Bytes != 2000 || s[2].Invalidated != key {
		t.Errorf("received %+v", s)
	}
}

// What cannot be taken ends the connection with a TERMINATE: the oldest request that is not done ends with the
// reason, all others are flushed, at both ends. A SEND without a receive request is one of these: there is no receiver that is not
// ready. One that TCP has acknowledged by then is done: it has come, which is all that this says.
func TestWhatCannotBeTakenEndsAnIWARPConnection(t *testing.T) {
	for _, tc := range []struct {
		name string
		r    rnic.SendRequest
		want string
	}{
		{"READ without a key", rnic.SendRequest{Verb: rnic.Read, Remote: base, RKey: 999}, "RDMA_READ 1 REM_ACCESS_ERR, RDMA_WRITE 2 WR_FLUSH_ERR"},
		{"atomic across words", rnic.SendRequest{Verb: rnic.FetchAdd, Remote: base + 4}, "ATOMIC_FETCH_AND_ADD 1 REM_INV_REQ_ERR, RDMA_WRITE 2 WR_FLUSH_ERR"},
		{"WRITE beyond the region", rnic.SendRequest{Verb: rnic.Write, Remote: base + 1<<20}, "RDMA_WRITE 1 SUCCESS, RDMA_WRITE 2 REM_ACCESS_ERR"},
		{"SEND that nobody waits for", rnic.SendRequest{Verb: rnic.Send}, "SEND 1 SUCCESS, RDMA_WRITE 2 REM_OP_ERR"},
	} {
		e := connect(t, rnic.RC, overTCP)
		r := tc.r
		r.ID, r.Local = 1, e.a.slice(0, 8)
		if r.RKey == 0 {
			r.RKey = e.b.region.RKey
		}
		e.post(&e.a, r)
		e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.Write, Local: e.a.slice(0, 0x40000), Remote: base, RKey: e.b.region.RKey})
		e.run()
		expect(t, tc.name, told(e.a.seen), tc.want)
		if e.a.qp.State() != rnic.Err || e.b.qp.State() != rnic.Err || len(e.a.events) != 1 || e.a.qp.Counted.Terminated != 1 {
			t.Errorf("%s: states %v and %v, events %v", tc.name, e.a.qp.State(), e.b.qp.State(), e.a.events)
		}
	}
}

// A queue pair that goes to the error state resets its connection: the other end, whose requests are flushed,
// need not wait for its timers.
func TestAQueuePairInErrorResetsItsIWARPConnection(t *testing.T) {
	e := connect(t, rnic.RC, overTCP)
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Read, Local: e.a.slice(0, 0x80000), Remote: base, RKey: e.b.region.RKey})
	if err := e.b.qp.Modify(rnic.Err, rnic.Attributes{}, 0); err != nil {
		t.Fatal(err)
	}
	e.run()
	expect(t, "requests", told(e.a.seen), "RDMA_READ 1 WR_FLUSH_ERR")
	if at := e.a.seen[0].at; at > 3*units.Microsecond {
		t.Errorf("known at %v", at)
	}
}

// Unreliable services, and SENDs with immediates, are none of iWARP.
func TestIWARPHasReliableConnectionsOnly(t *testing.T) {
	n := simtest.Star(2, 100*units.Gbps, 500*units.Nanosecond)
	data := n.IWARP(1500)
	nic := n.Cluster(t).Hosts[0].NIC(0)
	cq := nic.CreateCQ(1, nil)
	for _, service := range []rnic.Service{rnic.UC, rnic.UD} {
		q := nic.CreateQP(rnic.QPInit{Service: service, SendCQ: cq, RecvCQ: cq, SendDepth: 1, RecvDepth: 1, Data: data})
		if err := q.Modify(rnic.Init, rnic.Attributes{Given: ^rnic.Attr(0), MTU: n.NIC.MTU}, 0); err == nil {
			t.Errorf("a queue pair of service %v over iWARP was taken", service)
		}
	}
	e := connect(t, rnic.RC, overTCP)
	if err := e.a.qp.PostSend(rnic.SendRequest{Verb: rnic.SendImm, Local: e.a.slice(0, 8)}, 0, 0); err != rnic.ErrRequest {
		t.Errorf("a SEND with immediate: %v", err)
	}
}
