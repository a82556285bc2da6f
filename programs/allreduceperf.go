package programs

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// AllReducePerf is all_reduce_perf of nccl-tests: GPUs that sum up what all of them have, for one
// size after the other.
type AllReducePerf struct {
	GPUOptions
	Sizes              []units.Bytes
	Iterations, Warmup int // of each size, at least 1 and 0
	gpus               *gpuCluster
}

// NewAllReducePerf makes the test on hosts of a cluster.
func NewAllReducePerf(c *host.Cluster, o GPUOptions, sizes []units.Bytes, iterations, warmup int) (*AllReducePerf, error) {
	var all []gpuOperation
	for _, size := range sizes {
		for range warmup + iterations {
			all = append(all, gpuOperation{size: size, last: true})
		}
	}
	g, err := newGPUs(c, o, all, 0)
	if err != nil {
		return nil, err
	}
	return &AllReducePerf{g.GPUOptions, sizes, iterations, warmup, g}, nil
}

// Ranks is how many GPUs there are.
func (p *AllReducePerf) Ranks() int { return p.GPUs * len(p.Nodes) }

// PerfResult is what the test has measured with one size, by the definitions of nccl-tests.
type PerfResult struct {
	Size units.Bytes
	// Time is the mean of the iterations, on the host that took longest.
	Time units.Time
	// Algorithm is size by time; Bus is what each GPU sends and receives by time, 2(n-1)/n times
	// as much.
	Algorithm, Bus units.Rate
	// Theory is the time by the alpha-beta model, and Most the rate at the bus that the rails of a
	// host have together.
	Theory units.Time
	Most   units.Rate
	// Busy is how many cores of a host the threads worked on, in the mean; Kept how many they
	// kept from others.
	Busy, Kept float64
}

// Results are those of the sizes that are done.
func (p *AllReducePerf) Results() (all []PerfResult) {
	n := float64(p.Ranks())
	each := p.Warmup + p.Iterations
	for i, size := range p.Sizes {
		first, last := i*each+p.Warmup, (i+1)*each-1
		r := PerfResult{Size: size, Theory: p.gpus.theory(size), Most: p.gpus.rate}
		for _, node := range p.gpus.nodes {
			if len(node.done) <= last {
				return all
			}
			span := node.done[last] - node.begun[first]
			r.Time = max(r.Time, span/units.Time(p.Iterations))
			busy := node.busy[last]
			if first > 0 {
				busy -= node.busy[first-1]
			}
			r.Busy += float64(busy) / float64(max(1, span)) / float64(len(p.gpus.nodes))
			r.Kept = r.Busy
			if !node.threads[0].thread.Sleeps() {
				r.Kept = float64(len(node.threads))
			}
		}
		if seconds := r.Time.Seconds(); seconds > 0 {
			r.Algorithm = units.Rate(float64(size) * 8 / seconds)
			r.Bus = units.Rate(float64(size) * 8 / seconds * 2 * (n - 1) / n)
		}
		all = append(all, r)
	}
	return all
}
