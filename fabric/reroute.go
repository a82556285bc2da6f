package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// flip is a link that leaves the routes or comes back.
type flip struct {
	at   units.Time
	link int
	by   int // +1 down, -1 up
}

// reroute works out the routes that follow the outages, and has every switch
// change to them at its own event.
func (n *Network) reroute(outages []Outage) {
	flips := flipsOf(outages)
	down := make([]int, len(n.Graph.Links))
	known := map[string]*topology.Routes{"[]": n.Routes}
	current := n.Routes
	for i := 0; i < len(flips); {
		at := flips[i].at
		for ; i < len(flips) && flips[i].at == at; i++ {
			down[flips[i].link] += flips[i].by
		}
		dead := deadLinks(down)
		key := fmt.Sprint(dead)
		if known[key] == nil {
			known[key] = n.Routes.Without(n.Graph, dead)
		}
		if known[key] != current {
			current = known[key]
			n.changeRoutes(Epoch{at, current})
		}
	}
}

func flipsOf(outages []Outage) []flip {
	var flips []flip
	for _, o := range outages {
		for _, f := range [2]flip{{o.From, o.Link, 1}, {o.To, o.Link, -1}} {
			if o.From < o.To && f.at < units.Never-o.Convergence {
				f.at += o.Convergence
				flips = append(flips, f)
			}
		}
	}
	slices.SortStableFunc(flips, func(a, b flip) int { return cmp.Compare(a.at, b.at) })
	return flips
}

func deadLinks(down []int) []int {
	dead := []int{}
	for link, times := range down {
		if times > 0 {
			dead = append(dead, link)
		}
	}
	return dead
}

// changeRoutes has all switches use other routes from a time on.
func (n *Network) changeRoutes(e Epoch) {
	n.lastChange = max(n.lastChange, e.At)
	for _, node := range n.Graph.Switches() {
		s := n.switches[node]
		s.timers.Add(e.At, OwnerTimer(RoutesChange, uint64(len(s.tables))))
		s.tables = append(s.tables, e.Routes.Switch(node))
	}
	n.epochs = append(n.epochs, e)
}

// countUnroutable books a packet that a switch has no way for.
func (p *Port) countUnroutable(bytes uint16, data uint64) {
	p.Counters.NoRoute.Packets++
	p.Counters.NoRoute.Bytes += uint64(bytes)
	p.Counters.NoRouteData += data
}
