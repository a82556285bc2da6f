package partition

import (
	"sort"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Graph is what is to be shared out.
type Graph struct {
	Nodes []Node
	Links []Link // both directions of each cable
}

// Node is a node to be placed.
type Node struct {
	Weight int64 // work that is expected of it, positive
	Tier   int   // cables to the nearest host; 0 for a host
}

// Link is one direction of a cable.
type Link struct {
	From, To int32 // nodes
	// LookAhead is the least time after which what From does can have an effect at To;
	// positive.
	LookAhead units.Time
}

// Plan says who runs what.
type Plan struct {
	// Shares are the nodes of each worker, in the order in which it is to run them, with
	// the look-ahead among them. None is empty.
	Shares []sim.Share
	// LookAhead is the least between nodes of different workers, or [units.Never].
	LookAhead units.Time
}

// Divide shares the nodes out to at most that many workers.
func (g *Graph) Divide(workers int) Plan {
	order := g.order()
	workers = min(workers, len(g.Nodes))
	owner := make([]int32, len(g.Nodes))
	if workers > 1 {
		owner = g.assign(order, workers)
	}
	shares := make([]share, workers)
	slot := make([]int32, len(g.Nodes))
	for _, node := range order {
		own := &shares[owner[node]]
		slot[node] = int32(len(own.nodes))
		own.nodes = append(own.nodes, int(node))
	}
	p := Plan{LookAhead: units.Never}
	for _, l := range g.Links {
		if w := owner[l.From]; w == owner[l.To] {
			shares[w].links = append(shares[w].links, Link{slot[l.From], slot[l.To], l.LookAhead})
		} else {
			p.LookAhead = min(p.LookAhead, l.LookAhead)
		}
	}
	for w := range shares {
		if len(shares[w].nodes) > 0 {
			p.Shares = append(p.Shares, shares[w].arrange())
		}
	}
	return p
}

// tolerable is how heavy a share may be, in percent of an equal one, for the sake of
// fewer and longer cables between workers.
const tolerable = 110

// assign finds an owner for each node. As many levels of cables stay whole as leave
// shares that are about equal.
func (g *Graph) assign(order []int32, workers int) (owner []int32) {
	levels := g.levels()
	total, least := int64(0), int64(0)
	for i := range g.Nodes {
		total += g.Nodes[i].Weight
	}
	sort.Search(len(levels)+1, func(whole int) bool {
		deal, heaviest := deal(g.join(order, levels[:whole]), len(g.Nodes), workers)
		equal := heaviest*int64(workers)*100 <= total*tolerable
		if equal || owner == nil || heaviest < least {
			owner, least = deal, heaviest
		}
		return !equal
	})
	return owner
}
