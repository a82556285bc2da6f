package collective

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// dissemination is the barrier of Hensgen, Finkel and Manber (Two algorithms for barrier synchronization, 1988), which MPI
// libraries use.
var dissemination = Algorithm{
	Name:   "dissemination",
	Doc:    "in round k each rank tells the one 2^k after it that it has come, and all of whom it knows that they have; nothing is cut into pieces",
	Kinds:  []Kind{Barrier},
	Whole:  true,
	Fits:   anyShape,
	Plan:   disseminationPlan,
	Theory: disseminationTheory,
}

// rounds is ⌈log2 n⌉.
func rounds(n int) int { return bits.Len(uint(n - 1)) }

func disseminationPlan(_ Kind, s Shape, rank, _, _ int) Plan {
	n := s.Ranks
	var all Strand
	for round := range rounds(n) {
		all.Sends = append(all.Sends, Send{Peer: int32((rank + 1<<round) % n), After: int32(round)})
		all.Receives = append(all.Receives, Receive{Peer: int32((rank - 1<<round + n) % n)})
	}
	return Plan{Strands: []Strand{all}}
}

// disseminationTheory is ⌈log2 n⌉·alpha; less if messages of some rounds stay in a node.
func disseminationTheory(_ Kind, s Shape, _ units.Bytes, _ int, c Cost) (last units.Time) {
	n := s.Ranks
	goes, went := make([]units.Time, n), make([]units.Time, n) // when each rank goes on to the next round, and to the one before it
	for round := range rounds(n) {
		goes, went = went, goes
		for rank := range n {
			from := (rank - 1<<round + n) % n
			_, arrives := c.of(s, from, rank, 0)
			goes[rank] = max(went[rank], went[from]+arrives)
			last = max(last, goes[rank])
		}
	}
	return last
}
