package programs_test

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// segment is a TCP segment with that payload on the wire: Ethernet, IP, TCP with timestamps, FCS,
// preamble and gap. A SYN has 20 bytes of options.
func segment(payload units.Bytes) int { return 14 + 20 + 20 + 12 + int(payload) + 4 + 20 }

const syn = 14 + 20 + 20 + 20 + 4 + 20

// withTCP gives hosts on one switch TCP, and a lossy class for it. Their kernel is one of a
// profile of which something is changed.
func withTCP(t *testing.T, hosts int, profile string, change func(*kernel.Config)) (*simtest.Net, *host.Cluster) {
	t.Helper()
	net := simtest.Star(hosts, 100*units.Gbps, 500*units.Nanosecond)
	net.Fabric.Priorities = []int{0, 3, 6}
	net.NIC.Timeout, net.Run.Limit = 14, 10*units.Second
	cm := rdmacm.Default()
	net.NIC.Connections = &cm
	c := net.Cluster(t)
	cfg, k := tcp.Defaults(), kernel.New(profile)
	cfg.QuickAcks = 0 // answers carry acknowledgements from the start
	if change != nil {
		change(k)
	}
	c.UseTCP(&host.TCP{Config: cfg, Control: congestion.CUBIC.Params().New}, k)
	return net, c
}

// overTCP runs a test over TCP.
func overTCP(t *testing.T, profile string, o programs.Options, change func(*kernel.Config)) programs.Result {
	t.Helper()
	net, c := withTCP(t, 2, profile, change)
	o.Transport = programs.TCP
	p, err := programs.New(c, 0, 1, o)
	if err != nil {
		t.Fatal(err)
	}
	if r := net.Finish(t, c); r.Outcome != host.Done || len(p.Results()) != max(1, len(o.Sizes)) {
		t.Fatalf("%v: %v with %d results: %+v", o.Test, r.Outcome, len(p.Results()), c.ThreadWaits(r.Now))
	}
	return p.Results()[0]
}

// Over TCP a thread at the other end answers: with a message as long for WRITE and SEND, of which half the time counts; with
// what was asked for for READ, to which 16 bytes ask, and 8 bytes for atomics, to which 28 do.
func TestLatencyOverTCPIsThatOfTheMessageAndItsAnswer(t *testing.T) {
	for test, want := range map[programs.Test]units.Time{
		programs.WriteLat:  oneWay(segment(1000)),
		programs.SendLat:   oneWay(segment(1000)),
		programs.ReadLat:   oneWay(segment(16)) + oneWay(segment(1000)),
		programs.AtomicLat: oneWay(segment(28)) + oneWay(segment(8)),
	} {
		o := programs.Options{Test: test, Iterations: 20, Atomic: rnic.FetchAdd}
		if test != programs.AtomicLat {
			o.Sizes = []units.Bytes{1000}
		}
		if l := overTCP(t, "ideal", o, nil).Latency; l.Min != want || l.Max != want {
			t.Errorf("%v: %v to %v, want %v", test, l.Min, l.Max, want)
		}
	}
}

// Each end pays for a message and its answer: system calls, copies, TCP and the driver; and its kernel for what comes in and
// for what has gone. A WRITE over TCP may sleep until there is something.
func TestBothEndsPayForWhatTheirKernelsDo(t *testing.T) {
	k := kernel.New("linux")
	m := overTCP(t, "linux", programs.Options{Test: programs.WriteLat, Sizes: []units.Bytes{64}, Iterations: 50, Events: true}, nil)
	thread := 2*k.Syscall + 2*64*k.Copy + k.Transmit + k.Wake + k.Page
	soft := k.Interrupt + k.Packet + k.Aggregate + k.Completion
	for _, end := range []programs.Load{m.Client, m.Server} {
		// The last message that has gone is freed after the test.
		if got := end.Kernel; got < 50*soft-k.Completion || got > 50*soft {
			t.Errorf("the kernel worked for %v, want 50 times %v", got, soft)
		}
		if got := end.Busy - end.Kernel; got != 50*thread {
			t.Errorf("the thread worked for %v, want 50 times %v", got, thread)
		}
		if end.Cores <= 0 || end.Cores >= 1 {
			t.Errorf("a thread that sleeps kept %v cores from others", end.Cores)
		}
	}
}

