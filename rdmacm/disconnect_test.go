package rdmacm_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// established is two managers with a connection, at 20 us.
func established(t *testing.T, p rdmacm.Params) (w *network, client, server rdmacm.ID) {
	w = newNetwork(t, 2, p)
	client = w.connect()
	w.runUntil(20 * us)
	w.once(1, rdmacm.TellEstablished)
	return w, client, w.first(1, rdmacm.TellRequest).ID
}

func (w *network) disconnect(who int32, id rdmacm.ID) {
	w.t.Helper()
	if err := w.managers[who].Disconnect(id, w.now); err != nil {
		w.t.Fatal(err)
	}
	w.settle(who)
}

// The other side hears of the end half a round trip later, who wanted it a whole one; either
// gives its queue pair back when it has rested, 10 ms.
func TestAConnectionEndsInARoundTrip(t *testing.T) {
	for who := range int32(2) {
		w, client, server := established(t, idle())
		w.disconnect(who, []rdmacm.ID{client, server}[who])
		w.runUntil(units.Second)
		if got := w.once(1-who, rdmacm.TellDisconnected); got != 24*us {
			t.Errorf("the other side heard at %v, want 24us", got)
		}
		if got := w.once(who, rdmacm.TellDisconnected); got != 28*us {
			t.Errorf("it ended at %v, want 28us", got)
		}
		if got, want := w.once(who, rdmacm.Release), 28*us+10*units.Millisecond; got != want {
			t.Errorf("the queue pair was given back at %v, want %v", got, want)
		}
		if got, want := w.once(1-who, rdmacm.Release), 24*us+10*units.Millisecond; got != want {
			t.Errorf("the other one at %v, want %v", got, want)
		}
		if got := w.messages()[3:]; !slices.Equal(got, []rdmacm.Kind{rdmacm.DREQ, rdmacm.DREP}) {
			t.Errorf("messages %v, want DREQ and DREP", got)
		}
	}
}

// Both may want it at once: each agrees to what the other asks for.
func TestBothMayDisconnect(t *testing.T) {
	w, client, server := established(t, idle())
	w.disconnect(0, client)
	w.disconnect(1, server)
	w.disconnect(1, server) // or twice
	w.runUntil(units.Second)
	for who := range int32(2) {
		if got := w.once(who, rdmacm.TellDisconnected); got != 24*us {
			t.Errorf("endpoint %d: over at %v, want 24us", who, got)
		}
		w.once(who, rdmacm.ToERR)
		w.once(who, rdmacm.Release)
	}
}

// A DREQ or DREP that is lost is sent again 1 ms after; whoever asks for the end of what has
// been over for long is agreed with.
func TestALostEndIsAskedForAgain(t *testing.T) {
	for _, tc := range []struct {
		kind     rdmacm.Kind
		timewait units.Time
	}{
		{rdmacm.DREQ, 10 * units.Millisecond},
		{rdmacm.DREP, 10 * units.Millisecond},
		{rdmacm.DREP, 100 * us}, // the other side has forgotten all when it is asked again
	} {
		p := idle()
		p.Timewait = tc.timewait
		w, client, _ := established(t, p)
		w.lost = func(_ int32, kind rdmacm.Kind, n int) bool { return kind == tc.kind && n == 0 }
		w.disconnect(0, client)
		w.runUntil(units.Second)
		if got := w.once(0, rdmacm.TellDisconnected); got != 1028*us {
			t.Errorf("one %v lost: over at %v, want 1028us", tc.kind, got)
		}
		w.once(1, rdmacm.TellDisconnected)
		w.once(1, rdmacm.Release)
	}
}

