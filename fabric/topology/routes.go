package topology

// Routes holds the paths of the graph's policy from every switch to every endpoint: all shortest ones, unless it says
// otherwise. Hosts never transit. NewRoutes computes it once; it does not change, and may be read from anywhere.
//
// Destinations are told apart by their edge only, and of edges that are siblings, only where a switch is cabled to them; so
// that the tables grow as switches × sets of siblings (see [sibling]): 2 MB for a fat-tree of 65,536 hosts.
type Routes struct {
	// Endpoints lists the ports of all hosts, by host and then by port. Its index is the endpoint's number.
	Endpoints []Endpoint

	graph    *Graph
	first    []int32 // number of each node's first endpoint, and of none
	numbers  []int32 // 0, 1, 2 … for EndpointsOf to cut from
	switches []SwitchRoutes
	ordinal  []int32   // index into switches, by node
	siblings []sibling // by edge
	sets     [][]int32 // the edges of each set of siblings
	between  []int32   // links from an edge of one set to one of another, or to another one of the same, sets × sets
	rank     []int32   // of each switch by ordinal, from 0 at the top; nil unless the policy is UpDown
	dead     []bool    // endpoints whose cable is dead; nil if there is none
}

// unreachable is the distance between switches that are not joined.
const unreachable = -1

// SwitchRoutes is one switch's table of next hops.
type SwitchRoutes struct {
	edge     int32     // which edge this switch is; noEdge if none
	siblings []sibling // by edge; all switches share it
	bySet    []uint32  // where in pool the next hops towards the edges of a set stand; with apart, where in byEdge
	byEdge   []uint32  // where in pool those towards each edge of a set stand, for sets that this switch is cabled to
	pool     []uint16  // sets of ports, each preceded by its size; pool[0] = 0 is the empty set
	ports    []uint16  // 0, 1, 2 …, for one port to be cut from
	alive    []uint8   // by port: 0 if it leads to a host and its cable is dead, else 1
}

// noEdge differs from every edge and from the -1 of a direct cable.
const noEdge = -2

// apart marks a set of siblings to which a switch is cabled, and so reaches each of them over other ports.
const apart = 1 << 31

// NewRoutes computes the routes of g by its policy. Up-down routes take the tiers of a network for its levels; where these
// leave two hosts without a path that exists, they take distances from a root instead.
func NewRoutes(g *Graph) *Routes {
	if g.Routing != UpDown {
		return newRoutes(g, nil, nil)
	}
	if r := newRoutes(g, rankByTier(g), nil); r.joinsAll() {
		return r
	}
	return newRoutes(g, rankByTree(g), nil)
}

// newRoutes computes routes for the cables that are not dead; dead may be nil.
func newRoutes(g *Graph, rank []int32, dead []bool) *Routes {
	endpoints, first, edges := listEndpoints(g)
	r := &Routes{
		Endpoints: endpoints, graph: g, first: first,
		numbers:  make([]int32, len(endpoints)),
		switches: make([]SwitchRoutes, len(g.switches)),
		ordinal:  make([]int32, len(g.Nodes)),
		siblings: make([]sibling, len(edges)),
		rank:     rank,
	}
	for i := range r.numbers {
		r.numbers[i] = int32(i)
	}
	newSearch(r, edges, dead).run()
	r.cut(dead)
	return r
}

// joinsAll reports whether there is a path between any two edges that cables join.
func (r *Routes) joinsAll() bool {
	island, at := r.graph.islands(), make([]int, r.Edges())
	for _, e := range r.Endpoints {
		if !e.isDirect() {
			at[e.Edge] = island[e.Attach]
		}
	}
	for _, from := range r.sets {
		for _, to := range r.sets {
			a, b := from[0], to[0]
			if a == b {
				b = to[len(to)-1]
			}
			if at[a] == at[b] && r.edgeDistance(a, b) == unreachable {
				return false
			}
		}
	}
	return true
}

// Dest returns how switches know endpoint ep.
func (r *Routes) Dest(ep int32) Dest {
	e := &r.Endpoints[ep]
	return Dest{Edge: e.Edge, Port: uint16(e.AttachPort)}
}

// Switch returns the table of the switch with that node index.
func (r *Routes) Switch(sw int) *SwitchRoutes { return &r.switches[r.ordinal[sw]] }

// NextHops returns the ports of a switch that lead to endpoint ep, in ascending order; none if it cannot be
// reached. The caller must not change it.
func (r *Routes) NextHops(sw int, ep int32) []uint16 { return r.Switch(sw).NextHops(r.Dest(ep)) }

// NextHops returns the ports that lead to d, in ascending order; none if it cannot be reached. It allocates
// nothing and follows three pointers. The caller must not change the result.
func (s *SwitchRoutes) NextHops(d Dest) []uint16 {
	if d.Edge == s.edge {
		return s.ports[d.Port:][:s.alive[d.Port]]
	}
	if uint32(d.Edge) >= uint32(len(s.siblings)) {
		return nil
	}
	edge := s.siblings[d.Edge]
	at := s.bySet[edge.set]
	if at&apart != 0 {
		at = s.byEdge[at&^apart+edge.place]
	}
	return s.pool[at+1:][:s.pool[at]]
}

// EndpointsOf returns the numbers of a host's endpoints in the order of its ports; none for a switch. The caller must not
// change it.
func (r *Routes) EndpointsOf(host int) []int32 {
	return r.numbers[r.first[host]:r.first[host+1]:r.first[host+1]]
}

// Distance returns the number of links on the paths from endpoint a to endpoint b, which are all equally long: 1 for a
// direct cable, 2 by way of one switch, 0 from an endpoint to itself, -1 if there is no path.
func (r *Routes) Distance(a, b int32) int {
	from, to := &r.Endpoints[a], &r.Endpoints[b]
	switch {
	case a == b:
		return 0
	case r.isDead(a) || r.isDead(b):
		return -1
	case from.facing(to):
		return 1
	case from.isDirect() || to.isDirect():
		return -1
	}
	if links := r.edgeDistance(from.Edge, to.Edge); links != unreachable {
		return links + 2
	}
	return -1
}

// edgeDistance returns the number of links from the switch of edge a to that of edge b.
func (r *Routes) edgeDistance(a, b int32) int {
	if a == b {
		return 0
	}
	return int(r.between[int(r.siblings[a].set)*len(r.sets)+int(r.siblings[b].set)])
}
