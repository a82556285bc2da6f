package collective

import "github.com/rdmasim/rdmasim/sim/units"

// hierarchical is what NCCL does with NVLink within nodes and a NIC for each GPU (its collnet and rail forms do the like, as
// does BlueConnect of Cho et al., 2019).
var hierarchical = Algorithm{
	Name: "hierarchical",
	Doc: "the ranks of a node sum up among themselves, each of them a part; rings of the same rank of all nodes, each on its rail, " +
		"sum up and pass around; then the ranks of a node tell each other. In one piece the phases follow each other; with each " +
		"rank's part cut into more, what a phase has done the next one goes on with",
	Kinds:   []Kind{AllReduce, ReduceScatter, AllGather},
	Exceeds: true,
	Fits:    anyShape,
	Plan:    hierarchicalPlan,
	Theory:  hierarchicalTheory,
}

func hierarchicalPlan(k Kind, s Shape, rank, _, pieces int) Plan {
	m, g := s.Nodes(), s.PerNode
	node, own := rank/g, rank%g
	peer := func(k int) int { return node*g + (own+k+g)%g }
	next, before := int32((node+1)%m*g+own), int32((node+m-1)%m*g+own)
	chunk := func(node, own, piece int) int32 { return int32(((node+2*m)%m*g+own%g)*pieces + piece) }
	var ring, spread Strand        // summing up within the node and both rings; telling each other
	ready := make([]int32, pieces) // how many receives the rank must have until each piece of its own part is whole

	if k != AllGather {
		var within, rail []Send
		var sums []Receive // of the ring, if they come after all within the node
		for step := range m {
			at := node - 1 - step // whose part is handed on; the last is the node's own
			for piece := range pieces {
				for j := 1; j < g; j++ {
					within = append(within, Send{Peer: int32(peer(j)), First: chunk(at, peer(j), piece), Count: 1})
					ring.Receives = append(ring.Receives, Receive{Peer: int32(peer(-j)), First: chunk(at, own, piece), Count: 1, Reduce: true})
				}
				if step > 0 {
					sum := Receive{Peer: before, First: chunk(at, own, piece), Count: 1, Reduce: true}
					if pieces > 1 {
						ring.Receives = append(ring.Receives, sum)
					} else {
						sums = append(sums, sum)
					}
				}
				ready[piece] = int32(len(ring.Receives))
				if step < m-1 {
					rail = append(rail, Send{Peer: next, First: chunk(at, own, piece), Count: 1, After: ready[piece]})
				}
			}
		}
		if pieces == 1 {
			for i := range rail {
				rail[i].After = int32(len(ring.Receives) + i)
			}
			ring.Receives = append(ring.Receives, sums...)
			ready[0] = int32(len(ring.Receives))
			ring.Sends = append(within, rail...)
		} else {
			ring.Sends = alternate(within, rail, g-1, pieces)
		}
	}
	if k == ReduceScatter {
		return Plan{Chunks: int32(s.Ranks * pieces), Strands: []Strand{ring}}
	}

	for step := range m {
		for piece := range pieces {
			if step > 0 {
				ring.Receives = append(ring.Receives, Receive{Peer: before, First: chunk(node-step, own, piece), Count: 1})
				ready[piece] = int32(len(ring.Receives))
			}
			if step < m-1 {
				ring.Sends = append(ring.Sends, Send{Peer: next, First: chunk(node-step, own, piece), Count: 1, After: ready[piece]})
			}
			for j := 1; j < g; j++ {
				spread.Sends = append(spread.Sends, Send{Peer: int32(peer(j)), First: chunk(node-step, own, piece), Count: 1, After: ready[piece]})
				spread.Receives = append(spread.Receives, Receive{Peer: int32(peer(-j)), First: chunk(node-step, peer(-j), piece), Count: 1})
			}
		}
	}
	if pieces == 1 {
		for i := range spread.Sends {
			spread.Sends[i].After = int32(len(ring.Receives))
		}
	}
	return Plan{Chunks: int32(s.Ranks * pieces), Strands: []Strand{ring, spread}}
}

// alternate puts what a rank sends within its node, so many messages at a time, and what it sends on its rail into one order:
// the former is a step of so many pieces ahead. Were it further ahead, then those who may have few messages under way would
// wait for receivers that wait for the ring.
func alternate(within, rail []Send, together, ahead int) (all []Send) {
	for i := 0; len(within)+len(rail) > 0; i++ {
		n := min(together, len(within))
		all, within = append(all, within[:n]...), within[n:]
		if n = min(1, len(rail)); i >= ahead {
			all, rail = append(all, rail[:n]...), rail[n:]
		}
	}
	return all
}

// hierarchicalTheory is, with G ranks on each of m nodes and one piece, (G-1)/G·size/LocalRate + LocalAlpha within a node,
// before and after 2·(m-1)·(Alpha + size/(G·m)/Rate) for the rings; for a reduce-scatter and an all-gather half of that.
// With more pieces all but what the first and the last one take is hidden behind the slower of the two kinds of link.
func hierarchicalTheory(k Kind, s Shape, size units.Bytes, pieces int, c Cost) (all units.Time) {
	m, g := s.Nodes(), s.PerNode
	length := part(size, s.Ranks*pieces)
	busy, arrives := c.between(length)
	var local, localAlpha units.Time // to hand a piece to all others of the node
	if g > 1 {
		local, _ = c.within(length)
		local, localAlpha = local*units.Time(g-1), c.LocalAlpha
	}
	if pieces == 1 {
		within := units.Time(m)*local + localAlpha
		all = within + ringTime(Shape{m, 1}, m-1, length, 1, c)
		if k == AllReduce {
			all *= 2
		}
		return all
	}
	var sent, given units.Time          // when the rank has sent all that it has, on its rail and within its node
	ready := make([]units.Time, pieces) // when it can go on with each piece
	if k != AllGather {
		for step := range m {
			for piece := range pieces {
				given += local
				ready[piece] = max(ready[piece], given+localAlpha)
				all = max(all, ready[piece])
				if step < m-1 {
					sent = max(sent, ready[piece]) + busy
					ready[piece] = sent - busy + arrives
				}
			}
		}
	}
	if k == ReduceScatter {
		return all
	}
	for step := range m {
		for piece := range pieces {
			given = max(given, ready[piece]) + local
			all = max(all, given+localAlpha)
			if step < m-1 {
				sent = max(sent, ready[piece]) + busy
				ready[piece] = sent - busy + arrives
			}
		}
	}
	return all
}