// Nobody answers any more: 1 + 15 requests later the connection is over all the same.
func TestAnEndThatNobodyAgreesToComesAllTheSame(t *testing.T) {
	w, client, _ := established(t, idle())
	w.lost = func(_ int32, kind rdmacm.Kind, _ int) bool { return kind == rdmacm.DREQ }
	w.disconnect(0, client)
	w.runUntil(units.Second)
	if got, want := w.once(0, rdmacm.TellDisconnected), 20*us+16*units.Millisecond; got != want {
		t.Errorf("over at %v, want %v", got, want)
	}
}

// The end may overtake the RTU: a server that is told of the end learns with it that there
// was a connection.
func TestTheEndStandsForALostRTU(t *testing.T) {
	w := newNetwork(t, 2, idle())
	w.lost = func(_ int32, kind rdmacm.Kind, _ int) bool { return kind == rdmacm.RTU }
	id := w.connect()
	w.runUntil(100 * us)
	w.disconnect(0, id)
	w.runUntil(units.Second)
	if a, b := w.once(1, rdmacm.TellEstablished), w.once(1, rdmacm.TellDisconnected); a != 104*us || b != 104*us {
		t.Errorf("the server was told of its connection at %v, of its end at %v, want 104us", a, b)
	}
}

// A queue pair that rests is not to be connected anew: a request for it that was held up
// somewhere, or one that comes too early, is rejected as stale. When it has rested, it is not.
func TestAQueuePairRestsBeforeItsNextConnection(t *testing.T) {
	for _, tc := range []struct {
		after units.Time
		stale bool
	}{
		{5 * units.Millisecond, true},
		{15 * units.Millisecond, false},
	} {
		w, client, _ := established(t, idle())
		w.disconnect(0, client)
		w.runUntil(tc.after)
		w.qpn[0] = 0 // the client's next queue pair has the number of its first
		w.connect()
		w.runUntil(units.Second)
		refused := w.whenever(0, rdmacm.TellRefused)
		if stale := len(refused) == 1 && w.first(0, rdmacm.TellRefused).Reason == rdmacm.Stale; stale != tc.stale {
			t.Errorf("reused after %v: refused at %v, want stale: %v", tc.after, refused, tc.stale)
		}
		if got, want := len(w.whenever(0, rdmacm.TellEstablished)), 2; !tc.stale && got != want {
			t.Errorf("reused after %v: %d connections, want %d", tc.after, got, want)
		}
		// A number that is refused rests as well.
		if released := w.whenever(0, rdmacm.Release); tc.stale && released[1] != refused[0]+10*units.Millisecond {
			t.Errorf("refused at %v, and released at %v, want 10ms later", refused[0], released[1])
		}
	}
}

// A number has rested when its time is over, however long firmware is busy with others: a
// server with 100 commands of 150 us before it, until 17 ms, takes the next connection of a queue pair in time.
func TestRestDoesNotWaitForFirmware(t *testing.T) {
	p := idle()
	p.Command, p.Timeout = 150*us, units.Second
	w := newNetwork(t, 3, p)
	first := w.connect()
	w.runUntil(2 * units.Millisecond)
	for range 100 {
		if _, err := w.managers[2].Connect(rdmacm.Request{Peer: 1, Service: service, Ready: true}, w.now); err != nil {
			t.Fatal(err)
		}
		w.settle(2)
	}
	w.runUntil(w.now + units.Millisecond) // the server's firmware is busy until 17 ms at the least
	w.disconnect(0, first)
	w.runUntil(w.now + 15*units.Millisecond)
	w.qpn[0] = 0
	w.connect()
	w.runUntil(units.Second)
	if refused := w.whenever(0, rdmacm.TellRefused); len(refused) > 0 {
		t.Errorf("refused at %v", refused)
	}
	if released := w.whenever(1, rdmacm.Release); len(released) != 1 || released[0] < 17*units.Millisecond {
		t.Errorf("the server's queue pair was released at %v, before firmware had come to it", released)
	}
}

