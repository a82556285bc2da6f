package collective

import "github.com/rdmasim/rdmasim/sim/units"

// pairwise is what MPI libraries do with much data (Thakur, Rabenseifner and Gropp, 2005).
var pairwise = Algorithm{
	Name: "pairwise",
	Doc: "in each step a rank sends to one of the others and receives from one, first within its node, and goes on when that has come; " +
		"nothing is cut into pieces",
	Kinds:   []Kind{AllToAll},
	Whole:   true,
	Exceeds: true,
	Fits:    anyShape,
	Plan:    pairwisePlan,
	Theory:  pairwiseTheory,
}

func pairwisePlan(k Kind, s Shape, rank, root, pieces int) Plan {
	p := directPlan(k, s, rank, root, pieces)
	for i := range p.Strands[0].Sends {
		p.Strands[0].Sends[i].After = int32(i)
	}
	return p
}

// pairwiseTheory is (n-1)·(alpha + size/n/rate), of which the steps within a node take what a message there takes.
func pairwiseTheory(_ Kind, s Shape, size units.Bytes, _ int, c Cost) units.Time {
	length := part(size, s.Ranks)
	var all units.Time
	if n := s.PerNode - 1; n > 0 {
		_, arrives := c.within(length)
		all += units.Time(n) * arrives
	}
	if n := s.Ranks - s.PerNode; n > 0 {
		_, arrives := c.between(length)
		all += units.Time(n) * arrives
	}
	return all
}
