package sim

import (
	"testing"
)

// millisecond of the wall clock.
const millisecond = 1_000_000

// machine is one on which windows take as long as it says, in nanoseconds.
type machine struct {
	pace    pace
	now     int64
	workers []*worker
	takes   func(m mode, now int64) int64 // a window of 1000 events
	spent   [modes]int64
	done    [modes]int64 // windows
	changes int
}

func newMachine(takes func(m mode, now int64) int64) *machine {
	m := &machine{workers: []*worker{{}, {}}, takes: takes}
	m.pace = pace{clock: func() int64 { return m.now }, gap: firstGap}
	m.pace.begin()
	return m
}

// run runs windows up to a time.
func (m *machine) run(until int64) *machine {
	for m.now < until {
		before := m.pace.mode
		mode, windows := m.pace.next(m.workers)
		if mode == together {
			windows = 1
		}
		for range windows {
			took := m.takes(mode, m.now)
			m.now += took
			m.spent[mode] += took
			m.workers[m.now&1].events += 1000
		}
		m.done[mode] += int64(windows)
		if mode != before {
			m.changes++
		}
	}
	return m
}

// lost is the share of the time, in percent, that a run would not have taken in the
// mode that is the better one all the time.
func (m *machine) lost() float64 {
	best := int64(0)
	for mode := range modes {
		alike := m.done[alone] + m.done[together]
		if t := alike * m.takes(mode, m.now); best == 0 || t < best {
			best = t
		}
	}
	return 100 * float64(m.now-best) / float64(best)
}

// Whatever sharing brings or costs, and however long windows are: a run of some seconds
// is at most 5 % slower than with the better of the two modes.
func TestTheBetterModeIsFound(t *testing.T) {
	const run = 2500 * millisecond
	for name, alike := range map[string]int64{"1 us": 1000, "50 us": 50_000, "2 ms": 2 * millisecond, "20 ms": 20 * millisecond} {
		for _, sharing := range []float64{0.5, 0.55, 0.8, 0.99, 1, 1.2, 2.5, 4} {
			m := newMachine(func(m mode, _ int64) int64 {
				if m == together {
					return int64(sharing * float64(alike))
				}
				return alike
			})
			if lost := m.run(run).lost(); lost > 5 {
				t.Errorf("windows of %s that take %.2f times as long if they are shared: %.1f %% lost, %d of %d ms spent on sharing",
					name, sharing, lost, m.spent[together]/millisecond, m.now/millisecond)
			}
		}
	}
}

// Once another program takes the second core, workers that share windows wait for it;
// once it is gone they share again.
func TestACoreThatIsTakenIsNotWaitedFor(t *testing.T) {
	const taken, free = 3000 * millisecond, 8000 * millisecond
	m := newMachine(func(m mode, now int64) int64 {
		switch {
		case m == alone:
			return 100_000
		case now >= taken && now < free:
			return 250_000
		}
		return 52_000
	})
	m.run(taken)
	before := *m
	if share := m.spent[together]; share < taken*95/100 {
		t.Errorf("windows were shared for %d of %d ms in which it paid", share/millisecond, int64(taken/millisecond))
	}
	m.run(free)
	if share := m.spent[together] - before.spent[together]; share > (free-taken)*3/100 {
		t.Errorf("windows were shared for %d of %d ms in which it did not pay", share/millisecond, int64(free-taken)/millisecond)
	}
	before = *m
	m.run(free + 6000*millisecond)
	if share := m.spent[together] - before.spent[together]; share < 3500*millisecond {
		t.Errorf("windows were shared for %d of the 6000 ms after it paid again", share/millisecond)
	}
}

// A core that is lent to a worker that has just woken, and taken away soon after, does
// not fool it again and again.
func TestAFalsePromiseIsNotBelievedForLong(t *testing.T) {
	since, shared := int64(0), false
	m := newMachine(func(m mode, now int64) int64 {
		if (m == together) != shared {
			since, shared = now, m == together
		}
		switch {
		case m == alone:
			return 100_000
		case now-since < 6*millisecond:
			return 52_000
		}
		return 250_000
	})
	m.run(5000 * millisecond)
	if share := m.spent[together]; share > 5000*millisecond*4/100 {
		t.Errorf("windows were shared for %d of %d ms", share/millisecond, m.now/millisecond)
	}
}

// Work that becomes another is no reason to change who does it, beyond a trial.
func TestWorkThatChangesIsNotMistaken(t *testing.T) {
	m := newMachine(func(m mode, now int64) int64 {
		heavy := int64(1)
		if now/(100*millisecond)%2 == 1 {
			heavy = 4
		}
		if m == together {
			return heavy * 52_000
		}
		return heavy * 100_000
	})
	m.run(5000 * millisecond)
	if share := m.spent[together]; share < m.now*9/10 {
		t.Errorf("windows were shared for %d of %d ms", share/millisecond, m.now/millisecond)
	}
}

// The clock is looked at seldom, however short windows are.
func TestTheClockIsLookedAtSeldom(t *testing.T) {
	for _, m := range []*machine{
		newMachine(func(mode, int64) int64 { return 200 }),
		newMachine(func(m mode, _ int64) int64 { return 200 + 100*int64(together-m) }),
	} {
		looks, clock := int64(0), m.pace.clock
		m.pace.clock = func() int64 {
			looks++
			return clock()
		}
		m.run(100 * millisecond)
		if windows := m.done[alone] + m.done[together]; looks*longestStride*9/10 > windows {
			t.Errorf("%d looks in %d windows", looks, windows)
		}
	}
}

// Where there is one worker, or one core, nothing is measured at all.
func TestOneWorkerHasNoChoice(t *testing.T) {
	p := newPace(1, nil)
	p.clock = nil // who looks at it breaks
	for range 1000 {
		if m, _ := p.next(nil); m != alone {
			t.Fatal("one worker shares its windows")
		}
	}
}
