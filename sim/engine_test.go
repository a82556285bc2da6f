package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// testingT is a test, or the part of one that draws its input.
type testingT interface {
	Helper()
	Fatal(args ...any)
}

// run gives everybody a letter that is sent on many times, and runs the town.
func (p plan) run(t testingT, m *mayor) (*town, units.Time) {
	t.Helper()
	town := p.build()
	for i := range town.people {
		town.people[i].accept(letter{units.Time(i % 3), i, i, 200})
	}
	now, err := town.engine.Run(m)
	if err != nil {
		t.Fatal(err)
	}
	return town, now
}

// Everything anybody reads, in order, and every question put to the supervisor is
// the same whatever the number of workers.
func TestNumberOfWorkersDoesNotShow(t *testing.T) {
	const people = 17
	var first mayor
	alone, end := plan{people: people}.run(t, &first)
	for workers := 2; workers <= 8; workers++ {
		var m mayor
		town, now := plan{people: people, workers: inTurns(people, workers)}.run(t, &m)
		if town.engine.Workers() != workers {
			t.Fatalf("%d workers were asked for, %d work", workers, town.engine.Workers())
		}
		if town.digest() != alone.digest() || now != end {
			t.Errorf("%d workers: digest %x at %v, one worker: %x at %v", workers, town.digest(), now, alone.digest(), end)
		}
		if !slices.Equal(m.asked, first.asked) {
			t.Errorf("%d workers: supervisor was asked %v, with one worker %v", workers, m.asked, first.asked)
		}
	}
}

// Nor does it matter who runs which nodes, in which order, how far they are apart,
// and which windows workers share.
func TestPartitionDoesNotShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plan{people: rapid.IntRange(1, 12).Draw(t, "people")}
		apart := rapid.SliceOfN(rapid.SampledFrom([]units.Time{1, 3, 100, 20_000, far, 30 * far}), p.people*p.people, -1).Draw(t, "distances")
		p.distance = func(from, to int) units.Time { return apart[from*p.people+to] }
		p.limit = rapid.SampledFrom([]units.Time{100, sim.Grid, sim.Grid + 1, units.Second}).Draw(t, "limit")
		var first, second mayor
		alone, end := p.run(t, &first)
		p.workers = drawWorkers(t, p.people)
		turns := rapid.SliceOfN(rapid.Bool(), 1, 9).Draw(t, "together")
		p.together = func() bool {
			turns = append(turns[1:], turns[0])
			return turns[0]
		}
		town, now := p.run(t, &second)
		if town.digest() != alone.digest() || now != end || !slices.Equal(second.asked, first.asked) {
			t.Fatalf("%v: digest %x at %v after %d questions, one worker: %x at %v after %d",
				p.workers, town.digest(), now, len(second.asked), alone.digest(), end, len(first.asked))
		}
	})
}

// drawWorkers gives each of some people to one of some workers, in any order.
func drawWorkers(t *rapid.T, people int) (workers [][]int) {
	all := rapid.Permutation(inTurns(people, 1)[0]).Draw(t, "order")
	count := rapid.IntRange(1, 5).Draw(t, "workers")
	parts := make([][]int, count)
	for _, one := range all {
		w := rapid.IntRange(0, count-1).Draw(t, fmt.Sprint("worker of ", one))
		parts[w] = append(parts[w], one)
	}
	for _, part := range parts {
		if len(part) > 0 {
			workers = append(workers, part)
		}
	}
	return workers
}

// What goes from a node to one that runs after it may take any time: only what goes
// back bounds a worker's windows, and with them how often nodes are run.
func TestShortWaysOnwardsLeaveWindowsLong(t *testing.T) {
	const people = 8
	p := plan{people: people, distance: func(from, to int) units.Time {
		if from < to {
			return 1
		}
		return far
	}}
	onwards, _ := p.run(t, &mayor{})
	backwards := slices.Clone(inTurns(people, 1)[0])
	slices.Reverse(backwards)
	p.workers = [][]int{backwards}
	against, _ := p.run(t, &mayor{})
	if onwards.digest() != against.digest() || 5*onwards.visits() > 4*against.visits() {
		t.Errorf("with the short ways onwards %d visits, and %d against them", onwards.visits(), against.visits())
	}
}

