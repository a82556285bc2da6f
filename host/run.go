package host

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Outcome is how a run ended.
type Outcome uint8

// Outcomes.
const (
	// Done: all that was asked for has happened.
	Done Outcome = iota
	// Failed: everything came to an end, but a queue pair gave up.
	Failed
	// Stalled: work is left and nothing can move any more.
	Stalled
	// OutOfTime: the time limit came first.
	OutOfTime
	// Interrupted: the user stopped the run.
	Interrupted
)

// String is the outcome as results and scenarios write it.
func (o Outcome) String() string {
	return [...]string{"done", "failed", "stalled", "time-limit", "interrupted"}[o]
}

// RunOptions say how long and on how many cores to run.
type RunOptions struct {
	Limit units.Time
	// UntilDone ends the run when all flows have ended and nothing is in flight;
	// otherwise it goes on to the limit.
	UntilDone bool
	// Workers share the nodes; 0 is as many as there are cores, or one where there is
	// too little to share. They work at the same time only while that is faster.
	Workers int
	// Together, if not nil, is asked before each window whether the workers are to share
	// it, in place of what turns out to be faster. It shows in no result.
	Together func() bool
	// NoProgress is how long a run with work left may go on without a byte that is
	// delivered or acknowledged, whatever else happens; 0 is as long as the recovery
	// from loss may take.
	NoProgress units.Time
	// Progress, if not nil, is kept up to date while the run goes on.
	Progress *Progress
}

// Progress is how far a run has come. Its fields may be read from any goroutine.
type Progress struct {
	Now, FlowsDone, BytesDone, Hops atomic.Int64
}

// Report is what a run came to.
type Report struct {
	Outcome Outcome
	Now     units.Time // simulated time at the end
	Workers int
	Digest  sim.Digest
	Events  uint64
	// Hops counts frames over links, data and acknowledgements alike.
	Hops uint64
	// Deadlocks are those that pauses ran into, in the order of time.
	Deadlocks []Deadlock
}

// Nodes are all nodes of the cluster in the order of the graph.
func (c *Cluster) nodes() []sim.Node {
	nodes := make([]sim.Node, len(c.Net.Graph.Nodes))
	for i := range nodes {
		if s := c.Net.Switch(i); s != nil {
			nodes[i] = s
		}
	}
	for i, h := range c.byNode {
		if h != nil {
			nodes[i] = h
		}
	}
	return nodes
}

// Run runs the cluster. A [sim.Fault] is an error of the model; a broken audit is
// one too.
func (c *Cluster) Run(ctx context.Context, opt RunOptions) (Report, error) {
	s := newSupervisor(ctx, c, opt)
	e := c.engine(opt)
	now, err := e.Run(s)
	r := Report{Outcome: s.outcome(now), Now: now, Workers: e.Workers()}
	if err != nil {
		return r, err
	}
	if r.Outcome == Stalled {
		s.locks.conclude(now)
	}
	r.Deadlocks = s.locks.found
	c.tally(&r)
	return r, c.audit(&r)
}

// tally closes the books of all nodes and folds what they counted, in the order
// of the nodes.
func (c *Cluster) tally(r *Report) {
	digests := make([]sim.Digest, len(c.Net.Graph.Nodes))
	for i := range digests {
		if s := c.Net.Switch(i); s != nil {
			s.Flush(r.Now)
			digests[i] = s.Digest()
		}
	}
	c.chargeTransfers(r.Now)
	for _, h := range c.Hosts {
		h.flush(r.Now)
		digests[h.node] = h.digest
	}
	r.Digest = sim.Combine(digests)
	r.Events, r.Hops = c.work()
}

// work is how many events all nodes have handled, and how many packets they sent.
func (c *Cluster) work() (events, hops uint64) {
	for s := range c.Net.ActiveSwitches() {
		e, h := s.Work()
		events += e
		hops += h
	}
	for h := range c.activeHosts() {
		events += h.events
		hops += h.hops
	}
	return events, hops
}

// activeHosts yields the hosts that have handled any event, in the order of nodes.
func (c *Cluster) activeHosts() iter.Seq[*Host] {
	return func(yield func(h *Host) bool) {
		for _, node := range c.Net.Active() {
			if h := c.byNode[node]; h != nil && !yield(h) {
				return
			}
		}
	}
}
