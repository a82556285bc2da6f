package collective

import "github.com/rdmasim/rdmasim/sim/units"

// ring has each rank send to the next and receive from the one before (Patarasuk and Yuan, Bandwidth optimal all-reduce
// algorithms for clusters of workstations, 2009; NCCL's ring): n-1 steps in which parts are summed up on their way around,
// n-1 in which sums are passed around.
var ring = Algorithm{
	Name: "ring",
	Doc: "each rank sends to the next, and passes on what it gets from the one before; n parts of the data, each cut into pieces. " +
		"A broadcast or a reduce is a chain along the ring",
	Kinds:  []Kind{AllReduce, ReduceScatter, AllGather, Broadcast, Reduce},
	Railed: true,
	Fits:   anyShape,
	Plan:   ringPlan,
	Theory: ringTheory,
}

// ringSteps is in how many steps each rank sends a part.
func ringSteps(k Kind, n int) int {
	if k == AllReduce {
		return 2 * (n - 1)
	}
	return n - 1
}

func ringPlan(k Kind, s Shape, rank, root, pieces int) Plan {
	if k.Rooted() {
		return chainPlan(k, s, rank, root, pieces)
	}
	n := s.Ranks
	steps := ringSteps(k, n)
	all := Strand{Sends: make([]Send, 0, steps*pieces), Receives: make([]Receive, 0, steps*pieces)}
	next, before := int32((rank+1)%n), int32((rank+n-1)%n)
	for step := range steps {
		// Summing up begins with the part before the rank's own, so that it ends with its own; passing around begins there.
		sent, reduce := rank-1-step, true
		if k == AllGather || step >= n-1 {
			sent, reduce = rank-step%(n-1), false
		}
		sent = (sent + 2*n) % n
		taken := (sent + n - 1) % n
		for piece := range pieces {
			i := step*pieces + piece
			all.Sends = append(all.Sends, Send{Peer: next, First: int32(sent*pieces + piece), Count: 1, After: int32(max(0, i-pieces+1))})
			all.Receives = append(all.Receives, Receive{Peer: before, First: int32(taken*pieces + piece), Count: 1, Reduce: reduce})
		}
	}
	return Plan{Chunks: int32(n * pieces), Strands: []Strand{all}}
}

// ringTheory is steps·(alpha + size/n/rate) with one piece. Pieces hide the alpha of all steps but one, as soon as the
// pieces of a step last longer than one takes to arrive. With several ranks on a node, links are of two kinds, and the
// slower ones hold up the others.
func ringTheory(k Kind, s Shape, size units.Bytes, pieces int, c Cost) units.Time {
	if k.Rooted() {
		return chainTheory(k, s, size, pieces, c)
	}
	return ringTime(s, ringSteps(k, s.Ranks), part(size, s.Ranks*pieces), pieces, c)
}

// ringTime is how long it takes until all ranks have sent a message of a length in each of so many steps, so many pieces
// after each other, each of them when the same piece of the step before has come. What a rank does depends on its place in
// its node alone.
func ringTime(s Shape, steps int, length units.Bytes, pieces int, c Cost) (last units.Time) {
	if s.Ranks == 1 || steps == 0 {
		return 0
	}
	places := s.PerNode
	if places == s.Ranks {
		c.Alpha, c.Rate, c.Message = c.LocalAlpha, c.LocalRate, nil
		places = 1
	}
	if places == 1 {
		busy, arrives := c.between(length)
		return units.Time(steps-1)*max(arrives, units.Time(pieces)*busy) + units.Time(pieces-1)*busy + arrives
	}
	sent := make([]units.Time, places)          // when the rank at a place has sent what it has
	came := make([]units.Time, places*pieces)   // when it has each piece of the step before
	coming := make([]units.Time, places*pieces) // and of this one
	for range steps {
		for piece := range pieces {
			for place := range places {
				busy, arrives := c.within(length)
				if place == places-1 {
					busy, arrives = c.between(length)
				}
				begins := max(sent[place], came[place*pieces+piece])
				sent[place] = begins + busy
				coming[(place+1)%places*pieces+piece] = begins + arrives
				last = max(last, begins+arrives)
			}
		}
		came, coming = coming, came
	}
	return last
}