// A stream fills the link but for headers: 1448 of 1538 bytes, and acknowledgements and confirmations on the way back
// where both ends send.
func TestStreamsOverTCPFillTheLink(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets: left to the whole suite")
	}
	line := 100e9 * 1448 / 1538
	for _, tc := range []struct {
		o    programs.Options
		want float64
	}{
		{programs.Options{Test: programs.WriteBW}, line},
		{programs.Options{Test: programs.SendBW, QPs: 4, Iterations: 300}, line},
		{programs.Options{Test: programs.ReadBW}, line},
		{programs.Options{Test: programs.WriteBW, PostList: 8, Sizes: []units.Bytes{8 * units.KiB}}, line},
		{programs.Options{Test: programs.SendBW, Bidirectional: true, Iterations: 2000}, 2 * line},
	} {
		if tc.o.Iterations == 0 {
			tc.o.Iterations = 2000
		}
		got := float64(overTCP(t, "ideal", tc.o, nil).Bandwidth.Average)
		if got < 0.96*tc.want || got > tc.want {
			t.Errorf("%+v: %.2f Gb/s, want up to 4 %% less than %.2f", tc.o, got/1e9, tc.want/1e9)
		}
	}
}

// With one message under way at a time each waits until the other end has said that it has read it.
func TestAStreamOfOneMessageAtATimeWaitsForEach(t *testing.T) {
	r := overTCP(t, "ideal", programs.Options{Test: programs.WriteBW, Sizes: []units.Bytes{1000}, TxDepth: 1, Iterations: 100}, nil)
	if got, want := r.Ended-r.Begun, 100*(oneWay(segment(1000))+oneWay(segment(4))); got != want {
		t.Errorf("100 messages took %v, want %v", got, want)
	}
}

