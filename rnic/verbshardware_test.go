package rnic_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
)

// equipped gives both ends adapters of a profile.
func equipped(profile string) func(*simtest.Net, *rnic.Attributes) {
	return func(n *simtest.Net, _ *rnic.Attributes) { n.NIC.Hardware = hardware.New(profile) }
}

// What each verb takes, for 8 bytes, beside the network: 150 ns for the work request to get to the adapter and 150 in each
// pipeline; 550 ns for what is read over PCIe, at either end; 250 until what is written is seen. Besides, some ns on buses.
func TestEachVerbTakesWhatItsStagesTake(t *testing.T) {
	const (
		bell, pipeline, read, seen = 150, 150, 550, 250
		hop                        = 500 // of two on each way; frames of 94 to 114 B take 7.5 to 9.2 ns at each
	)
	there := bell + 2*pipeline + 2*hop
	back := 2*pipeline + 2*hop + seen
	for _, c := range []struct {
		verb   rnic.Verb
		inline bool
		want   int // ns
	}{
		{rnic.Write, true, there + back},
		{rnic.Write, false, there + read + back},
		{rnic.Send, true, there + back},
		{rnic.Read, false, there + read + back},
		{rnic.FetchAdd, false, there + read + back},
	} {
		e := connect(t, rnic.RC, equipped("connectx5"))
		e.b.receives(1, 4096)
		e.post(&e.a, rnic.SendRequest{ID: 1, Verb: c.verb, Inline: c.inline, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey})
		e.run()
		if len(e.a.seen) != 1 || e.a.seen[0].Status != rnic.Success {
			t.Fatalf("%v: %s", c.verb, told(e.a.seen))
		}
		want := units.Time(c.want) * units.Nanosecond
		if got := e.a.seen[0].at; got < want+28*units.Nanosecond || got > want+75*units.Nanosecond {
			t.Errorf("%v (inline %v): seen after %v, want %v with 28 to 75 ns for wires and buses", c.verb, c.inline, got, want)
		}
	}
}

// A receiver sees a SEND's completion when the payload is in memory, 250 ns after it is through the pipeline.
func TestACompletionComesAfterItsPayload(t *testing.T) {
	e := connect(t, rnic.RC, equipped("connectx5"))
	e.b.receives(1, 4096)
	e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Send, Inline: true, Local: e.a.slice(0, 8)})
	e.run()
	want := units.Time(150+150+2*500+150+250) * units.Nanosecond
	if got := e.b.seen[0].at; got < want || got > want+50*units.Nanosecond {
		t.Errorf("seen after %v, want %v", got, want)
	}
}

// One doorbell is for a list of requests, which are then fetched; each doorbell for one brings its request along.
func TestAListIsFetched(t *testing.T) {
	first := func(together bool) units.Time {
		e := connect(t, rnic.RC, equipped("connectx5"))
		r := rnic.SendRequest{Verb: rnic.Write, Inline: true, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey}
		if together {
			if err := e.a.qp.PostSends([]rnic.SendRequest{r, r}, 0, 0); err != nil {
				t.Fatal(err)
			}
		} else {
			e.post(&e.a, r)
			e.post(&e.a, r)
		}
		e.run()
		return e.a.seen[0].at
	}
	if alone, listed := first(false), first(true); listed-alone < 540*units.Nanosecond || listed-alone > 570*units.Nanosecond {
		t.Errorf("alone %v, in a list %v; want a read of 550 ns between", alone, listed)
	}
}
