package fabric

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// heads is a frame of the same size at the head of every queue.
func heads(size units.Bytes) *[pfc.Priorities]units.Bytes {
	var h [pfc.Priorities]units.Bytes
	for p := range h {
		h[p] = size
	}
	return &h
}

// serve has a scheduler send so many frames of one size of queues that never run
// empty, and gives the bytes of each.
func serve(s *scheduler, ready uint8, size units.Bytes, frames int) (sent [pfc.Priorities]units.Bytes) {
	for range frames {
		p, _ := s.next(ready, heads(size), 0)
		s.sent(p, size, false, 0)
		sent[p] += size
	}
	return sent
}

func schedulerOf(s Schedule, largest units.Bytes) *scheduler {
	sched := newScheduler(&s, s.rules(largest))
	return &sched
}

func weights(of map[int]int) (s Schedule) {
	for p, w := range of {
		s.Weights[p] = w
	}
	return s
}

// Frames of 1086 B, quantum of 1600 B for each unit of weight: after 10,000 packets
// the shares are those of the weights, within 0.1 %. What an idle class leaves goes to
// the others in proportion: of 50:30:20 without the last, 62.5 and 37.5 %.
func TestQueuesShareByTheirWeights(t *testing.T) {
	for _, tc := range []struct {
		name    string
		weights map[int]int
		ready   uint8
		shares  map[int]float64 // %
	}{
		{"1:3", map[int]int{1: 1, 2: 3}, 0b110, map[int]float64{1: 25, 2: 75}},
		{"ETS 50:30:20", map[int]int{0: 50, 1: 30, 2: 20}, 0b111, map[int]float64{0: 50, 1: 30, 2: 20}},
		{"ETS 50:30:20, class 2 idle", map[int]int{0: 50, 1: 30, 2: 20}, 0b011, map[int]float64{0: 62.5, 1: 37.5}},
		{"ETS, one class busy", map[int]int{0: 50, 1: 30, 2: 20}, 0b100, map[int]float64{2: 100}},
		{"SONiC 14:15", map[int]int{0: 14, 3: 15}, 0b1001, map[int]float64{0: 1400. / 29, 3: 1500. / 29}},
	} {
		s := weights(tc.weights)
		s.Quantum = 1600
		const packets = 10_000
		sent := serve(schedulerOf(s, 1086), tc.ready, 1086, packets)
		for p, want := range tc.shares {
			if got := 100 * float64(sent[p]) / (packets * 1086); math.Abs(got-want) > 0.1 {
				t.Errorf("%s: priority %d gets %.3f %%, want %.3f", tc.name, p, got, want)
			}
		}
	}
}

func TestStrictPrioritiesGoBeforeThoseThatShare(t *testing.T) {
	s := schedulerOf(weights(map[int]int{5: 90, 6: 10}), 1500)
	for ready, want := range map[uint8]int{0b1110_0001: 7, 0b0110_0001: 0, 0b0010_0000: 5} {
		if got, _ := s.next(ready, heads(1500), 0); got != want {
			t.Errorf("of priorities %08b, %d is served, want %d", ready, got, want)
		}
	}
}

// A queue that is paused in the middle of its turn has the rest of it when it comes
// back, and no more: here 3 frames of 4, of which it had sent one.
func TestAPausedQueueKeepsTheRestOfItsTurn(t *testing.T) {
	s := schedulerOf(weights(map[int]int{1: 4, 2: 5}), 1000)
	serve(s, 0b110, 1000, 1) // of priority 1
	if other := serve(s, 0b100, 1000, 6); other[2] != 6000 {
		t.Fatalf("priority 2 sends %d while it is alone", other[2])
	}
	// Priority 2 has sent 5 and one of its next 5; it ends its turn, then 1 its own.
	var order []int
	for range 12 {
		p, _ := s.next(0b110, heads(1000), 0)
		s.sent(p, 1000, false, 0)
		order = append(order, p)
	}
	want := []int{2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2}
	for i := range want {
		if order[i] != want[i] {
			t.Fatalf("served %v, want %v", order, want)
		}
	}
}

// A queue that runs empty and fills again while its frame is sent waits for its next
// turn: it does not keep the wire to itself.
func TestAQueueThatTricklesWaitsForItsTurn(t *testing.T) {
	s := schedulerOf(weights(map[int]int{1: 10, 2: 1}), 1000)
	for i, want := range []int{1, 2, 1, 2, 1, 2} {
		p, _ := s.next(0b110, heads(1000), 0)
		if p != want {
			t.Fatalf("frame %d is of priority %d, want %d", i, p, want)
		}
		s.sent(p, 1000, p == 1, 0)
	}
}

