package workloads

import "math/bits"

// Uint64N returns a number from 0 to n-1, each as likely as any other. It multiplies and rejects, which takes one draw
// nearly always (Lemire, "Fast Random Integer Generation in an Interval", 2019). A zero n panics.
func Uint64N(r Rand, n uint64) uint64 {
	if n == 0 {
		panic("workloads: a random number below 0")
	}
	unfair := -n % n // how many of the 2^64 products' low halves would favour some results
	for {
		if high, low := bits.Mul64(r.Uint64(), n); low >= unfair {
			return high
		}
	}
}

// Shuffle puts n things into an order of which each is as likely as any other (Fisher and Yates); swap exchanges two.
func Shuffle(r Rand, n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(Uint64N(r, uint64(i+1))))
	}
}
