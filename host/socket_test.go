package host_test

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// tcpStar is hosts on one switch, with a lossy priority for TCP.
func tcpStar(hosts int) *simtest.Net {
	net := simtest.Star(hosts, gbps100, 500*units.Nanosecond)
	net.Fabric.Priorities = []int{0, 3, 6}
	return net
}

// overTCP has the hosts of a cluster speak TCP.
func overTCP(c *host.Cluster, profile string, change func(*tcp.Config, *kernel.Config)) {
	cfg, k := tcp.Defaults(), kernel.New(profile)
	cfg.QuickAcks = 0 // answers carry the acknowledgements from the start
	if change != nil {
		change(&cfg, k)
	}
	c.CPU.Cores = 4
	c.UseTCP(&host.TCP{Config: cfg, Control: congestion.CUBIC.Params().New, Class: rnic.Class{}}, k)
}

// talk is a program of sockets, made of closures.
type talk struct {
	step  func(*host.Thread)
	done  func() bool
	err   error
	waits string
}

func (p *talk) Step(t *host.Thread) { p.step(t) }
func (p *talk) Done() bool          { return p.done() }
func (p *talk) Failed() error       { return p.err }
func (p *talk) Waits() string       { return p.waits }

// pingPong has two threads send a message of a size to and fro, and gives the times at which the
// first has it back.
func pingPong(t *testing.T, profile string, size units.Bytes, rounds int, change func(*tcp.Config, *kernel.Config)) []units.Time {
	net := tcpStar(2)
	c := net.Cluster(t)
	overTCP(c, profile, change)
	var at []units.Time
	var mine, theirs *host.Socket
	began, echoed := false, 0
	ping := &talk{done: func() bool { return len(at) == rounds }, waits: "the echo"}
	ping.step = func(th *host.Thread) {
		if !began {
			began = true
			th.Send(mine, host.Message{Size: size, A: 7})
		}
		for {
			m, ok := th.Recv(mine)
			if !ok {
				return
			}
			if m.Size != size || m.A != uint64(len(at))+8 {
				t.Errorf("echo %+v", m)
			}
			if at = append(at, th.Now()); len(at) < rounds {
				th.Send(mine, host.Message{Size: size, A: m.A})
			}
		}
	}
	pong := &talk{done: func() bool { return echoed == rounds }, waits: "a message"}
	pong.step = func(th *host.Thread) {
		for {
			m, ok := th.Recv(theirs)
			if !ok {
				return
			}
			echoed++
			m.A++
			th.Send(theirs, m)
		}
	}
	a := c.AddThread(0, ping, host.ThreadOptions{Name: "ping"})
	b := c.AddThread(1, pong, host.ThreadOptions{Name: "pong"})
	var err error
	if mine, theirs, err = c.Pair(a, b, host.SocketOptions{}); err != nil {
		t.Fatal(err)
	}
	mustBe(t, net.Finish(t, c), host.Done)
	return at
}

// A small message costs, one way: the system call and the copy that send it, TCP and the
// driver, the adapter's reads, two wires and the switch between, the wait for the interrupt and
// the interrupt, a packet and an aggregate, the waking of the thread, and the system call, the
// copy and the page that receive it. With 64 B and timestamps a frame has 14+20+20+12+64+4 = 134
// bytes, 154 on the wire, 12.32 ns.
func TestASmallMessageOverTCPCostsTheSumOfItsParts(t *testing.T) {
	const ns = units.Nanosecond
	k := kernel.New("linux")
	wire := 2*154*80*units.Picosecond + 2*500*ns
	send := k.Syscall + 64*k.Copy + k.Transmit + k.DMA
	receive := k.Packet + k.Aggregate + k.Syscall + k.Page + 64*k.Copy
	for _, tc := range []struct {
		profile string
		change  func(*tcp.Config, *kernel.Config)
		oneWay  units.Time
	}{
		{"linux", nil, send + wire + k.Moderation + k.Interrupt + k.Wake + receive},
		{"linux", func(_ *tcp.Config, k *kernel.Config) { k.Moderation = 0 }, send + wire + k.Interrupt + k.Wake + receive},
		{"busy-poll", nil, send + wire + receive},
		{"ideal", nil, wire},
	} {
		at := pingPong(t, tc.profile, 64, 20, tc.change)
		for i := 1; i < len(at); i++ {
			if got := at[i] - at[i-1]; got != 2*tc.oneWay {
				t.Fatalf("%s: round %d took %v, want %v", tc.profile, i, got, 2*tc.oneWay)
			}
		}
	}
}

