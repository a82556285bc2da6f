package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// why says, for the run as a whole and for each mechanism, what bound it or how
// near it came to acting.
func (r *Run) why(s *results.Summary) []string {
	var ws []string
	for _, sentence := range []string{
		r.whyDeadlock(), r.whyUnfinished(), r.whyFailed(s), r.whyBound(), r.whyFlows(s), r.whyPrograms(), r.whyTests(), r.whyCaches(), r.whyRNR(), r.whySlowest(), r.whyRerouted(),
		r.whyLost(s), r.whyPause(s), r.whyRoots(s), r.whyNICs(), r.whyWatchdog(s), r.whyMark(s), r.whyFeedback(s), r.whyControl(s), r.whyRecovery(s), r.whyTCP(s),
		r.whyForwarding(),
	} {
		if sentence != "" {
			ws = append(ws, sentence)
		}
	}
	return ws
}

// whyLost speaks of lost packets, first of those in a class that must not lose.
func (r *Run) whyLost(s *results.Summary) string {
	var parts []string
	for _, d := range s.Drops {
		if d.Packets == 0 {
			continue
		}
		lost := results.Plural(d.Packets, "packet")
		if elsewhere := r.whyRefused(d) + r.whyLostAtEnd(d); elsewhere != "" {
			parts = append(parts, elsewhere)
			continue
		}
		worst, most := r.mostDropped(d.Lossless)
		switch {
		case d.Lossless:
			parts = append(parts, fmt.Sprintf("PFC did not keep its promise: %s of a lossless priority found the headroom full "+
				"(%s at %s, which has %s of it; the worst case of its link needs %s).%s", lost, results.Count(most), worst.name(),
				worst.report.Headroom.Human(), r.neededHeadroom(worst.port).Human(), r.exhaustedText()))
		case d.Reason == noBuffer:
			parts = append(parts, fmt.Sprintf("The buffer had no room for %s of lossy priorities (%s at %s).",
				lost, results.Count(most), worst.name()))
		}
	}
	return strings.Join(append(parts, r.whyGone()...), " ")
}

// mostDropped is the group that lost most packets, of the lossless or the others.
func (r *Run) mostDropped(lossless bool) (worst group, packets int64) {
	r.eachActivePort(func(p port) {
		for q := range pfc.Priorities {
			n := int64(p.Counters.Class[q].Dropped.Packets)
			if p.sw != nil && n > packets && lossless == r.Cluster.Net.Config.PFC.IsLossless(q) {
				worst, packets = group{p, q, p.sw.Group(p.index, q)}, n
			}
		}
	})
	return worst, packets
}

func (r *Run) neededHeadroom(p port) units.Bytes {
	return r.Cluster.Net.Reaction(p.node, p.index).Headroom()
}

func (r *Run) whyPause(s *results.Summary) string {
	if s.Credits != nil {
		return r.whyCredits(s)
	}
	switch p := s.Pause; {
	case p == nil:
		return "PFC is off."
	case p.XOFF > 0 && p.Worst == nil:
		return fmt.Sprintf("PFC acted, but too late for any of its %s to take effect.", results.Plural(p.XOFF, "pause"))
	case p.XOFF > 0:
		held, room := fmt.Sprintf("%s, priority %d,", p.Worst.Port, p.Worst.Priority), headroomText(s)
		long := fmt.Sprintf("for %s, %s of the time %s were under way", units.Time(p.Worst.Time).Human(), results.Percent(p.Worst.Share), r.moved())
		if p.PausedPorts == 1 {
			return fmt.Sprintf("PFC acted: %s held %s %s.%s", results.Plural(p.XOFF, "pause"), held, long, room)
		}
		return fmt.Sprintf("PFC acted: %s held %s pairs of port and priority; %s was held longest, %s.%s",
			results.Plural(p.XOFF, "pause"), results.Count(int64(p.PausedPorts)), held, long, room)
	case s.PeakIngress != nil:
		return fmt.Sprintf("PFC never acted: the priority group nearest to it, %s, reached %s of its XOFF threshold.",
			s.PeakIngress.Where, results.Percent(s.PeakIngress.Limits[0].Share))
	case r.usedGroups():
		return "PFC never acted: no priority group needed more than its guaranteed minimum."
	}
	return "PFC never acted: no packet of a lossless priority went through a switch."
}