// The supervisor is asked at every edge of the grid that is passed, once, when all
// events before that edge have been handled and none after it.
func TestSupervisorIsAskedAtEdgesOfTheGrid(t *testing.T) {
	for stop := units.Time(1); stop <= 20; stop++ {
		m := &mayor{stopAt: stop * sim.Grid}
		town, now := plan{people: 17}.run(t, m)
		if now != stop*sim.Grid || len(m.asked) != int(stop)+1 {
			t.Errorf("stopped at %v after %d questions, want %v after one at each edge", now, len(m.asked), stop*sim.Grid)
		}
		for i, e := range m.asked {
			if e.now != units.Time(i)*sim.Grid || e.next < e.now {
				t.Errorf("question %d at %v, with an event at %v pending", i, e.now, e.next)
			}
		}
		for _, p := range town.people {
			if last := p.times[len(p.times)-1]; last >= now {
				t.Errorf("node %d handled an event at %v, the run was stopped at %v", p.number, last, now)
			}
		}
	}
}

// An event one picosecond before the limit is handled, one at the limit is not.
func TestLimitIsExact(t *testing.T) {
	const limit = 2*sim.Grid + 12345
	for _, workers := range []int{1, 2} {
		town := plan{people: 2, workers: inTurns(2, workers), limit: limit}.build()
		town.people[0].accept(letter{at: limit - 1})
		town.people[1].accept(letter{at: limit})
		now, err := town.engine.Run(&mayor{})
		if err != nil || now != limit {
			t.Errorf("run ended at %v, %v; want the limit, %v", now, err, limit)
		}
		if got := [2]int{len(town.people[0].times), len(town.people[1].times)}; got != [2]int{1, 0} {
			t.Errorf("events handled before and at the limit: %v, want [1 0]", got)
		}
	}
}

// Two events a second apart are 100,000 edges apart; nobody walks there.
func TestIdleTimeIsSkipped(t *testing.T) {
	town := plan{people: 1, limit: 2 * units.Second}.build()
	town.people[0].accept(letter{at: 0})
	town.people[0].accept(letter{at: units.Second})
	var m mayor
	if _, err := town.engine.Run(&m); err != nil {
		t.Fatal(err)
	}
	want := []edge{{0, 0}, {sim.Grid, units.Second}, {units.Second + sim.Grid, units.Never}}
	if !slices.Equal(m.asked, want) {
		t.Errorf("supervisor was asked %v, want %v", m.asked, want)
	}
}

// Whoever runs it, and wherever it stands in the order: a node that breaks is named.
func TestABrokenInvariantNamesItsNode(t *testing.T) {
	for _, workers := range [][][]int{{{5, 3, 1, 4, 2, 0}}, {{5, 1}, {3, 4}, {2, 0}}} {
		for _, shared := range []bool{false, true} {
			town := plan{people: 6, workers: workers, together: func() bool { return shared }}.build()
			for i, p := range town.people {
				p.accept(letter{at: units.Time(i), from: i, to: i, stamps: 1000})
			}
			const at = 100 * units.Microsecond
			town.people[4].burden = func(now units.Time) {
				if now >= at {
					panic("gave back more than it held")
				}
			}
			_, err := town.engine.Run(&mayor{})
			fault, ok := err.(*sim.Fault)
			if !ok || !sim.IsFault(err) {
				t.Fatalf("%v: error %v, want a fault", workers, err)
			}
			if fault.Node != 4 || fault.At < at-far || !strings.Contains(fault.Stack, "engine_test") {
				t.Errorf("%v: node %d at %v, want node 4 at %v or just before, with a stack", workers, fault.Node, fault.At, at)
			}
			if !strings.Contains(err.Error(), "node 4") || !strings.Contains(err.Error(), "gave back more") {
				t.Errorf("message %q", err)
			}
		}
	}
}

func TestAnEngineIsMadeOfSoundParts(t *testing.T) {
	two := []sim.Node{&person{}, &person{}}
	for name, cfg := range map[string]sim.Config{
		"no worker":                     {},
		"no look-ahead within a worker": {Shares: sim.Whole(2, 0)},
		"no look-ahead between workers": {Shares: []sim.Share{{[]int{0}, 1}, {[]int{1}, 1}}},
		"a node left out":               {Shares: sim.Whole(1, 1)},
		"a node with two workers":       {Shares: []sim.Share{{[]int{0}, 1}, {[]int{0}, 1}}, LookAhead: 1},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("an engine was made")
				}
			}()
			sim.New(two, cfg)
		})
	}
}
