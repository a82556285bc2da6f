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

// What acknowledges a request behind a READ leaves the adapter behind the READ's answer, whose payload has yet to be
// read: else it would say that the answer is lost, and have it asked for once more.
func TestAnAcknowledgementDoesNotOvertakeAnAnswer(t *testing.T) {
	for _, verb := range []rnic.Verb{rnic.Write, rnic.FetchAdd} {
		e := connect(t, rnic.RC, equipped("connectx5"))
		e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Read, Local: e.a.slice(0, 16384), Remote: base, RKey: e.b.region.RKey})
		e.post(&e.a, rnic.SendRequest{ID: 2, Verb: verb, Local: e.a.slice(0x8000, 8), Remote: base, RKey: e.b.region.RKey})
		e.run()
		if again := e.b.qp.Counted.DuplicateReads; again != 0 || len(e.a.seen) != 2 {
			t.Errorf("%v: asked for again %d times though nothing was lost; %s", verb, again, told(e.a.seen))
		}
	}
}

// A port that is paused from the start for longer than all rounds of retransmission: what lies in the adapter has not
// been sent and cannot be lost, so that nothing is sent twice and nothing fails, whatever the recovery.
func TestWhatAPausedAdapterHoldsIsNotMissed(t *testing.T) {
	for _, recovery := range []rnic.Recovery{rnic.GoBackN, rnic.Selective, rnic.Adaptive} {
		e := connect(t, rnic.RC, equipped("connectx5"), func(n *simtest.Net, a *rnic.Attributes) {
			n.NIC.Recovery = recovery
			n.NIC.Selective = rnic.SelectiveRepeat{TimerLow: 10 * units.Microsecond, TimerHigh: 10 * units.Microsecond}
			n.NIC.Adaptive = rnic.AdaptiveTimer{Start: 4 * units.Microsecond, Limit: 4 * units.Microsecond, Tries: 1}
			a.Timeout, a.Retries = 1, 1 // 8.192 us, twice
		})
		// 65535 quanta of 512 bit times at 100 Gb/s are 335.5 us.
		simtest.PauseAtStart(e.c, 2, 0, 3)
		e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.Write, Local: e.a.slice(0, 3000), Remote: base, RKey: e.b.region.RKey})
		e.post(&e.a, rnic.SendRequest{ID: 2, Verb: rnic.Read, Local: e.a.slice(0x8000, 8), Remote: base, RKey: e.b.region.RKey})
		e.run()
		expect(t, "completions", told(e.a.seen), "RDMA_WRITE 1 SUCCESS, RDMA_READ 2 SUCCESS")
		if qp := &e.a.nic.QueuePairs()[0]; qp.Sent().Retransmitted != 0 || qp.Sent().Timeouts != 0 {
			t.Errorf("%v: %+v; want nothing sent again", recovery, qp.Sent())
		}
		if len(e.a.seen) > 0 && e.a.seen[0].at < 150*units.Microsecond {
			t.Errorf("%v: done at %v, in the middle of the pause", recovery, e.a.seen[0].at)
		}
	}
}

// Who polls a completion queue must not find there that payload has come which he cannot see yet, wherever it goes: it
// can be seen when one who watches its last byte would see it, and he does not find it earlier.
func TestACompletionIsNotSeenBeforeItsPayload(t *testing.T) {
	for _, memory := range []string{hardware.HostMemory, hardware.Near, hardware.Far, hardware.Bounce} {
		for _, drain := range []units.Rate{0, units.Gbps} {
			w := &watcher{}
			var completed units.Time
			for _, watched := range []bool{true, false} {
				e := connect(t, rnic.RC, func(n *simtest.Net, _ *rnic.Attributes) {
					n.NIC.Hardware = hardware.New("connectx5")
					n.NIC.Hardware.Memory = memory
				})
				if drain > 0 {
					e.b.nic.Limit(rnic.ReceiveBuffer{Drain: drain, Size: 64 * units.KiB, XOFF: 32 * units.KiB, XON: 16 * units.KiB, Lossless: 1 << 3})
				}
				if watched {
					e.b.nic.Watch(base, 5000, w)
				}
				e.b.receives(1, 4096)
				e.post(&e.a, rnic.SendRequest{ID: 1, Verb: rnic.WriteImm, Local: e.a.slice(0, 5000), Remote: base, RKey: e.b.region.RKey})
				e.run()
				completed = e.b.seen[0].at
			}
			if w.at == 0 || completed < w.at {
				t.Errorf("%s, drained at %v: payload at %v, its completion at %v", memory, drain, w.at, completed)
			}
		}
	}
}

// watcher notes when it was told of a WRITE.
type watcher struct{ at units.Time }

func (w *watcher) Written(now units.Time) { w.at = now }

