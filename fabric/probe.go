package fabric

import "github.com/rdmasim/rdmasim/sim/units"

// QueueSample is the length of a queue at an instant of the sampling grid.
type QueueSample struct {
	At    units.Time
	Queue int // port*lanes+lane
	Bytes units.Bytes
}

// queueProbe samples the queues of a switch at a fixed period. It needs no
// events: between two events nothing changes, so before an event is handled all
// instants up to it can be filled in; and only changes are kept. A sample at
// time t shows the state after all events at t.
type queueProbe struct {
	period  units.Time
	next    units.Time // first instant not yet sampled
	last    []units.Bytes
	samples []QueueSample
}

func newQueueProbe(period units.Time, queues int) *queueProbe {
	return &queueProbe{period: period, last: make([]units.Bytes, queues)}
}

// before is called with the time of the next event.
func (p *queueProbe) before(now units.Time, s *Switch) {
	if now <= p.next {
		return
	}
	for i := range s.queues {
		if b := s.queues[i].bytes; b != p.last[i] {
			p.last[i] = b
			p.samples = append(p.samples, QueueSample{p.next, i, b})
		}
	}
	p.next = (now + p.period - 1) / p.period * p.period
}
