package partition

import (
	"slices"
	"sort"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// order puts all nodes in an order in which neighbours stand near each other: to those
// that stand already comes the one that has most links to them and fewest to others.
func (g *Graph) order() []int32 {
	links := newAdjacency(g.Links, len(g.Nodes))
	// The tournament finds the node that is least apart. One without any link to those
	// that stand is further apart than any that has one.
	apart := sim.NewTimetable(len(g.Nodes))
	far := units.Time(2 * len(g.Links))
	for node := range g.Nodes {
		apart.Set(node, far+units.Time(len(links.from(int32(node)))))
	}
	order := make([]int32, 0, len(g.Nodes))
	for apart.Earliest() != units.Never {
		node := int32(apart.First())
		apart.Set(int(node), units.Never)
		order = append(order, node)
		for _, i := range links.from(node) {
			to := int(g.Links[i].To)
			switch at := apart.At(to); {
			case at == units.Never:
			case at >= far:
				apart.Set(to, at-far-2)
			default:
				apart.Set(to, at-2)
			}
		}
	}
	return order
}

// adjacency lists the links that leave each node.
type adjacency struct {
	start []int32
	links []int32 // by number
}

func newAdjacency(links []Link, nodes int) *adjacency {
	a := &adjacency{start: make([]int32, nodes+1), links: make([]int32, len(links))}
	for i := range links {
		a.start[links[i].From+1]++
	}
	for i := range nodes {
		a.start[i+1] += a.start[i]
	}
	next := slices.Clone(a.start)
	for i := range links {
		from := links[i].From
		a.links[next[from]] = int32(i)
		next[from]++
	}
	return a
}

func (a *adjacency) from(node int32) []int32 { return a.links[a.start[node]:a.start[node+1]] }

// share is the nodes of a worker, and the links between them, of which the ends are
// numbered by their places among those nodes.
type share struct {
	nodes []int
	links []Link
}

// arrange orders the nodes such that the look-ahead becomes the longest there is:
// shorter links all lead onwards. But for that the order is kept.
func (s *share) arrange() sim.Share {
	out := newAdjacency(s.links, len(s.nodes))
	lengths := []units.Time{units.Never}
	for i := range s.links {
		lengths = append(lengths, s.links[i].LookAhead)
	}
	slices.Sort(lengths)
	lengths = slices.Compact(lengths)
	// There is always an order for the first length, as no link is shorter.
	best := sort.Search(len(lengths), func(i int) bool { return s.onwards(out, lengths[i]) == nil }) - 1
	made := sim.Share{LookAhead: units.Never}
	place := make([]int, len(s.nodes))
	for i, slot := range s.onwards(out, lengths[best]) {
		made.Nodes = append(made.Nodes, s.nodes[slot])
		place[slot] = i
	}
	for _, l := range s.links {
		if place[l.To] < place[l.From] {
			made.LookAhead = min(made.LookAhead, l.LookAhead)
		}
	}
	return made
}

// onwards orders the nodes such that all links shorter than bound lead onwards, and
// else by number. It returns nil if there is no such order.
func (s *share) onwards(out *adjacency, bound units.Time) []int32 {
	awaited := make([]int32, len(s.nodes)) // short links from nodes that do not stand yet
	for _, l := range s.links {
		if l.LookAhead < bound {
			awaited[l.To]++
		}
	}
	ready := sim.NewTimetable(len(s.nodes))
	for node := range s.nodes {
		if awaited[node] == 0 {
			ready.Set(node, 0)
		}
	}
	order := make([]int32, 0, len(s.nodes))
	for ready.Earliest() != units.Never {
		node := int32(ready.First())
		ready.Set(int(node), units.Never)
		order = append(order, node)
		for _, i := range out.from(node) {
			if l := s.links[i]; l.LookAhead < bound {
				if awaited[l.To]--; awaited[l.To] == 0 {
					ready.Set(int(l.To), 0)
				}
			}
		}
	}
	if len(order) < len(s.nodes) {
		return nil
	}
	return order
}
