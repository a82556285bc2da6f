package collective

import "github.com/rdmasim/rdmasim/sim/units"

// doubleTree is the all-reduce of Sanders, Speck and Träff (Two-tree algorithms for full bandwidth broadcast, reduction and
// scan, 2009), as NCCL has it since 2.4.
var doubleTree = Algorithm{
	Name: "double-tree",
	Doc: "two binary trees with half of the data each, so that who is inside one is a leaf of the other; each half is cut into " +
		"pieces. On a node ranks are a chain",
	Kinds:   []Kind{AllReduce},
	Railed:  true,
	Exceeds: true,
	Fits:    anyShape,
	Plan: func(k Kind, s Shape, rank, _, pieces int) Plan {
		p := Plan{Chunks: int32(2 * pieces)}
		for i, in := range []arrange{upright, complement} {
			p.Strands = treeStrands(p.Strands, k, treeBranch(s, rank, 0, in), int32(i*pieces), pieces)
		}
		return p
	},
	Theory: func(k Kind, s Shape, size units.Bytes, pieces int, c Cost) units.Time {
		return treeTheory(k, s, part(size, 2), pieces, c, upright, complement)
	},
}

// complement turns the tree around if the number of nodes is even, and shifts it by one if it is odd, so that leaves of
// the one are inside the other (ncclGetDtree in NCCL's graph/trees.cc).
var complement = arrange{
	place: func(node, nodes int) int {
		if nodes%2 == 0 {
			return nodes - 1 - node
		}
		return (node + nodes - 1) % nodes
	},
	node: func(place, nodes int) int {
		if nodes%2 == 0 {
			return nodes - 1 - place
		}
		return (place + 1) % nodes
	},
}
