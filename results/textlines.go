package results

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// The lines of a summary, one mechanism each.

func (s *Summary) writeTraffic(p *page) {
	if !s.onlyPrograms() {
		p.row("goodput", "%s", s.goodputLine())
	}
	if len(s.Tiers) > 2 {
		p.row("bytes", "%s", s.tierLine())
	}
	p.row("drops", "%s", s.dropLine())
}

func (s *Summary) goodputLine() string {
	g := &s.Goodput
	line := fmt.Sprintf("%s (%s in all)", units.Rate(g.Rate).Human(), units.Bytes(g.Payload).Human())
	switch {
	case g.Receivers == 1 && g.Fastest != nil:
		line += ", one receiver: " + g.Fastest.Name
	case g.Receivers > 1 && g.Fastest != nil && g.Slowest != nil && g.Fastest.Rate == g.Slowest.Rate:
		line += fmt.Sprintf(", %d receivers: %s each", g.Receivers, units.Rate(g.Fastest.Rate).Human())
	case g.Receivers > 1 && g.Fastest != nil && g.Slowest != nil:
		line += fmt.Sprintf(", %d receivers: %s (%s) to %s (%s)", g.Receivers,
			units.Rate(g.Slowest.Rate).Human(), g.Slowest.Name, units.Rate(g.Fastest.Rate).Human(), g.Fastest.Name)
	}
	return line
}

func (s *Summary) dropLine() string {
	var parts []string
	for _, d := range s.Drops {
		if d.Packets > 0 {
			parts = append(parts, fmt.Sprintf("%s, %s (%s)", d.Reason, Plural(d.Packets, "packet"), units.Bytes(d.Bytes).Human()))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, "; ")
}

func (s *Summary) writeMechanisms(p *page) {
	if s.Credits != nil {
		p.row("credits", "%s", s.Credits.line())
	} else {
		p.row("pause", "%s", s.pauseLine())
	}
	if s.Watchdog != nil {
		p.row("watchdog", "%s", s.Watchdog.line())
	}
	p.row("ECN", "%s", s.ecnLine())
	if !s.OnlyTCP() {
		p.row("congestion", "%s", s.congestionLine())
	}
	if s.TCP != nil {
		p.row("TCP", "%s", s.TCP.line())
	}
	if line := s.feedbackLine(); line != "" {
		p.row("feedback", "%s", line)
	}
	if !s.OnlyTCP() {
		p.row("recovery", "%s", s.recoveryLine())
	}
	s.writeProcessors(p)
}

// writeProcessors says what processors did, if anything that runs on them is modelled, and what the run cost.
func (s *Summary) writeProcessors(p *page) {
	if s.CPU != nil && s.CPU.Cores != nil {
		p.row("processors", "%s", s.CPU.line())
		if line := s.CPU.copiesLine(); line != "" {
			p.row("memory", "%s", line)
		}
	}
	if s.Bill != nil {
		p.list("cost", s.Bill.lines())
	}
}

func (s *Summary) pauseLine() string {
	q := s.Pause
	switch {
	case q == nil:
		return "PFC is off"
	case q.XOFF == 0 && q.PausedPorts == 0:
		return "never: no port sent XOFF"
	}
	line := fmt.Sprintf("%s XOFF, %s refreshed, %s XON", Count(q.XOFF), Count(q.Refresh), Count(q.XON))
	if q.PausedPorts > 1 {
		line += fmt.Sprintf("; %s pairs of port and priority paused for %s in all",
			Count(int64(q.PausedPorts)), units.Time(q.PausedTime).Human())
	}
	if q.Worst != nil {
		line += fmt.Sprintf("; longest %s priority %d: %s (%s of the time)",
			q.Worst.Port, q.Worst.Priority, units.Time(q.Worst.Time).Human(), Percent(q.Worst.Share))
	}
	return line
}

func (w *Watchdog) line() string {
	if w.Storms == 0 {
		return "never: no storm"
	}
	return fmt.Sprintf("%s, %s over; %s discarded", Plural(w.Storms, "storm"), Count(w.Restored), Plural(w.Discarded, "packet"))
}

func (s *Summary) ecnLine() string {
	if s.ECN == nil {
		return "off"
	}
	return fmt.Sprintf("%s marked; %s of %s arrived with a mark (%s)", Plural(s.ECN.Marked, "packet"),
		Count(s.ECN.MarkedData), Plural(s.ECN.Data, "data packet"), Percent(s.ECN.Share))
}

func (s *Summary) congestionLine() string {
	c := &s.CongestionControl
	if c.Name == "" || c.Name == "none" {
		return "no congestion control"
	}
	cnps := fmt.Sprintf("%s CNPs sent, %s handled", Count(c.CNPsSent), Count(c.CNPsHandled))
	if c.RateCuts == 0 {
		return fmt.Sprintf("%s never acted: no rate cut%s; %s", c.Name, s.belowKmin(), cnps)
	}
	return fmt.Sprintf("%s acted: %s on %d of %s; %s", c.Name, Plural(c.RateCuts, "rate cut"), c.QPsCut,
		Plural(int64(c.QPs), "QP"), cnps)
}

// belowKmin gives the usual reason why congestion control had nothing to do.
func (s *Summary) belowKmin() string {
	if s.PeakQueue == nil {
		return ""
	}
	for _, limit := range s.PeakQueue.Limits {
		if limit.Name == "Kmin" && s.PeakQueue.Bytes < limit.Bytes {
			return ", as no queue reached Kmin"
		}
	}
	return ""
}

func (s *Summary) recoveryLine() string {
	r := &s.Recovery
	if *r == (Recovery{}) {
		return "nothing sent again, no timeout"
	}
	line := fmt.Sprintf("%s sent again; %s, %s", units.Bytes(r.Retransmitted).Human(), Plural(r.Timeouts, "timeout"),
		Plural(r.NAKs, "NAK"))
	if r.Restarts > 0 {
		line += ", " + Plural(r.Restarts, "message restart")
	}
	if r.OutOfOrder > 0 {
		line += ", " + Plural(r.OutOfOrder, "packet") + " taken in out of order"
	}
	return line
}

func (s *Summary) writePeaks(p *page) {
	for _, peak := range [...]struct {
		label string
		peak  *Peak
	}{{"peak queue", s.PeakQueue}, {"peak ingress", s.PeakIngress}, {"peak headroom", s.PeakHeadroom}} {
		if peak.peak != nil {
			p.row(peak.label, "%s", peak.peak.line())
		}
	}
}

func (p *Peak) line() string {
	line := fmt.Sprintf("%s at %s", units.Bytes(p.Bytes).Human(), p.Where)
	for _, limit := range p.Limits {
		line += fmt.Sprintf(", %s of %s (%s)", Percent(limit.Share), limit.Name, units.Bytes(limit.Bytes).Human())
	}
	return line
}
