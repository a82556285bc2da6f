package fabric

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// OnChange, in place of a period, has samples taken whenever something has changed.
const OnChange units.Time = -1

// SampleClock tells a probe when to take a sample. It needs no events: between two
// events of a node nothing changes, so before an event is handled all instants up to
// it can be filled in. A sample at time t shows the state after all events at t.
type SampleClock struct {
	period units.Time
	next   units.Time // first instant not yet sampled
}

// NewSampleClock starts a clock of that period, or [OnChange].
func NewSampleClock(period units.Time) SampleClock { return SampleClock{period: period} }

// Due is called with the time of the next event. It gives the instant whose state is
// to be recorded before the event is handled, if there is one.
func (c *SampleClock) Due(now units.Time) (at units.Time, due bool) {
	at, due = c.next, now > c.next
	switch {
	case !due:
	case c.period == OnChange:
		c.next = now
	default:
		c.next = (now + c.period - 1) / c.period * c.period
	}
	return at, due
}

// Last is the time to give to Due at the end of a run.
func (c *SampleClock) Last(now units.Time) units.Time {
	if c.period == OnChange {
		return now + 1
	}
	return now
}

// QueueSample is the length of a queue at an instant.
type QueueSample struct {
	At    units.Time
	Queue int // port*lanes+lane
	Bytes units.Bytes
}

// GroupSample is what a priority group holds at an instant, and its threshold then.
type GroupSample struct {
	At          units.Time
	Group       int // port*groups+group
	Held, Limit units.Bytes
}

// probes sample a switch. Only changes are kept.
type probes struct {
	clock   SampleClock
	queues  []int // those that are watched
	lengths []units.Bytes
	groups  []int
	levels  []GroupSample

	queueSamples []QueueSample
	groupSamples []GroupSample
}

// newProbes are the probes of a switch that the configuration asks for; nil if it asks
// for none.
func newProbes(s *Switch, cfg *Config) *probes {
	period := cmp.Or(cfg.QueueSamples, cfg.GroupSamples)
	if period == 0 {
		return nil
	}
	p := &probes{clock: NewSampleClock(period)}
	for port := range s.ports {
		if !cfg.samples(s.node, port) {
			continue
		}
		for lane := range s.lanes {
			if cfg.QueueSamples != 0 {
				p.queues = append(p.queues, port*s.lanes+lane)
			}
		}
		for group := range s.buffer.lanes {
			if cfg.GroupSamples != 0 {
				p.groups = append(p.groups, s.buffer.at(port, group))
			}
		}
	}
	p.lengths, p.levels = make([]units.Bytes, len(p.queues)), make([]GroupSample, len(p.groups))
	return p
}

// samples tells whether the series of a port are recorded.
func (c *Config) samples(node, port int) bool { return c.Sampled == nil || c.Sampled(node, port) }

// before is called with the time of the next event.
func (p *probes) before(now units.Time, s *Switch) {
	at, due := p.clock.Due(now)
	if !due {
		return
	}
	for i, queue := range p.queues {
		if b := s.queues[queue].bytes; b != p.lengths[i] {
			p.lengths[i] = b
			p.queueSamples = append(p.queueSamples, QueueSample{at, queue, b})
		}
	}
	for i, group := range p.groups {
		p.sampleGroup(&p.levels[i], group, at, &s.buffer)
	}
}

// sampleGroup records a group whose level has changed, or whose threshold has while it
// holds anything.
func (p *probes) sampleGroup(last *GroupSample, group int, at units.Time, b *Buffer) {
	held, limit := b.groups[group].held(), b.limit(group%len(b.lanes))
	if held == last.Held && (held == 0 || limit == last.Limit) {
		return
	}
	*last = GroupSample{at, group, held, limit}
	p.groupSamples = append(p.groupSamples, *last)
}

// flush takes the last samples.
func (p *probes) flush(now units.Time, s *Switch) { p.before(p.clock.Last(now), s) }

// QueueSamples are the sampled queue lengths, with port and priority of each queue.
func (s *Switch) QueueSamples(f func(at units.Time, port, priority int, bytes units.Bytes)) {
	if s.probe == nil {
		return
	}
	priorities := s.prioritiesByLane()
	for _, q := range s.probe.queueSamples {
		f(q.At, q.Queue/s.lanes, priorities[q.Queue%s.lanes], q.Bytes)
	}
}

// GroupSamples are the sampled levels and thresholds of priority groups, with port and
// priority of each; a group of several priorities goes by the lowest.
func (s *Switch) GroupSamples(f func(at units.Time, port, priority int, held, limit units.Bytes)) {
	if s.probe == nil {
		return
	}
	groups := len(s.buffer.lanes)
	priorities := make([]int, groups)
	for priority := range slices.Backward(s.group[:]) {
		if g := s.group[priority]; g >= 0 {
			priorities[g] = priority
		}
	}
	for _, g := range s.probe.groupSamples {
		f(g.At, g.Group/groups, priorities[g.Group%groups], g.Held, g.Limit)
	}
}
