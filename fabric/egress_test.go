package fabric

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// arriveAt has a frame of a priority come out of the pipeline of a port at time 0.
func arriveAt(s *Switch, port, priority int, p wire.Packet) {
	p.DSCP = uint8(priority << 3)
	s.ports[port].in.data.Push(&arrival{Packet: p})
	s.awake.Say()
	s.arrive(port, 0)
}

// held is a star whose ports towards the hosts are paused in all priorities, so that
// what comes stays.
func held(t testing.TB, hosts int, change func(*Config)) (*Network, *Switch) {
	n := star(t, hosts, func(c *Config) {
		c.Priorities = []int{1, 3}
		change(c)
	})
	s := n.Switch(hosts)
	for port := range s.ports {
		for class := range 8 {
			s.ports[port].pauser.Pause(class, 0, units.Never)
		}
		s.ports[port].FreeAt = units.Second // pause frames of the switch itself wait, too
	}
	return n, s
}

// to is a frame to the host of a port.
func to(n *Network, host, size int) wire.Packet {
	d := n.Routes.Dest(n.Routes.EndpointsOf(host)[0])
	return wire.Packet{Edge: uint16(d.Edge), EdgePort: d.Port, Frame: uint16(size), ECN: wire.ECT0, Op: wire.WriteMiddle}
}

