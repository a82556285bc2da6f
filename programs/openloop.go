package programs

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// openLoop is when the queries of a program begin that waits for no answer before the next: at random times, whose gaps are
// exponential (a Poisson process).
type openLoop struct {
	interval units.Time // mean gap; 0: it is none
	random   Random
	due      units.Time // when the next query is to begin
	end      units.Time // none begins after it
	alarm    units.Time // for which the thread has been set to be called
	last     bool       // no other query will begin
}

// begin begins the loop, which is as long as so many queries take in the mean.
func (l *openLoop) begin(now units.Time, queries int) {
	l.due, l.end = now+l.gap(), now+units.Time(queries)*l.interval
}

// gap is the time from the beginning of a query to that of the next.
func (l *openLoop) gap() units.Time {
	return units.Time(float64(float64(l.interval) * variate.Exponential(l.random)))
}

// next tells whether a query is to begin, and since when; it has the thread called when the next is. Over tells that
// the loop has just ended.
func (l *openLoop) next(t *host.Thread) (since units.Time, begins, over bool) {
	switch {
	case l.interval == 0 || l.last:
		return 0, false, false
	case l.due > l.end:
		l.last = true
		return 0, false, true
	case t.Now() < l.due:
		if l.alarm != l.due {
			l.alarm = l.due
			t.CallAt(l.due)
		}
		return 0, false, false
	}
	since = l.due
	l.due += l.gap()
	return since, true, false
}
