package host

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// core is one core of a host. It serves one at a time: the kernel's softirq, which goes
// first, and threads, first come, first served. Who has begun is not interrupted.
type core struct {
	number  int
	freeAt  units.Time
	at      *Thread   // is at work until then, and wants to go on
	line    []*Thread // that wait for it, in order
	armed   bool      // a timer is set for the first of them
	serving bool      // it is choosing what is next
	soft    softirq
	time    CPUTime
	last    Work       // that it was at last,
	until   units.Time // and until when
	threads []*Thread  // that it has
	watched units.Time // work while one of them would have looked for something to do
}

// work has the core work for so long from a time on.
func (c *core) work(w Work, d, from units.Time) {
	c.time[w] += d
	c.last, c.until = w, from+d
	if c.spins(from) {
		c.watched += d
	}
}

// room is how much of its time up to now the core has not worked.
func (c *core) room(now units.Time) units.Time {
	return max(0, now-c.time.Total()+max(0, c.until-now))
}

// use is what the core's time has gone to until now. Work that has begun and not ended counts
// as far as it has come; looking for something to do counts between two times.
func (c *core) use(now, from, to units.Time) CoreUse {
	u := CoreUse{Number: c.number, Time: c.time}
	watched := c.watched
	over := max(0, c.until-now)
	if over > 0 && c.spins(now) {
		watched -= over
	}
	for w := c.last; over > 0; w = (w + 1) % Works {
		begun := min(over, u.Time[w])
		u.Time[w] -= begun
		if over -= begun; (w+1)%Works == c.last {
			break
		}
	}
	u.Spinning = max(0, c.lookedAt(from, min(now, to))-watched)
	return u
}

// lookedAt is for how long between two times threads have lived that look for something to do all the
// time: at least one.
func (c *core) lookedAt(from, to units.Time) (all units.Time) {
	threads := slices.Clone(c.threads)
	slices.SortStableFunc(threads, func(a, b *Thread) int { return cmp.Compare(a.opt.Start, b.opt.Start) })
	for _, t := range threads {
		start, end := max(from, t.opt.Start), min(t.end, to)
		if end > start && t.polls() {
			all += end - start
			from = end
		}
	}
	return all
}

// core is a core of the host by its number.
func (h *Host) core(number int) *core {
	for number >= len(h.cores) {
		h.cores = append(h.cores, &core{number: len(h.cores)})
	}
	return h.cores[number]
}

// idle tells whether nobody uses the core or waits for it.
func (c *core) idle(now units.Time) bool {
	return len(c.line) == 0 && c.at == nil && c.freeAt <= now && !c.soft.waits()
}

// spins tells whether a thread of the core looks for something to do all the time.
func (c *core) spins(now units.Time) bool {
	return slices.ContainsFunc(c.threads, func(t *Thread) bool { return !t.done && t.opt.Start <= now && t.polls() })
}

// arm sets the timer for the first in a core's line.
func (h *Host) arm(c *core, now units.Time) {
	if !c.armed && (len(c.line) > 0 || c.at != nil || c.soft.waits()) {
		c.armed = true
		h.timers.Add(max(now, c.freeAt), fabric.OwnerTimer(coreTimer, uint64(c.number)))
	}
}

// onCore handles the timer of a core.
func (h *Host) onCore(c *core, now units.Time) {
	c.armed = false
	if c.freeAt <= now {
		h.serve(c, now)
	}
	h.arm(c, now)
}

// serve has a core that is free do what is next.
func (h *Host) serve(c *core, now units.Time) {
	c.serving = true
	h.choose(c, now)
	c.serving = false
}

// choose is what serve does.
func (h *Host) choose(c *core, now units.Time) {
	if c.soft.item != nothing {
		h.stack.finish(c, now)
	}
	if c.at != nil {
		c.line = append(c.line, c.at)
		c.at = nil
	}
	for c.freeAt <= now && h.softTurn(c, now) {
		if !h.stack.begin(c, now) {
			break
		}
		if c.freeAt <= now {
			h.stack.finish(c, now)
		}
	}
	if c.freeAt > now || len(c.line) == 0 {
		return
	}
	t := c.line[0]
	copy(c.line, c.line[1:])
	c.line = c.line[:len(c.line)-1]
	t.inLine = false
	c.soft.threadRan()
	h.run(t, now)
}

// softTurn tells whether the softirq of a core is next.
func (h *Host) softTurn(c *core, now units.Time) bool {
	return h.stack != nil && c.soft.waits() && !(len(c.line) > 0 && c.soft.yields(now, h.stack.cfg.Budget))
}

// disturb has a core leave the idle state in which an interrupt or a thread that wakes finds
// it: it takes some time until it can do anything.
func (h *Host) disturb(c *core, now units.Time) {
	if cpu := h.cpu; cpu.IdleExit > 0 && c.idle(now) && now-c.freeAt >= cpu.IdleAfter && !c.spins(now) {
		c.freeAt = now + cpu.IdleExit
	}
}
