package record

import (
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// span is the time in which some flows are under way: from the start of the first
// to the completion of the last, or to the end of the run if one has not ended.
// The zero value is that of no flow.
type span struct {
	from, to units.Time
	flows    int
}

// cover adds a flow.
func (s *span) cover(from, to units.Time) {
	if s.flows == 0 || from < s.from {
		s.from = from
	}
	s.to = max(s.to, to)
	s.flows++
}

func (s span) length() units.Time { return s.to - s.from }

// share is a time as a share of the span. What goes on after the last flow, such
// as a pause that never ends, does not count beyond it.
func (s span) share(t units.Time) float64 {
	if s.length() == 0 {
		return 0
	}
	return min(1, float64(t)/float64(s.length()))
}

// flowSpan is when a flow was under way; one that the run did not come to has no
// length.
func (r *Run) flowSpan(flow int) (from, to units.Time) {
	from, to = min(r.Cluster.Flows[flow].Start, r.Report.Now), r.Report.Now
	if t := r.Cluster.Transfer(flow); t.Done() {
		to = t.End
	}
	return from, to
}

// underWay is the span of all flows and programs.
func (r *Run) underWay() (s span) {
	for i := range r.Cluster.Flows {
		s.cover(r.flowSpan(i))
	}
	for _, t := range r.Cluster.Threads {
		s.cover(t.Span(r.Report.Now))
	}
	return s
}

// received is, for each host, the span of the flows to it, as far as it lies in
// the window that is measured. What a failed flow had sent can arrive after its
// end, so it counts to the end of the run.
func (r *Run) received() []span {
	spans := make([]span, len(r.Cluster.Hosts))
	for i, f := range r.Cluster.Flows {
		from, to := r.flowSpan(i)
		if r.Cluster.Transfer(i).Status != rnic.Success {
			to = r.Report.Now
		}
		if from, to := r.Window.clip(from, to); from < to || r.Window.isAll() {
			spans[f.Dst].cover(from, to)
		}
	}
	return spans
}
