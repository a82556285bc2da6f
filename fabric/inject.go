package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Inject adds faults to a network that has not run, and whose ports all have their
// owners ([Port.Bind]). It may be called once. A degradation must not make a cable
// faster or shorter than it was built: frames would come earlier than the
// look-ahead allows.
func (n *Network) Inject(f Faults) error {
	for _, d := range f.Degradations {
		if cable := n.Graph.Links[d.Link]; d.Delay < 0 || d.Rate < 0 || d.Rate > cable.Rate {
			return fmt.Errorf("link %d of %v, degraded to %v and %v more delay: neither faster nor shorter is possible",
				d.Link, cable.Rate, d.Rate, d.Delay)
		}
	}
	for _, l := range f.Losses {
		c := n.faulty(l.Node, l.Port)
		c.losses = append(c.losses, newLoss(l, n.Config.Seed, n.Graph.PortName(l.Node, l.Port)))
	}
	byLink := make([]Faults, len(n.Graph.Links))
	for _, o := range f.Outages {
		if o.From < o.To {
			byLink[o.Link].Outages = append(byLink[o.Link].Outages, o)
		}
	}
	for _, d := range f.Degradations {
		if d.From < d.To {
			byLink[d.Link].Degradations = append(byLink[d.Link].Degradations, d)
		}
	}
	for link := range byLink {
		n.schedule(link, &byLink[link])
	}
	n.reroute(f.Outages)
	return nil
}

// faulty is what is wrong with the cable away from a port, to be added to.
func (n *Network) faulty(node, port int) *cable {
	c := n.ports[node][port].faulty()
	c.pipeline = n.Pipeline(n.Graph.Ports(node)[port].Peer)
	return c
}

// schedule sets, at both ends of a cable, the timers of what becomes of it.
func (n *Network) schedule(link int, f *Faults) {
	outages := f.apart()
	changes := f.changes(outages, n.Graph.Links[link].Rate)
	if len(changes) == 0 {
		return
	}
	n.lastChange = max(n.lastChange, changes[len(changes)-1].at)
	for _, node := range [2]int{n.Graph.Links[link].A, n.Graph.Links[link].B} {
		for i, at := range n.Graph.Ports(node) {
			if at.Link != link {
				continue
			}
			c := n.faulty(node, i)
			c.outages, c.changes = outages, changes
			for k, change := range changes {
				n.ports[node][i].timers.Add(change.at, timerKey(LinkChanges, i, k))
			}
		}
	}
}

// apart are the outages of a link, in order; those that touch are one.
func (f *Faults) apart() []Span {
	var down []Span
	for _, o := range f.Outages {
		down = append(down, o.Span)
	}
	slices.SortFunc(down, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	var apart []Span
	for _, s := range down {
		if last := len(apart) - 1; last >= 0 && s.From <= apart[last].To {
			apart[last].To = max(apart[last].To, s.To)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// changes are those of a link, one for each instant at which anything about it
// changes.
func (f *Faults) changes(outages []Span, built units.Rate) []change {
	var resets, times []units.Time
	for _, s := range outages {
		resets = append(resets, s.From, s.To)
	}
	times = append(times, resets...)
	for _, d := range f.Degradations {
		times = append(times, d.From, d.To)
	}
	slices.Sort(times)
	var changes []change
	for _, at := range slices.Compact(times) {
		if at == units.Never {
			break
		}
		c := f.at(at, built)
		_, c.reset = slices.BinarySearch(resets, at)
		changes = append(changes, c)
	}
	return changes
}

// at is what a link is like from an instant on.
func (f *Faults) at(at units.Time, built units.Rate) change {
	c := change{at: at, rate: built}
	for _, d := range f.Degradations {
		if !d.holds(at) {
			continue
		}
		if d.Rate > 0 {
			c.rate = min(c.rate, d.Rate)
		}
		c.delay += d.Delay
	}
	return c
}

// Epoch is a time from At on in which switches use certain routes.
type Epoch struct {
	At     units.Time
	Routes *topology.Routes
}

// Epochs are the changes of routes in the course of the run, in order.
func (n *Network) Epochs() []Epoch { return n.epochs }

// RoutesAt are the routes in use at an instant.
func (n *Network) RoutesAt(now units.Time) *topology.Routes {
	routes := n.Routes
	for _, e := range n.epochs {
		if e.At <= now {
			routes = e.Routes
		}
	}
	return routes
}

// LastChange is when the last change of a link or of routes is due; 0 if there is
// none.
func (n *Network) LastChange() units.Time { return n.lastChange }

// IsDown tells whether the cable at a port is down.
func (n *Network) IsDown(node, port int, now units.Time) bool {
	c := n.ports[node][port].cable
	return c != nil && slices.ContainsFunc(c.outages, func(s Span) bool { return s.holds(now) })
}

// CorruptedFrames is how many frames arrived, or are to arrive, at a port with a
// wrong checksum. They were sent by the other end, which has them in its books.
func (n *Network) CorruptedFrames(node, port int) (sum ClassCount) {
	at := n.Graph.Ports(node)[port]
	for kind := range FrameKinds {
		sum.Add(n.ports[at.Peer][at.PeerPort].Lost(Corrupted, kind))
	}
	return sum
}

// longestDegraded is the longest time for which one pause frame can hold a class on a
// link that is slower than it was built; 0 if there is none.
func (n *Network) longestDegraded() (longest units.Time) {
	for node := range n.ports {
		p := &n.ConfigOf(node).PFC
		if p.Lossless == 0 || p.Sticky {
			continue
		}
		for i := range n.ports[node] {
			if c := n.ports[node][i].cable; c != nil {
				longest = max(longest, c.longestPause(int(p.Quanta)))
			}
		}
	}
	return longest
}
