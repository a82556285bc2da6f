package collective

import "github.com/rdmasim/rdmasim/sim/units"

// recursiveDoubling is what MPI libraries do with little data (Thakur, Rabenseifner and Gropp, 2005).
var recursiveDoubling = Algorithm{
	Name: "recursive-doubling",
	Doc: "ranks at distances 1, 2, 4 … exchange all that they have summed up; ranks beyond a power of two hand theirs to another " +
		"before, and get the result after. Nothing is cut into pieces",
	Kinds:   []Kind{AllReduce},
	Exceeds: true,
	Fits:    anyShape,
	Plan: func(_ Kind, s Shape, rank, _, _ int) Plan {
		return fold(s.Ranks, rank, 1, func(all *Strand, power, surplus, own int) {
			for d := 1; d < power; d *= 2 {
				peer := unfolded(surplus, own^d)
				all.exchange(Send{Peer: peer, Count: 1}, Receive{Peer: peer, Count: 1, Reduce: true})
			}
		})
	},
	Theory: recursiveDoublingTheory,
}

// recursiveDoublingTheory is log2 n·(alpha + size/rate); for a number that is no power of two 2·(alpha + size/rate) more than
// for the next lower one.
func recursiveDoublingTheory(_ Kind, s Shape, size units.Bytes, _ int, c Cost) (all units.Time) {
	power, surplus, _ := folded(s.Ranks, 0)
	for d := 1; d < power; d *= 2 {
		all += c.round(s, d, size)
	}
	return all + c.folding(s, surplus, size)
}
