package host_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

const portOfTest = 4420

// party is one end of the tests' connections: it opens them one after the other, or accepts
// them; over each the client sends one message that the server answers, and then disconnects.
type party struct {
	t        simtest.TB
	nic      *rnic.NIC
	to       int32 // of a client: the server's endpoint
	left     int   // connections that a client has still to open
	pd       memory.PD
	region   *memory.Region
	cq       *rnic.CQ
	open     map[uint32]*rnic.Connection // by queue pair
	events   []string
	at       map[string][]units.Time
	qpns     []uint32
	answered int
}

func newParty(t simtest.TB, nic *rnic.NIC) *party {
	p := &party{t: t, nic: nic, open: map[uint32]*rnic.Connection{}, at: map[string][]units.Time{}}
	p.pd = nic.Memory().AllocPD()
	var err error
	if p.region, err = nic.Memory().Register(p.pd, 0x1000, 4096, memory.LocalWrite); err != nil {
		t.Fatalf("%v", err)
	}
	p.cq = nic.CreateCQ(1000, p)
	return p
}

func (p *party) qp() rnic.ConnectionQP {
	return rnic.ConnectionQP{
		Init: rnic.QPInit{
			Service: rnic.RC, PD: p.pd, SendCQ: p.cq, RecvCQ: p.cq, SendDepth: 8, RecvDepth: 8, Data: simtest.Data,
		},
		Reads: 4, Serves: 4, RNRRetries: 7, MinRNR: 12,
		Receives: []rnic.RecvRequest{{Local: rnic.Slice{Addr: 0x1000, Length: 64, Key: p.region.LKey}}},
	}
}

func (p *party) connect(now units.Time) {
	if p.left == 0 {
		return
	}
	p.left--
	if _, err := p.nic.Connect(p.to, portOfTest, p.qp(), []byte("hello"), p, now); err != nil {
		p.t.Fatalf("%v", err)
	}
}

func (p *party) send(qp *rnic.VerbsQP, now units.Time) {
	r := rnic.SendRequest{Verb: rnic.Send, Local: rnic.Slice{Addr: 0x1000, Length: 64, Key: p.region.LKey}}
	if err := qp.PostSend(r, now, now); err != nil {
		p.t.Errorf("%v", err)
	}
}

// Connection implements [rnic.ConnectionHandler].
func (p *party) Connection(c *rnic.Connection, e rnic.ConnectionEvent, now units.Time) {
	p.events = append(p.events, e.Kind.String())
	p.at[e.Kind.String()] = append(p.at[e.Kind.String()], now)
	switch e.Kind {
	case rnic.ConnectionAsked:
		if err := c.Accept(p.qp(), []byte("welcome"), now); err != nil {
			p.t.Errorf("%v", err)
		}
	case rnic.ConnectionEstablished:
		p.open[c.QP.QPN()] = c
		p.qpns = append(p.qpns, c.QP.QPN())
		if p.to >= 0 && string(e.Private) == "welcome" {
			p.send(c.QP, now)
		}
	case rnic.ConnectionEnded, rnic.ConnectionRefused, rnic.ConnectionUnreachable:
		p.connect(now)
	}
}

// Completed implements [rnic.Listener]: whatever comes is answered by the server, and ends
// the client's connection.
func (p *party) Completed(cq *rnic.CQ, now units.Time) {
	for {
		c, ok := cq.Poll()
		if !ok {
			return
		}
		if c.Verb != rnic.Recv || c.Status != rnic.Success {
			continue
		}
		p.answered++
		if p.to < 0 {
			for _, qp := range p.nic.QueuePairs() {
				if v := qp.Verbs(); v != nil && v.QPN() == c.QPN {
					p.send(v, now)
				}
			}
			continue
		}
		if err := p.open[c.QPN].Disconnect(now); err != nil {
			p.t.Errorf("%v", err)
		}
	}
}

// Event and Async implement [rnic.Listener].
func (p *party) Event(*rnic.CQ, units.Time)        {}
func (p *party) Async(rnic.AsyncEvent, units.Time) {}

// connections is a network whose runs last for their time: there is nothing but connections that
// they could be done with.
func connections(n *simtest.Net) *simtest.Net {
	n.Run.UntilDone = false
	return n
}

// couple has host a be a client of host b.
func couple(t simtest.TB, c *host.Cluster, a, b int) (client, server *party) {
	client, server = newParty(t, c.Hosts[a].NIC(0)), newParty(t, c.Hosts[b].NIC(0))
	if _, err := c.Acquaint(a, b, 0); err != nil {
		t.Fatalf("%v", err)
	}
	client.to, server.to = server.nic.Endpoint(), -1
	server.nic.Listen(portOfTest, server)
	return client, server
}

