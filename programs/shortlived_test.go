package programs_test

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// mad is a management datagram on the wire: 256 bytes, 82 around them, 8 of DETH.
const mad = 346

// short is a test of short connections of hosts on one switch with adapters that take no
// time; the last host is the server.
func short(t *testing.T, hosts int, cm rdmacm.Params, cpu host.CPU, o programs.ShortLivedOptions, change ...func(*simtest.Net, *host.Cluster)) (*programs.ShortLived, host.Report) {
	t.Helper()
	net := simtest.Star(hosts, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout, net.NIC.Connections = 14, &cm
	c := net.Cluster(t)
	c.CPU = cpu
	o.Data = simtest.Data
	if o.Clients == nil {
		o.Clients = []int{0}
	}
	o.Server = hosts - 1
	s, err := programs.NewShortLived(c, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(net, c)
	}
	r := net.Finish(t, c)
	if r.Outcome != host.Done {
		t.Fatalf("%v at %v: %+v", r.Outcome, r.Now, c.ThreadWaits(r.Now))
	}
	return s, r
}

// A connection takes the client one command (to make a queue pair), the server a message and
// three commands, the client a message and two commands, and two datagrams on the wire; its end a
// command at the client, two messages and two datagrams. In between each request takes a
// message there, one back, and the acknowledgements that leave before the answer and before
// the next request; the first one follows the RTU, behind which it waits twice.
func TestASessionTakesCommandsMessagesAndPackets(t *testing.T) {
	const size = 64 * units.Byte
	s, _ := short(t, 2, rdmacm.Default(), host.CPU{}, programs.ShortLivedOptions{Sessions: 3, Requests: 5, RequestSize: size, AnswerSize: size})
	sessions := s.SessionsOf(0)
	if len(sessions) != 3 {
		t.Fatalf("%d sessions, want 3", len(sessions))
	}
	us := units.Microsecond
	setup, end := 6*150*us+2*50*us+2*oneWay(mad), 150*us+2*50*us+2*oneWay(mad)
	arp := 2*oneWay(84) + 5*us
	for i, got := range sessions {
		want := setup
		if i == 0 {
			want += arp
		} else {
			// The client's firmware has still to destroy the queue pair before; the server's likewise,
			// but is done with that when it is asked.
			want += 150 * us
		}
		if took := got.Connected - got.Begun; took != want {
			t.Errorf("session %d connected in %v, want %v", i, took, want)
		}
		const message = 82 + 64
		answers := 5*2*oneWay(message) + 9*ack*byteTime + (2*mad-message)*byteTime
		if took := got.Answered - got.Connected; took != answers {
			t.Errorf("session %d: five requests took %v, want %v", i, took, answers)
		}
		if took := got.Ended - got.Answered; took != end {
			t.Errorf("session %d ended in %v, want %v", i, took, end)
		}
	}
}

// Queue pairs that are at hand save the commands that make them, of either end; a connection
// that stays saves all.
func TestWhatIsUsedAgainIsNotPaidForAgain(t *testing.T) {
	setup := map[programs.Reuse]units.Time{}
	for _, reuse := range []programs.Reuse{programs.ReuseNothing, programs.ReuseQueuePairs, programs.ReuseConnections} {
		s, _ := short(t, 2, rdmacm.Default(), host.CPU{}, programs.ShortLivedOptions{
			Sessions: 4, Requests: 1, RequestSize: 64, AnswerSize: 64, Reuse: reuse, Pool: 8,
		})
		first, last := s.SessionsOf(0)[0], s.SessionsOf(0)[3]
		setup[reuse] = first.Connected - first.Begun
		if reuse == programs.ReuseConnections && last.Connected != last.Begun {
			t.Errorf("a connection that stands takes %v", last.Connected-last.Begun)
		}
	}
	saved := setup[programs.ReuseNothing] - setup[programs.ReuseQueuePairs]
	if saved != 2*150*units.Microsecond {
		t.Errorf("queue pairs at hand save %v, want two commands of 150us", saved)
	}
}

// A pool that is used up, since numbers rest for 2.1 s, is helped out by new queue pairs;
// where they rest for less than a session takes, a small one will do for all.
func TestAPoolLastsAsLongAsNumbersRest(t *testing.T) {
	tenth := func(timewait units.Time, reuse programs.Reuse, pool int) units.Time {
		cm := rdmacm.Default()
		cm.Timewait = timewait
		s, _ := short(t, 2, cm, host.CPU{}, programs.ShortLivedOptions{
			Sessions: 10, Requests: 1, RequestSize: 64, AnswerSize: 64, Reuse: reuse, Pool: pool,
		})
		got := s.SessionsOf(0)[9]
		return got.Connected - got.Begun
	}
	long, brief := rdmacm.Default().Timewait, 100*units.Microsecond
	if got, want := tenth(long, programs.ReuseQueuePairs, 2), tenth(long, programs.ReuseNothing, 0); got != want {
		t.Errorf("the tenth session out of a pool of 2 connects in %v, want %v, as without a pool", got, want)
	}
	if got, want := tenth(brief, programs.ReuseQueuePairs, 2), tenth(long, programs.ReuseQueuePairs, 10); got != want {
		t.Errorf("with a short rest it connects in %v, want %v, as out of a pool of 10", got, want)
	}
}

// Registering 1 MiB for each connection takes either end 50 us and 256 pages of 0.5 us.
func TestARegisteredBufferCostsEachConnection(t *testing.T) {
	o := programs.ShortLivedOptions{Sessions: 2, Requests: 1, RequestSize: 64, AnswerSize: 64}
	plain, _ := short(t, 2, rdmacm.Default(), host.CPU{}, o)
	o.Register = units.MiB
	o.Registration = memory.Registration{Fixed: 50 * units.Microsecond, PerPage: 500 * units.Nanosecond, Page: 4 * units.KiB}
	registered, _ := short(t, 2, rdmacm.Default(), host.CPU{}, o)
	first := func(s *programs.ShortLived) units.Time { l := s.SessionsOf(0)[0]; return l.Connected - l.Begun }
	if more := first(registered) - first(plain); more != 2*178*units.Microsecond {
		t.Errorf("registration adds %v, want 178us at either end", more)
	}
}

// Firmware of the server makes, moves to RTR and RTS, to ERR and destroys one queue pair
// after the other: five commands of 150 us are 1333 connections a second, however many
// clients there are. 8 clients come within 5 % of it; when their last connections have ended, two
// commands may be left of each.
func TestTheServersFirmwareBoundsConnectionsASecond(t *testing.T) {
	var clients []int
	for i := range 8 {
		clients = append(clients, i)
	}
	s, _ := short(t, 9, rdmacm.Default(), host.DefaultCPU(), programs.ShortLivedOptions{
		Clients: clients, Sessions: 30, Requests: 1, RequestSize: 64, AnswerSize: 64,
	})
	last := units.Time(0)
	for i := range clients {
		sessions := s.SessionsOf(i)
		last = max(last, sessions[len(sessions)-1].Ended)
	}
	const commands, us = 5 * 240, units.Microsecond
	if last < (commands-2*8)*150*us || last > commands*150*us*105/100 {
		t.Errorf("240 connections took %v, want no less than %v and no more than 5 %% above", last, (commands-2*8)*150*us)
	}
}

// losing loses packets on every cable at random.
type losing struct {
	coins sim.Stream
	of    uint64 // one in so many
	lost  *int
}

func (l *losing) Loses(*wire.Packet, units.Time) bool {
	if l.coins.Uint64N(l.of) != 0 {
		return false
	}
	*l.lost++
	return true
}

func (l *losing) LosesPFC(*wire.PFC, units.Time) bool { return false }

// lossy has every cable lose one packet in so many.
func lossy(seed, of uint64) func(*simtest.Net, *host.Cluster) {
	return func(net *simtest.Net, c *host.Cluster) {
		lost := new(int)
		net.NIC.Timeout = 4
		net.Run.Limit = 100 * units.Second
		for node := range c.Net.Graph.Nodes {
			for port := range c.Net.Ports(node) {
				c.Net.Ports(node)[port].Break(&losing{coins: sim.NewStream(seed, fmt.Sprint(node, ":", port), "loss"), of: of, lost: lost})
			}
		}
	}
}

// recoveries are the ways to recover from loss.
func recoveries() map[string]func(*simtest.Net, *host.Cluster) {
	return map[string]func(*simtest.Net, *host.Cluster){
		"one NAK a gap": func(*simtest.Net, *host.Cluster) {},
		"NAKs repeated": func(n *simtest.Net, _ *host.Cluster) { n.NIC.NakRearm = 5 * units.Microsecond },
		"go-back-0":     func(n *simtest.Net, _ *host.Cluster) { n.NIC.Recovery = rnic.GoBackZero },
		"selective repeat": func(n *simtest.Net, _ *host.Cluster) {
			n.NIC.Recovery = rnic.Selective
			n.NIC.Selective = rnic.SelectiveRepeat{TimerLow: 30 * units.Microsecond, TimerHigh: 100 * units.Microsecond, Few: 3}
		},
		"adaptive timer": func(n *simtest.Net, _ *host.Cluster) {
			n.NIC.Recovery = rnic.Adaptive
			n.NIC.Adaptive = rnic.AdaptiveTimer{Start: 16 * units.Microsecond, Limit: units.Millisecond, Tries: 7}
		},
	}
}

// With one packet in twenty lost, all sessions come to their end, however much is used again
// and however queue pairs recover.
func TestSessionsEndUnderLoss(t *testing.T) {
	for name, recovery := range recoveries() {
		for _, reuse := range []programs.Reuse{programs.ReuseNothing, programs.ReuseQueuePairs, programs.ReuseConnections} {
			cm := rdmacm.Default()
			cm.Timeout, cm.ResolveTimeout, cm.Timewait = 5*units.Millisecond, 5*units.Millisecond, 50*units.Millisecond
			s, _ := short(t, 4, cm, host.DefaultCPU(), programs.ShortLivedOptions{
				Clients: []int{0, 1, 2}, Sessions: 20, Requests: 3, RequestSize: 64, AnswerSize: 5000, Reuse: reuse, Pool: 3,
			}, recovery, lossy(3, 20))
			for i := range 3 {
				if got := len(s.SessionsOf(i)); got != 20 {
					t.Errorf("%s, %v used again: client %d had %d sessions, want 20", name, reuse, i, got)
				}
			}
		}
	}
}
