package rnic_test

import (
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ends are two queue pairs that are connected, and what belongs to each.
type ends struct {
	t    *testing.T
	net  *simtest.Net
	c    *host.Cluster
	a, b end
}

// end is a queue pair with a registered region of 1 MiB at 0x10000, all rights granted.
type end struct {
	nic    *rnic.NIC
	cq     *rnic.CQ
	qp     *rnic.VerbsQP
	pd     memory.PD
	region *memory.Region
	seen   []seen
	events []string
}

// seen is a completion and when it could be seen.
type seen struct {
	rnic.Completion
	at units.Time
}

const base = 0x10000

// Completed notes the completion.
func (e *end) Completed(cq *rnic.CQ, now units.Time) {
	c, _ := cq.Poll()
	e.seen = append(e.seen, seen{c, now})
}

// Event does nothing: the tests poll.
func (e *end) Event(*rnic.CQ, units.Time) {}

// Async notes the event.
func (e *end) Async(ev rnic.AsyncEvent, _ units.Time) { e.events = append(e.events, ev.Kind.String()) }

const everything = memory.LocalWrite | memory.RemoteWrite | memory.RemoteRead | memory.RemoteAtomic

func (e *end) open(nic *rnic.NIC, service rnic.Service, data rnic.Class) {
	e.nic = nic
	e.cq = nic.CreateCQ(1024, e)
	e.pd = nic.Memory().AllocPD()
	e.region, _ = nic.Memory().Register(e.pd, base, units.MiB, everything)
	e.qp = nic.CreateQP(rnic.QPInit{
		Service: service, PD: e.pd, SendCQ: e.cq, RecvCQ: e.cq, SendDepth: 64, RecvDepth: 64,
		MaxInline: 220, AllSignalled: true, Data: data,
	})
}

func (e *end) slice(offset, length int) rnic.Slice {
	return rnic.Slice{Addr: base + uint64(offset), Length: units.Bytes(length), Key: e.region.LKey}
}

// attributes are those of a connection to another end, as perftest has them.
func attributes(remote rnic.Handle) rnic.Attributes {
	return rnic.Attributes{
		Given: ^rnic.Attr(0), Access: everything, Remote: remote, MTU: 1024, ReadsAccepted: 16, ReadsIssued: 16,
		MinRNR: 12, Retries: 7, RNRRetries: 7, Timeout: 14,
	}
}

// connect makes two hosts h0 and h1 on one switch, links of 100 Gb/s and 500 ns, MTU 1024,
// and joins a queue pair of each; over TCP if adapters can.
func connect(t *testing.T, service rnic.Service, change ...func(*simtest.Net, *rnic.Attributes)) *ends {
	t.Helper()
	e := &ends{t: t, net: simtest.Star(2, 100*units.Gbps, 500*units.Nanosecond)}
	e.net.NIC.MTU, e.net.NIC.Timeout = 1024, 14
	e.net.Run = host.RunOptions{Limit: 100 * units.Millisecond, Workers: 1, Together: simtest.Always}
	attr := attributes(rnic.Handle{})
	for _, c := range change {
		c(e.net, &attr)
	}
	e.c = e.net.Cluster(t)
	data := simtest.Data
	data.IWARP = e.net.NIC.IWARP != nil
	e.a.open(e.c.Hosts[0].NIC(0), service, data)
	e.b.open(e.c.Hosts[1].NIC(0), service, data)
	ha, hb := e.a.qp.Handle(attr.SendPSN), e.b.qp.Handle(attr.SendPSN)
	for _, side := range []struct {
		*end
		remote rnic.Handle
	}{{&e.a, hb}, {&e.b, ha}} {
		attr.Remote = side.remote
		for _, state := range []rnic.State{rnic.Init, rnic.RTR, rnic.RTS} {
			if err := side.qp.Modify(state, attr, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	return e
}

// run runs up to the limit; the books must balance.
func (e *ends) run() {
	e.t.Helper()
	if _, err := e.c.Run(context.Background(), e.net.Run); err != nil {
		e.t.Fatal(err)
	}
}

func (e *ends) post(from *end, r rnic.SendRequest) {
	e.t.Helper()
	if err := from.qp.PostSend(r, 0, 0); err != nil {
		e.t.Fatal(err)
	}
}

// On InfiniBand the request has 46 B on the wire and the responses 1058, 1054, 1054 and
// 1058 B: 2 x 3.68 + 1000 ns there, and 337.92 + 84.64 + 1000 ns back.
func TestAREADOnInfiniBandTakesItsWireTimeThereAndBack(t *testing.T) {
	e := connect(t, rnic.RC, func(n *simtest.Net, _ *rnic.Attributes) { n.InfiniBand(16 * units.KiB) })
	e.post(&e.a, rnic.SendRequest{ID: 7, Verb: rnic.Read, Local: e.a.slice(0, 4096), Remote: base, RKey: e.b.region.RKey})
	e.run()
	if want := units.Time(2429_920); len(e.a.seen) != 1 || e.a.seen[0].at != want || e.a.seen[0].Status != rnic.Success {
		t.Errorf("completions %+v, want one at %v", e.a.seen, want)
	}
}

// A READ of 4096 bytes at MTU 1024 over two links of 100 Gb/s and 500 ns takes
// 2459.04 ns with adapters that take no time: the request, 98 B on the wire, is there after
// 2 x 7.84 + 1000 ns; the last of the responses of 1110, 1106, 1106 and 1110 B comes
// 354.56 + 88.80 + 1000 ns later.
func TestAREADTakesItsWireTimeThereAndBack(t *testing.T) {
	e := connect(t, rnic.RC)
	e.post(&e.a, rnic.SendRequest{ID: 7, Verb: rnic.Read, Local: e.a.slice(0, 4096), Remote: base, RKey: e.b.region.RKey})
	e.run()
	if len(e.a.seen) != 1 {
		t.Fatalf("%d completions", len(e.a.seen))
	}
	want := units.Time(2459_040)
	if c := e.a.seen[0]; c.at != want || c.Status != rnic.Success || c.ID != 7 || c.Bytes != 4096 {
		t.Errorf("it completed as %+v, want at %v", c, want)
	}
}
