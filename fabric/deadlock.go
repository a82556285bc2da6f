package fabric

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Deadlock is a cycle of pauses, or of lanes without credits: each group of it waits for the next and the last for
// the first, while none of them holds a packet that could go elsewhere.
type Deadlock struct {
	Cycle []Held
	// Shut are all the ports that can never again send a priority, in the cycle or
	// because they lead to it, those of hosts among them.
	Shut []Outlet
}

// Outlet is a priority of an output port.
type Outlet struct{ Node, Port, Priority int }

// Held is a priority group of a switch that holds its upstream and cannot get rid
// of what it holds, since the port by which that would leave is paused too.
type Held struct {
	Node, Port, Priority int         // the group, by the port of its ingress
	Out                  int         // port by which packets of it would leave
	Bytes                units.Bytes // that wait there
}

// blockade is what pauses make of the network at an instant: which groups pause their
// upstream, and which groups each of them waits for.
type blockade struct {
	net    *Network
	now    units.Time
	index  map[Outlet]int // by the port of the group's ingress
	groups []pausing
}

// pausing is a group that pauses its upstream.
type pausing struct {
	at    Outlet // its ingress
	waits []wait // for groups downstream
	free  bool   // something of what it holds can move, now or once another group moves
}

// wait is a port by which packets of a group would leave, and the group that has it
// paused.
type wait struct{ out, by int }

// Deadlock finds a deadlock; nil if there is none. Only a watchdog, or the loss of the
// frames that repeat the pauses, can end one. No node may be running.
func (n *Network) Deadlock(now units.Time) *Deadlock {
	b := &blockade{net: n, now: now, index: map[Outlet]int{}}
	b.collect()
	if len(b.groups) == 0 {
		return nil
	}
	for s := range n.ActiveSwitches() {
		b.trace(s.node)
	}
	b.settle()
	return b.deadlock()
}

// eachLossless calls f for every port of a switch and every lossless priority.
func (b *blockade) eachLossless(node int, f func(port, priority int)) {
	for port := range b.net.ports[node] {
		for set := b.net.ConfigOf(node).PFC.Lossless; set != 0; set &= set - 1 {
			f(port, bits.TrailingZeros8(set))
		}
	}
}

// collect finds the groups that pause their upstream. At a switch in which no packet
// waits none waits for another group.
func (b *blockade) collect() {
	for s := range b.net.ActiveSwitches() {
		if !slices.ContainsFunc(s.backlog, func(queued uint8) bool { return queued != 0 }) {
			continue
		}
		b.eachLossless(s.node, func(port, priority int) {
			if b.holds(s, port, priority) {
				at := Outlet{s.node, port, priority}
				b.index[at] = len(b.groups)
				b.groups = append(b.groups, pausing{at: at})
			}
		})
	}
}

// holds tells whether the group of an ingress port holds its upstream: it has it paused, or
// has left it without credits.
func (b *blockade) holds(s *Switch, port, priority int) bool {
	if !s.ports[port].OnCredits() {
		return s.ports[port].Requester.Wants(priority)
	}
	at := b.net.Graph.Ports(s.node)[port]
	return b.net.ports[at.Peer][at.PeerPort].Paused(b.now)&(1<<priority) != 0
}

// trace looks at where the packets of a switch's groups are to go.
func (b *blockade) trace(node int) {
	b.eachLossless(node, func(out, priority int) {
		by, held := b.holder(node, out, priority)
		for p := range b.queued(node, out, priority) {
			if at, pauses := b.index[Outlet{node, int(p.Ingress), priority}]; pauses {
				b.groups[at].wait(out, by, held)
			}
		}
	})
}

// queued are the packets of a priority that wait at an output port.
func (b *blockade) queued(node, out, priority int) iter.Seq[*wire.Packet] {
	s := b.net.switches[node]
	return s.waiting(s.queue(out, priority))
}

// holder is the group that has an output port paused; there is none if the port may
// send, or if a host has it paused.
func (b *blockade) holder(node, out, priority int) (group int, held bool) {
	if b.net.ports[node][out].Paused(b.now)&(1<<priority) == 0 {
		return 0, false
	}
	at := b.net.Graph.Ports(node)[out]
	group, held = b.index[Outlet{at.Peer, at.PeerPort, priority}]
	return group, held
}

// wait notes that a packet of a group is to leave by a port.
func (g *pausing) wait(out, by int, held bool) {
	switch {
	case !held:
		g.free = true
	case len(g.waits) == 0 || g.waits[len(g.waits)-1].out != out:
		g.waits = append(g.waits, wait{out, by})
	}
}

// settle frees every group that waits for nothing or for a free one.
func (b *blockade) settle() {
	isFree := func(w wait) bool { return b.groups[w.by].free }
	for changed := true; changed; {
		changed = false
		for i := range b.groups {
			g := &b.groups[i]
			if !g.free && (len(g.waits) == 0 || slices.ContainsFunc(g.waits, isFree)) {
				g.free, changed = true, true
			}
		}
	}
}

// deadlock is what is made of the groups that are not free.
func (b *blockade) deadlock() *Deadlock {
	var d *Deadlock
	for i := range b.groups {
		g := &b.groups[i]
		if g.free {
			continue
		}
		if d == nil {
			d = &Deadlock{Cycle: b.cycle(i)}
		}
		from := b.net.Graph.Ports(g.at.Node)[g.at.Port]
		d.Shut = append(d.Shut, Outlet{from.Peer, from.PeerPort, g.at.Priority})
	}
	return d
}

// cycle follows what a group waits for until a group comes again.
func (b *blockade) cycle(group int) []Held {
	seen := make([]int, len(b.groups)) // place on the way, from 1
	var way []Held
	for seen[group] == 0 {
		w := b.groups[group].waits[0]
		way = append(way, b.held(b.groups[group].at, w.out))
		seen[group] = len(way)
		group = w.by
	}
	return way[seen[group]-1:]
}

// held is what a group holds for an output port.
func (b *blockade) held(at Outlet, out int) Held {
	h := Held{Node: at.Node, Port: at.Port, Priority: at.Priority, Out: out}
	for p := range b.queued(at.Node, out, at.Priority) {
		if int(p.Ingress) == at.Port {
			h.Bytes += units.Bytes(p.Frame)
		}
	}
	return h
}
