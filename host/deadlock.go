package host

import (
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Deadlock is a deadlock of pauses that was found while a run went on.
type Deadlock struct {
	fabric.Deadlock
	// Since is when it was first seen; Until when it was seen to be over, or
	// [units.Never] if it lasted to the end.
	Since, Until units.Time
}

// deadlockWatch looks for deadlocks now and then. What stands still between two looks,
// with the same groups waiting for each other and nothing sent, is one.
type deadlockWatch struct {
	c     *Cluster
	every units.Time
	next  units.Time // when to look again
	seen  *fabric.Deadlock
	since units.Time // when it was first seen
	sent  uint64     // by the ports of its cycle by then
	found []Deadlock
}

// newDeadlockWatch makes a watch that looks every millisecond, or every four of the
// longest round trips, if that is longer.
func newDeadlockWatch(c *Cluster) deadlockWatch {
	every := max(units.Millisecond, 4*c.longestRTT)
	return deadlockWatch{c: c, every: every, next: every}
}

// look looks if it is time to.
func (w *deadlockWatch) look(now units.Time) {
	if now < w.next {
		return
	}
	w.next = now + w.every
	d := w.c.Net.Deadlock(now)
	if w.lasts() && (d == nil || !slices.Equal(d.Cycle, w.seen.Cycle)) {
		w.found[len(w.found)-1].Until = now
	}
	if d == nil {
		w.seen = nil
		return
	}
	sent := w.sentBy(d)
	if w.seen == nil || !slices.Equal(d.Cycle, w.seen.Cycle) || sent != w.sent {
		w.seen, w.sent, w.since = d, sent, now
		return
	}
	w.seen = d
	if !w.lasts() {
		w.found = append(w.found, Deadlock{*d, w.since, units.Never})
	}
}

// conclude looks a last time, at the end of a run in which nothing moves any more.
func (w *deadlockWatch) conclude(now units.Time) {
	if d := w.c.Net.Deadlock(now); d != nil && !w.lasts() {
		since := now
		if w.seen != nil && slices.Equal(d.Cycle, w.seen.Cycle) {
			since = w.since
		}
		w.found = append(w.found, Deadlock{*d, since, units.Never})
	}
}

// lasts tells whether a deadlock has been found that is not known to be over.
func (w *deadlockWatch) lasts() bool {
	return len(w.found) > 0 && w.found[len(w.found)-1].Until == units.Never
}

// sentBy counts what the ports of a cycle have sent in its priority.
func (w *deadlockWatch) sentBy(d *fabric.Deadlock) (packets uint64) {
	for _, h := range d.Cycle {
		packets += w.c.Net.Ports(h.Node)[h.Out].Counters.Class[h.Priority].Tx.Packets
	}
	return packets
}

// holds tells whether a deadlock holds a flow for ever: its packets, or their
// acknowledgements, have to pass a port that is shut for them.
func (w *deadlockWatch) holds(flow int, now units.Time) bool {
	if !w.lasts() {
		return false
	}
	shut := w.seen.Shut
	passes := func(path []topology.Step, priority int) bool {
		return len(path) > 0 && slices.ContainsFunc(path[:len(path)-1], func(s topology.Step) bool {
			return slices.Contains(shut, fabric.Outlet{Node: s.Node, Port: s.Port, Priority: priority})
		})
	}
	routes := w.c.Net.RoutesAt(now)
	return passes(w.c.wayBy(routes, flow), w.c.Flows[flow].Data.Priority) || passes(w.c.returnBy(routes, flow), w.c.NIC.Ack.Priority)
}

// holdsAll tells whether a deadlock holds every flow that has not ended, so that
// nothing that is pending can help.
func (w *deadlockWatch) holdsAll(now units.Time) bool {
	if !w.lasts() || w.c.Net.WatchdogWillAct(now) {
		return false
	}
	for flow := range w.c.Flows {
		if t := w.c.Transfer(flow); !t.Done() && (t.Open < 0 || !w.holds(flow, now)) {
			return false
		}
	}
	return true
}