// A request for a queue pair that is connected tells that the other side has forgotten about
// it: it is rejected, the connection ends, and the next request is granted.
func TestAForgottenConnectionEnds(t *testing.T) {
	p := idle()
	w, _, _ := established(t, p)
	w.managers[0] = rdmacm.New(&p) // the client starts anew
	w.managers[0].Know(1)
	// Its names go on, as a kernel draws them at random.
	for range 3 {
		w.qpn[0] = 0
		w.connect()
		w.runUntil(w.now + 15*units.Millisecond)
	}
	w.once(1, rdmacm.TellDisconnected)
	if got := len(w.whenever(0, rdmacm.TellEstablished)); got < 2 {
		t.Errorf("%d connections, want a second one", got)
	}
}

// Whatever is lost, doubled or late: a program hears of each communication exactly one end, a
// connection is believed in by both sides or ends, and nothing stays pending. 300 connections
// begun and ended at random among 4 endpoints, with a fifth of all messages lost.
func TestNothingStaysPendingUnderLoss(t *testing.T) {
	for seed := range uint64(10) {
		p := idle()
		p.Command, p.Processing, p.ARP = 150*us, 50*us, 5*us
		w := newNetwork(t, 4, p)
		w.managers[0].Listen(service)
		w.twice = seed%2 == 1
		draw := sim.NewStream(seed, "loss", "cm")
		w.lost = func(int32, rdmacm.Kind, int) bool { return draw.Uint64N(5) == 0 }
		var asked int
		for range 300 {
			who := int32(draw.Uint64N(4))
			peer := (who + 1 + int32(draw.Uint64N(3))) % 4
			if _, err := w.managers[who].Connect(rdmacm.Request{Peer: peer, Service: service}, w.now); err != nil {
				t.Fatal(err)
			}
			asked++
			w.settle(who)
			w.runUntil(w.now + units.Time(draw.Uint64N(2000))*us)
			for _, e := range w.log {
				if e.action.Do == rdmacm.TellEstablished && draw.Uint64N(40) == 0 {
					_ = w.managers[e.who].Disconnect(e.action.ID, w.now) // may be over
					w.settle(e.who)
				}
			}
		}
		w.runUntil(w.now + units.Second)
		for _, e := range w.log {
			if e.action.Do == rdmacm.TellEstablished {
				_ = w.managers[e.who].Disconnect(e.action.ID, w.now)
				w.settle(e.who)
			}
		}
		w.runUntil(w.now + units.Second)
		type name struct {
			who int32
			id  rdmacm.ID
		}
		begun, over, made := map[name]int{}, map[name]int{}, map[name]int{}
		for _, e := range w.log {
			n := name{e.who, e.action.ID}
			switch e.action.Do {
			case rdmacm.TellEstablished:
				begun[n]++
			case rdmacm.TellRefused, rdmacm.TellUnreachable, rdmacm.TellDisconnected:
				over[n]++
				if e.action.Do != rdmacm.TellDisconnected && begun[n] != 0 || e.action.Do == rdmacm.TellDisconnected && begun[n] != 1 {
					t.Errorf("seed %d: %v of communication %+v, which was established %d times", seed, e.action.Do, n, begun[n])
				}
			case rdmacm.Create:
				made[n]++
			case rdmacm.Release:
				made[n]--
			}
		}
		for n, times := range over {
			if times != 1 || begun[n] > 1 || made[n] != 0 {
				t.Errorf("seed %d: communication %+v ended %d times, was established %d times, has %d queue pairs left", seed, n, times, begun[n], made[n])
			}
		}
		for n := range begun {
			if over[n] != 1 {
				t.Errorf("seed %d: connection %+v did not end", seed, n)
			}
		}
		for i, m := range w.managers {
			if m.Pending() != 0 || m.Next() != units.Never {
				t.Errorf("seed %d: endpoint %d has %d pending, next at %v", seed, i, m.Pending(), m.Next())
			}
		}
		if len(begun) < asked {
			t.Errorf("seed %d: only %d ends of connections out of %d requests", seed, len(begun), asked)
		}
	}
}
