package model

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// Straggler is a rank that computes slower than the others.
type Straggler struct {
	Rank   int
	Factor units.Ratio // by which all that it computes takes longer; {0, 0} for 1
	Added  units.Time  // and what it does before each iteration
}

// factorDigits is how finely factors are drawn.
const factorDigits = 1_000_000

// RandomStragglers draws how much longer each of so many ranks takes than it should: log-normal factors with a mean of 1, sigma being the
// standard deviation of their logarithms. The stream is that of the job alone.
func RandomStragglers(ranks int, sigma float64, from variate.Source) (all []Straggler) {
	for r := range ranks {
		factor := int64(float64(variate.LogNormal(from, sigma) * factorDigits))
		all = append(all, Straggler{Rank: r, Factor: units.Ratio{Num: max(1, factor), Den: factorDigits}})
	}
	return all
}

// pace is what all stragglers together make of a rank.
type pace struct {
	factors []units.Ratio
	added   units.Time
}

// of is how long the rank computes what takes others a time.
func (p *pace) of(t units.Time) units.Time {
	for _, f := range p.factors {
		t = scale(t, f)
	}
	return t
}

// none tells whether it is the pace of all others.
func (p *pace) none() bool { return len(p.factors) == 0 && p.added == 0 }

// pacesOf are those of so many ranks.
func pacesOf(ranks int, stragglers []Straggler) []pace {
	paces := make([]pace, ranks)
	for _, s := range stragglers {
		p := &paces[s.Rank]
		p.added += s.Added
		if s.Factor.Den != 0 {
			p.factors = append(p.factors, s.Factor)
		}
	}
	return paces
}
