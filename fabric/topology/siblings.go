package topology

import (
	"encoding/binary"
	"iter"
	"slices"
)

// sibling is an edge's place in its set of siblings: edges with cables to the same other switches, as many to each, such as
// the top-of-rack switches of a pod, or all leaves under the same spines. If two siblings changed places, nothing that
// routes depend on would change. So a switch reaches all of a set over the same ports, unless it is cabled to them or one
// of them itself; and how far it is to one of a set does not depend on which.
//
// An edge that has no siblings is a set of its own.
type sibling struct{ set, place uint32 }

// findSiblings numbers the sets of siblings in the order of their first edges.
func (s *search) findSiblings() {
	known := map[string]uint32{}
	for edge, sw := range s.edges {
		key := s.likeness(s.r.ordinal[sw])
		set, is := known[string(key)]
		if !is || s.r.graph.Routing == Clockwise { // on a ring no two switches are alike
			set = uint32(len(s.r.sets))
			known[string(key)] = set
			s.r.sets = append(s.r.sets, nil)
		}
		s.r.siblings[edge] = sibling{set: set, place: uint32(len(s.r.sets[set]))}
		s.r.sets[set] = append(s.r.sets[set], int32(edge))
	}
}

// likeness is what an edge has in common with its siblings: the switches that it is cabled to, and whether each of them is
// above it, where that matters.
func (s *search) likeness(sw int32) []byte {
	above := make([]int32, 0, len(s.neighbours[sw]))
	for _, n := range s.neighbours[sw] {
		peer := 2 * n.sw
		if s.r.rank != nil && s.r.rank[n.sw] < s.r.rank[sw] {
			peer++
		}
		above = append(above, peer)
	}
	slices.Sort(above)
	s.key = s.key[:0]
	for _, peer := range above {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(peer))
	}
	return s.key
}

// isIn tells whether a switch is an edge of a set of siblings.
func (r *Routes) isIn(sw, set int) bool {
	edge := r.Switch(sw).edge
	return edge >= 0 && r.siblings[edge].set == uint32(set)
}

// towards yields the ports of a switch that lead to any edge of a set.
func (r *Routes) towards(sw, set int) iter.Seq[uint16] {
	s := r.Switch(sw)
	starts := s.bySet[set : set+1]
	if at := starts[0]; at&apart != 0 {
		starts = s.byEdge[at&^apart:][:len(r.sets[set])]
	}
	return func(yield func(port uint16) bool) {
		for _, at := range starts {
			for _, port := range s.pool[at+1:][:s.pool[at]] {
				if !yield(port) {
					return
				}
			}
		}
	}
}
