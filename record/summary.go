package record

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Summary is the run in figures and sentences. The caller adds what only it
// knows: the scenario's name and seed, expectations, warnings, wall time.
func (r *Run) Summary() *results.Summary {
	s := &results.Summary{
		Outcome:       results.Outcome(r.Report.Outcome.String()),
		Digest:        fmt.Sprintf("%016x", uint64(r.Report.Digest)),
		SimulatedTime: results.Micros(r.Report.Now),
		PacketHops:    int64(r.Report.Hops),
		FCTEnd:        "last acknowledgement at the sender",
		Flows:         results.Flows{Total: len(r.Cluster.Flows)},
	}
	r.countFlows(s)
	s.FCT = results.TimePercentiles(r.fcts())
	s.Slowdown = results.RatioPercentiles(r.slowdowns())
	s.Goodput = r.goodput()
	s.Drops = r.drops()
	s.Pause = r.pauseSummary()
	s.ECN = r.ecnSummary()
	s.CongestionControl, s.Recovery = r.controlSummary()
	r.peaks(s)
	s.Why = r.why(s)
	return s
}

func (r *Run) countFlows(s *results.Summary) {
	for i := range r.Cluster.Flows {
		switch t := r.Cluster.Transfer(i); {
		case succeeded(t):
			s.Flows.Done++
		case t.Done():
			s.Flows.Failed++
		}
	}
	for _, w := range r.Cluster.Waits(r.Report.Now) {
		s.Reasons = append(s.Reasons, r.waitText(w))
	}
}

// fcts are the completion times of the flows that succeeded, in the order of flows.
func (r *Run) fcts() []units.Time {
	var ts []units.Time
	for i, f := range r.Cluster.Flows {
		if t := r.Cluster.Transfer(i); succeeded(t) {
			ts = append(ts, t.End-f.Start)
		}
	}
	return ts
}

func (r *Run) slowdowns() []float64 {
	var xs []float64
	for i, f := range r.Cluster.Flows {
		if t := r.Cluster.Transfer(i); succeeded(t) {
			_, ideal := r.Cluster.Ideal(i)
			xs = append(xs, float64(t.End-f.Start)/float64(ideal))
		}
	}
	return xs
}

// firstWork and lastWork are the time in which flows were under way.
func (r *Run) firstWork() units.Time {
	first := units.Never
	for _, f := range r.Cluster.Flows {
		first = min(first, f.Start)
	}
	return min(first, r.Report.Now)
}

func (r *Run) lastWork() units.Time {
	var last units.Time
	for i := range r.Cluster.Flows {
		t := r.Cluster.Transfer(i)
		if !t.Done() {
			return r.Report.Now
		}
		last = max(last, t.End)
	}
	return last
}

func (r *Run) goodput() results.Goodput {
	var g results.Goodput
	span := r.lastWork() - r.firstWork()
	r.eachReceiver(func(name string, payload units.Bytes) {
		g.Payload += int64(payload)
		g.Receivers++
		own := &results.NamedRate{Name: name, Rate: results.Gbps(rate(payload, span))}
		if g.Slowest == nil || own.Rate < g.Slowest.Rate {
			g.Slowest = own
		}
		if g.Fastest == nil || own.Rate > g.Fastest.Rate {
			g.Fastest = own
		}
	})
	g.Rate = results.Gbps(rate(units.Bytes(g.Payload), span))
	return g
}

// eachReceiver calls f for every host that something was sent to.
func (r *Run) eachReceiver(f func(name string, payload units.Bytes)) {
	receives := make([]bool, len(r.Cluster.Hosts))
	for _, flow := range r.Cluster.Flows {
		receives[flow.Dst] = true
	}
	for i, h := range r.Cluster.Hosts {
		if !receives[i] {
			continue
		}
		var payload units.Bytes
		for _, nic := range h.NICs() {
			payload += units.Bytes(sumQPs(nic).received.Payload)
		}
		f(r.hostName(i), payload)
	}
}

// drops are the packets lost, by reason.
func (r *Run) drops() []results.Drop {
	buffer := results.Drop{Reason: "buffer full, lossy priority"}
	headroom := results.Drop{Reason: "headroom full, lossless priority", Lossless: true}
	cable := results.Drop{Reason: "lost on a cable"}
	r.eachPort(func(p port) {
		for q := range pfc.Priorities {
			to := &buffer
			if r.Cluster.Net.Config.PFC.IsLossless(q) {
				to = &headroom
			}
			to.Packets += int64(p.Counters.Dropped[q].Packets)
			to.Bytes += int64(p.Counters.Dropped[q].Bytes)
		}
		cable.Packets += int64(p.Counters.Lost.Packets)
		cable.Bytes += int64(p.Counters.Lost.Bytes)
	})
	return []results.Drop{headroom, buffer, cable}
}

func (r *Run) pauses() bool { return r.Cluster.Net.Config.PFC.Lossless != 0 }
func (r *Run) marks() bool  { return r.Cluster.Net.Config.ECN.Pmax.Num != 0 }

