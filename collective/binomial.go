package collective

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// binomial is what MPI libraries do with little data (Thakur, Rabenseifner and Gropp, 2005).
var binomial = Algorithm{
	Name: "binomial",
	Doc: "who has the data hands it to a rank at half the distance in each round, so that twice as many have it; a reduce goes the " +
		"other way. Nothing is cut into pieces",
	Kinds:  []Kind{Broadcast, Reduce},
	Whole:  true,
	Fits:   anyShape,
	Plan:   binomialPlan,
	Theory: binomialTheory,
}

// binomialBelow are the places below one in the tree of so many, the one with most below it first.
func binomialBelow(n, place int) (below []int) {
	bit := place & -place
	if place == 0 {
		bit = 1 << rounds(n)
	}
	for bit /= 2; bit > 0; bit /= 2 {
		if place+bit < n {
			below = append(below, place+bit)
		}
	}
	return below
}

func binomialPlan(k Kind, s Shape, rank, root, _ int) Plan {
	n := s.Ranks
	place := (rank - root + n) % n
	above := int32((place&(place-1) + root) % n)
	below := binomialBelow(n, place)
	var all Strand
	if k == Broadcast && place > 0 {
		all.Receives = append(all.Receives, Receive{Peer: above, Count: 1})
	}
	for i := range below {
		if k == Reduce {
			b := int32((below[len(below)-1-i] + root) % n)
			all.Receives = append(all.Receives, Receive{Peer: b, Count: 1, Reduce: true})
			continue
		}
		b := int32((below[i] + root) % n)
		all.Sends = append(all.Sends, Send{Peer: b, Count: 1, After: int32(len(all.Receives))})
	}
	if k == Reduce && place > 0 {
		all.Sends = append(all.Sends, Send{Peer: above, Count: 1, After: int32(len(all.Receives))})
	}
	all.InTurn = len(all.Sends) > 1
	return Plan{Chunks: 1, Strands: []Strand{all}}
}

// binomialTheory is ⌈log2 n⌉·(alpha + size/rate) for a power of two of ranks, else at most that: then the rank that is the
// last to have the data may be fewer messages away from the root. It is that of root 0, and of ranks that know at once what has
// been sent.
func binomialTheory(k Kind, s Shape, size units.Bytes, _ int, c Cost) (last units.Time) {
	n := s.Ranks
	has := make([]units.Time, n) // when each place has what it passes on
	if k == Broadcast {
		for place := range n {
			var sending [2]units.Time // to other nodes, and within its own
			for _, b := range binomialBelow(n, place) {
				busy, arrives := c.of(s, place, b, size)
				at := &sending[port(s, place, b)]
				has[b] = has[place] + *at + arrives
				*at += busy
				last = max(last, has[b])
			}
		}
		return last
	}
	for place := n - 1; place >= 0; place-- {
		below := binomialBelow(n, place)
		begins := func(b int) units.Time { // of the message of one below to come in
			busy, arrives := c.of(s, b, place, size)
			return has[b] + arrives - busy
		}
		slices.SortStableFunc(below, func(a, b int) int { return cmp.Compare(begins(a), begins(b)) })
		var receiving [2]units.Time
		for _, b := range below {
			busy, _ := c.of(s, b, place, size)
			at := &receiving[port(s, b, place)]
			*at = max(*at, begins(b)) + busy
			has[place] = max(has[place], *at)
		}
	}
	return has[0]
}

// port is 1 for a message within a node, 0 for one between nodes: by which of a rank's two ports it goes.
func port(s Shape, a, b int) int {
	if s.Joined(a, b) {
		return 1
	}
	return 0
}
