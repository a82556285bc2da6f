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
		"round; ranks beyond a power of two hand theirs to another before, and get the result after, and who waits for them asks its " +
		"peers to send. Nothing is cut into pieces",
	Kinds:   []Kind{AllReduce, ReduceScatter},
	Whole:   true,
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

// doubling is rounds in which each of a power of two of ranks exchanges something with the one at a distance, after those
// beyond it have handed over what they have.
type doubling struct {
	power, surplus int
	rounds         []doublingRound
}

// doublingRound is a distance, and how long the message is in chunks.
type doublingRound struct{ distance, chunks int }

// lateness is how many messages follow each other until a rank has come to a round, and by how many others of no length it was
// asked to.
type lateness struct{ messages, asked int }

// waiting tells of each round and rank, by its number among the power of two, whether it waits to be asked by its peer. Those
// whose peers have more to do before would else send into what these receive, and delay it.
func (d *doubling) waiting() [][]bool {
	if d.surplus == 0 {
		return make([][]bool, len(d.rounds))
	}
	at := make([]lateness, d.power)
	for own := range d.surplus {
		at[own].messages = 1
	}
	all := make([][]bool, 0, len(d.rounds))
	for _, r := range d.rounds {
		waits, next := make([]bool, d.power), make([]lateness, d.power)
		for own := range d.power {
			here, there := at[own], at[own^r.distance]
			waits[own] = there.messages > here.messages || there.messages == here.messages && there.asked > here.asked+1
			late := here
			if there.messages > here.messages || there.messages == here.messages && there.asked > here.asked {
				late = there
			}
			late.messages++
			if waits[own] || here.messages > there.messages || here.messages == there.messages && here.asked > there.asked+1 {
				late.asked++
			}
			next[own] = late
		}
		all, at = append(all, waits), next
	}
	return all
}

// fold surrounds the rounds of a rank among a power of two of ranks by what it does with the one that it is paired with.
func (d *doubling) fold(n, rank int, chunks int32, messages func(round, own int) (Send, Receive)) Plan {
	_, _, own := folded(n, rank)
	var all Strand
	if own < 0 {
		all.Sends = append(all.Sends, Send{Peer: int32(rank + 1), Count: chunks})
		all.Receives = append(all.Receives, Receive{Peer: int32(rank + 1), Count: chunks})
		return Plan{Chunks: chunks, Strands: []Strand{all}}
	}
	if own < d.surplus {
		all.Receives = append(all.Receives, Receive{Peer: int32(rank - 1), Count: chunks, Reduce: true})
	}
	for i, waits := range d.waiting() {
		other := own ^ d.rounds[i].distance
		peer := unfolded(d.surplus, other)
		switch {
		case waits == nil:
		case waits[other]:
			all.Sends = append(all.Sends, Send{Peer: peer, After: int32(len(all.Receives))})
		case waits[own]:
			all.Receives = append(all.Receives, Receive{Peer: peer})
		}
		out, in := messages(i, own)
		out.Peer, in.Peer = peer, peer
		all.exchange(out, in)
	}
	if own < d.surplus {
		all.Sends = append(all.Sends, Send{Peer: int32(rank - 1), Count: chunks, After: int32(len(all.Receives))})
	}
	return Plan{Chunks: chunks, Strands: []Strand{all}}
}

// time is what all rounds take, with chunks of a length.
func (d *doubling) time(s Shape, c Cost, size, chunk units.Bytes) (last units.Time) {
	at, next := make([]units.Time, d.power), make([]units.Time, d.power)
	takes := func(from, to int, size units.Bytes) units.Time {
		_, arrives := c.of(s, int(unfolded(d.surplus, from)), int(unfolded(d.surplus, to)), size)
		return arrives
	}
	folding := func(own int) units.Time {
		_, arrives := c.of(s, 2*own, 2*own+1, size)
		return arrives
	}
	for own := range d.surplus {
		at[own] = folding(own)
	}
	for i, waits := range d.waiting() {
		r := d.rounds[i]
		for own := range d.power {
			peer := own ^ r.distance
			goes := at[peer]
			if waits != nil && waits[peer] {
				goes = max(goes, at[own]+takes(own, peer, 0))
			}
			next[own] = max(at[own], goes+takes(peer, own, units.Bytes(r.chunks)*chunk))
		}
		at, next = next, at
	}
	for own, t := range at {
		if own < d.surplus {
			t += folding(own)
		}
		last = max(last, t)
	}
	return last
}

// exchange adds a message that goes when all that the strand has so far has come, and one that comes from the same rank.
func (s *Strand) exchange(out Send, in Receive) {
	out.After = int32(len(s.Receives))
	s.Sends, s.Receives = append(s.Sends, out), append(s.Receives, in)
}

// halvingRounds are those of a kind among so many ranks.
func halvingRounds(k Kind, n int) *doubling {
	power, surplus, _ := folded(n, 0)
	out := &doubling{power: power, surplus: surplus}
	for d := power / 2; d >= 1; d /= 2 {
		out.rounds = append(out.rounds, doublingRound{d, d})
	}
	for d := 1; d < power && k == AllReduce; d *= 2 {
		out.rounds = append(out.rounds, doublingRound{d, d})
	}
	return out
}

func halvingDoublingPlan(k Kind, s Shape, rank, _, _ int) Plan {
	d := halvingRounds(k, s.Ranks)
	halving := rounds(d.power)
	return d.fold(s.Ranks, rank, int32(d.power), func(round, own int) (Send, Receive) {
		at := d.rounds[round].distance
		kept, given := int32(own&^(at-1)), int32((own^at)&^(at-1))
		if round < halving {
			return Send{First: given, Count: int32(at)}, Receive{First: kept, Count: int32(at), Reduce: true}
		}
		return Send{First: kept, Count: int32(at)}, Receive{First: given, Count: int32(at)}
	})
}

// halvingDoublingTheory is 2·log2 n·alpha + 2·(n-1)/n·size/rate; half of it for a reduce-scatter; for a
// number that is no power of two 2·(alpha + size/rate) more than for the next lower one, and an alpha for each round in which
// some ask others, whose peers had less to do before, to send.
func halvingDoublingTheory(k Kind, s Shape, size units.Bytes, _ int, c Cost) units.Time {
	d := halvingRounds(k, s.Ranks)
	return d.time(s, c, size, part(size, d.power))
}
