package faults

import (
	"errors"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Window is a time in which a fault is there; all of the run unless it says
// otherwise.
type Window struct {
	At  units.Time `key:"at" default:"0s" doc:"when it begins"`
	For units.Time `key:"for" default:"never" doc:"how long it lasts; never: to the end of the run"`
}

// Validate refuses a window in which nothing can happen.
func (w *Window) Validate() error { return errors.Join(refuseNever(w.At), refuseNothing(w.For)) }

func (w *Window) span() fabric.Span { return spanOf(w.At, w.For) }

// spanOf is a time of a certain length.
func spanOf(at, lasts units.Time) fabric.Span {
	if lasts > units.Never-at {
		return fabric.Span{From: at, To: units.Never}
	}
	return fabric.Span{From: at, To: at + lasts}
}

// Times are the times at which a fault is there: once, or again and again.
type Times struct {
	At     units.Time `key:"at" required:"true" doc:"when it begins"`
	For    units.Time `key:"for" default:"never" doc:"how long it lasts; never: to the end of the run"`
	Count  int        `key:"times" default:"1" min:"1" max:"10000" doc:"how often it happens"`
	Period units.Time `key:"period" default:"0s" doc:"time from one beginning to the next, if it happens more than once"`
}

// Validate refuses times that overlap or cannot come.
func (t *Times) Validate() error {
	faults := []error{refuseNever(t.At), refuseNothing(t.For)}
	switch {
	case t.Count > 1 && t.For == units.Never:
		faults = append(faults, units.Field("times", t.Count, "it has no end, and cannot happen again", "a time for it to last, as in for: 100us"))
	case t.Count > 1 && t.Period <= t.For:
		faults = append(faults, units.Field("period", t.Period, "the next time would begin before the last one is over",
			"more than "+t.For.String()))
	}
	return errors.Join(faults...)
}

func (t *Times) spans() []fabric.Span {
	var spans []fabric.Span
	at := t.At
	for range t.Count {
		spans = append(spans, spanOf(at, t.For))
		if at > units.Never-1-t.Period {
			break
		}
		at += t.Period
	}
	return spans
}

func refuseNever(at units.Time) error {
	if at == units.Never {
		return units.Field("at", at, "it would never begin", "a time such as 1ms")
	}
	return nil
}

func refuseNothing(lasts units.Time) error {
	if lasts == 0 {
		return units.Field("for", lasts, "it would be over at once", "more than 0s, or never")
	}
	return nil
}