func (r *Run) pauseSummary() *results.Pause {
	if !r.pauses() {
		return nil
	}
	s := &results.Pause{}
	r.eachPort(func(p port) {
		for q := range pfc.Priorities {
			sent := p.Counters.PauseTx[q]
			s.XOFF += int64(sent.XOFF)
			s.XON += int64(sent.XON)
			s.Refresh += int64(sent.Refresh)
			held := p.PausedFor(q, r.Report.Now)
			if held == 0 {
				continue
			}
			s.PausedTime += results.Micros(held)
			s.PausedPorts++
			if s.Worst == nil || results.Micros(held) > s.Worst.Time {
				s.Worst = &results.PausedPort{
					Port: p.full, Priority: q, Time: results.Micros(held), Share: float64(held) / float64(r.Report.Now),
				}
			}
		}
	})
	return s
}

func (r *Run) ecnSummary() *results.ECN {
	if !r.marks() {
		return nil
	}
	var marked, passed int64
	r.eachPort(func(p port) {
		if p.sw != nil {
			marked += total(&p.Counters.Marked)
			passed += int64(sumOf(&p.Counters.Tx).Packets)
		}
	})
	return results.NewECN(marked, passed)
}

func (r *Run) controlSummary() (results.CongestionControl, results.Recovery) {
	c, rec := results.CongestionControl{Name: r.Control}, results.Recovery{}
	r.eachQP(func(_ string, nic *rnic.NIC, i int, qp *rnic.QP) {
		sent := qp.Sent()
		c.CNPsSent += int64(qp.Received().CNPsSent)
		c.CNPsHandled += int64(sent.CNPs)
		rec.Retransmitted += int64(sent.RetransmittedPayload)
		rec.Timeouts += int64(sent.Timeouts)
		rec.NAKs += int64(sent.Naks)
		if sent.Packets == 0 {
			return
		}
		c.QPs++
		if cuts := nic.ControlState(i, r.Report.Now).Cuts; cuts > 0 {
			c.RateCuts += int64(cuts)
			c.QPsCut++
		}
	})
	return c, rec
}

// fullQueue is an egress queue with its report.
type fullQueue struct {
	port     port
	priority int
	report   fabric.QueueReport
}

// fullestQueue is the egress queue that was longest at its longest, of those with
// a lossless priority if there are such.
func (r *Run) fullestQueue() (fullest fullQueue, found bool) {
	r.eachPort(func(p port) {
		if priority, q := p.longestQueue(); q.Peak > fullest.report.Peak {
			fullest, found = fullQueue{p, priority, q}, true
		}
	})
	return fullest, found
}

// fullGroup is an ingress priority group with its report.
type fullGroup struct {
	port     port
	priority int
	report   fabric.GroupReport
}

// eachGroup calls f for every lossless priority group of a switch.
func (r *Run) eachGroup(f func(g fullGroup)) {
	r.eachPort(func(p port) {
		if p.sw == nil {
			return
		}
		r.eachLossless(func(c int) { f(fullGroup{p, c, p.sw.Group(p.index, c)}) })
	})
}

// nearestGroup is the lossless group that came nearest to its threshold.
func (r *Run) nearestGroup() (nearest fullGroup, found bool) {
	r.eachGroup(func(g fullGroup) {
		if share(g.report.Nearest, g.report.Limit) > share(nearest.report.Nearest, nearest.report.Limit) {
			nearest, found = g, true
		}
	})
	return nearest, found
}

// peaks are how full things got, against their thresholds.
func (r *Run) peaks(s *results.Summary) {
	if q, ok := r.fullestQueue(); ok {
		s.PeakQueue = &results.Peak{Where: r.queueName(q.port.node, q.port.index, q.priority), Bytes: int64(q.report.Peak), Time: results.Micros(q.report.PeakAt)}
		if r.marks() {
			kmin, kmax := r.Cluster.Net.Config.ECN.Thresholds(q.port.Rate())
			s.PeakQueue.Against("Kmin", int64(kmin)).Against("Kmax", int64(kmax))
		}
	}
	if g, ok := r.nearestGroup(); ok {
		s.PeakIngress = &results.Peak{Where: g.name(), Bytes: int64(g.report.Nearest), Time: results.Micros(g.report.NearestAt)}
		s.PeakIngress.Against("XOFF", int64(g.report.Limit))
	}
	var fullest fullGroup
	r.eachGroup(func(g fullGroup) {
		if share(g.report.PeakHeadroom, g.report.Headroom) > share(fullest.report.PeakHeadroom, fullest.report.Headroom) {
			fullest = g
		}
	})
	if h := fullest.report; h.PeakHeadroom > 0 {
		s.PeakHeadroom = &results.Peak{Where: fullest.name(), Bytes: int64(h.PeakHeadroom), Time: results.Micros(h.PeakHeadroomAt)}
		s.PeakHeadroom.Against("headroom", int64(h.Headroom))
	}
}

func (g fullGroup) name() string { return g.port.full + ", priority " + itoa(g.priority) }
