package topology

import (
	"cmp"
	"encoding/binary"
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
	edges  []int                // the switch of each edge
	alike  [][2]int32           // by edge: the first two edges, in place of which it could stand; twice itself if it is alone
	known  map[[2]int32][][]Hop // by the edges at both ends: the links between them

	// Of the search between two edges.
	steps       []step
	front, next []branch
	at          []int32 // by node: its place in next, meaningful if that is the node
}

// MaxClasses is how many classes are told apart between two edges.
const MaxClasses = 32

// NewClasses returns a Classes for r. It takes all switches to be alike, and to store frames before they forward them, so
// that a way with faster links is better.
func NewClasses(r *Routes) *Classes {
	c := &Classes{
		routes: r, edges: make([]int, r.Edges()), alike: make([][2]int32, r.Edges()),
		known: map[[2]int32][][]Hop{}, at: make([]int32, len(r.graph.Nodes)),
	}
	for i := range r.Endpoints {
		if e := &r.Endpoints[i]; !e.isDirect() {
			c.edges[e.Edge] = e.Attach
		}
	}
	c.findAlike()
	return c
}

// Distinguish has c tell switches apart by their kinds, for networks in which they differ or some cut through, where a
// faster link may be worse: from now on only ways of the same rates through switches of the same kinds are compared.
func (c *Classes) Distinguish(kind func(sw int) int) {
	c.kind = kind
	clear(c.known)
	c.findAlike()
}

// findAlike finds the edges that could stand in each other's place: siblings of one kind with cables of the same rates
// and delays. The ways from and to them differ in nothing but the edge itself, so they are looked for once for all of
// them: in a fat-tree of 65,536 hosts between 64 pods, and not between 2,048 racks.
func (c *Classes) findAlike() {
	first := map[string]int32{}
	for edge, sw := range c.edges {
		key := c.likeness(edge, sw)
		if _, known := first[key]; !known {
			first[key] = int32(edge)
			c.alike[edge] = [2]int32{int32(edge), int32(edge)}
		}
		like := &c.alike[first[key]]
		if like[0] == like[1] {
			like[1] = int32(edge)
		}
		c.alike[edge] = *like
	}
}

// likeness is what an edge has in common with those in place of which it could stand.
func (c *Classes) likeness(edge, sw int) string {
	var cables []Hop
	for port, p := range c.routes.graph.ports[sw] {
		if c.routes.graph.Nodes[p.Peer].Kind == Switch {
			cables = append(cables, c.hop(sw, port))
		}
	}
	slices.SortFunc(cables, func(a, b Hop) int {
		return cmp.Or(cmp.Compare(a.Switch, b.Switch), cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Delay, b.Delay))
	})
	key := binary.LittleEndian.AppendUint32(nil, c.routes.siblings[edge].set)
	if c.kind != nil {
		key = binary.LittleEndian.AppendUint64(key, uint64(c.kind(sw)))
	}
	for _, h := range cables {
		key = binary.LittleEndian.AppendUint64(key, uint64(h.Switch))
		key = binary.LittleEndian.AppendUint64(key, uint64(h.Rate))
		key = binary.LittleEndian.AppendUint64(key, uint64(h.Delay))
	}
	return string(key)
}

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
	a, b := c.standIns(from.Edge, to.Edge)
	middles := c.betweenEdges(a, b)
	classes := make([][]Hop, len(middles))
	for i, middle := range middles {
		way := make([]Hop, 0, len(middle)+2)
		way = append(append(append(way, first), middle...), last)
		c.substitute(way[1:len(way)-1], [2]int32{a, b}, [2]int32{from.Edge, to.Edge})
		classes[i] = way
	}
	return classes
}

// standIns returns the edges between which the ways are looked for in place of those between two others.
func (c *Classes) standIns(from, to int32) (a, b int32) {
	a, b = c.alike[from][0], c.alike[to][0]
	if a == b && from != to {
		b = c.alike[to][1]
	}
	return a, b
}

// substitute turns a way between two edges into that between two others in place of which they stood.
func (c *Classes) substitute(way []Hop, stood, edges [2]int32) {
	for i := range way {
		swap(&way[i].Switch, c.edges[stood[0]], c.edges[edges[0]])
	}
	second := c.edges[stood[1]]
	swap(&second, c.edges[stood[0]], c.edges[edges[0]])
	for i := range way {
		swap(&way[i].Switch, second, c.edges[edges[1]])
	}
}

