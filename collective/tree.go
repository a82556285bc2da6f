package collective

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// tree is a binary tree of nodes, on each of which ranks are a chain from the one that is in the tree on.
var tree = Algorithm{
	Name: "tree",
	Doc: "sums go up a binary tree, results come down it, a piece after the other; the whole is cut into pieces. On a node ranks " +
		"are a chain",
	Kinds:   []Kind{AllReduce, Broadcast, Reduce},
	Railed:  true,
	Exceeds: true,
	Fits:    anyShape,
	Plan: func(k Kind, s Shape, rank, root, pieces int) Plan {
		b := treeBranch(s, rank, root, upright)
		return Plan{Chunks: int32(pieces), Strands: treeStrands(nil, k, b, 0, pieces)}
	},
	Theory: func(k Kind, s Shape, size units.Bytes, pieces int, c Cost) units.Time {
		return treeTheory(k, s, size, pieces, c, upright)
	},
}

// arrange says which node of a tree has a place in it, and which place a node has.
type arrange struct {
	place func(node, nodes int) int
	node  func(place, nodes int) int
}

// upright has each node at the place of its number.
var upright = arrange{
	place: func(node, _ int) int { return node },
	node:  func(place, _ int) int { return place },
}

// branch is where a rank is in a tree.
type branch struct {
	up    int // the rank above; negative at the root
	downs []int
}

// binary is where a place is in the binary tree of so many, as NCCL builds it (ncclGetBtree in graph/trees.cc): what is
// below a place lies around it, and the odd ones are leaves. Place 0 is the root, with one below it.
func binary(n, place int) (up int, downs []int) {
	if place == 0 {
		if n > 1 {
			downs = []int{1 << (bits.Len(uint(n-1)) - 1)}
		}
		return -1, downs
	}
	bit := place & -place
	if up = place ^ bit | bit<<1; up >= n {
		up = place ^ bit
	}
	if bit == 1 {
		return up, nil
	}
	downs = []int{place - bit/2}
	for low := bit / 2; low > 0; low /= 2 {
		if place+low < n {
			return up, append(downs, place+low)
		}
	}
	return up, downs
}

// treeBranch is where a rank is in the tree of an arrangement, turned so that the root is at its top.
func treeBranch(s Shape, rank, root int, in arrange) (b branch) {
	m, g := s.Nodes(), s.PerNode
	node, own := (rank/g-root/g+m)%m, (rank%g-root%g+g)%g
	at := func(node, own int) int { return (node+root/g)%m*g + (own+root%g)%g }
	if own < g-1 {
		b.downs = append(b.downs, at(node, own+1))
	}
	up, downs := binary(m, in.place(node, m))
	if own > 0 {
		b.up = at(node, own-1)
		return b
	}
	for _, d := range downs {
		b.downs = append(b.downs, at(in.node(d, m), 0))
	}
	if b.up = -1; up >= 0 {
		b.up = at(in.node(up, m), 0)
	}
	return b
}

// treeStrands adds the strands of a rank in a tree to others: one up and one down, or that of the two that a kind has. The
// tree has the chunks from first on.
func treeStrands(others []Strand, k Kind, b branch, first int32, pieces int) []Strand {
	var up, down Strand
	above, below := int8(len(others)), int8(len(others))
	for i := range int32(pieces) {
		if k != Broadcast {
			for _, d := range b.downs {
				up.Receives = append(up.Receives, Receive{Peer: int32(d), First: first + i, Count: 1, Reduce: true})
			}
			if b.up >= 0 {
				up.Sends = append(up.Sends, Send{Peer: int32(b.up), First: first + i, Count: 1,
					After: int32(len(up.Receives)), Strand: below})
			}
		}
		if k != Reduce {
			after := int32(len(up.Receives))
			if k == AllReduce {
				above = below + 1
			}
			if b.up >= 0 {
				down.Receives = append(down.Receives, Receive{Peer: int32(b.up), First: first + i, Count: 1})
				after = i + 1
			} else if k == AllReduce {
				above = below // the root sends down what has come up
			}
			for _, d := range b.downs {
				down.Sends = append(down.Sends, Send{Peer: int32(d), First: first + i, Count: 1, After: after, Strand: above})
			}
		}
	}
	switch k {
	case Broadcast:
		return append(others, down)
	case Reduce:
		return append(others, up)
	}
	return append(others, up, down)
}

// treeTheory is how long the first piece takes, and then what the busiest port has to send or receive for each of the
// others. In a tree of n = 2^d nodes the first takes d·alpha + (2d-1)·piece/rate up, since one port receives what both ranks
// below it send, and as long down. With many pieces an all-reduce of size S comes to 2·d·alpha + 3·S/rate in one tree, where
// ranks inside it send and receive the data three times, and to 2·d·alpha + 2·S/rate in two, where they are leaves of the
// other; a broadcast and a reduce to d·alpha + 2·S/rate. What ports do beside passing on the first piece, and while the last
// pieces are passed on, is not in it: that is up to a few pieces more or less.
func treeTheory(k Kind, s Shape, size units.Bytes, pieces int, c Cost, trees ...arrange) units.Time {
	n := s.Ranks
	length := part(size, pieces)
	var first units.Time
	loads := make([][2]units.Time, n) // of each rank's ports, for a piece of every tree
	for _, in := range trees {
		has := make([]units.Time, n)
		for next := []int{topOf(s, in)}; len(next) > 0; next = next[1:] {
			rank := next[0]
			var sending [2]units.Time
			for _, b := range treeBranch(s, rank, 0, in).downs {
				busy, arrives := c.of(s, rank, b, length)
				at := port(s, rank, b)
				has[b] = has[rank] + sending[at] + arrives
				sending[at] += busy
				loads[rank][at] += busy
				if k == AllReduce {
					loads[b][at] += busy
				}
				first = max(first, has[b])
				next = append(next, b)
			}
		}
	}
	var busiest units.Time
	for _, l := range loads {
		busiest = max(busiest, l[0], l[1])
	}
	if k == AllReduce {
		first *= 2
	}
	return first + units.Time(pieces-1)*busiest
}

// topOf is the rank at the top of a tree.
func topOf(s Shape, in arrange) int { return in.node(0, s.Nodes()) * s.PerNode }
