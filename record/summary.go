package record

import (
	"fmt"
	"slices"

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
		FCTEnd:        r.fctEnd(),
		Flows:         results.Flows{Total: len(r.Cluster.Flows)},
	}
	work := r.underWay()
	s.FirstStart, s.UnderWay = results.Micros(work.from), results.Micros(work.length())
	r.countFlows(s)
	r.countPrograms(s)
	s.Outputs = r.Outputs()
	s.Window = r.window()
	s.FCT = results.TimePercentiles(r.FCTs())
	s.Slowdown = results.RatioPercentiles(r.slowdowns())
	s.Wait = r.meanWait()
	s.Goodput = r.goodput()
	s.TCP = r.tcpSummary()
	s.Drops, s.Losses = r.drops(), r.losses()
	s.Pause, s.Credits = r.pauseSummary(), r.creditSummary()
	s.Watchdog, s.Deadlocks = r.watchdogSummary(), r.deadlockSummary()
	s.ECN = r.ecnSummary()
	s.CongestionControl, s.Recovery = r.controlSummary()
	s.Feedback = r.feedback(s)
	s.CPU, s.Bill, s.Figures = r.cpu(), r.bill(), r.programFigures()
	s.Bounds, s.Tiers = r.bounds(), r.tiers()
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
	s.Reasons = r.lastingDeadlocks()
	for _, w := range r.Cluster.Waits(r.Report.Now) {
		s.Reasons = append(s.Reasons, r.waitText(w))
	}
}

// FCTs are the completion times of the flows that count and succeeded, in the order of flows.
func (r *Run) FCTs() []units.Time {
	var ts []units.Time
	for i, f := range r.Cluster.Flows {
		if t := r.Cluster.Transfer(i); succeeded(t) && r.counts(i) {
			ts = append(ts, t.End-f.Start)
		}
	}
	return ts
}

// slowdown is a flow's completion time as a multiple of what it would be alone; it
// has none unless it succeeded.
func (r *Run) slowdown(flow int) (times float64, ok bool) {
	t := r.Cluster.Transfer(flow)
	if !succeeded(t) {
		return 0, false
	}
	_, ideal := r.Cluster.Ideal(flow)
	return float64(t.End-r.Cluster.Flows[flow].Start) / float64(ideal), true
}

func (r *Run) slowdowns() []float64 {
	var xs []float64
	for i := range r.Cluster.Flows {
		if x, ok := r.slowdown(i); ok && r.counts(i) {
			xs = append(xs, x)
		}
	}
	return xs
}

// meanWait is how much longer the flows that count and succeeded took than their ideal, on average.
func (r *Run) meanWait() *results.Micros {
	var waits []units.Time
	for i, f := range r.Cluster.Flows {
		if t := r.Cluster.Transfer(i); succeeded(t) && r.counts(i) {
			_, ideal := r.Cluster.Ideal(i)
			waits = append(waits, t.End-f.Start-ideal)
		}
	}
	if waits == nil {
		return nil
	}
	mean := results.Micros(results.MeanTime(waits))
	return &mean
}

// fctEnd is the event that ends a flow.
func (r *Run) fctEnd() string {
	const acknowledged, read = "last acknowledgement at the sender", "the reading of the last byte by its receiver"
	overTCP := 0
	for i := range r.Cluster.Flows {
		if r.Cluster.Over(i) {
			overTCP++
		}
	}
	switch overTCP {
	case 0:
		return acknowledged
	case len(r.Cluster.Flows):
		return read
	}
	return acknowledged + ", over TCP to " + read
}

// goodput is what receivers got, each over the time in which flows to it were
// under way; of both only what lies in the window that is measured.
func (r *Run) goodput() results.Goodput {
	var g results.Goodput
	var all span
	for host, s := range r.received() {
		if s.flows == 0 {
			continue
		}
		var payload units.Bytes
		for _, nic := range r.Cluster.Hosts[host].NICs() {
			payload += r.intake(nic)
		}
		payload += r.intakeOfTCP(r.Cluster.Hosts[host])
		all.cover(s.from, s.to)
		g.Payload += int64(payload)
		g.Receivers++
		own := &results.NamedRate{Name: r.hostName(host), Rate: results.Gbps(rate(payload, s.length()))}
		if g.Slowest == nil || own.Rate < g.Slowest.Rate {
			g.Slowest = own
		}
		if g.Fastest == nil || own.Rate > g.Fastest.Rate {
			g.Fastest = own
		}
	}
	g.Rate = results.Gbps(rate(units.Bytes(g.Payload), all.length()))
	r.flowRates(&g)
	return g
}

