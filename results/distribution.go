package results

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// SamplesForP999 is the number of samples from which a 99.9th percentile is reported: ten lie beyond it then. With
// fewer it is little else than the maximum under a better name.
const SamplesForP999 = 10_000

// Distribution is a sample in order of size, for exact nearest-rank percentiles. The zero value is an empty sample.
type Distribution[T cmp.Ordered] struct{ sorted []T }

// NewDistribution sorts a copy of the samples.
func NewDistribution[T cmp.Ordered](samples []T) Distribution[T] {
	sorted := slices.Clone(samples)
	slices.Sort(sorted)
	return Distribution[T]{sorted}
}

// Len returns the number of samples.
func (d Distribution[T]) Len() int { return len(d.sorted) }

// At returns the sample of the given rank, 1 being the smallest and Len the largest.
func (d Distribution[T]) At(rank int) T { return d.sorted[rank-1] }

// Rank returns ceil(p·n), the rank of the nearest-rank percentile p among n samples, exactly: 99.9 % of 10,000 is rank
// 9990, which a float may miss. It panics unless 0 < p <= 1.
func (d Distribution[T]) Rank(p units.Ratio) int {
	if p.Num <= 0 || p.Den < p.Num {
		panic(fmt.Sprintf("results: percentile %d/%d is not in (0, 1]", p.Num, p.Den))
	}
	hi, lo := bits.Mul64(uint64(p.Num), uint64(len(d.sorted)))
	rank, rest := bits.Div64(hi, lo, uint64(p.Den))
	if rest > 0 {
		rank++
	}
	return int(rank)
}

// Percentile returns the nearest-rank percentile p: the sample at rank ceil(p·n). It panics on an empty sample and
// unless 0 < p <= 1.
func (d Distribution[T]) Percentile(p units.Ratio) T { return d.At(d.Rank(p)) }

// Max returns the largest sample. It panics on an empty sample.
func (d Distribution[T]) Max() T { return d.At(len(d.sorted)) }

// Percentiles are the percentiles a summary shows, in the unit its key names.
type Percentiles[T any] struct {
	Samples int `json:"samples" doc:"number of values the percentiles were taken from"`
	Mean    T   `json:"mean" doc:"arithmetic mean"`
	P50     T   `json:"p50" doc:"nearest-rank median"`
	P95     T   `json:"p95" doc:"nearest-rank 95th percentile"`
	P99     T   `json:"p99" doc:"nearest-rank 99th percentile"`
	P999    *T  `json:"p999" doc:"nearest-rank 99.9th percentile; null below 10,000 samples"`
	Max     T   `json:"max" doc:"largest value"`
}

// TimePercentiles returns the percentiles of some times, nil if there are none.
func TimePercentiles(samples []units.Time) *Percentiles[Micros] {
	p := percentiles(NewDistribution(samples), func(t units.Time) Micros { return Micros(t) })
	if p != nil {
		p.Mean = Micros(MeanTime(samples))
	}
	return p
}

// RatioPercentiles returns the percentiles of some plain numbers, such as slowdowns, nil if there are none. A NaN counts as
// smaller than every number.
func RatioPercentiles(samples []float64) *Percentiles[float64] {
	p := percentiles(NewDistribution(samples), func(x float64) float64 { return x })
	if p != nil {
		p.Mean = mean(samples)
	}
	return p
}

func percentiles[T cmp.Ordered, U any](d Distribution[T], as func(T) U) *Percentiles[U] {
	if d.Len() == 0 {
		return nil
	}
	at := func(perMille int64) U { return as(d.Percentile(units.Ratio{Num: perMille, Den: 1000})) }
	p := &Percentiles[U]{Samples: d.Len(), P50: at(500), P95: at(950), P99: at(990), Max: as(d.Max())}
	if d.Len() >= SamplesForP999 {
		p999 := at(999)
		p.P999 = &p999
	}
	return p
}

// MeanTime returns the mean of some times, rounded down; 0 if there are none. Their sum may be longer than a time can be.
func MeanTime(samples []units.Time) units.Time {
	n := units.Time(len(samples))
	if n == 0 {
		return 0
	}
	var whole, rest units.Time
	for _, t := range samples {
		whole += t / n
		rest += t % n
	}
	return whole + rest/n
}

func mean(samples []float64) float64 {
	sum := 0.0
	for _, x := range samples {
		sum += x
	}
	return sum / float64(len(samples))
}

// Jain returns Jain's fairness index of some shares (Jain, Chiu and Hawe, DEC-TR-301, 1984): the square of their sum by
// their number times the sum of their squares. It is 1 where all are equal and 1/n where one has all; nil where there is
// nothing to share.
func Jain(shares []float64) *float64 {
	var sum, squares float64
	for _, x := range shares {
		sum += x
		squares += float64(x * x)
	}
	if squares == 0 {
		return nil
	}
	index := sum * sum / (float64(len(shares)) * squares)
	return &index
}
