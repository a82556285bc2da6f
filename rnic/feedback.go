package rnic

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Feedback is how long congestion took to come back to its sender: from the mark a
// switch set on a packet to the cut of the rate that the mark caused. The zero value
// is that of no cut.
type Feedback struct {
	Cuts     uint64 // that followed a mark
	Sum      units.Time
	Min, Max units.Time // meaningful if there were any
}

// Mean is the mean delay; 0 without cuts.
func (f *Feedback) Mean() units.Time {
	if f.Cuts == 0 {
		return 0
	}
	return f.Sum / units.Time(f.Cuts)
}

// Add adds others to these.
func (f *Feedback) Add(o Feedback) {
	switch {
	case o.Cuts == 0:
		return
	case f.Cuts == 0:
		f.Min = o.Min
	}
	f.Cuts += o.Cuts
	f.Sum += o.Sum
	f.Min, f.Max = min(f.Min, o.Min), max(f.Max, o.Max)
}

// Feedback is how fast congestion came back to the queue pair.
func (qp *QP) Feedback() Feedback { return qp.feedback }

// adopt takes over a pace, and tells whether it is of another rate. The first cut after
// a notification answers its mark; if the rate rises before, nothing does.
func (qp *QP) adopt(pace cc.Pace, now units.Time) (changed bool) {
	changed = pace.Rate != qp.pace.Rate
	if changed && qp.marked != units.Never {
		qp.answered(pace.Rate < qp.pace.Rate, now)
	}
	qp.pace = pace
	return changed
}

// answered books the delay of the mark, if it was answered by a cut.
func (qp *QP) answered(cut bool, now units.Time) {
	if delay := now - qp.marked; cut {
		qp.feedback.Add(Feedback{Cuts: 1, Sum: delay, Min: delay, Max: delay})
	}
	qp.marked = units.Never
}