// Whatever the weights, frames and pauses: no deficit is negative or exceeds a
// quantum and a frame; and of queues that are never paused, none gets ahead of
// another by more than their two quanta and frames.
func TestNoQueueGetsAheadByMoreThanItsTurn(t *testing.T) {
	const largest = 1518
	rapid.Check(t, func(t *rapid.T) {
		s := Schedule{Quantum: units.Bytes(rapid.IntRange(64, 3*largest).Draw(t, "quantum"))}
		for p := range 4 {
			s.Weights[p] = rapid.IntRange(1, 20).Draw(t, "weight")
		}
		sched := schedulerOf(s, largest)
		var sent [pfc.Priorities]units.Bytes
		for range rapid.IntRange(1, 400).Draw(t, "frames") {
			ready := uint8(0b0011 | rapid.IntRange(0, 3).Draw(t, "not paused")<<2)
			var h [pfc.Priorities]units.Bytes
			for p := range 4 {
				h[p] = units.Bytes(rapid.IntRange(64, largest).Draw(t, "frame"))
			}
			p, _ := sched.next(ready, &h, 0)
			sched.sent(p, h[p], false, 0)
			sent[p] += h[p]
			for q := range 4 {
				if d := sched.deficit[q]; d < 0 || d > sched.rules.quantum[q]+largest {
					t.Fatalf("priority %d has a deficit of %d, its quantum is %d", q, d, sched.rules.quantum[q])
				}
			}
		}
		// In units of each one's quantum, rounds 0 and 1 are at most two turns apart.
		q := &sched.rules.quantum
		a, b := float64(sent[0])/float64(q[0]), float64(sent[1])/float64(q[1])
		if bound := 1 + largest/float64(q[0]) + largest/float64(q[1]); math.Abs(a-b) > bound {
			t.Fatalf("%.2f and %.2f turns, apart by more than %.2f", a, b, bound)
		}
	})
}

// start is a frame that a shaper let go.
type start struct {
	at   units.Time
	size units.Bytes
}

// Over any interval, bytes <= r·t/8 + b, whatever the frames and the rests between
// them.
func TestAShaperHoldsInEveryInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := units.Rate(rapid.SampledFrom([]int{1, 3, 7, 25, 40, 100}).Draw(t, "Gbps")) * units.Gbps
		burst := units.Bytes(rapid.IntRange(1518, 20_000).Draw(t, "burst"))
		b := newBucket(Shaper{rate, burst})
		var now units.Time
		var sent []start
		for range rapid.IntRange(1, 200).Draw(t, "frames") {
			size := units.Bytes(rapid.IntRange(64, 1518).Draw(t, "size"))
			now = max(now, b.conformsAt(size)) + units.Time(rapid.SampledFrom([]int{0, 0, 0, 100_000, 10_000_000}).Draw(t, "rest"))
			b.take(size, now)
			sent = append(sent, start{now, size})
		}
		for i := range sent {
			var bytes units.Bytes
			for _, s := range sent[i:] {
				bytes += s.size
				if within := s.at - sent[i].at; bytes > rate.BytesIn(within)+burst {
					t.Fatalf("%d bytes within %v, more than a burst of %d and %v allow", bytes, within, burst, rate)
				}
			}
		}
	})
}

// A queue that always waits is served at the rate of its shaper, after a burst.
func TestAShaperReachesItsRate(t *testing.T) {
	for _, rate := range []units.Rate{10 * units.Gbps, 7 * units.Gbps} {
		s := Schedule{}
		s.Shapers[3] = Shaper{rate, 4174}
		sched := schedulerOf(s, 4174)
		var now units.Time
		const frames = 1000
		for range frames {
			p, at := sched.next(1<<3, heads(4158), now)
			if p < 0 {
				now = at
				p, _ = sched.next(1<<3, heads(4158), now)
			}
			sched.sent(p, 4158, false, now)
		}
		want := rate.Serialise(frames*4158 - 4174)
		if d := now - want; d < 0 || d > frames { // each frame's time is rounded up
			t.Errorf("%v: %d frames in %v, want %v", rate, frames, now, want)
		}
	}
}

// The bound of the port is one for all its priorities; a strict one does not wait for
// the shaper of another.
func TestShapersOfPortAndPriorityActApart(t *testing.T) {
	s := Schedule{Port: Shaper{10 * units.Gbps, 3000}}
	s.Shapers[7] = Shaper{units.Gbps, 1500}
	sched := schedulerOf(s, 1500)
	send := func(now units.Time) int {
		p, _ := sched.next(1<<7|1<<1, heads(1500), now)
		if p >= 0 {
			sched.sent(p, 1500, false, now)
		}
		return p
	}
	// 7 has a frame to itself, then 1 goes on; two frames are the burst of the port.
	for i, want := range []int{7, 1, -1} {
		if got := send(0); got != want {
			t.Errorf("choice %d is %d, want %d", i, got, want)
		}
	}
	// 1500 B take 1.2 us at 10G and 12 us at 1G.
	if _, again := sched.next(1<<7|1<<1, heads(1500), 0); again != 1200*units.Nanosecond {
		t.Errorf("looks again at %v, want 1.2us", again)
	}
	if got := send(1200 * units.Nanosecond); got != 1 {
		t.Errorf("after 1.2us priority %d goes, want 1", got)
	}
	if got := send(12 * units.Microsecond); got != 7 {
		t.Errorf("after 12us priority %d goes, want 7", got)
	}
}
