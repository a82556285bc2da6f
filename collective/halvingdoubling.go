package collective

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// halvingDoubling is that of Rabenseifner (Optimization of collective reduction operations, 2004) and of Thakur,
// Rabenseifner and Gropp (Optimization of collective communication operations in MPICH, 2005).
var halvingDoubling = Algorithm{
	Name: "halving-doubling",
	Doc: "ranks at half the distance exchange half as much in each round until each has its part of the sum, then the other way " +
		"round; ranks beyond a power of two hand theirs to another before, and get the result after. Nothing is cut into pieces",
	Kinds:   []Kind{AllReduce, ReduceScatter},
	Exceeds: true,
	Fits: func(k Kind, s Shape) error {
		if k == AllReduce {
			return nil
		}
		return powerOfTwo("halving-doubling", k, s)
	},
	Plan:   halvingDoublingPlan,
	Theory: halvingDoublingTheory,
}

// folded is which number a rank has among a power of two of them. The first ranks are pairs, of which the even one hands
// its data to the odd one, so that as many ranks are left: its number is -1.
func folded(n, rank int) (power, surplus, own int) {
	power = 1 << (bits.Len(uint(n)) - 1)
	surplus = n - power
	switch {
	case rank >= 2*surplus:
		return power, surplus, rank - surplus
	case rank%2 == 0:
		return power, surplus, -1
	}
	return power, surplus, rank / 2
}

// unfolded is the rank of such a number.
func unfolded(surplus, own int) int32 {
	if own < surplus {
		return int32(2*own + 1)
	}
	return int32(own + surplus)
}

// fold surrounds what a rank does among a power of two of ranks by what it does with the one that it is paired with.
func fold(n, rank int, chunks int32, inside func(all *Strand, power, surplus, own int)) Plan {
	power, surplus, own := folded(n, rank)
	var all Strand
	switch {
	case own < 0:
		all.Sends = append(all.Sends, Send{Peer: int32(rank + 1), Count: chunks})
		all.Receives = append(all.Receives, Receive{Peer: int32(rank + 1), Count: chunks})
	case rank < 2*surplus:
		all.Receives = append(all.Receives, Receive{Peer: int32(rank - 1), Count: chunks, Reduce: true})
		inside(&all, power, surplus, own)
		all.Sends = append(all.Sends, Send{Peer: int32(rank - 1), Count: chunks, After: int32(len(all.Receives))})
	default:
		inside(&all, power, surplus, own)
	}
	return Plan{Chunks: chunks, Strands: []Strand{all}}
}

// exchange adds a message that goes when all that the strand has so far has come, and one that comes from the same rank.
func (s *Strand) exchange(out Send, in Receive) {
	out.After = int32(len(s.Receives))
	s.Sends, s.Receives = append(s.Sends, out), append(s.Receives, in)
}

func halvingDoublingPlan(k Kind, s Shape, rank, _, _ int) Plan {
	power := int32(1) << (bits.Len(uint(s.Ranks)) - 1)
	return fold(s.Ranks, rank, power, func(all *Strand, power, surplus, own int) {
		for d := power / 2; d >= 1; d /= 2 {
			peer := unfolded(surplus, own^d)
			all.exchange(Send{Peer: peer, First: int32((own ^ d) &^ (d - 1)), Count: int32(d)},
				Receive{Peer: peer, First: int32(own &^ (d - 1)), Count: int32(d), Reduce: true})
		}
		for d := 1; d < power && k == AllReduce; d *= 2 {
			peer := unfolded(surplus, own^d)
			all.exchange(Send{Peer: peer, First: int32(own &^ (d - 1)), Count: int32(d)},
				Receive{Peer: peer, First: int32((own ^ d) &^ (d - 1)), Count: int32(d)})
		}
	})
}

// halvingDoublingTheory is 2·log2 n·alpha + 2·(n-1)/n·size/rate; half of it for a reduce-scatter; for a
// number that is no power of two about 2·(alpha + size/rate) more than for the next lower one.
func halvingDoublingTheory(k Kind, s Shape, size units.Bytes, _ int, c Cost) (all units.Time) {
	power, surplus, _ := folded(s.Ranks, 0)
	for d := 1; d < power; d *= 2 {
		all += c.round(s, d, part(size, power)*units.Bytes(d))
	}
	if k == AllReduce {
		all *= 2
	}
	return all + c.folding(s, surplus, size)
}

// round is what it takes that all ranks exchange a message with the one at a distance, among a power of two of them. It is
// reckoned to be one within nodes if it is so for all.
func (c Cost) round(s Shape, distance int, size units.Bytes) units.Time {
	_, surplus, _ := folded(s.Ranks, 0)
	if s.Nodes() == 1 || surplus == 0 && s.PerNode%(2*distance) == 0 {
		_, arrives := c.within(size)
		return arrives
	}
	_, arrives := c.between(size)
	return arrives
}

// folding is what it takes that ranks beyond a power of two hand their data to others before, and get it back after.
func (c Cost) folding(s Shape, surplus int, size units.Bytes) units.Time {
	if surplus == 0 {
		return 0
	}
	_, arrives := c.between(size)
	if s.Nodes() == 1 || s.PerNode%2 == 0 {
		_, arrives = c.within(size)
	}
	return 2 * arrives
}
