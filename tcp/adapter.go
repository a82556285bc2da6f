package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// What an adapter asks that runs endpoints by itself. It cuts what it sends at boundaries of its
// own, and so writes nothing before it can go.

// Admits reports whether n more bytes, if they were written now, would be sent at once and in one
// segment. If not, the endpoint takes note of what they would wait for, as if they had been
// written and [Endpoint.Next] had been asked.
func (e *Endpoint) Admits(now units.Time, n units.Bytes) bool {
	now = e.tick(now)
	e.written += int64(n)
	j, why := e.choose(now, n)
	e.waits = why
	if j.what == nothing {
		e.blocked(now, why)
	}
	e.written -= int64(n)
	return j.what == sendNew && j.end-j.start == int64(n)
}

// Owes reports whether a segment without data is due, whatever windows say: an acknowledgement, or
// one of those that begin and end a connection.
func (e *Endpoint) Owes() bool {
	return e.rstDue || e.synDue || e.earlier.due || e.ackDue || e.closing && e.nxt == e.written && e.state.finUnacked()
}
