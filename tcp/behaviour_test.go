package tcp

import (
	"math/rand/v2"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// transfer has end 0 of a network send so many bytes to end 1, whose program reads at once, and
// returns when the last is read.
func transfer(t *testing.T, n *network, size units.Bytes) units.Time {
	t.Helper()
	a, b := n.ends[0], n.ends[1]
	for left := size; b.Consumed() < size; {
		left -= a.Write(left)
		b.Read(n.now, size)
		if b.Consumed() < size && !n.step(1000*units.Second) {
			t.Fatalf("stuck at %v of %v at %v: the sender waits for %s, the receiver for %s", b.Consumed(), size, n.now, a.Cause(), b.Cause())
		}
	}
	return n.now
}

// Slow start: 1 MB in packets of 1460 B, ten at first and twice as many each round trip, takes
// ⌈log2(685/10 + 1)⌉ = 7 rounds, of which the last is half a round trip, if each packet is
// acknowledged.
func TestSlowStartTakesSevenRounds(t *testing.T) {
	cfg := Defaults()
	cfg.Timestamps, cfg.AckEvery, cfg.ReceiveBuffer = false, 1, 64*units.MiB
	a, b := pair(&cfg)
	n := newNetwork(a, b, 50*us)
	if got := transfer(t, n, units.MB); got != 650*us {
		t.Errorf("1 MB took %v, want six round trips of 100 us and a half", got)
	}
}

// A window of W bytes moves W bytes in a round trip, no more and no less.
func TestReceiveWindowBindsTheRate(t *testing.T) {
	cfg := Defaults()
	cfg.ReceiveBuffer = 200 * 1448 // a window of 100 packets
	a, b := pair(&cfg)
	n := newNetwork(a, b, 500*us)
	const size = 20000 * 1448
	got := transfer(t, n, size)
	if rounds := got / ms; rounds < 200 || rounds > 206 { // 200, and slow start
		t.Errorf("20,000 packets with a window of 100 took %d round trips, want 200 to 206", rounds)
	}
}

// Single losses in a stream with a large window are repaired within a round trip or two, without a
// timeout and without sending anything twice in vain, with SACK and RACK, and with counting.
func TestLossesAreRepairedWithoutTimeouts(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
	}{
		{"RACK", func(*Config) {}},
		{"counting", func(c *Config) { c.RACK = false }},
		{"merged", func(*Config) {}},
		{"packets one by one", func(c *Config) { c.TSO = 0 }},
	} {
		cfg := Defaults()
		c.change(&cfg)
		rng := rand.New(rand.NewPCG(7, 7))
		a, b := pair(&cfg)
		n := newNetwork(a, b, 0)
		n.merge = c.name == "merged"
		lost := units.Bytes(0)
		n.paths[1].delay = 50 * us
		n.paths[0] = path{50 * us, func(s *Segment) (units.Time, int) {
			if s.Payload > 0 && a.Counters().InFlight > 20*1448 && rng.Float64() < 0.002 {
				lost += s.Payload
				return 0, 0
			}
			return 0, 1
		}}
		took := transfer(t, n, 20*units.MB)
		counters := a.Counters()
		if counters.Timeouts != 0 || counters.BytesRetransmitted != lost || counters.BytesSpurious != 0 {
			t.Errorf("%s: lost %d, sent again %d, of which %d in vain, %d timeouts, in %v", c.name, lost,
				counters.BytesRetransmitted, counters.BytesSpurious, counters.Timeouts, took)
		}
		if lost < 10*1448 {
			t.Errorf("%s: only %d bytes were lost: nothing was tried", c.name, lost)
		}
	}
}

// When the whole tail of a flight is lost, a probe finds out after two round trips, and not the
// timeout after 200 ms.
func TestLostTailIsFoundByAProbe(t *testing.T) {
	for _, tlp := range []bool{true, false} {
		cfg := Defaults()
		cfg.TLP = tlp
		a, b := pair(&cfg)
		n := newNetwork(a, b, 50*us)
		dropped := 0
		n.paths[0].pass = func(s *Segment) (units.Time, int) {
			if a.sentOffset(s.Seq) >= 90000 && dropped < 7 && !s.Retransmission {
				dropped++
				return 0, 0
			}
			return 0, 1
		}
		took := transfer(t, n, 100000)
		if tlp && took > 2*ms || !tlp && took < 200*ms {
			t.Errorf("with probes %v: took %v", tlp, took)
		}
	}
}