// Two hosts send to a third in a lossy class whose queues hold 5 kB beside their
// minimum of 1 kB. What is too much is dropped at the egress and counted there; a
// lossless class, of which much more comes, loses nothing.
func TestALossyQueueDropsAtItsLimitAndALosslessOneNever(t *testing.T) {
	n, s := held(t, 3, func(c *Config) { c.Egress = Egress{Limit: 5 * units.KB, Minimum: units.KB} })
	for i := range 40 {
		arriveAt(s, i%2, 1, to(n, 2, 1000))
		arriveAt(s, i%2, 3, to(n, 2, 1000))
	}
	lossy, lossless := s.Queue(2, 1), s.Queue(2, 3)
	if lossy.Bytes != 6000 || lossy.Refused.Limit != (ClassCount{34, 34_000}) {
		t.Errorf("the lossy queue holds %d and has refused %+v; want 6000 and 34 packets", lossy.Bytes, lossy.Refused.Limit)
	}
	if lossless.Bytes != 40_000 || lossless.Refused != (Refused{}) {
		t.Errorf("the lossless queue holds %d and has refused %+v", lossless.Bytes, lossless.Refused)
	}
	for port := range 2 {
		if got := s.ports[port].Counters.Class[1].Dropped; got != (ClassCount{}) {
			t.Errorf("port %d counts %+v as dropped for want of buffer", port, got)
		}
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
	if dropped, queued := n.DataPackets(); dropped != 34 || queued != 46 {
		t.Errorf("%d data packets dropped, %d queued; want 34 and 46", dropped, queued)
	}
}

// M queues that all want more settle at alpha·S/(1+alpha·M) each of their pool of S.
func TestBusyQueuesSettleAtTheFixedPointToo(t *testing.T) {
	const packet = 1000
	for _, tc := range []struct {
		alpha  units.Ratio
		queues int
		each   units.Bytes
	}{
		{units.Ratio{Num: 1, Den: 1}, 1, 500_000},
		{units.Ratio{Num: 1, Den: 1}, 4, 200_000},
		{units.Ratio{Num: 1, Den: 8}, 2, 100_000},
		{units.Ratio{Num: 8, Den: 1}, 2, 470_588},
	} {
		n, s := held(t, 9, func(c *Config) { c.Egress = Egress{Pool: units.MB, Alpha: tc.alpha} })
		for i := range 9 * 1000 {
			if dst := i % 9; dst < tc.queues {
				arriveAt(s, 8, 1, to(n, dst, packet))
			}
		}
		for q := range tc.queues {
			if d := s.Queue(q, 1).Bytes - tc.each; d < -packet || d > packet {
				t.Errorf("alpha %v, %d queues: queue %d settles at %d, want %d", tc.alpha, tc.queues, q, s.Queue(q, 1).Bytes, tc.each)
			}
		}
	}
}

// What a queue holds is counted in cells, like what a group holds, and given back as
// it was taken.
func TestEgressAccountsAreKeptInCells(t *testing.T) {
	n, s := held(t, 2, func(c *Config) {
		c.Memory.Cell = 208
		c.Egress = Egress{Limit: 10 * 208, Minimum: 208}
	})
	for range 20 {
		arriveAt(s, 0, 1, to(n, 1, 64))
	}
	if got := s.Queue(1, 1).Bytes; got != 11*64 {
		t.Errorf("%d bytes are queued, want 11 frames, each a cell", got)
	}
	if got := s.Group(0, 1).Peak; got != 11*208 {
		t.Errorf("the group holds %d, want 11 cells", got)
	}
	for range 11 {
		p := s.dequeue(1, 1, 0)
		s.release(1, p, 0)
	}
	if s.limits.used != 0 || s.limits.accounts[s.queue(1, 1)] != (egressAccount{}) || s.buffer.groups[0].held() != 0 {
		t.Error("empty queues still hold memory")
	}
}

// SONiC's map charges all lossy classes of a port to group 0, with one threshold for
// their sum, and queues them apart.
func TestClassesMayShareAGroup(t *testing.T) {
	n, s := held(t, 2, func(c *Config) {
		c.Priorities = []int{0, 1, 3, 5}
		c.Groups = &[8]uint8{0, 0, 0, 3, 4, 0, 0, 7}
		c.Lossy.Limit = 10 * units.KB
	})
	for range 10 {
		for _, priority := range []int{0, 1, 3, 5} {
			arriveAt(s, 0, priority, to(n, 1, 1000))
		}
	}
	if got := s.Group(0, 5).Peak; got != 10_000 || s.Group(0, 0) != s.Group(0, 5) || s.Group(0, 3).Peak != 10_000 {
		t.Errorf("the lossy group holds %d, the lossless %d; want 10000 each", got, s.Group(0, 3).Peak)
	}
	for priority, packets := range map[int]units.Bytes{0: 4, 1: 3, 5: 3, 3: 10} {
		if got := s.Queue(1, priority).Bytes; got != packets*1000 {
			t.Errorf("queue %d holds %d, want %d", priority, got, packets*1000)
		}
	}
}

// Of a pool of headroom for one of two groups the second finds nothing: its frame is
// dropped and the cause counted, though its own headroom is empty.
func TestAnOversubscribedPoolOfHeadroomRunsOut(t *testing.T) {
	n, s := held(t, 3, func(c *Config) {
		c.PFC.XOFF, c.PFC.Headroom, c.PFC.Oversubscription = units.KB, 5*units.KB, units.Ratio{Num: 3, Den: 1}
	})
	for port := range 2 {
		for range 6 {
			arriveAt(s, port, 3, to(n, 2, 1000))
		}
	}
	first, second := s.Group(0, 3), s.Group(1, 3)
	if first.PeakHeadroom != 5000 || first.Exhausted != 0 || second.PeakHeadroom != 0 || second.Exhausted != 5 {
		t.Errorf("headroom used %d and %d, pool found empty %d and %d times; want 5000, 0, 0, 5",
			first.PeakHeadroom, second.PeakHeadroom, first.Exhausted, second.Exhausted)
	}
	if got := s.ports[1].Counters.Class[3].Dropped.Packets; got != 5 {
		t.Errorf("%d packets dropped, want 5", got)
	}
	if size, peak := s.HeadroomPool(); size != 5000 || peak != 5000 {
		t.Errorf("pool of headroom of %d, %d used; want 5000 of each", size, peak)
	}
	if pool, _ := s.SharedPool(); pool != 32*units.MB-5000 {
		t.Errorf("shared pool of %d: want all but the pool of headroom", pool)
	}
}

// A switch with settings of its own keeps to them; the others keep to the network's.
func TestOneSwitchMayDiffer(t *testing.T) {
	cfg := plain()
	own := plain()
	own.Pipeline, own.PFC.Lossless, own.ECN = 300*units.Nanosecond, 0, ECN{Kmin: 1, Kmax: 1, Pmax: units.Ratio{Num: 1, Den: 1}}
	own.PriorityOf[26] = 0
	own.Priorities = []int{0, 3}
	cfg.Switches = map[int]*Config{3: &own}
	r := rigOf(t, cfg, 100, 100, 100)
	r.from.send = repeat(r.frame(4158), 1)
	r.run(t)
	if got, want := r.to.came[0], units.Time(3*4178*80)+1800*units.Nanosecond; got != want {
		t.Errorf("last byte after %v, want %v", got, want)
	}
	if a, b := r.net.Switch(2).Queue(1, 3).Peak, r.net.Switch(3).Queue(1, 0).Peak; a != 4158 || b != 4158 {
		t.Errorf("queue 3 of the first switch held %d, queue 0 of the second %d; want a frame each", a, b)
	}
	if !r.net.Switch(2).Group(0, 3).Lossless || r.net.Switch(3).Group(0, 3).Lossless {
		t.Error("priority 3 is lossless at the first switch only; the switches disagree")
	}
}

// Where PFC is off towards a neighbour, no pause is asked of it, and none of its own
// is obeyed; both are as ever on the other ports.
func TestPFCCanBeOffOnOnePort(t *testing.T) {
	n, s := held(t, 3, func(c *Config) {
		c.PFC.XOFF = units.KB
		c.PFC.Off = map[int]bool{0: true}
	})
	for port := range 2 {
		arriveAt(s, port, 3, to(n, 2, 1000))
	}
	if s.ports[0].Requester.Pending() != 0 || s.ports[1].Requester.Pending() != 1<<3 {
		t.Errorf("pauses to be asked of the hosts: %08b and %08b, want of the second only",
			s.ports[0].Requester.Pending(), s.ports[1].Requester.Pending())
	}
	for port := range 2 {
		p := &s.ports[port]
		p.pauser.Resume(3, 0)
		p.in.pauses.Push(&pauseArrival{0, wire.PFC{Classes: 1 << 3, Quanta: [8]uint16{3: 100}}})
		p.Obey(0)
		if paused := p.Paused(0)&(1<<3) != 0; paused != (port == 1) || p.Counters.PauseRx[3].XOFF != 1 {
			t.Errorf("port %d: paused %v, %d pauses counted", port, paused, p.Counters.PauseRx[3].XOFF)
		}
	}
}
