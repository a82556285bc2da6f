package rdmacm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/sim/units"
)

const (
	us      = units.Microsecond
	service = 4791
	// oneWay is half of the round trip of the tests, 8 us.
	oneWay = 4 * us
)

// idle is a host that costs nothing, with the standard's times.
func idle() rdmacm.Params {
	return rdmacm.Params{Timeout: units.Millisecond, Retries: 15, ResolveTimeout: units.Millisecond, ResolveRetries: 2, Timewait: 10 * units.Millisecond}
}

// flight is a message on its way.
type flight struct {
	at       units.Time
	from, to int32
	message  *rdmacm.Message
}

// network is some managers, each at its own endpoint, 4 us away from every other.
type network struct {
	t        *testing.T
	managers []*rdmacm.Manager
	flights  []flight
	now      units.Time
	// lost decides about the n-th message of a kind from an endpoint, counted from 0.
	lost func(from int32, kind rdmacm.Kind, n int) bool
	sent map[string]int
	// qpn is the number of the last queue pair made at each endpoint.
	qpn []uint32
	// accepts has the program at an endpoint accept at once.
	accepts bool
	log     []event
	twice   bool // each message comes twice
}

// event is something a manager had done.
type event struct {
	at     units.Time
	who    int32
	action rdmacm.Action
}

func newNetwork(t *testing.T, n int, p rdmacm.Params) *network {
	w := &network{t: t, sent: map[string]int{}, accepts: true, qpn: make([]uint32, n)}
	for range n {
		w.managers = append(w.managers, rdmacm.New(&p))
	}
	for i, m := range w.managers {
		if i > 0 {
			m.Listen(service)
		}
		for peer := range w.managers {
			m.Know(int32(peer))
		}
	}
	return w
}

// offer is what the programs of the tests offer.
func offer(reads, serves uint8) rdmacm.Offer {
	return rdmacm.Offer{PSN: 7, Reads: reads, Serves: serves, RNRRetries: 7}
}

// connect has endpoint 0 connect to 1.
func (w *network) connect() rdmacm.ID {
	w.t.Helper()
	id, err := w.managers[0].Connect(rdmacm.Request{Peer: 1, Service: service, Offer: offer(4, 16), Private: []byte("key")}, w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.settle(0)
	return id
}

// settle does what a manager wants to be done now.
func (w *network) settle(who int32) {
	m := w.managers[who]
	for {
		a, ok := m.Step(w.now)
		if !ok {
			return
		}
		w.log = append(w.log, event{w.now, who, a})
		switch a.Do {
		case rdmacm.Send:
			name := fmt.Sprintf("%d%v", who, a.Message.Kind)
			n := w.sent[name]
			w.sent[name]++
			if w.lost != nil && w.lost(who, a.Message.Kind, n) {
				continue
			}
			w.flights = append(w.flights, flight{w.now + oneWay, who, a.Peer, a.Message})
			if w.twice {
				w.flights = append(w.flights, flight{w.now + oneWay + us, who, a.Peer, a.Message})
			}
		case rdmacm.Create:
			w.qpn[who]++
			m.Created(a.ID, w.qpn[who], who, w.now)
		case rdmacm.TellRequest:
			if w.accepts {
				if err := m.Accept(a.ID, rdmacm.Acceptance{Offer: offer(16, 2), Private: []byte("address")}, w.now); err != nil {
					w.t.Fatal(err)
				}
			}
		}
	}
}

// runUntil lets time go by.
func (w *network) runUntil(limit units.Time) {
	for {
		next := limit
		for _, m := range w.managers {
			next = min(next, m.Next())
		}
		for _, f := range w.flights {
			next = min(next, f.at)
		}
		if next >= limit {
			w.now = limit
			return
		}
		w.now = max(w.now, next)
		for i := range w.managers {
			w.settle(int32(i))
		}
		due := slices.Clone(w.flights)
		w.flights = w.flights[:0]
		for _, f := range due {
			if f.at > w.now {
				w.flights = append(w.flights, f)
				continue
			}
			w.managers[f.to].Deliver(f.from, f.message, w.now)
			w.settle(f.to)
		}
	}
}

// whenever returns the times at which a manager had something done.
func (w *network) whenever(who int32, do rdmacm.Do) (times []units.Time) {
	for _, e := range w.log {
		if e.who == who && e.action.Do == do {
			times = append(times, e.at)
		}
	}
	return times
}

// once returns the time of what must have been done once.
func (w *network) once(who int32, do rdmacm.Do) units.Time {
	w.t.Helper()
	times := w.whenever(who, do)
	if len(times) != 1 {
		w.t.Fatalf("endpoint %d: %v was done at %v, want once", who, do, times)
	}
	return times[0]
}

// first returns what a manager first had done of a kind.
func (w *network) first(who int32, do rdmacm.Do) rdmacm.Action {
	w.t.Helper()
	for _, e := range w.log {
		if e.who == who && e.action.Do == do {
			return e.action
		}
	}
	w.t.Fatalf("endpoint %d: %v was never done", who, do)
	return rdmacm.Action{}
}

// messages returns the kinds of messages sent by anybody, in order.
func (w *network) messages() (kinds []rdmacm.Kind) {
	for _, e := range w.log {
		if e.action.Do == rdmacm.Send {
			kinds = append(kinds, e.action.Message.Kind)
		}
	}
	return kinds
}
