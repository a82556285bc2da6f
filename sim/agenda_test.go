package sim_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// clerk notes what it is called for, and has an errand for somebody else each time.
type clerk struct {
	number int
	office *sim.Serial
	log    *[]uint64
	errand func(key uint64, now units.Time)
}

func (c *clerk) Handle(key uint64, now units.Time) {
	*c.log = append(*c.log, key)
	if c.errand != nil {
		c.errand(key, now)
	}
}

// Events of equal time happen in the order in which they were scheduled, whosever they
// are, also those that are scheduled for the present instant while it lasts.
func TestSerialEventsHappenAsScheduled(t *testing.T) {
	var log []uint64
	s := &sim.Serial{}
	for i := range 2 {
		s.Handlers = append(s.Handlers, &clerk{number: i, office: s, log: &log})
	}
	s.Handlers[1].(*clerk).errand = func(key uint64, now units.Time) {
		if key == 2 {
			s.Add(now, 0, 5)
		}
	}
	s.Add(20, 0, 6)
	s.Add(10, 0, 1)
	s.Add(10, 1, 2)
	s.Add(10, 0, 3)
	s.Add(10, 1, 4)
	s.Add(21, 0, 7)
	e := sim.New([]sim.Node{s}, sim.Config{Shares: sim.Whole(1, units.Never), Limit: 21})
	if _, err := e.Run(&mayor{}); err != nil {
		t.Fatal(err)
	}
	if want := []uint64{1, 2, 3, 4, 5, 6}; !slices.Equal(log, want) {
		t.Errorf("happened in the order %v, want %v", log, want)
	}
	if s.NextEvent() != 21 {
		t.Errorf("next event at %v, want the one at the limit", s.NextEvent())
	}
}

// The heap keeps order in the face of many events.
func TestSerialEventsAreSorted(t *testing.T) {
	var log []uint64
	s := &sim.Serial{}
	s.Handlers = []sim.Handler{&clerk{office: s, log: &log}}
	coins := sim.NewStream(1, "agenda", "test")
	type event struct{ at, order uint64 }
	var want []event
	for i := range uint64(2000) {
		at := coins.Uint64N(200)
		s.Add(units.Time(at), 0, i)
		want = append(want, event{at, i})
	}
	slices.SortStableFunc(want, func(a, b event) int { return int(a.at) - int(b.at) })
	s.RunUntil(units.Never)
	for i, w := range want {
		if log[i] != w.order {
			t.Fatalf("event %d was number %d, want number %d", i, log[i], w.order)
		}
	}
}