// A core that has been idle for long has to leave a deep state before it does anything: once for
// the interrupt, and once for the thread if that is on another core.
func TestADeepIdleStateDelaysWhatWakesACore(t *testing.T) {
	shallow := pingPong(t, "linux", 64, 4, func(_ *tcp.Config, k *kernel.Config) { k.Steering = kernel.Same })
	deep := pingPong(t, "linux", 64, 4, func(_ *tcp.Config, k *kernel.Config) {
		k.Steering, k.Idle, k.IdleFrom = kernel.Same, 40*units.Microsecond, 10*units.Microsecond
	})
	if got, want := deep[3]-deep[2]-(shallow[3]-shallow[2]), 80*units.Microsecond; got != want {
		t.Errorf("a round trip takes %v more, want %v", got, want)
	}
}

// What a buffer has no room for follows by itself, and a message of which only a part has come is not received.
func TestLongMessagesPassSmallBuffers(t *testing.T) {
	at := pingPong(t, "linux", 5*units.MB, 3, func(c *tcp.Config, _ *kernel.Config) { c.SendBuffer, c.ReceiveBuffer = 100*units.KB, 64*units.KiB })
	if len(at) != 3 {
		t.Fatal("not all messages came back")
	}
}

// Clients that connect, send a message, get the answer and close, again and again; both ends see the end.
func TestConnectionsAreMadeAndEndedDuringARun(t *testing.T) {
	const clients, sessions = 3, 5
	net := tcpStar(clients + 1)
	c := net.Cluster(t)
	overTCP(c, "linux", nil)
	var door *host.Acceptor
	var open []*host.Socket
	served, ended := 0, 0
	server := &talk{done: func() bool { return ended == clients*sessions }, waits: "clients"}
	server.step = func(th *host.Thread) {
		for {
			s, ok := th.Accept(door)
			if !ok {
				break
			}
			open = append(open, s)
		}
		for i := 0; i < len(open); i++ {
			s := open[i]
			if m, ok := th.Recv(s); ok {
				served++
				th.Send(s, host.Message{Size: 100, A: m.A + 1})
			}
			if s.Endpoint().Ended() && s.Unsent() == 0 {
				th.Shut(s)
				ended++
				open = append(open[:i], open[i+1:]...)
				i--
			}
		}
	}
	door = c.Listen(c.AddThread(0, server, host.ThreadOptions{Name: "server"}))
	for i := range clients {
		done := 0
		var s *host.Socket
		sent := false
		client := &talk{done: func() bool { return done == sessions }, waits: "the server"}
		client.step = func(th *host.Thread) {
			for done < sessions && !th.Working() {
				switch {
				case s == nil:
					s, sent = th.Connect(door, host.SocketOptions{}), false
				case s.Failed() != nil:
					client.err = s.Failed()
					return
				case !s.Established():
					return
				case !sent:
					sent = true
					th.Send(s, host.Message{Size: 100, A: uint64(i)})
				default:
					m, ok := th.Recv(s)
					if !ok {
						return
					}
					if m.A != uint64(i)+1 {
						t.Errorf("client %d got the answer %d", i, m.A)
					}
					th.Shut(s)
					s, done = nil, done+1
				}
			}
		}
		th := c.AddThread(i+1, client, host.ThreadOptions{Name: "client"})
		if err := c.Introduce(th, door, 0); err != nil {
			t.Fatal(err)
		}
	}
	mustBe(t, net.Finish(t, c), host.Done)
	if served != clients*sessions || door.Accepted != clients*sessions {
		t.Errorf("%d served, %d accepted, want %d", served, door.Accepted, clients*sessions)
	}
	for _, s := range c.Sockets() {
		if err := s.Failed(); err != nil || !s.Closed() && s.Endpoint().State() != tcp.LastAck {
			t.Errorf("socket %d of node %d: %v, %v", s.Number(), s.Host(), s.Endpoint().State(), err)
		}
	}
}

