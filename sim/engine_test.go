package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// run gives everybody a letter that is sent on many times, and runs the town.
func run(t *testing.T, people, workers int, limit units.Time, m *mayor) (*town, units.Time) {
	t.Helper()
	town := newTown(people, workers, limit)
	for i := range people {
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
	alone, end := run(t, people, 1, units.Second, &first)
	for workers := 2; workers <= 8; workers++ {
		var m mayor
		town, now := run(t, people, workers, units.Second, &m)
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

func TestAnEngineHasNoMoreWorkersThanNodes(t *testing.T) {
	if got := newTown(3, 8, units.Second).engine.Workers(); got != 3 {
		t.Errorf("%d workers for 3 nodes", got)
	}
}

// The supervisor is asked at every edge of the grid that is passed, once, when all
// events before that edge have been handled and none after it.
func TestSupervisorIsAskedAtEdgesOfTheGrid(t *testing.T) {
	for stop := units.Time(1); stop <= 20; stop++ {
		m := &mayor{stopAt: stop * sim.Grid}
		town, now := run(t, 17, 1, units.Second, m)
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
		town := newTown(2, workers, limit)
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
	town := newTown(1, 1, 2*units.Second)
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

func TestABrokenInvariantNamesItsNode(t *testing.T) {
	for _, workers := range []int{1, 3} {
		town := newTown(6, workers, units.Second)
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
			t.Fatalf("%d workers: error %v, want a fault", workers, err)
		}
		if fault.Node != 4 || fault.At < at-distance || !strings.Contains(fault.Stack, "engine_test") {
			t.Errorf("%d workers: node %d at %v, want node 4 at %v or just before, with a stack", workers, fault.Node, fault.At, at)
		}
		if !strings.Contains(err.Error(), "node 4") || !strings.Contains(err.Error(), "gave back more") {
			t.Errorf("message %q", err)
		}
	}
}

func TestAnEngineNeedsALookAhead(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an engine without look-ahead was made")
		}
	}()
	sim.New([]sim.Node{&person{}}, nil, sim.Config{Workers: 1, Limit: 1})
}