// headroomText says how near the headroom came to being full.
func headroomText(s *results.Summary) string {
	h := s.PeakHeadroom
	if h == nil {
		return " No headroom was needed."
	}
	return fmt.Sprintf(" Of the headroom, at most %s was in use, at %s.", results.Percent(h.Limits[0].Share), h.Where)
}

// usedGroups tells whether any lossless priority group ever held a packet.
func (r *Run) usedGroups() (used bool) {
	r.eachGroup(func(g group) { used = used || g.report.Peak > 0 })
	return used
}

func (r *Run) whyMark(s *results.Summary) string {
	switch {
	case s.ECN == nil:
		return "ECN is off."
	case s.ECN.Marked > 0:
		return fmt.Sprintf("ECN acted: switches marked %s; %s of the data packets arrived with a mark.",
			results.Plural(s.ECN.Marked, "packet"), results.Percent(s.ECN.Share))
	}
	queue, kmin, reached := r.nearestKmin()
	if reached == 0 {
		return "ECN never acted: no queue formed."
	}
	text := fmt.Sprintf("ECN never marked a packet: the queue nearest to it, %s, reached %s, %s of Kmin (%s)",
		queue.name(r), queue.report.Peak.Human(), results.Percent(reached), kmin.Human())
	switch {
	case reached > 1 && r.unmarkable():
		return text + "; packets of TCP without ECN are never marked (host.tcp.ecn)."
	case reached > 1:
		return text + "; just above Kmin a mark is a matter of chance."
	}
	return text + "."
}

func (r *Run) whyControl(s *results.Summary) string {
	c := s.CongestionControl
	switch {
	case s.OnlyTCP():
		return ""
	case c.Name == "none" && s.Credits != nil:
		return "Congestion control is none: nothing but credits slows a sender."
	case c.Name == "none" && s.Pause == nil:
		return "Congestion control is none and PFC is off: nothing slows a sender."
	case c.Name == "none":
		return "Congestion control is none: nothing but PFC slows a sender."
	case c.Name == "fixed":
		return "Congestion control is fixed: every queue pair keeps its rate, whatever happens."
	case c.RateCuts > 0:
		return fmt.Sprintf("%s acted: %s on %d of %s, after %s.", c.Name, results.Plural(c.RateCuts, "rate cut"), c.QPsCut,
			results.Plural(int64(c.QPs), "queue pair"), results.Plural(c.CNPsHandled, "notification"))
	case c.CNPsSent > 0:
		return fmt.Sprintf("%s never cut a rate, though receivers sent %s, of which %s reached their senders.", c.Name,
			results.Plural(c.CNPsSent, "notification"), results.Count(c.CNPsHandled))
	case s.ECN == nil:
		return fmt.Sprintf("%s never acted: it waits for ECN marks, and ECN is off.", c.Name)
	case s.Feedback.Received > 0:
		return fmt.Sprintf("%s never acted: no notification told a sender of the marks.", c.Name)
	}
	return fmt.Sprintf("%s never acted: no receiver saw a marked packet.", c.Name)
}

func (r *Run) whyRecovery(s *results.Summary) string {
	if s.OnlyTCP() {
		return ""
	}
	if s.Recovery.Retransmitted == 0 && s.Recovery.Timeouts == 0 {
		return "Nothing had to be sent again."
	}
	if s.Recovery.Retransmitted == 0 {
		return fmt.Sprintf("Retransmission timers ran out %s, but nothing was sent again.", results.Plural(s.Recovery.Timeouts, "time"))
	}
	text := fmt.Sprintf("Loss was repaired by sending %s again, after %s and %s", units.Bytes(s.Recovery.Retransmitted).Human(),
		results.Plural(s.Recovery.NAKs, "NAK"), results.Plural(s.Recovery.Timeouts, "timeout"))
	if s.Recovery.OutOfOrder > 0 {
		text += fmt.Sprintf("; receivers kept %s that came behind a gap", results.Plural(s.Recovery.OutOfOrder, "packet"))
	}
	if s.Recovery.Restarts == 0 {
		return text + "."
	}
	return text + fmt.Sprintf("; each time a whole message was begun again (go-back-0), %s.", results.Plural(s.Recovery.Restarts, "time"))
}
