package topology

import (
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Hop is a link of a path and the switch it leads into.
type Hop struct {
	Rate   units.Rate
	Delay  units.Time
	Switch int // node index; -1 where the link leads into the destination, AnySwitch where it stands for several
}

// AnySwitch is the switch of a hop that stands for the hops of several ways.
const AnySwitch = -2

// Classes tells what kinds of shortest path join two endpoints: what the best of them could do bounds every flow,
// whichever path it is given. It remembers what it worked out, and so belongs to one goroutine.
type Classes struct {
	routes *Routes
	kind   func(sw int) int
	known  map[[2]int32][][]Hop // by the edges at both ends: the links between them
}

// MaxClasses is how many classes are told apart between two edges.
const MaxClasses = 32

// NewClasses returns a Classes for r. It takes all switches to be alike, and to store frames before they forward them, so
// that a way with faster links is better.
func NewClasses(r *Routes) *Classes {
	return &Classes{routes: r, known: map[[2]int32][][]Hop{}}
}

// Distinguish has c tell switches apart by their kinds, for networks in which they differ or some cut through, where a
// faster link may be worse: from now on only ways of the same rates through switches of the same kinds are compared.
func (c *Classes) Distinguish(kind func(sw int) int) { c.kind = kind }

// Between returns the classes of the shortest paths from endpoint src to endpoint dst: sequences of links that differ
// in rate or delay, each with the switches of one path that has them. A sequence that is nowhere faster and nowhere
// shorter than another one cannot be the best, and is left out. In a fat-tree or a leaf-spine one class remains.
// Should more than MaxClasses remain in a network that mixes links wildly, one sequence that takes the best link of
// each hop stands for all of them: a bound that no path can beat, though perhaps none reaches it. The result is nil
// if there is no path.
func (c *Classes) Between(src, dst int32) [][]Hop {
	from, to := &c.routes.Endpoints[src], &c.routes.Endpoints[dst]
	if c.routes.Distance(src, dst) <= 0 {
		return nil
	}
	first := c.hop(from.Host, from.Port)
	if from.isDirect() {
		return [][]Hop{{first}}
	}
	last := c.hop(to.Attach, to.AttachPort)
	middles := c.betweenEdges(from, to)
	classes := make([][]Hop, len(middles))
	for i, middle := range middles {
		classes[i] = slices.Concat([]Hop{first}, middle, []Hop{last})
	}
	return classes
}

// hop returns what it means to leave a node by a port.
func (c *Classes) hop(node, port int) Hop {
	g := c.routes.graph
	p := g.ports[node][port]
	link := g.Links[p.Link]
	hop := Hop{Rate: link.Rate, Delay: link.Delay, Switch: p.Peer}
	if g.Nodes[p.Peer].Kind == Host {
		hop.Switch = -1
	}
	return hop
}

// branch is a switch that some shortest paths reach after the same number of links, and the classes of the ways there.
type branch struct {
	node int
	ways [][]Hop
}

// betweenEdges returns the classes between the switches to which two endpoints are attached.
func (c *Classes) betweenEdges(from, to *Endpoint) [][]Hop {
	key := [2]int32{from.Edge, to.Edge}
	if ways, known := c.known[key]; known {
		return ways
	}
	front := []branch{{node: from.Attach, ways: [][]Hop{nil}}}
	for range c.routes.edgeDistance(from.Edge, to.Edge) {
		front = c.advance(front, Dest{Edge: to.Edge})
	}
	c.known[key] = front[0].ways
	return front[0].ways
}

// advance moves every branch one link nearer to d and joins those that meet.
func (c *Classes) advance(front []branch, d Dest) []branch {
	var next []branch
	at := map[int]int{} // index into next, by node
	for _, b := range front {
		for _, port := range c.routes.Switch(b.node).NextHops(d) {
			hop := c.hop(b.node, int(port))
			i, met := at[hop.Switch]
			if !met {
				i = len(next)
				at[hop.Switch] = i
				next = append(next, branch{node: hop.Switch})
			}
			for _, way := range b.ways {
				next[i].ways = c.addWay(next[i].ways, append(slices.Clip(way), hop))
			}
		}
	}
	return next
}

// addWay adds a way to others of the same length, unless one of them is at least as good, and drops those that it beats.
func (c *Classes) addWay(ways [][]Hop, way []Hop) [][]Hop {
	for _, other := range ways {
		if c.asGood(other, way) {
			return ways
		}
	}
	ways = slices.DeleteFunc(ways, func(other []Hop) bool { return c.asGood(way, other) })
	ways = append(ways, way)
	if len(ways) > MaxClasses {
		ways = [][]Hop{bestOfEach(ways)}
	}
	return ways
}

// asGood reports whether each hop of a is as fast and as short as that of b.
func (c *Classes) asGood(a, b []Hop) bool {
	for i := range a {
		if a[i].Rate < b[i].Rate || a[i].Delay > b[i].Delay {
			return false
		}
		if c.kind != nil && (a[i].Rate != b[i].Rate || c.kindOf(a[i]) != c.kindOf(b[i])) {
			return false
		}
	}
	return true
}

// kindOf is the kind of the switch that a hop leads into.
func (c *Classes) kindOf(h Hop) int {
	if h.Switch < 0 {
		return h.Switch
	}
	return c.kind(h.Switch)
}

// bestOfEach returns a way with the greatest rate and the least delay that any of the ways has at each hop, through
// any switch.
func bestOfEach(ways [][]Hop) []Hop {
	best := slices.Clone(ways[0])
	for _, way := range ways[1:] {
		for i, hop := range way {
			best[i].Rate = max(best[i].Rate, hop.Rate)
			best[i].Delay = min(best[i].Delay, hop.Delay)
			if hop.Switch != best[i].Switch {
				best[i].Switch = AnySwitch
			}
		}
	}
	return best
}
