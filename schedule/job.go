package schedule

import "fmt"

// Job is what some ranks do together. Ranks may share a graph.
type Job struct {
	Ranks  []*Graph  // rank 0, rank 1, …
	Groups [][]int32 // the ranks that take part in a collective, in their order in the group
	Labels []string  // what operations are counted under; the first is for those without a label and stays empty
	// Repeat is how often every rank goes through its graph, the next time when its own operations are all finished; 0 is once.
	Repeat int
	Warmup int // the first ones of these that results leave out; fewer than Repeat
}

// Ops returns how many operations all ranks have together, each counted once.
func (j *Job) Ops() (ops int) {
	for _, g := range j.Ranks {
		ops += g.Ops()
	}
	return ops
}

// OpError tells which operation is wrong.
type OpError struct {
	Rank, Op int    // Op counts from 0 in each rank
	What     string // the operation in words
	Problem  string // what is wrong, and what would be right
}

// Error returns `rank 3, operation 17 (send of 4096 bytes to rank 3, tag 0): …`.
func (e *OpError) Error() string {
	return fmt.Sprintf("rank %d, operation %d (%s): %s", e.Rank, e.Op, e.What, e.Problem)
}

func (j *Job) wrong(rank, op int, problem string, args ...any) error {
	return &OpError{Rank: rank, Op: op, What: j.Ranks[rank].Op(op).String(), Problem: fmt.Sprintf(problem, args...)}
}
