package host

import (
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
	threads []*Thread // that it has
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