// The server's adapter has room for the region and two of its pages. The first two pages are there when they are first
// read from, as there is room; the third takes the place of the first, and so on: each READ from then on
// waits for one read of host memory, 700 ns.
func TestAREADWaitsForTheAddressOfItsPage(t *testing.T) {
	took := func(entries int) (times []units.Time) {
		e := connect(t, rnic.RC, equipped("connectx5"))
		server := *hardware.New("connectx5")
		server.Translations.Entries = entries
		e.b.nic.Equip(&server)
		const apart = 10 * units.Microsecond
		for i, page := range []uint64{0, 1, 2, 0, 1} {
			r := rnic.SendRequest{Verb: rnic.Read, Local: e.a.slice(0, 8), Remote: base + page*4096, RKey: e.b.region.RKey}
			if err := e.a.qp.PostSend(r, units.Time(i)*apart, 0); err != nil {
				t.Fatal(err)
			}
		}
		e.run()
		for i, s := range e.a.seen {
			times = append(times, s.at-units.Time(i)*apart)
		}
		return times
	}
	all, few := took(1000), took(3)
	for i, want := range []units.Time{0, 0, 700, 700, 700} {
		if late := few[i] - all[i]; late != want*units.Nanosecond {
			t.Errorf("READ %d: %v with room for two pages, %v with room for all; want %d ns more", i+1, few[i], all[i], want)
		}
	}
}

// A WRITE is acknowledged before the adapter knows where it goes, but is seen in memory, and gives its place in the
// adapter back, only when it does.
func TestAWRITEIsSeenWhenItsPageIsKnown(t *testing.T) {
	took := func(entries int) (acknowledged, seen units.Time) {
		e := connect(t, rnic.RC, equipped("connectx5"))
		server := *hardware.New("connectx5")
		server.Translations.Entries = entries
		e.b.nic.Equip(&server)
		var when lastWritten
		e.b.nic.Watch(base, units.MiB, &when)
		e.post(&e.a, rnic.SendRequest{Verb: rnic.Write, Inline: true, Local: e.a.slice(0, 8), Remote: base, RKey: e.b.region.RKey})
		e.run()
		return e.a.seen[0].at, units.Time(when)
	}
	acked, seen := took(1000)
	ackedLate, seenLate := took(1) // the region is there; its page has no room beside it
	// The write of 8 B and a header of 24 takes 2.3 ns on the bus, meanwhile.
	if late := seenLate - seen; ackedLate != acked || late > 700*units.Nanosecond || late < 697*units.Nanosecond {
		t.Errorf("acknowledged after %v and seen after %v; with room for one %v and %v, want the latter 700 ns later", acked, seen, ackedLate, seenLate)
	}
}

// lastWritten is when a WRITE was seen last.
type lastWritten units.Time

func (w *lastWritten) Written(now units.Time) { *w = lastWritten(now) }

// Operations on one word have their turns, 400 ns each; those on words of their own do not wait for each other.
func TestOperationsOnOneWordHaveTheirTurns(t *testing.T) {
	last := func(stride uint64) units.Time {
		e := connect(t, rnic.RC, equipped("connectx5"))
		for i := range uint64(10) {
			e.post(&e.a, rnic.SendRequest{Verb: rnic.FetchAdd, Local: e.a.slice(0, 8), Remote: base + i*stride, RKey: e.b.region.RKey, CompareAdd: 1})
		}
		e.run()
		return e.a.seen[9].at - e.a.seen[0].at
	}
	if same := last(0); same < 9*400*units.Nanosecond || same > 9*401*units.Nanosecond {
		t.Errorf("ten operations on one word end %v apart, want nine turns of 400 ns", same)
	}
	if own := last(8); own < 9*50*units.Nanosecond || own > 9*51*units.Nanosecond {
		t.Errorf("ten operations on ten words end %v apart, want nine starts of 50 ns", own)
	}
}

// A receive request that is posted just before its message comes has yet to be fetched: the payload waits for it.
func TestAReceiveThatIsPostedLateIsFetched(t *testing.T) {
	seen := func(posted units.Time) units.Time {
		e := connect(t, rnic.RC, equipped("connectx5"))
		if err := e.b.qp.PostRecv(rnic.RecvRequest{Local: e.b.slice(0, 4096)}, posted); err != nil {
			t.Fatal(err)
		}
		e.post(&e.a, rnic.SendRequest{Verb: rnic.Send, Inline: true, Local: e.a.slice(0, 8)})
		e.run()
		return e.b.seen[0].at
	}
	early, late := seen(0), seen(1400*units.Nanosecond)
	if want := units.Time(1400+550+250) * units.Nanosecond; late < want || late > want+10*units.Nanosecond || early >= late {
		t.Errorf("seen after %v; with the receive posted 1.4 us later after %v, want %v", early, late, want)
	}
}

// A host that takes in payload at 1 Gb/s needs 8.192 us for 1024 B. The completion of the receive is not seen before.
func TestACompletionWaitsForASlowHost(t *testing.T) {
	e := connect(t, rnic.RC, equipped("connectx5"))
	e.b.nic.Limit(rnic.ReceiveBuffer{Drain: units.Gbps, Size: units.MiB, XOFF: units.MiB / 2, XON: units.MiB / 4})
	e.b.receives(1, 4096)
	e.post(&e.a, rnic.SendRequest{Verb: rnic.Send, Local: e.a.slice(0, 1024)})
	e.run()
	want := units.Time(150+550+150+2*500+150+8192+250) * units.Nanosecond
	if got := e.b.seen[0].at; got < want || got > want+400*units.Nanosecond {
		t.Errorf("seen after %v, want %v and what wires and buses take", got, want)
	}
}
