package record

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// queue is an egress queue of a switch with its report.
type queue struct {
	port     port
	priority int
	report   fabric.QueueReport
}

// name is the port, where it leads, and the priority.
func (q queue) name(r *Run) string { return r.queueName(q.port.node, q.port.index, q.priority) }

// eachQueue calls f for every egress queue of a switch that ever held a packet.
func (r *Run) eachQueue(f func(q queue)) {
	r.eachActivePort(func(p port) {
		if p.sw == nil {
			return
		}
		for priority := range pfc.Priorities {
			if q := p.sw.Queue(p.index, priority); q.Peak > 0 {
				f(queue{p, priority, q})
			}
		}
	})
}

// fullestQueue is the egress queue that was longest at its longest.
func (r *Run) fullestQueue() (fullest queue, found bool) {
	r.eachQueue(func(q queue) {
		if q.report.Peak > fullest.report.Peak {
			fullest, found = q, true
		}
	})
	return fullest, found
}

// nearestKmin is the egress queue that came nearest to the Kmin of its port, with
// that and how near it came. Ports of different rates may differ in Kmin, so it
// need not be the longest queue.
func (r *Run) nearestKmin() (nearest queue, kmin units.Bytes, reached float64) {
	r.eachQueue(func(q queue) {
		own, _ := r.thresholds(q.port, q.priority)
		if near := share(q.report.Peak, own); near > reached {
			nearest, kmin, reached = q, own, near
		}
	})
	return nearest, kmin, reached
}

// group is an ingress priority group of a switch with its report.
type group struct {
	port     port
	priority int
	report   fabric.GroupReport
}

func (g group) name() string { return g.port.full() + ", priority " + itoa(g.priority) }

// eachGroup calls f for every lossless priority group of a switch.
func (r *Run) eachGroup(f func(g group)) {
	r.eachActivePort(func(p port) {
		if p.sw == nil {
			return
		}
		r.eachLossless(func(c int) { f(group{p, c, p.sw.Group(p.index, c)}) })
	})
}

// nearestGroup is the lossless group that came nearest to its threshold.
func (r *Run) nearestGroup() (nearest group, found bool) {
	r.eachGroup(func(g group) {
		if share(g.report.Nearest, g.report.Limit) > share(nearest.report.Nearest, nearest.report.Limit) {
			nearest, found = g, true
		}
	})
	return nearest, found
}

// peaks are how full things got, against their thresholds.
func (r *Run) peaks(s *results.Summary) {
	if q, ok := r.fullestQueue(); ok {
		s.PeakQueue = &results.Peak{Where: q.name(r), Bytes: int64(q.report.Peak), Time: results.Micros(q.report.PeakAt)}
		if r.marksIn(q.port, q.priority) {
			kmin, kmax := r.thresholds(q.port, q.priority)
			s.PeakQueue.Against("Kmin", int64(kmin)).Against("Kmax", int64(kmax))
		}
	}
	if g, ok := r.nearestGroup(); ok {
		s.PeakIngress = &results.Peak{Where: g.name(), Bytes: int64(g.report.Nearest), Time: results.Micros(g.report.NearestAt)}
		s.PeakIngress.Against("XOFF", int64(g.report.Limit))
	}
	var fullest group
	r.eachGroup(func(g group) {
		if share(g.report.PeakHeadroom, g.report.Headroom) > share(fullest.report.PeakHeadroom, fullest.report.Headroom) {
			fullest = g
		}
	})
	if h := fullest.report; h.PeakHeadroom > 0 {
		s.PeakHeadroom = &results.Peak{Where: fullest.name(), Bytes: int64(h.PeakHeadroom), Time: results.Micros(h.PeakHeadroomAt)}
		s.PeakHeadroom.Against("headroom", int64(h.Headroom))
	}
}
