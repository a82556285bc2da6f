package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// feedback follows congestion from marks to cuts; nil where nothing is marked.
func (r *Run) feedback(s *results.Summary) *results.Feedback {
	if s.ECN == nil || s.OnlyTCP() {
		return nil
	}
	overTCP := r.markedTCP() // which answers marks in its acknowledgements
	f := &results.Feedback{
		Marked: s.ECN.Marked - overTCP, Received: s.ECN.MarkedData - overTCP,
		Sent: s.CongestionControl.CNPsSent, Handled: s.CongestionControl.CNPsHandled,
	}
	var sum rnic.Feedback
	r.eachQP(func(_ string, _ *rnic.NIC, _ int, qp *rnic.QP) { sum.Add(qp.Feedback()) })
	f.Cuts = int64(sum.Cuts)
	if sum.Cuts > 0 {
		f.MarkToCut = &results.Delay{
			Min: results.Micros(sum.Min), Mean: results.Micros(sum.Mean()), Max: results.Micros(sum.Max),
		}
	}
	f.Broken = r.brokenFeedback(f)
	return f.Ratios()
}

// brokenFeedback says where the way from mark to cut is broken, and why.
func (r *Run) brokenFeedback(f *results.Feedback) string {
	_, wanted := r.Cluster.NIC.Control.CNPs()
	switch missing := f.Sent - f.Handled; {
	case !wanted:
		return ""
	case f.Received > 0 && f.Sent == 0 && r.Cluster.NIC.CNPsOff:
		return fmt.Sprintf("marked but no CNP: receivers saw %s with CE and sent no notification, since their notification point is off (host.cnp.enabled)",
			results.Plural(f.Received, "packet"))
	case f.Received > 0 && f.Sent == 0:
		return fmt.Sprintf("marked but no CNP: receivers saw %s with CE, and their notifications are not on their way yet (host.cnp.latency)",
			results.Plural(f.Received, "packet"))
	case missing > 0:
		text := fmt.Sprintf("of %s that receivers sent, %s did not reach their senders%s",
			results.Plural(f.Sent, "notification"), results.Count(missing), r.whereCNPsAre())
		if missing > f.Handled {
			text = "marked but no CNP: " + text
		}
		return text
	}
	return ""
}

// whereCNPsAre gives the likely reason for notifications that have not arrived: their
// class was dropped, or it is paused, or cables lost packets.
func (r *Run) whereCNPsAre() string {
	class := r.Cluster.NIC.CNP.Priority
	var dropped, lost uint64
	where, paused := "", ""
	r.eachActivePort(func(p port) {
		if n := p.Counters.Class[class].Dropped.Packets; n > 0 && where == "" {
			where = p.full()
		}
		dropped += p.Counters.Class[class].Dropped.Packets
		for why := range fabric.Reasons {
			lost += p.Lost(why, fabric.CNPFrame).Packets
		}
		if paused == "" && p.PausedNow()&(1<<class) != 0 {
			paused = p.full()
		}
	})
	switch {
	case dropped > 0:
		return fmt.Sprintf(": %s of their priority %d were dropped for want of buffer, the first of these ports being %s",
			results.Plural(int64(dropped), "packet"), class, where)
	case paused != "":
		return fmt.Sprintf(": their priority %d is paused at %s", class, paused)
	case lost > 0:
		return fmt.Sprintf(": cables lost %s", results.Count(int64(lost)))
	}
	return ": the run ended before"
}

// whyFeedback says how fast congestion came back to its senders, or why it did not.
func (r *Run) whyFeedback(s *results.Summary) string {
	f := s.Feedback
	if f == nil || f.Marked == 0 {
		return ""
	}
	var parts []string
	if f.Broken != "" {
		parts = append(parts, strings.ToUpper(f.Broken[:1])+f.Broken[1:]+".")
	}
	if d := f.MarkToCut; d != nil {
		parts = append(parts, fmt.Sprintf("On average %s passed from a mark to the cut of the rate that it caused.", units.Time(d.Mean).Human()))
	}
	return strings.Join(parts, " ")
}
