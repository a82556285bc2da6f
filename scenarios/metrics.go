package scenarios

import (
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
)

// Metric is something measured in a run that a scenario can make promises about.
type Metric struct {
	Name string
	Unit Unit
	Doc  string
	// Of returns the value in a summary, in the base unit; false if nothing was measured, such as the completion time
	// where no flow is done.
	Of func(*results.Summary) (value float64, measured bool)
}

// Metrics lists all of them. A new one is one entry here.
var Metrics = slices.Concat(networkMetrics, processorMetrics(), tcpMetrics, []Metric{
	{"cost.per_gb", Number, "cost at the prices of cost for 10^9 bytes of payload delivered", perGB},
	{"simulated_time", Time, "simulated time at the end of the run", count(func(s *results.Summary) int64 { return int64(s.SimulatedTime) })},
})

// networkMetrics are those of flows and of the network.
var networkMetrics = []Metric{
	{"flows.total", Number, "flows of the scenario", count(func(s *results.Summary) int64 { return int64(s.Flows.Total) })},
	{"flows.done", Number, "flows that completed", count(func(s *results.Summary) int64 { return int64(s.Flows.Done) })},
	{"flows.failed", Number, "flows that ended in error", count(func(s *results.Summary) int64 { return int64(s.Flows.Failed) })},
	{"flows.unfinished", Number, "flows that came to no end", count(func(s *results.Summary) int64 { return int64(s.Flows.Unfinished()) })},
	{"flow.fct.mean", Time, "mean flow completion time", fct(func(p *results.Percentiles[results.Micros]) results.Micros { return p.Mean })},
	{"flow.fct.p50", Time, "median flow completion time", fct(func(p *results.Percentiles[results.Micros]) results.Micros { return p.P50 })},
	{"flow.fct.p95", Time, "95th percentile of the flow completion times", fct(func(p *results.Percentiles[results.Micros]) results.Micros { return p.P95 })},
	{"flow.fct.p99", Time, "99th percentile of the flow completion times", fct(func(p *results.Percentiles[results.Micros]) results.Micros { return p.P99 })},
	{"flow.fct.max", Time, "longest flow completion time", fct(func(p *results.Percentiles[results.Micros]) results.Micros { return p.Max })},
	{"flow.wait.mean", Time, "mean of the flow completion times beyond those of the flows alone", wait},
	{"flow.slowdown.mean", Number, "mean slowdown: completion time over that of the flow alone", slowdown(func(p *results.Percentiles[float64]) float64 { return p.Mean })},
	{"flow.slowdown.p50", Number, "median slowdown: completion time over that of the flow alone", slowdown(func(p *results.Percentiles[float64]) float64 { return p.P50 })},
	{"flow.slowdown.p95", Number, "95th percentile of the slowdowns", slowdown(func(p *results.Percentiles[float64]) float64 { return p.P95 })},
	{"flow.slowdown.p99", Number, "99th percentile of the slowdowns", slowdown(func(p *results.Percentiles[float64]) float64 { return p.P99 })},
	{"flow.slowdown.max", Number, "greatest slowdown", slowdown(func(p *results.Percentiles[float64]) float64 { return p.Max })},
	{"goodput", Rate, "payload delivered per time, all receivers together", count(func(s *results.Summary) int64 { return int64(s.Goodput.Rate) })},
	{"goodput.slowest", Rate, "goodput of the slowest receiver", named(func(s *results.Summary) *results.NamedRate { return s.Goodput.Slowest })},
	{"goodput.fastest", Rate, "goodput of the fastest receiver", named(func(s *results.Summary) *results.NamedRate { return s.Goodput.Fastest })},
	{"goodput.flow.slowest", Rate, "goodput of the slowest flow, done or not", named(func(s *results.Summary) *results.NamedRate { return s.Goodput.SlowestFlow })},
	{"goodput.flow.fastest", Rate, "goodput of the fastest flow, done or not", named(func(s *results.Summary) *results.NamedRate { return s.Goodput.FastestFlow })},
	{"goodput.jain", Number, "Jain's fairness index of the goodputs of flows: 1 where all are equal, 1/n where one of n has all", jain},
	{"drops", Number, "packets dropped for any reason", count(func(s *results.Summary) int64 { return drops(s, false) })},
	{"lossless_drops", Number, "packets dropped in lossless priorities", count(func(s *results.Summary) int64 { return drops(s, true) })},
	{"lost", Number, "frames lost on links, corrupted ones and PFC frames included", lost("")},
	{"lost.data", Number, "data packets among them", lost("data")},
	{"lost.ack", Number, "acknowledgements among them", lost("ack")},
	{"lost.nak", Number, "negative acknowledgements among them", lost("nak")},
	{"lost.cnp", Number, "congestion notifications among them", lost("cnp")},
	{"lost.pfc-pause", Number, "PFC frames among them that ask for a pause", lost("pfc-pause")},
	{"lost.pfc-resume", Number, "PFC frames among them that only end pauses", lost("pfc-resume")},
	{"lost.credit", Number, "flow-control packets of InfiniBand among them", lost("credit")},
	{"no_route", Number, "packets that switches had no route for", count(unroutable)},
	{"credits.stalls", Number, "packets that waited for credits, on InfiniBand links", credits(func(c *results.Credits) int64 { return c.Stalls })},
	{"credits.time", Time, "time for which packets waited for credits, summed over ports and virtual lanes", credits(func(c *results.Credits) int64 { return int64(c.Time) })},
	{"credits.lanes", Number, "pairs of port and virtual lane at which any packet waited for credits", credits(func(c *results.Credits) int64 { return int64(c.Lanes) })},
	{"pause.frames", Number, "pauses begun", paused(func(p *results.Pause) int64 { return p.XOFF })},
	{"pause.time", Time, "time paused, summed over ports and priorities", paused(func(p *results.Pause) int64 { return int64(p.PausedTime) })},
	{"pause.ports", Number, "pairs of port and priority that were ever paused", paused(func(p *results.Pause) int64 { return int64(p.PausedPorts) })},
	{"pause.victims", Number, "flows slowed by pauses that trace back to a port they do not use", paused(victims)},
	{"pause.nics", Number, "pairs of host port and priority that were ever paused", paused(func(p *results.Pause) int64 { return int64(p.PausedNICs) })},
	{"nic_drops", Number, "packets dropped because the receive buffer of a NIC was full", count(func(s *results.Summary) int64 { return dropsFor(s, record.NICFull) })},
	{"watchdog.storms", Number, "storms that PFC watchdogs declared", watchdog(func(w *results.Watchdog) int64 { return w.Storms })},
	{"watchdog.restored", Number, "storms that were over before the end", watchdog(func(w *results.Watchdog) int64 { return w.Restored })},
	{"watchdog.discarded", Number, "packets that PFC watchdogs discarded", watchdog(func(w *results.Watchdog) int64 { return w.Discarded })},
	{"deadlocks", Number, "circles of pauses that waited for each other", count(func(s *results.Summary) int64 { return int64(len(s.Deadlocks)) })},
	{"ecn.marked", Number, "packets that switches marked", marked(func(e *results.ECN) float64 { return float64(e.Marked) })},
	{"ecn.share", Number, "data packets that arrive marked, as a share of all", marked(func(e *results.ECN) float64 { return e.Share })},
	{"cnps.sent", Number, "congestion notifications sent by receivers", count(func(s *results.Summary) int64 { return s.CongestionControl.CNPsSent })},
	{"cnps.handled", Number, "congestion notifications handled by senders", count(func(s *results.Summary) int64 { return s.CongestionControl.CNPsHandled })},
	{"mark_to_cut.mean", Time, "mean time from a mark to the cut of the rate that it caused", delay(func(d *results.Delay) results.Micros { return d.Mean })},
	{"mark_to_cut.max", Time, "longest time from a mark to the cut of the rate that it caused", delay(func(d *results.Delay) results.Micros { return d.Max })},
	{"rate_cuts", Number, "times a sender lowered its rate", count(func(s *results.Summary) int64 { return s.CongestionControl.RateCuts })},
	{"retransmitted", Bytes, "payload sent again", count(func(s *results.Summary) int64 { return s.Recovery.Retransmitted })},
	{"timeouts", Number, "expiries of retransmission timers", count(func(s *results.Summary) int64 { return s.Recovery.Timeouts })},
	{"naks", Number, "negative acknowledgements received", count(func(s *results.Summary) int64 { return s.Recovery.NAKs })},
	{"restarts", Number, "messages begun again from their first packet, as go-back-0 does", count(func(s *results.Summary) int64 { return s.Recovery.Restarts })},
	{"out_of_order", Number, "packets that receivers took in behind a gap, as selective repeat does", count(func(s *results.Summary) int64 { return s.Recovery.OutOfOrder })},
	{"queue.peak", Bytes, "fullest egress queue of a switch", peak(func(s *results.Summary) *results.Peak { return s.PeakQueue })},
	{"ingress.peak", Bytes, "ingress group that came nearest to its XOFF threshold", peak(func(s *results.Summary) *results.Peak { return s.PeakIngress })},
	{"headroom.peak", Bytes, "fullest headroom", peak(func(s *results.Summary) *results.Peak { return s.PeakHeadroom })},
}

