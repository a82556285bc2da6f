package collective

import "github.com/rdmasim/rdmasim/sim/units"

// recursiveDoubling is what MPI libraries do with little data (Thakur, Rabenseifner and Gropp, 2005).
var recursiveDoubling = Algorithm{
	Name: "recursive-doubling",
	Doc: "ranks at distances 1, 2, 4 … exchange all that they have summed up; ranks beyond a power of two hand theirs to another " +
		"before, and get the result after, and who waits for them asks its peers to send. Nothing is cut into pieces",
	Kinds:   []Kind{AllReduce},
	Whole:   true,
	Exceeds: true,
	Fits:    anyShape,
	Plan: func(_ Kind, s Shape, rank, _, _ int) Plan {
		return doublingRounds(s.Ranks).fold(s.Ranks, rank, 1, func(int, int) (Send, Receive) {
			return Send{Count: 1}, Receive{Count: 1, Reduce: true}
		})
	},
	Theory: recursiveDoublingTheory,
}

// doublingRounds are those among so many ranks.
func doublingRounds(n int) *doubling {
	power, surplus, _ := folded(n, 0)
	out := &doubling{power: power, surplus: surplus}
	for d := 1; d < power; d *= 2 {
		out.rounds = append(out.rounds, doublingRound{d, 1})
	}
	return out
}

// recursiveDoublingTheory is log2 n·(alpha + size/rate); for a number that is no power of two 2·(alpha + size/rate) more than
// for the next lower one, and an alpha for each round in which some ask others, whose peers had less to do before, to send.
func recursiveDoublingTheory(_ Kind, s Shape, size units.Bytes, _ int, c Cost) units.Time {
	return doublingRounds(s.Ranks).time(s, c, size, size)
}
