package bench

import (
	"context"
	"runtime"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Survey is what a case takes up, found in runs of which nothing is timed.
type Survey struct {
	// Heap is what is reachable after each step of building.
	Heap  [stages]units.Bytes
	Hosts int
	Ports int // of hosts and switches
	Flows int
	// Half and Whole are what a run asked for up to the middle of its simulated time, and up
	// to its end.
	Half, Whole Allocation
}

// Allocation is memory of the heap that a run asked for.
type Allocation struct {
	Hops  uint64 // that it made
	Bytes units.Bytes
}

// Survey builds the case, looking at the heap after each step, and runs it with so many
// workers to a time, the middle of a run, and then anew to its end.
func (c *Case) Survey(ctx context.Context, workers int, middle units.Time) (Survey, error) {
	empty := reachable()
	s, err := c.Setup()
	if err != nil {
		return Survey{}, err
	}
	v := Survey{Hosts: len(s.Graph.Hosts()), Flows: len(s.Flows)}
	for node := range s.Graph.Nodes {
		v.Ports += len(s.Graph.Ports(node))
	}
	note := func(what stage) { v.Heap[what] = reachable() - empty }
	note(withGraph)
	cluster, err := s.build(note)
	if err != nil {
		return Survey{}, err
	}
	if v.Half, err = c.allocation(ctx, cluster, workers, middle); err != nil {
		return Survey{}, err
	}
	if cluster, err = s.build(nil); err != nil {
		return Survey{}, err
	}
	v.Whole, err = c.allocation(ctx, cluster, workers, longest)
	return v, err
}

// allocation runs a cluster to a time and tells what it asked for.
func (c *Case) allocation(ctx context.Context, cluster *host.Cluster, workers int, limit units.Time) (Allocation, error) {
	before := allocated()
	watch := &edges{Context: ctx}
	t, err := c.run(watch, cluster, workers, limit)
	return Allocation{t.Hops, watch.allocated - before}, err
}

// edges is a context that notes what has been allocated whenever a run asks it whether to
// stop, which it does at the edges of its grid: so the last note leaves out what the audit
// at its end asks for.
type edges struct {
	context.Context
	allocated units.Bytes
}

// Err implements [context.Context].
func (e *edges) Err() error {
	e.allocated = allocated()
	return e.Context.Err()
}

// allocated is all memory of the heap that was asked for so far.
func allocated() units.Bytes {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return units.Bytes(m.TotalAlloc)
}

// reachable is how much of the heap is in use.
func reachable() units.Bytes {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return units.Bytes(m.HeapAlloc)
}

// IdlePort is the memory of a port at which nothing has happened yet, with its share of
// its switch.
func (v *Survey) IdlePort() float64 {
	return per(v.Heap[withPorts]-v.Heap[withRoutes], uint64(v.Ports))
}

// IdleHost is that of a host and its NIC without queue pairs, without its port.
func (v *Survey) IdleHost() float64 {
	return per(v.Heap[withHosts]-v.Heap[withPorts], uint64(v.Hosts))
}

// Steady is what a packet-hop asks for in the steady part of a run, in bytes: in the second
// half of its simulated time.
func (v *Survey) Steady() float64 {
	return per(v.Whole.Bytes-v.Half.Bytes, v.Whole.Hops-v.Half.Hops)
}

func per(b units.Bytes, n uint64) float64 {
	if n == 0 {
		return 0
	}
	return float64(b) / float64(n)
}

// memory is the survey as a report has it.
func (v *Survey) memory() Memory {
	return Memory{
		Steady:   v.Steady(),
		Built:    int64(v.Heap[withFlows]),
		Graph:    int64(v.Heap[withRoutes]),
		IdlePort: v.IdlePort(),
		IdleHost: v.IdleHost(),
		Flow:     per(v.Heap[withFlows]-v.Heap[withHosts], uint64(v.Flows)),
	}
}
