package bench

import (
	"context"
	"runtime"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Survey is what a case takes up, found in a run of which nothing is timed.
type Survey struct {
	// Heap is what is reachable after each step of building.
	Heap  [stages]units.Bytes
	Hosts int
	Ports int // of hosts and switches
	Flows int
	// Hops and Allocated are those of a run that was cut short.
	Hops      uint64
	Allocated units.Bytes
}

// Survey builds the case, looking at the heap after each step, and runs it with so many
// workers to a time.
func (c *Case) Survey(ctx context.Context, workers int, until units.Time) (Survey, error) {
	empty := reachable()
	s, err := c.Setup()
	if err != nil {
		return Survey{}, err
	}
	var v Survey
	note := func(what stage) { v.Heap[what] = reachable() - empty }
	note(withGraph)
	cluster, err := s.build(note)
	if err != nil {
		return Survey{}, err
	}
	v.Hosts, v.Flows = len(s.Graph.Hosts()), len(s.Flows)
	for node := range s.Graph.Nodes {
		v.Ports += len(s.Graph.Ports(node))
	}
	t, err := c.run(ctx, cluster, workers, until)
	v.Hops, v.Allocated = t.Hops, t.Allocated
	return v, err
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

// Steady is what a packet-hop allocates in the steady part of a run, in bytes: the part
// that a whole run, with so much work and memory, has after the end of the one that was
// cut short.
func (v *Survey) Steady(whole Timing) float64 {
	return per(whole.Allocated-v.Allocated, whole.Hops-v.Hops)
}

func per(b units.Bytes, n uint64) float64 {
	if n == 0 {
		return 0
	}
	return float64(b) / float64(n)
}

// memory is the survey as a report has it.
func (v *Survey) memory(whole Timing) Memory {
	return Memory{
		Steady:   v.Steady(whole),
		Built:    int64(v.Heap[withFlows]),
		Graph:    int64(v.Heap[withRoutes]),
		IdlePort: v.IdlePort(),
		IdleHost: v.IdleHost(),
		Flow:     per(v.Heap[withFlows]-v.Heap[withHosts], uint64(v.Flows)),
	}
}
