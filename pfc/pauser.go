package pfc

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Priorities is the number of traffic classes of a port (802.1Q).
const Priorities = 8

// Interval is a time in which a class was paused.
type Interval struct {
	Class    int
	From, To units.Time
}

// Pauser is the transmitting side of a port: it obeys the pauses its peer asks
// for. A pause runs out by itself after its quanta, is prolonged or shortened by
// a later frame, and ended at once by one of zero quanta. The zero value is a
// port that nobody pauses.
type Pauser struct {
	soonest units.Time // earliest end among the paused classes
	*pauses            // nil as long as there has been no pause, as at most ports ever
	mask    uint8      // classes paused, some of them perhaps expired
}

// pauses are what a pauser knows of the pauses of its classes.
type pauses struct {
	until  [Priorities]units.Time
	since  [Priorities]units.Time
	total  [Priorities]units.Time
	ended  [Priorities]units.Time // when the latest pause ended
	logged bool
	log    []Interval
}

// Record has the pauser keep every pause when it has ended; see [Pauser.Recorded].
func (p *Pauser) Record() { p.books().logged = true }

// Recorded are the pauses that have ended, if they are recorded.
func (p *Pauser) Recorded() []Interval {
	if p.pauses == nil {
		return nil
	}
	return p.log
}

func (p *Pauser) books() *pauses {
	if p.pauses == nil {
		p.pauses = new(pauses)
	}
	return p.pauses
}

// Mask is the set of classes (bit = priority) that must not start a frame now.
// A class whose pause ends at t may send at t.
func (p *Pauser) Mask(now units.Time) uint8 {
	if p.mask != 0 && now >= p.soonest {
		p.expire(now)
	}
	return p.mask
}

// Last is the set of classes that were paused when the pauser was last asked; it
// changes nothing.
func (p *Pauser) Last() uint8 { return p.mask }

// Pause stops a class until a time; [units.Never] is a pause without expiry.
func (p *Pauser) Pause(class int, now, until units.Time) {
	p.expire(now)
	p.books()
	bit := uint8(1) << class
	if p.mask&bit == 0 {
		p.mask |= bit
		p.since[class] = now
	}
	p.until[class] = until
	p.refreshSoonest()
}

// Resume lets a class send again.
func (p *Pauser) Resume(class int, now units.Time) {
	p.expire(now)
	if p.mask&(1<<class) != 0 {
		p.end(class, now)
		p.refreshSoonest()
	}
}

// Until is when the present pause of a class ends, meaningful while it is paused.
func (p *Pauser) Until(class int) units.Time { return p.books().until[class] }

// Since is when the present pause of a class began, meaningful while it is paused.
func (p *Pauser) Since(class int) units.Time { return p.books().since[class] }

// Latest is the last time up to now at which a class was paused; false if it
// never was.
func (p *Pauser) Latest(class int, now units.Time) (at units.Time, ever bool) {
	if p.Mask(now)&(1<<class) != 0 {
		return now, true
	}
	if p.pauses == nil {
		return 0, false
	}
	return p.ended[class], p.total[class] > 0
}

// Total is how long a class has been paused up to now, a pause that is still
// open included.
func (p *Pauser) Total(class int, now units.Time) units.Time {
	if p.pauses == nil {
		return 0
	}
	t := p.total[class]
	if p.mask&(1<<class) != 0 {
		t += max(0, min(now, p.until[class])-p.since[class])
	}
	return t
}

// Flush ends the books at the end of a run: pauses still open go to the log.
func (p *Pauser) Flush(now units.Time) {
	p.expire(now)
	for m := p.mask; m != 0; m &= m - 1 {
		c := bits.TrailingZeros8(m)
		p.record(c, now)
	}
}

func (p *Pauser) expire(now units.Time) {
	if p.mask == 0 || now < p.soonest {
		return
	}
	for m := p.mask; m != 0; m &= m - 1 {
		if c := bits.TrailingZeros8(m); now >= p.until[c] {
			p.end(c, p.until[c])
		}
	}
	p.refreshSoonest()
}

func (p *Pauser) end(class int, at units.Time) {
	p.mask &^= 1 << class
	p.total[class] += at - p.since[class]
	p.ended[class] = at
	p.record(class, at)
}

func (p *Pauser) record(class int, to units.Time) {
	if p.logged && to > p.since[class] {
		p.log = append(p.log, Interval{class, p.since[class], to})
	}
}

func (p *Pauser) refreshSoonest() {
	p.soonest = units.Never
	for m := p.mask; m != 0; m &= m - 1 {
		p.soonest = min(p.soonest, p.until[bits.TrailingZeros8(m)])
	}
}