// The bits are the same on any number of workers, with loss and marks and all.
func TestTCPIsTheSameOnAnyNumberOfWorkers(t *testing.T) {
	run := func(workers int) (host.Report, string) {
		net := tcpStar(9)
		net.Run.Workers, net.Run.Together = workers, simtest.InTurns()
		net.Fabric.Buffer = 300 * units.KB
		c := net.Cluster(t)
		overTCP(c, "linux", func(c *tcp.Config, _ *kernel.Config) { c.MinRTO = units.Millisecond })
		for i := range 8 {
			f := simtest.Flow(i+1, 0, 2*units.MB)
			f.TCP, f.Data = true, rnic.Class{}
			if err := c.AddFlow(f); err != nil {
				t.Fatal(err)
			}
		}
		r := net.Finish(t, c)
		mustBe(t, r, host.Done)
		text := ""
		for _, s := range c.Sockets() {
			text += fmt.Sprintf("%+v\n", *s.Endpoint().Counters())
		}
		return r, text
	}
	one, counters := run(1)
	for _, workers := range []int{2, 3, 7} {
		if r, text := run(workers); r.Digest != one.Digest || r.Now != one.Now || text != counters {
			t.Errorf("%d workers: digest %x at %v, one has %x at %v", workers, r.Digest, r.Now, one.Digest, one.Now)
		}
	}
}

// A flow over TCP is done when its receiver has read all of it. What its sender does not know of that when the time
// is up, because the acknowledgement waits, leaves no work undone.
func TestAnAcknowledgementThatWaitsLeavesNoWorkUndone(t *testing.T) {
	net := tcpStar(2)
	net.Run.Limit = 10 * units.Millisecond
	c := net.Cluster(t)
	overTCP(c, "linux", func(cfg *tcp.Config, _ *kernel.Config) { cfg.DelayedAck, cfg.TLP = 500*units.Millisecond, false })
	f := simtest.Flow(0, 1, 100)
	f.TCP, f.Data = true, rnic.Class{}
	if err := c.AddFlow(f); err != nil {
		t.Fatal(err)
	}
	r := net.Finish(t, c)
	mustBe(t, r, host.Done)
	if from, _ := c.Stream(0); r.Now < net.Run.Limit || from.Endpoint().Acked() != 0 {
		t.Errorf("ended at %v with %v acknowledged; want the limit, and nothing", r.Now, from.Endpoint().Acked())
	}
}

// The second of two packets that comes while the first is taken through TCP, when the ring has been
// found empty, has an interrupt of its own: 1.9 us behind the first, of which the system call and
// the transmission between them are 400 and 1500 ns, it finds the core at the aggregate of the first,
// which the core is at from 1.2 to 2.3 us after that has come.
func TestAPacketThatFindsTheRingGivenUpHasItsOwnInterrupt(t *testing.T) {
	for _, tc := range []struct {
		transmit   units.Time // between the two
		interrupts uint64
	}{{1500 * units.Nanosecond, 2}, {300 * units.Nanosecond, 1}} { // 0.7 us behind it is there before the ring is looked at
		net := tcpStar(2)
		c := net.Cluster(t)
		overTCP(c, "linux", func(_ *tcp.Config, k *kernel.Config) {
			k.Moderation, k.Bulk, k.Transmit, k.Steering = 0, 0, tc.transmit, kernel.Other
		})
		var mine, theirs *host.Socket
		sent, got := 0, 0
		a := &talk{done: func() bool { return sent == 2 }, waits: "its turn"}
		a.step = func(th *host.Thread) {
			for ; sent < 2; sent++ {
				th.Send(mine, host.Message{Size: 64})
			}
		}
		b := &talk{done: func() bool { return got == 2 }, waits: "a message"}
		b.step = func(th *host.Thread) {
			for {
				if _, ok := th.Recv(theirs); !ok {
					return
				}
				got++
			}
		}
		from, to := c.AddThread(0, a, host.ThreadOptions{Events: true}), c.AddThread(1, b, host.ThreadOptions{Events: true})
		var err error
		if mine, theirs, err = c.Pair(from, to, host.SocketOptions{}); err != nil {
			t.Fatal(err)
		}
		mustBe(t, net.Finish(t, c), host.Done)
		if got := c.Hosts[1].Traffic().Interrupts; got != tc.interrupts {
			t.Errorf("packets %v apart: %d interrupts, want %d", tc.transmit, got, tc.interrupts)
		}
	}
}