// A network that reorders by less than a quarter of the round trip costs nothing once the sender
// knows; a receiver that reports duplicates teaches it more.
func TestReorderingIsLearnt(t *testing.T) {
	cfg := Defaults()
	rng := rand.New(rand.NewPCG(3, 3))
	a, b := pair(&cfg)
	n := newNetwork(a, b, 50*us)
	n.paths[0].pass = func(*Segment) (units.Time, int) { return units.Time(rng.Int64N(int64(20 * us))), 1 }
	transfer(t, n, 10*units.MB)
	if c := a.Counters(); c.Timeouts != 0 || c.PacketsRetransmitted > 20 {
		t.Errorf("nothing was lost: %d packets sent again, %d timeouts", c.PacketsRetransmitted, c.Timeouts)
	}
}

// The samples of the delivery rate find the rate of the bottleneck.
func TestDeliveryRateIsThatOfTheBottleneck(t *testing.T) {
	cfg := Defaults()
	control := &rates{}
	a, b := NewEndpoint(&cfg, control, 1), NewEndpoint(&cfg, &reno{}, 2)
	a.Establish(b)
	n := newNetwork(a, b, 50*us)
	free := units.Time(0)
	n.paths[0].pass = func(s *Segment) (units.Time, int) { // 1448 B of payload every 1.448 us: 8 Gb/s
		free = max(free, n.now) + units.Time(s.Payload)*units.Nanosecond
		return free - n.now, 1
	}
	transfer(t, n, 10*units.MB)
	n.run(n.now + 100*ms)
	if best := float64(control.best) / float64(8*units.Gbps); best < 0.99 || best > 1.01 {
		t.Errorf("best sample %v, want 8Gbps", control.best.Human())
	}
	if control.rounds < 8 || control.rounds > 200 {
		t.Errorf("%d rounds in %v", control.rounds, n.now)
	}
	if control.sum != 10*units.MB {
		t.Errorf("the control was told of %d bytes, want each once: 10 MB", control.sum)
	}
}

// Segments cost no memory once a connection has come to its size.
func TestSegmentsAllocateNothing(t *testing.T) {
	for _, loss := range []bool{false, true} {
		cfg := Defaults()
		cfg.QuickAcks = 0
		a, b := pair(&cfg)
		now := units.Time(0)
		count := 0
		round := func() {
			now += 10 * us
			a.Write(100000)
			for {
				s, ok := a.Next(now, 64*units.KiB)
				if !ok {
					break
				}
				for _, p := range [...]units.Bytes{s.Payload / 2 / 1448 * 1448, s.Payload - s.Payload/2/1448*1448} {
					part := s
					part.Payload, part.Packets = p, int(packets(int64(p), 1448))
					part.Seq = s.Seq + uint32(s.Payload-p)*uint32(min(count%2, 1))
					count++
					if loss && count%37 == 0 {
						continue
					}
					b.Receive(&part, now)
					b.Read(now, units.GB)
				}
			}
			if b.Deadline() <= now {
				b.OnTimer(now)
			}
			for {
				s, ok := b.Next(now, 64*units.KiB)
				if !ok {
					break
				}
				a.Receive(&s, now+5*us)
			}
			if a.Deadline() <= now {
				a.OnTimer(now)
			}
		}
		for range 20000 {
			round()
		}
		before := b.Consumed()
		if got := testing.AllocsPerRun(1000, round); got != 0 {
			t.Errorf("losses %v: %v allocations a round", loss, got)
		}
		if b.Consumed() < before+10*units.MB {
			t.Errorf("losses %v: only %d bytes moved: %s", loss, b.Consumed()-before, a.Cause())
		}
	}
}

func BenchmarkSegment(b *testing.B) {
	cfg := Defaults()
	from, to := pair(&cfg)
	now := units.Time(0)
	for b.Loop() {
		now += 5 * us
		from.Write(65160)
		s, ok := from.Next(now, 64*units.KiB)
		if !ok {
			b.Fatal(from.Cause())
		}
		to.Receive(&s, now)
		to.Read(now, units.MB)
		for {
			s, ok := to.Next(now, 64*units.KiB)
			if !ok {
				break
			}
			from.Receive(&s, now)
		}
	}
}
