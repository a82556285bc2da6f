package host

import (
	"context"
	"slices"

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
	open        []*rnic.NIC // those with transfers to send or to receive that have not ended
	settled     []*rnic.NIC // all others with queue pairs
	past        score       // of those that have settled
	progress    uint64
	progressAt  units.Time
	patience    units.Time
	noProgress  units.Time
	aliveAt     units.Time // of the last progress, or of a wait that has an end of its own
	hops        uint64     // when all flows had ended
	movedAt     units.Time
	locks       deadlockWatch
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
	s.locks = newDeadlockWatch(c)
	if s.noProgress = opt.NoProgress; s.noProgress == 0 {
		s.noProgress = c.recovery()
	}
	s.livelock.after = livelockAfter(c, s.patience)
	s.progressAt = c.lastFault()
	s.aliveAt = s.progressAt
	for _, h := range c.Hosts {
		for _, n := range h.nics {
			if len(n.QueuePairs()) > 0 || n.ManagesConnections() {
				s.open = append(s.open, n)
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
	sum := s.tally()
	if sum.unfinished == 0 {
		if s.untilDone && (s.c.quiet() || s.stuck(now, next)) {
			return sim.Stop
		}
		return sim.Continue
	}
	if sum.progress != s.progress {
		s.progress, s.progressAt = sum.progress, max(now, s.c.lastFault())
		s.aliveAt = s.progressAt
		s.livelock.begun = false
	}
	s.locks.look(now)
	idle := next - s.progressAt
	if idle > s.patience && (!s.useful(now) || s.locks.holdsAll(now) || s.livelock.is(s.c, idle)) || s.endless(next) {
		s.stalled = true
		return sim.Stop
	}
	return sim.Continue
}

// endless tells whether the run has gone on for too long without progress: events
// happen, packets fly perhaps, and nothing comes of it. Waiting for the start of a flow
// or for a pace is no such thing.
func (s *supervisor) endless(next units.Time) bool {
	if next-s.aliveAt <= s.noProgress || next == units.Never {
		return false
	}
	if s.any((*rnic.NIC).Biding) || s.c.threadsBide() {
		s.aliveAt = next
		return false
	}
	return true
}

// any tells whether anything holds for a NIC with queue pairs. Those that are open come
// first, since it is they for which it does.
func (s *supervisor) any(holds func(*rnic.NIC) bool) bool {
	return slices.ContainsFunc(s.open, holds) || slices.ContainsFunc(s.settled, holds)
}

// stuck tells whether what is left in the network after the last flow has ended cannot
// leave it: nothing has been sent for long, or what is sent leads nowhere.
func (s *supervisor) stuck(now, next units.Time) bool {
	if s.movedAt == 0 {
		s.aliveAt = now
	}
	if _, hops := s.c.work(); hops != s.hops || s.movedAt == 0 {
		s.hops, s.movedAt = hops, now
	}
	return next-s.movedAt > s.patience && !s.useful(now) || next-s.aliveAt > s.noProgress
}

// publish shows the progress to those who watch from outside.
func (s *supervisor) publish(now units.Time) {
	bytes := s.past.bytes
	for _, nic := range s.open {
		bytes += acknowledged(nic)
	}
	for _, k := range s.c.stacks {
		bytes += k.acknowledged()
	}
	_, hops := s.c.work()
	s.show.Now.Store(int64(now))
	s.show.FlowsDone.Store(int64(len(s.c.Flows) + len(s.c.Threads) - s.tally().unfinished))
	s.show.BytesDone.Store(int64(bytes))
	s.show.Hops.Store(int64(hops))
}

// score is what NICs have come to.
type score struct {
	progress   uint64
	unfinished int
	bytes      units.Bytes // acknowledged; of NICs that have settled only
}

// tally adds up what all NICs have come to. One at which nothing is left to do any more,
// while no program runs, is settled: it is not looked at again, so that an edge costs what is still going on.
func (s *supervisor) tally() score {
	sum := s.past
	running, found := s.c.threadsRunning()
	sum.unfinished += running
	for _, k := range s.c.stacks {
		sum.unfinished += k.unfinished + k.awaited - k.failed
		found += k.progress
	}
	open := s.open[:0]
	for _, nic := range s.open {
		sum.progress += nic.Progress
		sum.unfinished += nic.Unfinished
		if nic.Unfinished+nic.Awaited > 0 || running > 0 {
			open = append(open, nic)
			continue
		}
		s.settled = append(s.settled, nic)
		s.past.progress += nic.Progress
		s.past.bytes += acknowledged(nic)
	}
	s.open = open
	sum.progress += found
	return sum
}

// acknowledged is the payload of a NIC's queue pairs that has been acknowledged.
func acknowledged(nic *rnic.NIC) (bytes units.Bytes) {
	for i := range nic.QueuePairs() {
		bytes += nic.Acknowledged(i)
	}
	return bytes
}

// useful tells whether anything is pending that could bring the work on: a packet
// in flight or free to be sent, a retransmission, the start of a flow, a watchdog that
// will let go what a pause holds. A pause that is repeated and repeated is not.
func (s *supervisor) useful(now units.Time) bool {
	if slices.ContainsFunc(s.open, (*rnic.NIC).Useful) {
		return true
	}
	packets, _ := s.c.Net.InFlight()
	if slices.ContainsFunc(s.c.stacks, func(k *stack) bool { return k.useful(now) }) {
		return true
	}
	return packets > 0 || s.c.threadsBide() || s.c.Net.Transmitting() || s.c.Net.WatchdogWillAct(now) || slices.ContainsFunc(s.settled, (*rnic.NIC).Useful)
}

func (s *supervisor) outcome(now units.Time) Outcome {
	switch open := s.tally().unfinished; {
	case s.interrupted:
		return Interrupted
	case open > 0 && s.c.ended(): // a sender over TCP has not learnt yet that all has been read
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
	for _, t := range s.c.Threads {
		if t.program.Failed() != nil {
			return Failed
		}
	}
	return Done
}

// ended tells whether all flows and programs have come to their end.
func (c *Cluster) ended() bool {
	for flow := range c.Flows {
		if t := c.Transfer(flow); !t.Done() {
			return false
		}
	}
	running, _ := c.threadsRunning()
	return running == 0
}

// quiet tells whether nothing is in flight, queued or owed anywhere.
func (c *Cluster) quiet() bool {
	if packets, pauses := c.Net.InFlight(); packets+pauses > 0 || !c.Net.Quiet() {
		return false
	}
	for h := range c.activeHosts() {
		if h.absence.frames.Len() > 0 || h.stack != nil && !h.stack.quiet() {
			return false
		}
		for _, n := range h.nics {
			if n.Waiting() != 0 || n.Notifying() || n.Draining() || n.Busy() || n.Pausing() {
				return false
			}
		}
	}
	return true
}

// leastNoProgress is the least time without progress that ends a run.
const leastNoProgress = units.Second

// recovery is how long nothing may come through before the recovery from loss or from a
// storm must have ended one way or the other: all retransmissions of a packet, with two
// more timers to spare, or twice what a watchdog takes to act and to let go again.
func (c *Cluster) recovery() units.Time {
	longest := max(leastNoProgress, 2*c.Net.WatchdogTime())
	if after := c.NIC.RetransmitAfter(); after < units.Never/16 {
		longest = max(longest, c.giveUp+after)
	}
	if c.NIC.IWARP != nil {
		longest = max(longest, c.NIC.IWARP.Lasts()+c.NIC.IWARP.TCP.MaxRTO)
	}
	if len(c.stacks) > 0 {
		longest = max(longest, 2*c.tcp.MaxRTO)
	}
	return longest
}
