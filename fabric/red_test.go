package fabric

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// drain sends all that waits in priority 3 of port 1, and gives the codepoints in the
// order in which the packets leave.
func drain(s *Switch) (left []wire.ECN) {
	for s.queues[s.queue(1, 3)].packets.Len() > 0 {
		p := s.dequeue(1, 3, 0)
		left = append(left, p.ECN)
	}
	return left
}

// The marking test of SONiC's switches: a queue of Kmax + 10 packets of 1 kB builds up
// and then leaves. Marked as they leave, the packets that leave at most Kmin behind
// are unmarked and those that leave more than Kmax are marked, the earliest therefore;
// between the two, of 500 packets on the line to 5 %, as many as chance allows. Marked
// as they join, it is the other way round: the latest are marked.
func TestTheDepthAtWhichAPacketLeavesDecidesOnItsMark(t *testing.T) {
	const kmin, kmax, size, packets = 500, 2000, 1000, 2010
	for _, atEnqueue := range []bool{false, true} {
		n, s := held(t, 2, func(c *Config) {
			c.ECN = ECN{Kmin: kmin * size, Kmax: kmax * size, Pmax: units.Ratio{Num: 1, Den: 20}, AtEnqueue: atEnqueue}
		})
		for range packets {
			arriveAt(s, 0, 3, to(n, 1, size))
		}
		var between int
		for i, got := range drain(s) {
			depth := packets - 1 - i // left behind
			if atEnqueue {
				depth = i + 1 // with the packet
			}
			switch {
			case depth <= kmin && got != wire.ECT0, depth > kmax && got != wire.CE:
				t.Fatalf("at enqueue %v: at a depth of %d packets it leaves with %d", atEnqueue, depth, got)
			case depth > kmin && depth <= kmax && got == wire.CE:
				between++
			}
		}
		// A share that rises from 0 to 5 % marks 2.5 % of 1500: 37.5, with a standard
		// deviation below sqrt(1500·0.025).
		if d := math.Abs(float64(between) - 37.5); d > 3*math.Sqrt(1500*0.025) {
			t.Errorf("at enqueue %v: %d packets marked between the thresholds, want 37.5 on average", atEnqueue, between)
		}
		if got := s.ports[1].Counters.Class[3].Marked; got != uint64(between+packets-1-kmax+b2i(atEnqueue)) {
			t.Errorf("at enqueue %v: %d marks counted, %d seen between the thresholds", atEnqueue, got, between)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A queue held half way from Kmin to Kmax, Pmax 20 %: a tenth of the packets is marked,
// within three standard deviations, wherever it is decided.
func TestAQueueHeldHalfWayMarksHalfOfPmax(t *testing.T) {
	const n, size = 40_000, 1000
	for _, atEnqueue := range []bool{false, true} {
		net, s := held(t, 2, func(c *Config) {
			c.ECN = ECN{Kmin: 100 * size, Kmax: 400 * size, Pmax: units.Ratio{Num: 1, Den: 5}, AtEnqueue: atEnqueue}
		})
		for range 250 - b2i(atEnqueue) {
			arriveAt(s, 0, 3, to(net, 1, size))
		}
		before := s.ports[1].Counters.Class[3].Marked
		for range n {
			arriveAt(s, 0, 3, to(net, 1, size))
			p := s.dequeue(1, 3, 0)
			s.release(1, p, 0)
		}
		share := float64(s.ports[1].Counters.Class[3].Marked-before) / n
		if math.Abs(share-0.1) > 3*math.Sqrt(0.09/n) {
			t.Errorf("at enqueue %v: %.4f marked, want 0.100 ± %.4f", atEnqueue, share, 3*math.Sqrt(0.09/n))
		}
	}
}

// The average moves by 2^-n of the distance with each packet: after m packets that see
// a length of q, it is at q·(1-(1-2^-n)^m).
func TestTheAverageFollowsTheLengthByItsWeight(t *testing.T) {
	const q = 100_000
	a := average{packet: units.Microsecond}
	want := 0.0
	for m := range 3000 {
		want += (q - want) / 512
		if got := a.see(q, 1./512, units.Time(m)); math.Abs(float64(got)-want) > 1 {
			t.Fatalf("after %d packets %d, want %.1f", m+1, got, want)
		}
	}
	// The queue runs empty for as long as 512 packets take: (511/512)^512 = 0.3675 is left,
	// of which the next packet, which sees nothing, takes 1/512.
	a.idleSince = 3000
	before := a.value
	got := a.see(0, 1./512, 3000+512*units.Microsecond)
	if want := before * 0.36752 * 511 / 512; math.Abs(float64(got)-want) > want/1000 {
		t.Errorf("after a rest %d, want %.0f", got, want)
	}
}

// A burst that the instantaneous length would mark passes an average unmarked.
func TestAnAverageForgivesABurst(t *testing.T) {
	for averaging, want := range map[int]bool{0: true, 9: false} {
		n, s := held(t, 2, func(c *Config) {
			c.ECN = ECN{Kmin: 20_000, Kmax: 20_000, Pmax: units.Ratio{Num: 1, Den: 1}, Averaging: averaging, AtEnqueue: true}
		})
		for range 50 {
			arriveAt(s, 0, 3, to(n, 1, 1000))
		}
		if got := s.ports[1].Counters.Class[3].Marked > 0; got != want {
			t.Errorf("averaging exponent %d: marked %v", averaging, got)
		}
	}
}

// Packets that cannot be marked are spared, or dropped where RED picks them, which is
// counted apart; those that can be are marked all the same.
func TestPacketsThatCannotBeMarkedAreSparedOrDropped(t *testing.T) {
	for _, drop := range []bool{false, true} {
		n, s := held(t, 2, func(c *Config) {
			c.ECN = ECN{Kmin: 5000, Kmax: 5000, Pmax: units.Ratio{Num: 1, Den: 1}, DropNotECT: drop}
		})
		plain := to(n, 1, 1000)
		plain.ECN = wire.NotECT
		for range 10 {
			arriveAt(s, 0, 3, plain)
		}
		refused, dropped := s.Queue(1, 3).Refused.RED, 0
		if drop {
			dropped = 5 // the sixth packet makes the queue longer than 5000
		}
		if refused.Packets != uint64(dropped) || s.queues[s.queue(1, 3)].packets.Len() != 10-dropped {
			t.Errorf("drop %v: %d packets refused, want %d", drop, refused.Packets, dropped)
		}
		for range 10 { // of these, the last, four leave more than 5000 behind
			arriveAt(s, 0, 3, to(n, 1, 1000))
		}
		drain(s)
		if got := s.ports[1].Counters.Class[3].Marked; got != 4 {
			t.Errorf("drop %v: %d packets marked, want 4", drop, got)
		}
	}
}

// Each priority has thresholds of its own, or none.
func TestPrioritiesHaveThresholdsOfTheirOwn(t *testing.T) {
	one := units.Ratio{Num: 1, Den: 1}
	n, s := held(t, 2, func(c *Config) {
		c.Priorities = []int{1, 3, 5}
		c.ECN = ECN{Kmin: 2000, Kmax: 2000, Pmax: one}
		c.ECN.Classes[1] = &ECN{Kmin: 7000, Kmax: 7000, Pmax: one}
		c.ECN.Classes[5] = &ECN{}
	})
	for priority, want := range map[int]uint64{3: 7, 1: 2, 5: 0} { // of ten packets, those that leave more than K behind
		for range 10 {
			arriveAt(s, 0, priority, to(n, 1, 1000))
		}
		for range 10 {
			s.dequeue(1, priority, 0)
		}
		if got := s.ports[1].Counters.Class[priority].Marked; got != want {
			t.Errorf("priority %d: %d packets marked, want %d", priority, got, want)
		}
	}
}
