package topology

import (
	"encoding/binary"
	"slices"
)

// search works out the routes towards one edge after the other. It numbers switches by their ordinal.
type search struct {
	r      *Routes
	edges  []int // the edges' nodes
	policy policy

	neighbours [][]neighbour // by switch, other switches only
	distance   []int32       // of each switch from the current edge
	hops       []uint16
	key        []byte
	interned   []map[string]uint32 // by switch: where in its pool a set stands
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
	ports := identity(g)
	for i, sw := range g.switches {
		r.switches[i] = SwitchRoutes{
			edge: noEdge, byEdge: make([]uint32, len(edges)), pool: []uint16{0}, ports: ports,
		}
		s.interned[i] = map[string]uint32{"": 0}
		for port, p := range g.ports[sw] {
			if g.Nodes[p.Peer].Kind == Switch && (dead == nil || !dead[p.Link]) {
				s.neighbours[i] = append(s.neighbours[i], neighbour{sw: r.ordinal[p.Peer], port: uint16(port)})
			}
		}
	}
	for edge, sw := range edges {
		r.Switch(sw).edge = int32(edge)
	}
	s.policy = s.policyOf(g.Routing, r.rank)
	return s
}

// identity returns the numbers 0, 1, 2 … of as many ports as the largest switch has.
func identity(g *Graph) []uint16 {
	most := 0
	for _, sw := range g.switches {
		most = max(most, len(g.ports[sw]))
	}
	ports := make([]uint16, most)
	for i := range ports {
		ports[i] = uint16(i)
	}
	return ports
}

func (s *search) run() {
	for edge, sw := range s.edges {
		s.policy.spread(s.r.ordinal[sw], s.distance)
		s.record(edge)
	}
}

// record enters the next hops towards edge into the tables of all switches: the ports that lead one link nearer by a way
// of the policy.
func (s *search) record(edge int) {
	for sw, distance := range s.distance {
		if distance == 0 || distance == unreachable {
			continue
		}
		s.hops = s.hops[:0]
		for _, n := range s.neighbours[sw] {
			if s.distance[n.sw] == distance-1 && s.policy.follows(int32(sw), n.sw) {
				s.hops = append(s.hops, n.port)
			}
		}
		s.r.switches[sw].byEdge[edge] = s.intern(int32(sw), edge)
	}
	for other, sw := range s.edges {
		s.r.between[other*len(s.edges)+edge] = s.distance[s.r.ordinal[sw]]
	}
}

// intern returns where s.hops stands in the pool of sw, and adds it if it is new. Neighbouring edges are mostly reached
// by the same ports, so the set of the edge before is tried first.
func (s *search) intern(sw int32, edge int) uint32 {
	table := &s.r.switches[sw]
	if edge > 0 {
		if before := table.byEdge[edge-1]; table.sameHops(before, s.hops) {
			return before
		}
	}
	s.key = s.key[:0]
	for _, port := range s.hops {
		s.key = binary.LittleEndian.AppendUint16(s.key, port)
	}
	at, known := s.interned[sw][string(s.key)]
	if !known {
		at = uint32(len(table.pool))
		table.pool = append(append(table.pool, uint16(len(s.hops))), s.hops...)
		s.interned[sw][string(s.key)] = at
	}
	return at
}

// sameHops reports whether the set at offset at is hops.
func (s *SwitchRoutes) sameHops(at uint32, hops []uint16) bool {
	set := s.pool[at:]
	return int(set[0]) == len(hops) && slices.Equal(set[1:1+len(hops)], hops)
}
