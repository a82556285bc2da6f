package topology

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// search works out the routes towards one set of siblings after the other. It numbers switches by their ordinal.
type search struct {
	r      *Routes
	edges  []int // the edges' nodes
	policy policy

	neighbours [][]neighbour // by switch, other switches only
	distance   []int32       // of each switch from the current edge
	hops       []uint16
	cables     []neighbour
	key        []byte
	interned   []map[string]uint32 // by switch: where in its pool a set of ports stands
}

// neighbour is a switch at the other end of a port.
type neighbour struct {
	sw   int32
	port uint16
}

func newSearch(r *Routes, edges []int, dead []bool) *search {
	g := r.graph
	n := len(g.switches)
	s := &search{
		r: r, edges: edges,
		neighbours: make([][]neighbour, n), distance: make([]int32, n), interned: make([]map[string]uint32, n),
	}
	for i, sw := range g.switches {
		r.ordinal[sw] = int32(i)
	}
	for i, sw := range g.switches {
		s.neighbours[i] = make([]neighbour, 0, len(g.ports[sw]))
		for port, p := range g.ports[sw] {
			if g.Nodes[p.Peer].Kind == Switch && (dead == nil || !dead[p.Link]) {
				s.neighbours[i] = append(s.neighbours[i], neighbour{sw: r.ordinal[p.Peer], port: uint16(port)})
			}
		}
	}
	s.findSiblings()
	s.layOut()
	s.policy = s.policyOf(g.Routing, r.rank)
	return s
}

// layOut makes the tables, in which no switch is reached yet.
func (s *search) layOut() {
	r, sets := s.r, len(s.r.sets)
	ports, alive := identity(r.graph)
	r.between = make([]int32, sets*sets)
	bySet := make([]uint32, len(r.switches)*sets)
	for i := range r.switches {
		r.switches[i] = SwitchRoutes{
			edge: noEdge, siblings: r.siblings, bySet: bySet[i*sets:][:sets:sets], pool: []uint16{0}, ports: ports, alive: alive,
		}
	}
	for edge, sw := range s.edges {
		r.Switch(sw).edge = int32(edge)
	}
}

// identity returns the numbers 0, 1, 2 … of as many ports as the largest switch has, all of them alive.
func identity(g *Graph) (ports []uint16, alive []uint8) {
	most := 0
	for _, sw := range g.switches {
		most = max(most, len(g.ports[sw]))
	}
	ports, alive = make([]uint16, most), make([]uint8, most)
	for i := range ports {
		ports[i], alive[i] = uint16(i), 1
	}
	return ports, alive
}

// run works out the way to the first edge of each set, which is that to all of them; and then the way from the first to
// the second, which is that between any two of them.
func (s *search) run() {
	for set, edges := range s.r.sets {
		first := s.switchOf(edges[0])
		s.policy.spread(first, s.distance)
		for sw, distance := range s.distance {
			switch {
			case distance == 0 || distance == unreachable:
			case distance == 1 && len(edges) > 1:
				s.recordApart(int32(sw), set)
			default:
				s.record(int32(sw), set)
			}
		}
		for from, others := range s.r.sets {
			s.r.between[from*len(s.r.sets)+set] = s.distance[s.switchOf(others[0])]
		}
		if len(edges) > 1 {
			s.policy.spread(s.switchOf(edges[1]), s.distance)
			if s.distance[first] != unreachable {
				s.record(first, set)
			}
			s.r.between[set*len(s.r.sets)+set] = s.distance[first]
		}
	}
}

// switchOf returns the switch that is an edge.
func (s *search) switchOf(edge int32) int32 { return s.r.ordinal[s.edges[edge]] }

// record enters the next hops towards a set into the table of a switch: the ports that lead one link nearer to the edge of
// the last spread by a way of the policy.
func (s *search) record(sw int32, set int) {
	s.hops = s.hops[:0]
	for _, n := range s.neighbours[sw] {
		if s.distance[n.sw] == s.distance[sw]-1 && s.policy.follows(sw, n.sw) {
			s.hops = append(s.hops, n.port)
		}
	}
	s.r.switches[sw].bySet[set] = s.intern(sw, set)
}

// recordApart enters the next hops towards each edge of a set into the table of a switch that is cabled to all of them:
// the cables themselves.
func (s *search) recordApart(sw int32, set int) {
	table := &s.r.switches[sw]
	table.bySet[set] = apart | uint32(len(table.byEdge))
	s.cables = s.cables[:0]
	for _, n := range s.neighbours[sw] {
		if edge := s.r.switches[n.sw].edge; edge >= 0 && s.r.siblings[edge].set == uint32(set) {
			s.cables = append(s.cables, n)
		}
	}
	slices.SortStableFunc(s.cables, func(a, b neighbour) int { return cmp.Compare(a.sw, b.sw) })
	for left := s.cables; len(left) > 0; {
		s.hops = s.hops[:0]
		for edge := left[0].sw; len(left) > 0 && left[0].sw == edge; left = left[1:] {
			s.hops = append(s.hops, left[0].port)
		}
		table.byEdge = append(table.byEdge, table.add(s.hops))
	}
}

// intern returns where s.hops stands in the pool of sw, and adds it if it is new. Neighbouring sets of edges are mostly
// reached by the same ports, so those of the set before are tried first.
func (s *search) intern(sw int32, set int) uint32 {
	table := &s.r.switches[sw]
	if set > 0 {
		if before := table.bySet[set-1]; before&apart == 0 && table.sameHops(before, s.hops) {
			return before
		}
	}
	s.key = s.key[:0]
	for _, port := range s.hops {
		s.key = binary.LittleEndian.AppendUint16(s.key, port)
	}
	if s.interned[sw] == nil {
		s.interned[sw] = map[string]uint32{"": 0}
	}
	at, known := s.interned[sw][string(s.key)]
	if !known {
		at = table.add(s.hops)
		s.interned[sw][string(s.key)] = at
	}
	return at
}

// add adds a set of ports to the pool and returns where it stands there.
func (s *SwitchRoutes) add(hops []uint16) (at uint32) {
	at = uint32(len(s.pool))
	s.pool = append(append(s.pool, uint16(len(hops))), hops...)
	return at
}

// sameHops reports whether the set at offset at is hops.
func (s *SwitchRoutes) sameHops(at uint32, hops []uint16) bool {
	set := s.pool[at:]
	return int(set[0]) == len(hops) && slices.Equal(set[1:1+len(hops)], hops)
}
