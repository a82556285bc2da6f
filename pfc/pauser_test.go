package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

func TestAPauseEndsAfterItsQuanta(t *testing.T) {
	var p pfc.Pauser
	p.Pause(3, 100, 612)
	for _, now := range []units.Time{100, 611} {
		if p.Mask(now) != 1<<3 {
			t.Errorf("at %d: not paused", now)
		}
	}
	if got := p.Mask(612); got != 0 {
		t.Errorf("when its quanta are over: mask %08b, and the class may send", got)
	}
	if got := p.Total(3, 1000); got != 512 {
		t.Errorf("paused for %d in all, want 512", got)
	}
}

func TestAPauseStopsItsOwnClassOnly(t *testing.T) {
	var p pfc.Pauser
	p.Pause(3, 0, 50)
	p.Pause(4, 10, units.Never)
	if got := p.Mask(20); got != 1<<3|1<<4 {
		t.Errorf("during both: mask %08b, want classes 3 and 4", got)
	}
	if got := p.Mask(50); got != 1<<4 {
		t.Errorf("after the first: mask %08b, want class 4 only", got)
	}
}

// A later frame replaces the time of an earlier one, be it longer or shorter.
func TestALaterPauseFrameOverwritesTheTime(t *testing.T) {
	for _, tc := range []struct{ second, end units.Time }{{900, 900}, {300, 300}} {
		var p pfc.Pauser
		p.Pause(3, 0, 500)
		p.Pause(3, 200, tc.second)
		if p.Mask(tc.end-1) == 0 || p.Mask(tc.end) != 0 {
			t.Errorf("pause until 500, at 200 until %d: not over at %d", tc.second, tc.end)
		}
		if got := p.Total(3, 2000); got != tc.end {
			t.Errorf("paused for %d, want one pause of %d", got, tc.end)
		}
	}
}

func TestZeroQuantaResumeAtOnce(t *testing.T) {
	var p pfc.Pauser
	p.Record()
	p.Pause(3, 0, units.Never)
	p.Resume(3, 10)
	if p.Mask(10) != 0 || p.Total(3, 99) != 10 {
		t.Errorf("resumed at 10: mask %08b, paused for %d", p.Mask(10), p.Total(3, 99))
	}
	p.Resume(3, 20) // a resume of what is not paused says nothing
	if log := p.Recorded(); len(log) != 1 || log[0] != (pfc.Interval{Class: 3, From: 0, To: 10}) {
		t.Errorf("log %v, want one pause from 0 to 10", log)
	}
}

// slowPauser keeps, for each class and instant, whether it was paused.
type slowPauser struct {
	until  [pfc.Priorities]units.Time
	paused [pfc.Priorities][]bool // by instant
}

func (s *slowPauser) tick() {
	for c := range s.paused {
		now := units.Time(len(s.paused[c]))
		s.paused[c] = append(s.paused[c], now < s.until[c])
	}
}

// Against a model that writes down every instant: who is paused when, for how long
// in all, and that the log of the pauses adds up to it.
func TestPausedTimeIsTheSumOfThePauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fast pfc.Pauser
		var slow slowPauser
		fast.Record()
		now := units.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			for end := now + units.Time(rapid.IntRange(0, 5).Draw(t, "passes")); now < end; now++ {
				slow.tick()
			}
			class := rapid.IntRange(0, 2).Draw(t, "class")
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				slow.until[class] = now + units.Time(rapid.IntRange(1, 12).Draw(t, "lasts"))
				fast.Pause(class, now, slow.until[class])
			case 1:
				slow.until[class] = now
				fast.Resume(class, now)
			}
			for c := range pfc.Priorities {
				if got, want := fast.Mask(now)&(1<<c) != 0, now < slow.until[c]; got != want {
					t.Fatalf("at %d class %d is paused: %v, want %v", now, c, got, want)
				}
			}
		}
		fast.Flush(now)
		for c := range pfc.Priorities {
			var want, logged units.Time
			for _, paused := range slow.paused[c] {
				if paused {
					want++
				}
			}
			for _, i := range fast.Recorded() {
				if i.Class == c {
					logged += i.To - i.From
				}
			}
			if got := fast.Total(c, now); got != want || logged != want {
				t.Fatalf("class %d was paused for %d, and %d by its log; want %d", c, got, logged, want)
			}
		}
	})
}
