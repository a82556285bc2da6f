package host

import (
	"context"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// supervisor decides when a run is over: its work is done and the network quiet,
// the user stopped it, or nothing can move any more.
type supervisor struct {
	ctx         context.Context
	c           *Cluster
	untilDone   bool
	limit       units.Time
	nics        []*rnic.NIC // those with queue pairs
	progress    uint64
	progressAt  units.Time
	patience    units.Time
	livelock    livelock
	stalled     bool
	interrupted bool
	show        *Progress
	edges       int
}

// showEvery is how many edges pass between two updates of the progress, which
// looks at every node.
const showEvery = 16

func newSupervisor(ctx context.Context, c *Cluster, opt RunOptions) *supervisor {
	s := &supervisor{ctx: ctx, c: c, untilDone: opt.UntilDone, limit: opt.Limit, show: opt.Progress}
	// A pause that nobody repeats is over after its quanta. What has not moved
	// for twice as long is held by something else.
	s.patience = 2*c.Net.LongestPause() + units.Millisecond
	s.livelock.after = livelockAfter(c.NIC, s.patience)
	s.progressAt = c.lastFault()
	for _, h := range c.Hosts {
		for _, n := range h.nics {
			if len(n.QueuePairs()) > 0 {
				s.nics = append(s.nics, n)
			}
		}
	}
	return s
}

// AtEdge implements [sim.Supervisor].
func (s *supervisor) AtEdge(now, next units.Time) sim.Verdict {
	if s.ctx.Err() != nil {
		s.interrupted = true
		return sim.Stop
	}
	if s.edges++; s.show != nil && s.edges%showEvery == 0 {
		s.publish(now)
	}
	if s.unfinished() == 0 {
		if s.untilDone && s.c.quiet() {
			return sim.Stop
		}
		return sim.Continue
	}
	if p := s.sum(); p != s.progress {
		s.progress, s.progressAt = p, max(now, s.c.lastFault())
		s.livelock.begun = false
	}
	idle := next - s.progressAt
	if idle > s.patience && (!s.useful() || s.livelock.is(s.c, idle)) {
		s.stalled = true
		return sim.Stop
	}
	return sim.Continue
}

// publish shows the progress to those who watch from outside.
func (s *supervisor) publish(now units.Time) {
	var bytes units.Bytes
	for _, nic := range s.nics {
		for i := range nic.QueuePairs() {
			bytes += nic.Acknowledged(i)
		}
	}
	_, hops := s.c.work()
	s.show.Now.Store(int64(now))
	s.show.FlowsDone.Store(int64(len(s.c.Flows) - s.unfinished()))
	s.show.BytesDone.Store(int64(bytes))
	s.show.Hops.Store(int64(hops))
}

func (s *supervisor) unfinished() (n int) {
	for _, nic := range s.nics {
		n += nic.Unfinished
	}
	return n
}

func (s *supervisor) sum() (p uint64) {
	for _, nic := range s.nics {
		p += nic.Progress
	}
	return p
}

// useful tells whether anything is pending that could bring the work on: a packet
// in flight or free to be sent, a retransmission, the start of a flow. A pause
// that is repeated and repeated is not.
func (s *supervisor) useful() bool {
	if packets, _ := s.c.Net.InFlight(); packets > 0 || s.c.Net.Transmitting() {
		return true
	}
	for _, nic := range s.nics {
		if nic.Useful() {
			return true
		}
	}
	return false
}

func (s *supervisor) outcome(now units.Time) Outcome {
	switch open := s.unfinished(); {
	case s.interrupted:
		return Interrupted
	case s.stalled:
		return Stalled
	case open > 0 && now < s.limit:
		return Stalled
	case open > 0 && s.untilDone:
		return OutOfTime
	}
	for flow := range s.c.Flows {
		if s.c.Transfer(flow).Status != rnic.Success {
			return Failed
		}
	}
	return Done
}

// quiet tells whether nothing is in flight, queued or owed anywhere.
func (c *Cluster) quiet() bool {
	if packets, pauses := c.Net.InFlight(); packets+pauses > 0 || !c.Net.Quiet() {
		return false
	}
	for _, h := range c.Hosts {
		if h.absence.frames.Len() > 0 {
			return false
		}
		for _, n := range h.nics {
			if n.Waiting() != 0 || n.Notifying() {
				return false
			}
		}
	}
	return true
}