// Over one switch without a pipeline, 2 us of cable from end to end, 100 Gb/s: an ARP frame
// of 84 bytes takes 2 x 6.72 ns + 2 us, a management datagram of 346 bytes 2 x 27.68 ns + 2 us. The
// client may send after two of either, the server knows after one more datagram.
func TestAConnectionTakesWhatItsPacketsTake(t *testing.T) {
	n := connections(simtest.Chain(2, gbps100, units.Microsecond))
	c := n.Cluster(t)
	client, server := couple(t, c, 0, 1)
	client.left = 1
	client.connect(0)
	n.Finish(t, c)
	arp, mad := 2013440*units.Picosecond, 2055360*units.Picosecond
	if got, want := client.at["established"], []units.Time{2*arp + 2*mad}; !slices.Equal(got, want) {
		t.Errorf("the client may send at %v, want %v", got, want)
	}
	if got, want := server.at["established"], []units.Time{2*arp + 3*mad}; !slices.Equal(got, want) {
		t.Errorf("the server knows at %v, want %v", got, want)
	}
	if client.answered != 1 || server.answered != 1 {
		t.Errorf("%d requests came, and %d answers, want one of each", server.answered, client.answered)
	}
	packets, _ := client.nic.Management()
	if packets.Sent != 4 || packets.Received != 3 { // ARP, REQ, RTU, DREQ; ARP, REP, DREP
		t.Errorf("the client sent %d management packets and received %d, want 4 and 3", packets.Sent, packets.Received)
	}
}

// The data that follows a REP at once may come before the RTU's handling: the packet tells
// the server that its client is ready, and nothing is lost.
func TestDataThatComesBeforeTheRTUIsHandledCounts(t *testing.T) {
	n := connections(simtest.Chain(2, gbps100, units.Microsecond))
	n.NIC.Connections = &rdmacm.Params{Processing: 50 * units.Microsecond, Timeout: units.Second, Retries: 3, ResolveTimeout: units.Second}
	c := n.Cluster(t)
	client, server := couple(t, c, 0, 1)
	client.left = 1
	client.connect(0)
	n.Finish(t, c)
	// The SEND of 64 bytes follows the RTU, and is handled 50 us earlier.
	if late := server.at["established"][0] - client.at["established"][0]; late > 3*units.Microsecond {
		t.Errorf("the server knew %v after its client, want the time of a packet", late)
	}
	if client.answered != 1 {
		t.Errorf("%d answers, want 1", client.answered)
	}
}

// Numbers of queue pairs that have rested are used again: with 20 connections of which each
// rests for less than the next one takes, three will do.
func TestQueuePairsAreUsedAgain(t *testing.T) {
	n := connections(simtest.Chain(2, gbps100, units.Microsecond))
	p := rdmacm.Costless()
	p.Timewait = 20 * units.Microsecond
	n.NIC.Connections = &p
	c := n.Cluster(t)
	client, server := couple(t, c, 0, 1)
	client.left = 20
	client.connect(0)
	n.Finish(t, c)
	for _, p := range []*party{client, server} {
		if p.answered != 20 || len(p.qpns) != 20 {
			t.Errorf("%d connections with %d messages, want 20 of each", len(p.qpns), p.answered)
		}
		slices.Sort(p.qpns)
		if used := len(slices.Compact(p.qpns)); used > 4 || used < 2 {
			t.Errorf("%d queue pairs were used for 20 connections", used)
		}
	}
}

// A tenth of all frames on every cable are lost, ARP, management, data and acknowledgements alike: all
// connections come to be, carry their message and end, and the books balance.
func TestConnectionsComeToBeUnderLoss(t *testing.T) {
	for seed := range uint64(5) {
		n := connections(simtest.Star(3, gbps100, units.Microsecond))
		n.NIC.Timeout, n.NIC.Retries = 4, 7
		n.NIC.Connections = &rdmacm.Params{
			Command: 10 * units.Microsecond, Processing: 5 * units.Microsecond, ARP: units.Microsecond, Timeout: 300 * units.Microsecond, Retries: 15,
			ResolveTimeout: 300 * units.Microsecond, ResolveRetries: 15, Timewait: 5 * units.Millisecond,
		}
		c := n.Cluster(t)
		noises := disturb(c, seed, 0.1)
		one, server := couple(t, c, 0, 2)
		two, _ := couple(t, c, 1, 2)
		two.nic.Listen(portOfTest, two)
		server.nic.Listen(portOfTest, server)
		for _, p := range []*party{one, two} {
			p.left = 40
			p.connect(0)
		}
		n.Run.Limit = 10 * units.Second
		n.Finish(t, c)
		for _, p := range []*party{one, two} {
			count := map[string]int{}
			for _, e := range p.events {
				count[e]++
			}
			if count["established"] != 40 || count["ended"] != 40 || p.answered != 40 {
				t.Errorf("seed %d: %v and %d answers, want 40 of each", seed, count, p.answered)
			}
		}
		lost := 0
		for _, noise := range noises {
			for _, k := range noise.lost {
				lost += k
			}
		}
		if lost < 80 {
			t.Errorf("seed %d: only %d frames were lost", seed, lost)
		}
	}
}