// tcpMetrics are those of TCP; nothing is measured where nothing goes over it.
var tcpMetrics = []Metric{
	{"tcp.retransmitted", Bytes, "payload that TCP sent again", overTCPMeasure(func(t *results.TCP) int64 { return t.Retransmitted })},
	{"tcp.timeouts", Number, "expiries of retransmission timers of TCP", overTCPMeasure(func(t *results.TCP) int64 { return t.Timeouts })},
	{"tcp.tail_probes", Number, "tail loss probes that TCP sent", overTCPMeasure(func(t *results.TCP) int64 { return t.TailProbes })},
	{"tcp.fast_recoveries", Number, "recoveries of TCP from loss without a timeout", overTCPMeasure(func(t *results.TCP) int64 { return t.FastRecoveries })},
	{"tcp.reductions", Number, "times that a window of TCP came down because of echoed marks", overTCPMeasure(func(t *results.TCP) int64 { return t.Reductions })},
	{"tcp.ring_drops", Number, "packets that found the receive ring of a host full", overTCPMeasure(func(t *results.TCP) int64 { return t.RingDrops })},
	{"tcp.zero_windows", Number, "times that a receiver's window closed", overTCPMeasure(func(t *results.TCP) int64 { return t.ZeroWindows })},
	{"tcp.interrupts", Number, "interrupts of adapters that kernels handled", overTCPMeasure(func(t *results.TCP) int64 { return t.Interrupts })},
	{"tcp.packets_per_aggregate", Number, "packets received for each aggregate with data that they were merged to", merged},
}