// flowRates adds the goodputs of the slowest and the fastest of the flows that
// count and have begun, and how fair all of them are.
func (r *Run) flowRates(g *results.Goodput) {
	var all []float64
	for i, payload := range r.delivered() {
		from, to := r.flowSpan(i)
		if !r.counts(i) || from == to {
			continue
		}
		own := &results.NamedRate{Name: r.flowName(i), Rate: results.Gbps(rate(payload, to-from))}
		all = append(all, float64(own.Rate))
		if g.SlowestFlow == nil || own.Rate < g.SlowestFlow.Rate {
			g.SlowestFlow = own
		}
		if g.FastestFlow == nil || own.Rate > g.FastestFlow.Rate {
			g.FastestFlow = own
		}
	}
	g.Jain = results.Jain(all)
}

// noBuffer is the reason of drops in priorities without PFC.
const noBuffer = "buffer full, lossy priority"

// drops are the packets lost, by reason.
func (r *Run) drops() []results.Drop {
	buffer := results.Drop{Reason: noBuffer}
	headroom := results.Drop{Reason: "headroom full, lossless priority", Lossless: true}
	r.eachActivePort(func(p port) {
		for q := range pfc.Priorities {
			if p.sw == nil {
				break // what a NIC drops has reasons of its own
			}
			to := &buffer
			if r.Cluster.Net.Config.PFC.IsLossless(q) {
				to = &headroom
			}
			to.Packets += int64(p.Counters.Class[q].Dropped.Packets)
			to.Bytes += int64(p.Counters.Class[q].Dropped.Bytes)
		}
	})
	return slices.Concat([]results.Drop{headroom, buffer}, r.faultDrops(), r.dropsAtEgress(), r.dropsAtEnds())
}

func (r *Run) pauses() bool { return r.Cluster.Net.Config.PFC.Lossless != 0 && !r.onCredits() }
func (r *Run) marks() bool  { return r.Cluster.Net.Marks() }

func (r *Run) pauseSummary() *results.Pause {
	if !r.pauses() {
		return nil
	}
	s, work := &results.Pause{Roots: []results.PauseRoot{}}, r.underWay()
	r.eachActivePort(func(p port) {
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
			if p.sw == nil {
				s.PausedNICs++
			}
			if s.Worst == nil || results.Micros(held) > s.Worst.Time {
				s.Worst = &results.PausedPort{
					Port: p.full(), Priority: q, Time: results.Micros(held), Share: work.share(held),
				}
			}
		}
	})
	s.Roots = append(s.Roots, r.pauseRoots()...)
	return s
}

func (r *Run) ecnSummary() *results.ECN {
	if !r.marks() {
		return nil
	}
	var marked, data, markedData int64
	r.eachActivePort(func(p port) {
		if p.sw != nil {
			marked += int64(p.total().Marked)
			return
		}
		got := sumQPs(p.nic).received
		data += int64(got.Packets + got.OutOfSequence + got.Duplicates)
		markedData += int64(got.Marked)
		eachVerbs(p.nic, func(q *rnic.VerbsQP) { data += int64(q.Counted.Answers + q.Counted.StaleAnswers) })
	})
	for _, h := range r.Cluster.Hosts {
		t := h.Traffic()
		data, markedData = data+int64(t.Data), markedData+int64(t.Marked)
	}
	return results.NewECN(marked, data, markedData)
}

func (r *Run) controlSummary() (results.CongestionControl, results.Recovery) {
	c, rec := results.CongestionControl{Name: r.Control}, results.Recovery{}
	r.eachQP(func(_ string, nic *rnic.NIC, i int, qp *rnic.QP) {
		sent := qp.Sent()
		c.CNPsSent += int64(qp.Received().CNPsSent)
		rec.OutOfOrder += int64(qp.Received().OutOfOrder)
		c.CNPsHandled += int64(sent.CNPs)
		rec.Retransmitted += int64(sent.RetransmittedPayload)
		rec.Timeouts += int64(sent.Timeouts)
		rec.NAKs += int64(sent.Naks)
		rec.Restarts += int64(sent.Restarts)
		if v := qp.Verbs(); sent.Packets == 0 && (v == nil || v.Counted.Responses == 0) {
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