// swap puts switch b in place of a, and a in place of b.
func swap(sw *int, a, b int) {
	switch *sw {
	case a:
		*sw = b
	case b:
		*sw = a
	}
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

// step is a link of a way that is being looked for, and the step before it; -1 for none.
type step struct {
	Hop
	before int32
}

// branch is a switch that some shortest paths reach after the same number of links, and the last steps of the classes of
// the ways there.
type branch struct {
	node int
	ways []int32
}

// betweenEdges returns the classes between the switches of two edges.
func (c *Classes) betweenEdges(from, to int32) [][]Hop {
	key := [2]int32{from, to}
	if ways, known := c.known[key]; known {
		return ways
	}
	c.steps = c.steps[:0]
	c.next = append(c.next[:0], branch{node: c.edges[from], ways: []int32{-1}})
	for range c.routes.edgeDistance(from, to) {
		c.front, c.next = c.next, c.front[:0]
		for _, b := range c.front {
			c.advance(b, Dest{Edge: to})
		}
	}
	var ways [][]Hop
	for _, last := range c.next[0].ways {
		ways = append(ways, c.wayTo(last))
	}
	c.known[key] = ways
	return ways
}

// advance moves a branch one link nearer to d and joins it with those that meet it there.
func (c *Classes) advance(b branch, d Dest) {
	for _, port := range c.routes.Switch(b.node).NextHops(d) {
		hop := c.hop(b.node, int(port))
		i := c.at[hop.Switch]
		if int(i) >= len(c.next) || c.next[i].node != hop.Switch {
			i = int32(len(c.next))
			c.at[hop.Switch] = i
			c.begin(hop.Switch)
		}
		for _, way := range b.ways {
			c.next[i].ways = c.addWay(c.next[i].ways, step{hop, way})
		}
	}
}

// begin adds a branch without ways to next, in the room of one that was there before.
func (c *Classes) begin(node int) {
	if n := len(c.next); n < cap(c.next) {
		c.next = c.next[:n+1]
		c.next[n] = branch{node, c.next[n].ways[:0]}
		return
	}
	c.next = append(c.next, branch{node: node})
}

// wayTo returns the links of the way that ends with a step.
func (c *Classes) wayTo(last int32) (way []Hop) {
	for at := last; at >= 0; at = c.steps[at].before {
		way = append(way, c.steps[at].Hop)
	}
	slices.Reverse(way)
	return way
}

// addWay adds a way to others of the same length, unless one of them is at least as good, and drops those that it beats.
// It goes by its last step.
func (c *Classes) addWay(ways []int32, last step) []int32 {
	for _, other := range ways {
		if c.asGood(c.steps[other], last) {
			return ways
		}
	}
	ways = slices.DeleteFunc(ways, func(other int32) bool { return c.asGood(last, c.steps[other]) })
	ways = append(ways, c.add(last))
	if len(ways) > MaxClasses {
		ways = append(ways[:0], c.bestOfEach(ways))
	}
	return ways
}

// add keeps a step and returns its number.
func (c *Classes) add(s step) int32 {
	c.steps = append(c.steps, s)
	return int32(len(c.steps) - 1)
}

// addAll keeps the steps of a way and returns the number of the last.
func (c *Classes) addAll(way []Hop) int32 {
	at := int32(-1)
	for _, hop := range way {
		at = c.add(step{hop, at})
	}
	return at
}

// asGood reports whether each link of the way that ends with step a is as fast and as short as that of b.
func (c *Classes) asGood(a, b step) bool {
	for {
		if a.Rate < b.Rate || a.Delay > b.Delay {
			return false
		}
		if c.kind != nil && (a.Rate != b.Rate || c.kindOf(a.Hop) != c.kindOf(b.Hop)) {
			return false
		}
		if a.before == b.before { // at the beginning, or where they part
			return true
		}
		a, b = c.steps[a.before], c.steps[b.before]
	}
}

// kindOf is the kind of the switch that a hop leads into.
func (c *Classes) kindOf(h Hop) int {
	if h.Switch < 0 {
		return h.Switch
	}
	return c.kind(h.Switch)
}

// bestOfEach returns the last step of a way with the greatest rate and the least delay that any of the ways has at each
// hop, through any switch.
func (c *Classes) bestOfEach(ways []int32) int32 {
	best := c.wayTo(ways[0])
	for _, last := range ways[1:] {
		for i, hop := range c.wayTo(last) {
			best[i].Rate = max(best[i].Rate, hop.Rate)
			best[i].Delay = min(best[i].Delay, hop.Delay)
			if hop.Switch != best[i].Switch {
				best[i].Switch = AnySwitch
			}
		}
	}
	return c.addAll(best)
}
