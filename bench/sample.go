package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/rdmasim/rdmasim/bench/usage"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Work is what a run did: the same on any machine and any number of workers.
type Work struct {
	Hops      uint64
	Events    uint64
	Digest    sim.Digest
	Simulated units.Time // when the run was over
}

// Timing is what a run took.
type Timing struct {
	Work
	Workers int           // how many there were
	Wall    time.Duration // of one run, its network built
	CPU     time.Duration // of all its workers together; 0 if not known
	Build   time.Duration // of the network and its flows
	Peak    units.Bytes   // memory of the process when the first run was over; 0 if not known
}

// enough is for how long a case is run, again and again if a run is shorter: one of a few
// milliseconds would measure how a processor wakes up.
const enough = 250 * time.Millisecond

// Time builds the case and runs it with so many workers (0: as many as rdmasim run would
// take), again and again until it has run long enough, and returns what one run took on
// average.
func (c *Case) Time(ctx context.Context, workers int) (Timing, error) {
	first, err := c.timeOnce(ctx, workers)
	if err != nil {
		return Timing{}, err
	}
	wall, cpu, runs := first.Wall, first.CPU, 1
	for spent := first.Build; wall < enough && spent < enough; runs++ {
		again, err := c.timeOnce(ctx, workers)
		if err != nil {
			return Timing{}, err
		}
		if again.Work != first.Work {
			return Timing{}, fmt.Errorf("%s: two runs differ: %v, then %v; the same run must give the same bits", c.Name, first.Work, again.Work)
		}
		wall, cpu, spent = wall+again.Wall, cpu+again.CPU, spent+again.Build
	}
	first.Wall, first.CPU = wall/time.Duration(runs), cpu/time.Duration(runs)
	return first, nil
}

// timeOnce builds the case and runs it.
func (c *Case) timeOnce(ctx context.Context, workers int) (Timing, error) {
	start := time.Now()
	s, err := c.Setup()
	if err != nil {
		return Timing{}, err
	}
	cluster, err := s.build(nil)
	if err != nil {
		return Timing{}, err
	}
	build := time.Since(start)
	runtime.GC() // or what building has left would be collected while the clock runs
	t, err := c.run(ctx, cluster, workers, longest)
	t.Build = build
	t.Peak, _ = usage.Peak()
	return t, err
}

// longest is a time limit that no case comes to.
const longest = units.Second

// run runs a cluster, until it is done or to a limit.
func (c *Case) run(ctx context.Context, cluster *host.Cluster, workers int, limit units.Time) (Timing, error) {
	start, cpu := time.Now(), cpuSoFar()
	r, err := cluster.Run(ctx, host.RunOptions{Limit: limit, UntilDone: true, Workers: workers})
	t := Timing{Wall: time.Since(start), CPU: cpuSoFar() - cpu, Workers: r.Workers}
	t.Work = Work{Hops: r.Hops, Events: r.Events, Digest: r.Digest, Simulated: r.Now}
	switch {
	case err != nil:
		return t, fmt.Errorf("%s: %w", c.Name, err)
	case r.Outcome == host.Interrupted:
		return t, context.Canceled
	case r.Outcome != host.Done && limit == longest:
		return t, fmt.Errorf("%s: the run ended as %v, and not with all its flows done", c.Name, r.Outcome)
	}
	return t, nil
}

// cpuSoFar is the processor time used so far, always 0 where it is not known.
func cpuSoFar() time.Duration {
	used, _ := usage.CPU()
	return used
}