// Several sizes follow each other over the same connections, and the text says over what.
func TestSizesFollowEachOtherOverTCP(t *testing.T) {
	net, c := withTCP(t, 2, "linux", nil)
	p, err := programs.New(c, 0, 1, programs.Options{
		Test: programs.ReadBW, Sizes: []units.Bytes{2, 4096, 300000}, QPs: 3, Iterations: 40, Bidirectional: true, Transport: programs.TCP,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := net.Finish(t, c); r.Outcome != host.Done {
		t.Fatalf("%v: %+v", r.Outcome, c.ThreadWaits(r.Now))
	}
	var text strings.Builder
	if err := p.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" 2  ", " 4096  ", " 300000  ", "Transport type : TCP\n", "Link type       : Ethernet\n", "Mtu             : 1500[B]\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// callsOverTCP has h1, h2 … call h0.
func callsOverTCP(t *testing.T, clients int, profile string, o programs.CallOptions, change func(*kernel.Config)) programs.CallResult {
	t.Helper()
	net, c := withTCP(t, clients+1, profile, change)
	o.Transport = programs.TCP
	o.Connections, o.Outstanding, o.Threads, o.Refill = max(o.Connections, 1), max(o.Outstanding, 1), max(o.Threads, 1), 1
	who := make([]int, clients)
	for i := range who {
		who[i] = i + 1
	}
	all, err := programs.NewCalls(c, who, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	if r := net.Finish(t, c); r.Outcome != host.Done {
		t.Fatalf("%v: %+v", r.Outcome, c.ThreadWaits(r.Now))
	}
	return all.Result()
}

// A call over TCP takes the way there and back and what the server thinks, however it would be made over RDMA.
func TestACallOverTCPTakesTheWayThereAndBack(t *testing.T) {
	want := 2*oneWay(segment(64)) + 300*units.Nanosecond
	for _, via := range []programs.Via{programs.BySend, programs.ByWriteImm, programs.ByRead} {
		r := callsOverTCP(t, 1, "ideal", programs.CallOptions{Via: via, Calls: 10, Request: 64, Reply: 64, Think: 300 * units.Nanosecond}, nil)
		if r.Calls != 10 || r.Min != want || r.Max != want || r.Server != 10*300*units.Nanosecond {
			t.Errorf("%v: %d calls of %v to %v, want %v; the server worked for %v", via, r.Calls, r.Min, r.Max, want, r.Server)
		}
	}
}

// A thread with several connections asks which of them has something: a system call for as many as there are, at most so
// many, and something for each. One with a single connection need not ask.
func TestAThreadWithManyConnectionsPaysForEachRoundAndEachEvent(t *testing.T) {
	const round, event = 1000 * units.Nanosecond, units.Nanosecond
	costs := func(most int) func(*kernel.Config) {
		return func(k *kernel.Config) { k.Epoll, k.Event, k.Events = round, event, most }
	}
	for _, tc := range []struct {
		clients, connections, most int
		least, greatest            units.Time // rounds for 20 calls on each connection
	}{
		{1, 1, 64, 0, 0},
		{16, 1, 1, 320, 320},
		{16, 1, 64, 20, 80},
		{16, 4, 64, 20, 160},
		{1, 200, 64, 63, 400}, // 4000 calls
	} {
		r := callsOverTCP(t, tc.clients, "ideal", programs.CallOptions{Connections: tc.connections, Calls: 20, Request: 64, Reply: 64}, costs(tc.most))
		calls := units.Time(20 * tc.clients * tc.connections)
		if r.Calls != int(calls) {
			t.Fatalf("%d calls, want %d", r.Calls, calls)
		}
		events := calls * event
		if tc.connections*tc.clients == 1 {
			events = 0
		}
		rounds := (r.Server - events) / round
		if (r.Server-events)%round != 0 || rounds < tc.least || rounds > tc.greatest {
			t.Errorf("%+v: the server worked for %v: %v for events, and %d rounds, want %d to %d", tc, r.Server, events, rounds, tc.least, tc.greatest)
		}
	}
}

// Ten thousand connections of a server are served as ten are: each call waits for those before it.
func TestThousandsOfConnectionsAreServed(t *testing.T) {
	few := callsOverTCP(t, 10, "linux", programs.CallOptions{Connections: 1, Calls: 100, Request: 64, Reply: 64}, nil)
	many := callsOverTCP(t, 10, "linux", programs.CallOptions{Connections: 200, Calls: 2, Request: 64, Reply: 64}, nil)
	if many.Calls != 4000 || many.PerSecond < 0.8*few.PerSecond {
		t.Errorf("%d calls on 2000 connections, %.0f a second; on ten %.0f", many.Calls, many.PerSecond, few.PerSecond)
	}
}

// shortOverTCP runs a test of short connections; the last host is the server.
func shortOverTCP(t *testing.T, hosts int, profile string, o programs.ShortLivedOptions, change func(*kernel.Config)) (*programs.ShortLived, *host.Cluster, host.Report) {
	t.Helper()
	net, c := withTCP(t, hosts, profile, change)
	o.Data, o.Server = simtest.Data, hosts-1
	o.RequestSize, o.AnswerSize = max(o.RequestSize, 64), max(o.AnswerSize, 64)
	for i := range hosts - 1 {
		o.Clients = append(o.Clients, i)
	}
	s, err := programs.NewShortLived(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return s, c, net.Finish(t, c)
}

// A session over TCP takes a round trip to connect, with what its system calls take, and a round trip for each request. The
// client is through when it has closed; its kernel keeps the connection in TIME-WAIT, the server's forgets it.
func TestASessionOverTCPTakesRoundTripsAndSystemCalls(t *testing.T) {
	const open, shut = 3 * units.Microsecond, units.Microsecond
	s, c, r := shortOverTCP(t, 2, "ideal", programs.ShortLivedOptions{Transport: programs.TCP, Sessions: 3, Requests: 5}, func(k *kernel.Config) {
		k.Open, k.Close = open, shut
	})
	if r.Outcome != host.Done {
		t.Fatalf("%v: %+v", r.Outcome, c.ThreadWaits(r.Now))
	}
	all := s.SessionsOf(0)
	if len(all) != 3 {
		t.Fatalf("%d sessions, want 3", len(all))
	}
	connect := 2*open + 2*oneWay(syn) // the client's system calls, and the server's softirq
	// The server accepts the connection when the acknowledgement has come that the first request follows, behind which that
	// leaves. Before its first answer it tells of its window, which the 16 bits of a SYN had no room for.
	ask := 10*oneWay(segment(64)) + 2*units.Time(segment(0))*byteTime
	for i, got := range all {
		if took := got.Connected - got.Begun; took != connect {
			t.Errorf("session %d connected in %v, want %v", i, took, connect)
		}
		if took := got.Answered - got.Connected; took != ask {
			t.Errorf("session %d: five requests took %v, want %v", i, took, ask)
		}
		if took := got.Ended - got.Answered; took != shut {
			t.Errorf("session %d ended in %v, want %v", i, took, shut)
		}
	}
	if s.TimeWait(0) != 3 {
		t.Errorf("%d connections in TIME-WAIT, want 3", s.TimeWait(0))
	}
}

// One connection for all sessions is opened once and closed once.
func TestAConnectionOverTCPIsUsedAgain(t *testing.T) {
	s, c, r := shortOverTCP(t, 2, "ideal", programs.ShortLivedOptions{Transport: programs.TCP, Sessions: 4, Requests: 2, Reuse: programs.ReuseConnections}, nil)
	if r.Outcome != host.Done {
		t.Fatalf("%v: %+v", r.Outcome, c.ThreadWaits(r.Now))
	}
	for i, got := range s.SessionsOf(0) {
		if took := got.Connected - got.Begun; took > 0 != (i == 0) {
			t.Errorf("session %d connected in %v", i, took)
		}
	}
	if len(s.SessionsOf(0)) != 4 || s.TimeWait(0) != 1 || len(c.Sockets()) != 2 {
		t.Errorf("%d sessions, %d connections in TIME-WAIT, %d sockets", len(s.SessionsOf(0)), s.TimeWait(0), len(c.Sockets()))
	}
}

// Beside RDMA the same is done over TCP, by each client when it has ended: with adapters that take 150 us for a command and a
// kernel of today, TCP connects sooner and takes longer for a request.
func TestTheSameIsDoneOverTCPAfterwards(t *testing.T) {
	s, c, r := shortOverTCP(t, 3, "linux", programs.ShortLivedOptions{Beside: true, Sessions: 5, Requests: 2}, nil)
	if r.Outcome != host.Done {
		t.Fatalf("%v: %+v", r.Outcome, c.ThreadWaits(r.Now))
	}
	for client := range 2 {
		own, over := s.SessionsOf(client), s.SessionsBeside(client)
		if len(own) != 5 || len(over) != 5 || over[0].Begun < own[4].Ended {
			t.Fatalf("client %d: %d sessions, %d over TCP", client, len(own), len(over))
		}
		a, b := own[4], over[4]
		if a.Connected-a.Begun < 10*(b.Connected-b.Begun) || a.Answered-a.Connected > (b.Answered-b.Connected)/3 {
			t.Errorf("client %d: RDMA connects in %v, asks in %v; TCP in %v and %v",
				client, a.Connected-a.Begun, a.Answered-a.Connected, b.Connected-b.Begun, b.Answered-b.Connected)
		}
	}
}

// Without a free port no more connections are opened, of which all but the last are in TIME-WAIT.
func TestPortsRunOutInTimeWait(t *testing.T) {
	s, c, r := shortOverTCP(t, 2, "linux", programs.ShortLivedOptions{Transport: programs.TCP, Sessions: 20, Requests: 1}, func(k *kernel.Config) { k.Ports = 8 })
	waits := c.ThreadWaits(r.Now)
	if r.Outcome == host.Done || len(s.SessionsOf(0)) != 8 || len(waits) == 0 {
		t.Fatalf("%v after %d sessions", r.Outcome, len(s.SessionsOf(0)))
	}
	found := false
	for _, w := range waits {
		found = found || strings.Contains(w.Cause, "all 8 ports are used, 7 of them by connections in TIME-WAIT") ||
			strings.Contains(w.Cause, "all 8 ports are used, 8 of them by connections in TIME-WAIT")
	}
	if !found {
		t.Errorf("%+v", waits)
	}
}

// More connections at once than may wait: of 16 SYNs that come within the first round trip 6 fit into a backlog of 5, which counts
// what is beyond it. The others are sent again after 1 s and after 2 more; all get through.
func TestAFullAcceptQueueDropsSYNs(t *testing.T) {
	s, c, r := shortOverTCP(t, 17, "linux", programs.ShortLivedOptions{Transport: programs.TCP, Sessions: 1, Requests: 1}, func(k *kernel.Config) { k.Backlog = 5 })
	if r.Outcome != host.Done {
		t.Fatalf("%v: %+v", r.Outcome, c.ThreadWaits(r.Now))
	}
	after := map[units.Time]int{} // by whole seconds
	for i := range 16 {
		after[s.SessionsOf(i)[0].Connected/units.Second]++
	}
	if s.Overflows() != 10+4 || after[0] != 6 || after[1] != 6 || after[3] != 4 {
		t.Errorf("%d SYNs dropped, want 14; connections after so many seconds: %v", s.Overflows(), after)
	}
}

// lockOverTCP runs a test of a lock of 8 clients.
func lockOverTCP(t *testing.T, o programs.LockOptions) (*programs.Lock, *host.Cluster) {
	t.Helper()
	net, c := withTCP(t, 9, "linux", nil)
	o.Transport, o.Server, o.Acquisitions = programs.TCP, 8, 25
	o.Clients = []int{0, 1, 2, 3, 4, 5, 6, 7}
	o.Backoff, o.MaxBackoff = units.Microsecond, 16*units.Microsecond
	l, err := programs.NewLock(c, o)
	if err != nil {
		t.Fatal(err)
	}
	if r := net.Finish(t, c); r.Outcome != host.Done {
		t.Fatalf("%v: %+v", r.Outcome, c.ThreadWaits(r.Now))
	}
	return l, c
}

// Over TCP a thread keeps the lock: no update is lost and no two clients have it at once, however they count and release.
func TestALockOverTCPLosesNoUpdate(t *testing.T) {
	for _, o := range []programs.LockOptions{{}, {ReadWrite: true}, {ReadWrite: true, Swap: true, Guard: true}, {Swap: true, Hold: 5 * units.Microsecond}} {
		l, c := lockOverTCP(t, o)
		if l.Counter() != 200 || l.Wanted() != 200 || l.Overlaps() != 0 || l.Held() != 0 {
			t.Errorf("%+v: the counter stands at %d of %d, %d overlaps, %d has the lock", o, l.Counter(), l.Wanted(), l.Overlaps(), l.Held())
		}
		if busy := c.Threads[0].Busy(); busy < 200*4*units.Microsecond {
			t.Errorf("the server's thread worked for %v", busy)
		}
	}
}

// A host that has got all it is to get may still have pieces to copy and to send, for which the next one waits: it does so
// before it ends.
func TestAHostEndsWhenItHasSentWhatOthersWaitFor(t *testing.T) {
	for _, cores := range []int{2, 4, 8} {
		for _, channels := range []int{2, 4, 8} {
			net, c := withTCP(t, 4, "linux", nil)
			c.CPU.Cores = cores
			_, _, o := jobHosts(t, 4, 1, 8)
			o.Channels, o.Threads, o.Staging, o.Channel.Transport = channels, channels, 200*units.Gbps, programs.TCP
			if _, err := programs.NewJob(c, o, together(32, schedule.Op{What: collective.AllReduce, Size: units.MiB}, schedule.Op{What: collective.AllReduce, Size: units.MiB})); err != nil {
				t.Fatal(err)
			}
			if r := net.Finish(t, c); r.Outcome != host.Done {
				t.Errorf("%d cores, %d channels: %v", cores, channels, c.ThreadWaits(r.Now))
			}
		}
	}
}