// processorMetrics are those of processors and memories.
func processorMetrics() []Metric {
	all := []Metric{
		{"moved", Bytes, "payload delivered, to flows and to programs", processors(func(c *results.CPU) (float64, bool) { return float64(c.Moved), true })},
		{"cpu.cores_busy", Number, "cores that were at work or looked for it, on average over the time flows and programs were under way, all hosts together", cores(func(c *results.CPU) *float64 { return c.Cores })},
		{"cpu.seconds", Time, "processor time, all cores of all hosts", processorTime("")},
	}
	for _, k := range record.CPUKinds() {
		all = append(all, Metric{"cpu.seconds." + k.Name, Time, "of it, " + k.Doc, processorTime(k.Name)})
	}
	return append(all,
		Metric{"cpu.cycles_per_byte", Number, "cycles of all cores, by host.clock, for each byte of payload delivered", cores(func(c *results.CPU) *float64 { return c.Cycles })},
		Metric{"cpu.cpu_copies_per_byte", Number, "how often processors copied each byte of payload delivered", cores(func(c *results.CPU) *float64 { return c.Copies })},
		Metric{"cpu.dma_crossings_per_byte", Number, "how often adapters read each byte of payload delivered from memory, or wrote it there", cores(func(c *results.CPU) *float64 { return c.Crossings })},
		Metric{"cpu.memory_bus_bytes", Bytes, "bytes over the memory buses of all hosts for payload", processors(func(c *results.CPU) (float64, bool) { return float64(c.MemoryBus), true })},
	)
}

// measure is the function of a [Metric].
type measure = func(*results.Summary) (value float64, measured bool)

func count(of func(*results.Summary) int64) measure {
	return func(s *results.Summary) (float64, bool) { return float64(of(s)), true }
}

func fct(of func(*results.Percentiles[results.Micros]) results.Micros) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.FCT == nil {
			return 0, false
		}
		return float64(of(s.FCT)), true
	}
}

func wait(s *results.Summary) (float64, bool) {
	if s.Wait == nil {
		return 0, false
	}
	return float64(*s.Wait), true
}

func jain(s *results.Summary) (float64, bool) {
	if s.Goodput.Jain == nil {
		return 0, false
	}
	return *s.Goodput.Jain, true
}

func slowdown(of func(*results.Percentiles[float64]) float64) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.Slowdown == nil {
			return 0, false
		}
		return of(s.Slowdown), true
	}
}