// Whenever a run ends, what management packets were sent are somewhere: also in line behind others, and in the adapter.
func TestTheBooksBalanceWheneverConnectionsAreInterrupted(t *testing.T) {
	for _, profile := range []string{"ideal", "connectx5"} {
		for limit := units.Time(1); limit < 15*units.Microsecond; limit += 130 * units.Nanosecond {
			n := connections(simtest.Star(4, gbps100, units.Microsecond))
			n.NIC.Hardware, n.Run.Limit = hardware.New(profile), limit
			c := n.Cluster(t)
			var clients []*party
			for server := 1; server < 4; server++ { // one host opens three connections at once
				client, _ := couple(t, c, 0, server)
				clients = append(clients, client)
			}
			for _, client := range clients {
				client.left = 2
				client.connect(0)
			}
			n.Finish(t, c)
		}
	}
}

// A host that does not answer: its client hears of it, and the run ends.
func TestADeadServerIsUnreachable(t *testing.T) {
	n := connections(simtest.Chain(2, gbps100, units.Microsecond))
	n.NIC.Connections = &rdmacm.Params{Timeout: units.Millisecond, Retries: 15, ResolveTimeout: units.Millisecond, ResolveRetries: 2}
	c := n.Cluster(t)
	client, _ := couple(t, c, 0, 1)
	disturb(c, 1, 1)
	client.left = 1
	client.connect(0)
	r := n.Finish(t, c)
	if got := client.at["unreachable"]; !slices.Equal(got, []units.Time{3 * units.Millisecond}) {
		t.Errorf("unreachable at %v, want after three requests for the address, at 3ms", got)
	}
	if r.Outcome != host.Done {
		t.Errorf("the run ended with %v", r.Outcome)
	}
}

// A service that nobody listens on is refused, and a host that was not made acquainted with is
// no place to connect to.
func TestConnectionsThatCannotBe(t *testing.T) {
	n := connections(simtest.Star(3, gbps100, units.Microsecond))
	c := n.Cluster(t)
	client, _ := couple(t, c, 0, 1)
	if _, err := client.nic.Connect(1, portOfTest+1, client.qp(), nil, client, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := client.nic.Connect(2, portOfTest, client.qp(), nil, client, 0); err == nil {
		t.Error("connected to a stranger")
	}
	if _, err := client.nic.Connect(1, portOfTest, client.qp(), make([]byte, 57), client, 0); err == nil {
		t.Error("57 bytes of private data went with a REQ")
	}
	n.Finish(t, c)
	if got := client.at["refused"]; len(got) != 1 {
		t.Errorf("refused at %v, want once", got)
	}
}

// The same bits on any number of workers: 8 clients on racks of their own, each with 10
// connections to each of two servers, some of whose packets are lost.
func TestConnectionsAreTheSameOnAnyNumberOfWorkers(t *testing.T) {
	run := func(workers int) (sim.Digest, []string) {
		n := connections(simtest.Build(&topology.LeafSpine{
			Leaves: 5, Spines: 2, HostsPerLeaf: 2, NICsPerHost: 1,
			HostLink:   topology.HostCable{Rate: gbps100, Delay: 500 * units.Nanosecond},
			FabricLink: topology.FabricCable{Rate: gbps100, Delay: 500 * units.Nanosecond},
		}))
		n.NIC.Timeout, n.NIC.Retries = 4, 7
		p := rdmacm.Default()
		p.Timeout, p.ResolveTimeout, p.Timewait = units.Millisecond, units.Millisecond, 3*units.Millisecond
		n.NIC.Connections = &p
		n.Run.Workers = workers
		n.Run.Limit = 10 * units.Second
		c := n.Cluster(t)
		disturb(c, 3, 0.02)
		var parties []*party
		for i := range 8 {
			client, server := couple(t, c, i, 8+i%2)
			client.left = 10
			client.connect(units.Time(i) * units.Microsecond)
			parties = append(parties, client, server)
		}
		r, err := c.Run(context.Background(), n.Run)
		if err != nil {
			t.Fatal(err)
		}
		var log []string
		for _, p := range parties {
			for _, k := range []string{"established", "ended", "unreachable"} {
				log = append(log, fmt.Sprint(k, p.at[k]))
			}
		}
		return r.Digest, log
	}
	digest, log := run(1)
	for _, workers := range []int{2, 3} {
		if d, l := run(workers); d != digest || !slices.Equal(l, log) {
			t.Errorf("%d workers: digest %#x, want %#x; same events: %v", workers, d, digest, slices.Equal(l, log))
		}
	}
}
