package scenarios

import (
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// window says which flows count in the results.
func (s *Spec) window() record.Window {
	m := &s.Measure
	w := record.Window{From: m.Warmup}
	switch {
	case m.Window > 0:
		w.To = m.Warmup + min(m.Window, units.Never-m.Warmup)
	case m.Warmup > 0:
		w.To = units.Never
	}
	return w
}

// checkWindow refuses a window in which no flow starts, unless the run ends by the clock, where goodput may be all that
// is asked for. The error's key is relative to measure.
func (s *Spec) checkWindow(flows []workloads.Flow) error {
	w := s.window()
	if s.Stop.When != untilDone {
		return nil
	}
	first, last := units.Never, units.Time(0)
	for _, f := range flows {
		if w.Holds(f.Start) {
			return nil
		}
		first, last = min(first, f.Start), max(last, f.Start)
	}
	key, value := "window", s.Measure.Window
	if last < w.From {
		key, value = "warmup", s.Measure.Warmup
	}
	return units.Field(key, value, "no flow starts in the window that is measured, so that none would count",
		"flows start from "+first.String()+" to "+last.String())
}
