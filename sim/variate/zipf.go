package variate

import "sort"

// Zipf is the distribution of n things of which the i-th most popular, from 1 on, is chosen in proportion to 1/i^theta: keys of
// stores, with a theta of 0.99 by YCSB (Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010). It
// draws by inversion of the exact sum, not by an approximation of it.
type Zipf struct{ upTo []float64 } // sum of the weights of the first i+1

// NewZipf makes the distribution of n things, at least 1, with a theta of 0 or more; with 0 all are alike. It keeps 8 bytes
// for each.
func NewZipf(n int, theta float64) *Zipf {
	z := &Zipf{make([]float64, n)}
	sum := 0.0
	for i := range z.upTo {
		weight := 1.0
		if theta != 0 {
			weight = Exp(-float64(theta * Log(float64(i+1))))
		}
		sum += weight
		z.upTo[i] = sum
	}
	return z
}

// Len is how many things there are.
func (z *Zipf) Len() int { return len(z.upTo) }

// Draw returns the rank of one of them, from 0 on, the most popular first. It takes one number of the stream.
func (z *Zipf) Draw(s Source) int {
	u := float64(Uniform(s) * z.upTo[len(z.upTo)-1])
	return min(sort.SearchFloat64s(z.upTo, u), len(z.upTo)-1)
}

// Share is the probability of a rank.
func (z *Zipf) Share(rank int) float64 {
	weight := z.upTo[rank]
	if rank > 0 {
		weight -= z.upTo[rank-1]
	}
	return weight / z.upTo[len(z.upTo)-1]
}
