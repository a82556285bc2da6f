package collective

import "github.com/rdmasim/rdmasim/sim/units"

// chain is a broadcast or a reduce along the ranks, as MPI libraries have it for much data; NCCL's ring does the same.
var chain = Algorithm{
	Name:   "chain",
	Doc:    "the root sends to the next rank, which passes on what it gets, a piece after the other; a reduce ends at the root. The whole is cut into pieces",
	Kinds:  []Kind{Broadcast, Reduce},
	Railed: true,
	Fits:   anyShape,
	Plan:   chainPlan,
	Theory: chainTheory,
}

// chainPlan passes pieces along the ranks in their order: from the root on to the last before it in a broadcast, from the
// first after the root to the root in a reduce.
func chainPlan(k Kind, s Shape, rank, root, pieces int) Plan {
	n := s.Ranks
	place := (rank - root + n) % n // from the root on
	if k == Reduce {
		place = (rank - root - 1 + 2*n) % n // the root is the last
	}
	var all Strand
	for piece := range int32(pieces) {
		var after int32
		if place > 0 {
			all.Receives = append(all.Receives, Receive{Peer: int32((rank + n - 1) % n), First: piece, Count: 1, Reduce: k == Reduce})
			after = piece + 1
		}
		if place < n-1 {
			all.Sends = append(all.Sends, Send{Peer: int32((rank + 1) % n), First: piece, Count: 1, After: after})
		}
	}
	return Plan{Chunks: int32(pieces), Strands: []Strand{all}}
}

// chainTheory is (n-2+pieces)·size/pieces/rate + (n-1)·alpha: a piece passes n-1 ranks, and the others follow it at the
// rate of the slowest link. It is that of root 0, to which a reduce comes over one more link between nodes; other roots may
// make it a link more or less.
func chainTheory(k Kind, s Shape, size units.Bytes, pieces int, c Cost) units.Time {
	if s.Ranks == 1 {
		return 0
	}
	length := part(size, pieces)
	inner, innerArrives := c.within(length)
	outer, outerArrives := c.between(length)
	nodes := units.Time(s.Nodes() - 1)
	if k == Reduce && nodes > 0 && s.PerNode > 1 {
		nodes++
	}
	within := units.Time(s.Ranks-1) - nodes
	slowest := outer
	if nodes == 0 {
		slowest = inner
	}
	if within > 0 {
		slowest = max(slowest, inner)
	} else {
		innerArrives = 0
	}
	return nodes*outerArrives + within*innerArrives + units.Time(pieces-1)*slowest
}