func named(of func(*results.Summary) *results.NamedRate) measure {
	return func(s *results.Summary) (float64, bool) {
		r := of(s)
		if r == nil {
			return 0, false
		}
		return float64(r.Rate), true
	}
}

// processors measures what processors did.
func processors(of func(*results.CPU) (float64, bool)) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.CPU == nil {
			return 0, false
		}
		return of(s.CPU)
	}
}

// cores is the same of what may not have been measured.
func cores(of func(*results.CPU) *float64) measure {
	return processors(func(c *results.CPU) (float64, bool) {
		if v := of(c); v != nil {
			return *v, true
		}
		return 0, false
	})
}

// processorTime measures the time of a kind; of no kind, all. It measures nothing where no core is modelled.
func processorTime(kind string) measure {
	return processors(func(c *results.CPU) (float64, bool) {
		if kind == "" {
			return float64(c.Time), c.Cores != nil
		}
		return float64(c.Of(kind)), c.Cores != nil
	})
}

func overTCPMeasure(of func(*results.TCP) int64) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.TCP == nil {
			return 0, false
		}
		return float64(of(s.TCP)), true
	}
}

func merged(s *results.Summary) (float64, bool) {
	if s.TCP == nil || s.TCP.Aggregates == 0 {
		return 0, false
	}
	return float64(s.TCP.Packets) / float64(s.TCP.Aggregates), true
}

// perGB measures nothing where the scenario has no prices, or nothing was delivered.
func perGB(s *results.Summary) (float64, bool) {
	if s.Bill == nil || s.Bill.PerGB == nil {
		return 0, false
	}
	return *s.Bill.PerGB, true
}

// credits measures 0 where links have none.
func credits(of func(*results.Credits) int64) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.Credits == nil {
			return 0, true
		}
		return float64(of(s.Credits)), true
	}
}

// paused measures 0 where PFC is off.
func paused(of func(*results.Pause) int64) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.Pause == nil {
			return 0, true
		}
		return float64(of(s.Pause)), true
	}
}

// watchdog measures 0 where there is none.
func watchdog(of func(*results.Watchdog) int64) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.Watchdog == nil {
			return 0, true
		}
		return float64(of(s.Watchdog)), true
	}
}

// victims counts the victims of all roots.
func victims(p *results.Pause) (n int64) {
	for _, r := range p.Roots {
		n += int64(r.Victims)
	}
	return n
}

// delay measures nothing where no mark led to a cut.
func delay(of func(*results.Delay) results.Micros) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.Feedback == nil || s.Feedback.MarkToCut == nil {
			return 0, false
		}
		return float64(of(s.Feedback.MarkToCut)), true
	}
}

// marked measures 0 where ECN is off.
func marked(of func(*results.ECN) float64) measure {
	return func(s *results.Summary) (float64, bool) {
		if s.ECN == nil {
			return 0, true
		}
		return of(s.ECN), true
	}
}

// peak measures 0 where there is nothing that could fill.
func peak(of func(*results.Summary) *results.Peak) measure {
	return func(s *results.Summary) (float64, bool) {
		p := of(s)
		if p == nil {
			return 0, true
		}
		return float64(p.Bytes), true
	}
}

func drops(s *results.Summary, losslessOnly bool) int64 {
	var packets int64
	for _, d := range s.Drops {
		if d.Lossless || !losslessOnly {
			packets += d.Packets
		}
	}
	return packets
}

// dropsFor counts the packets dropped for a reason, be it given for some priorities only.
func dropsFor(s *results.Summary, reason string) (packets int64) {
	for _, d := range s.Drops {
		if strings.HasPrefix(d.Reason, reason) {
			packets += d.Packets
		}
	}
	return packets
}

// lost counts the frames of a kind that were lost on links; of no kind, all.
func lost(kind string) measure {
	return count(func(s *results.Summary) (frames int64) {
		for _, l := range s.Losses {
			if kind == "" || kind == l.Frame {
				frames += l.Frames
			}
		}
		return frames
	})
}

func unroutable(s *results.Summary) (packets int64) {
	for _, d := range s.Drops {
		if d.Reason == record.NoRoute {
			packets += d.Packets
		}
	}
	return packets
}

func findMetric(name string) (Metric, bool) {
	for _, m := range Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

func metricNames() []string {
	names := make([]string, len(Metrics))
	for i, m := range Metrics {
		names[i] = m.Name
	}
	return names
}
