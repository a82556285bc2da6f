package calibration

import (
	"math"
	"testing"
	"time"
)

// ticks is a clock that moves on by a step whenever somebody looks.
func ticks(step time.Duration) func() time.Duration {
	now := time.Duration(0)
	return func() time.Duration {
		now += step
		return now
	}
}

func TestEveryMachineComesToTheSameSums(t *testing.T) {
	if _, err := New(ticks(time.Millisecond)); err != nil {
		t.Error(err)
	}
}

func TestALoopThatDoesLessComesToAnotherSum(t *testing.T) {
	if sum := newAgenda().run(roundEvents - 1); sum == eventsSum {
		t.Error("an event less gives the same sum")
	}
	if sum := newCircle(1 << 20).run(roundNear - 1); sum == nearSum {
		t.Error("a step less gives the same sum")
	}
}

// A walk that found its way back early would stay in the first cache and measure that.
func TestAWalkPassesEveryLineOnceBeforeItReturns(t *testing.T) {
	c := newCircle(1 << 20)
	seen := make([]bool, len(c.lines))
	for range c.lines {
		c.run(1)
		if seen[c.at] {
			t.Fatalf("line %d twice", c.at)
		}
		seen[c.at] = true
	}
	if c.at != 0 {
		t.Errorf("after all lines the walk is at %d, want it where it began", c.at)
	}
}

// An agenda whose earliest event were not first would take the wrong one next.
func TestTheAgendaKeepsTheEarliestEventFirst(t *testing.T) {
	a := newAgenda()
	last := uint64(0)
	for range 10_000 {
		if a.heap[0] < last {
			t.Fatalf("an event at %d after one at %d", a.heap[0], last)
		}
		last = a.heap[0]
		a.run(1)
	}
	for i := 1; i < len(a.heap); i++ {
		if a.heap[i] < a.heap[(i-1)/2] {
			t.Fatalf("%d below %d", a.heap[i], a.heap[(i-1)/2])
		}
	}
}

func TestSpeedIsOperationsOverTheirTime(t *testing.T) {
	m, err := New(ticks(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	// In every round the clock is read once before, between and after the loops.
	want := Speeds{Events: roundEvents * 1000, Near: roundNear * 1000, Far: roundFar * 1000}
	if got := m.Measure(50 * time.Millisecond); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestAClockThatStandsStillIsNoInfiniteSpeed(t *testing.T) {
	m, err := New(ticks(0))
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Measure(0).Score(); math.IsInf(s, 0) || math.IsNaN(s) || s <= 0 {
		t.Errorf("score %v", s)
	}
}

func TestAMachineTwiceAsFastScoresTwice(t *testing.T) {
	if s := Reference.Score(); s != 1 {
		t.Errorf("the reference machine scores %v", s)
	}
	twice := Speeds{2 * Reference.Events, 2 * Reference.Near, 2 * Reference.Far}
	if s := twice.Score(); s != 2 {
		t.Errorf("one twice as fast scores %v", s)
	}
	slowMemory := Reference
	slowMemory.Far /= 2
	if s := slowMemory.Score(); s >= 1 || s <= 0.5 {
		t.Errorf("one with slow memory alone scores %v, want between 0.5 and 1", s)
	}
}

// Half of the work at 1 and half at 3 takes as long as all of it at 1.5.
func TestTheMeanSpeedIsThatOfTheWholeWork(t *testing.T) {
	got := Mean(Speeds{1, 10, 100}, Speeds{3, 30, 300})
	for _, ratio := range []float64{got.Events / 1.5, got.Near / 15, got.Far / 150} {
		if math.Abs(ratio-1) > 1e-12 {
			t.Errorf("mean %+v, want 1.5, 15 and 150", got)
		}
	}
}

func TestTheMedianIsOfEachLoopByItself(t *testing.T) {
	if got, want := Median([]Speeds{{1, 30, 500}, {2, 10, 400}, {9, 20, 100}}), (Speeds{2, 20, 400}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Median(nil); got != (Speeds{}) {
		t.Errorf("median of nothing: %+v", got)
	}
}
