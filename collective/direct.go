package collective

import "github.com/rdmasim/rdmasim/sim/units"

// direct is an all-to-all as NCCL's applications write it: all sends and receives at once, in a group.
var direct = Algorithm{
	Name:    "direct",
	Doc:     "each rank posts the messages for all others at once, those for its own node and the next ones first; nothing is cut into pieces",
	Kinds:   []Kind{AllToAll},
	Whole:   true,
	Exceeds: true,
	Fits:    anyShape,
	Plan:    directPlan,
	Theory:  directTheory,
}

func directPlan(_ Kind, s Shape, rank, _, _ int) Plan {
	m, g := s.Nodes(), s.PerNode
	node, own := rank/g, rank%g
	var all Strand
	// So many nodes on, and so many places on in the node: each time every rank sends to another one, all of them within
	// their nodes or none.
	for nodes := range m {
		for places := range g {
			if nodes == 0 && places == 0 {
				continue
			}
			to := int32((node+nodes)%m*g + (own+places)%g)
			from := int32((node+m-nodes)%m*g + (own+g-places)%g)
			all.Sends = append(all.Sends, Send{Peer: to, First: to, Count: 1})
			all.Receives = append(all.Receives, Receive{Peer: from, First: from, Count: 1})
		}
	}
	return Plan{Chunks: int32(s.Ranks), Strands: []Strand{all}, Apart: true}
}

// directTheory is alpha + (n-1)/n·size/rate; with several ranks on a node, what goes to the other nodes and what stays in
// the node at the same time.
func directTheory(_ Kind, s Shape, size units.Bytes, _ int, c Cost) units.Time {
	length := part(size, s.Ranks)
	var outer, inner units.Time
	if n := s.Ranks - s.PerNode; n > 0 {
		busy, arrives := c.between(length)
		outer = units.Time(n-1)*busy + arrives
	}
	if n := s.PerNode - 1; n > 0 {
		busy, _ := c.within(length)
		inner = units.Time(n)*busy + c.LocalAlpha
	}
	return max(outer, inner)
}
