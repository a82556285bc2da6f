package host

import (
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Program is what a thread runs: a state machine whose steps are taken when its thread
// has its core.
type Program interface {
	// Step goes on as far as the program can without waiting, and returns. It is called at
	// the start of its thread, when what it has begun has taken its time, and when something
	// has come that it waits for. [Thread.Poll] and its like find nothing while the thread is
	// at work, so that a program can be written as a loop that ends when there is nothing more.
	Step(t *Thread)
	// Done tells whether it has ended.
	Done() bool
	// Failed is why it could not do what it was to do; nil if it could, or may still.
	Failed() error
	// Waits says what an unfinished program waits for, and how far it is: "waits for a
	// receive completion; 3 of 1000 iterations done".
	Waits() string
}

// ThreadOptions say how a thread runs.
type ThreadOptions struct {
	// Name is what reports call it, such as "ib_send_lat server".
	Name  string
	Start units.Time
	// Events has it sleep until a completion queue that it has armed has an event; else it
	// looks for completions all the time.
	Events bool
}

// Thread is one thread of a host, on a core of its own or one that it shares. It sees a
// completion when that can be seen in memory or when its core is free, whichever is later.
//
// A thread that looks for completions all the time counts as spinning in between; where
// others share its core, it lets them go first when it has found nothing, as one that calls
// sched_yield does.
type Thread struct {
	host    *Host
	number  int
	core    *core
	program Program
	opt     ThreadOptions

	clock  units.Time // its own: ahead of the event's time by what it is at work for
	now    units.Time // of the step
	owed   CPUTime    // work that comes before its next step
	inLine bool
	done   bool
	end    units.Time
	busy   units.Time
	alarms int // timers set for it that have not come

	sockets    int       // that it has, and acceptors
	epoll      epoll     // those that have something for it
	flushing   []*Socket // of which something is unsent
	introduced []*visits // acceptors that it may connect to

	// Progress counts what it has found to go on with.
	Progress uint64
}

var _ rnic.Listener = (*Thread)(nil)

// Kinds of timers of a host's threads: they are above all kinds of its NICs.
const (
	coreTimer   = 250 + iota // a core is free for the first in its line
	threadTimer              // a thread starts, has slept, or an interrupt has come
)

// Threads are the host's threads, in the order in which they were added.
func (h *Host) Threads() []*Thread { return h.threads }

// AddThread has a host run a program; before the run.
func (c *Cluster) AddThread(host int, p Program, o ThreadOptions) *Thread {
	t := c.addThread(c.Hosts[host], p, o)
	c.Threads = append(c.Threads, t)
	c.waitsFor(c.NIC.Recovery, c.NIC.IWARP != nil) // its queue pairs may be made while the run goes on
	return t
}

// addThread has a host run a program that is not among those of the cluster.
func (c *Cluster) addThread(h *Host, p Program, o ThreadOptions) *Thread {
	number := len(h.threads)
	at := number
	if c.CPU.Cores > 0 {
		at %= c.CPU.Cores
	}
	h.cpu = &c.CPU
	t := &Thread{host: h, number: number, core: h.core(at), program: p, opt: o, end: units.Never}
	h.threads = append(h.threads, t)
	t.core.threads = append(t.core.threads, t)
	t.alarm(o.Start)
	return t
}

// Name is what reports call the thread.
func (t *Thread) Name() string { return t.opt.Name }

// Core is the number of its core.
func (t *Thread) Core() int { return t.core.number }

// Done tells whether its program has ended.
func (t *Thread) Done() bool { return t.done }

// Sleeps tells whether it sleeps until there is an event.
func (t *Thread) Sleeps() bool { return !t.polls() }

// Busy is the time for which the thread has worked so far.
func (t *Thread) Busy() units.Time { return t.busy }

// Usage is what it had of its core up to a time at the end of a run.
func (t *Thread) Usage(now units.Time) Usage {
	u := Usage{Busy: t.busy}
	if end := min(t.end, now); t.polls() && end > t.opt.Start {
		u.Spinning = max(0, end-t.opt.Start-t.busy)
	}
	return u
}

// Span is when its program started and when it ended, as far as the run came to that.
func (t *Thread) Span(now units.Time) (from, to units.Time) {
	return min(t.opt.Start, now), min(t.end, now)
}

// Now is the time by the thread's own clock: that of the event for which it was called,
// and what it has worked since.
func (t *Thread) Now() units.Time { return t.clock }

// Working tells whether the thread is at work: it finds nothing new until it is called
// again.
func (t *Thread) Working() bool { return t.clock > t.now }

// Work has the thread compute for so long.
func (t *Thread) Work(d units.Time) { t.workAs(Application, d) }

// workAs has the thread work for so long.
func (t *Thread) workAs(w Work, d units.Time) {
	t.core.work(w, d, t.clock)
	t.clock += d
	t.busy += d
}

// Post posts a work request, and rings the doorbell.
func (t *Thread) Post(q *rnic.VerbsQP, r rnic.SendRequest) error {
	t.workAs(Verbs, t.host.cpu.Post)
	t.host.posted = true
	return q.PostSend(r, t.clock, t.now)
}

// PostAll posts work requests under one doorbell.
func (t *Thread) PostAll(q *rnic.VerbsQP, rs []rnic.SendRequest) error {
	if len(rs) == 0 {
		return nil
	}
	t.workAs(Verbs, t.host.cpu.Post+units.Time(len(rs)-1)*t.host.cpu.PostMore)
	t.host.posted = true
	return q.PostSends(rs, t.clock, t.now)
}

// Receive posts a receive.
func (t *Thread) Receive(q *rnic.VerbsQP, r rnic.RecvRequest) error {
	t.workAs(Verbs, t.host.cpu.PostMore)
	return q.PostRecv(r, t.now)
}

// ReceiveShared posts a receive that several queue pairs share.
func (t *Thread) ReceiveShared(q *rnic.SRQ, r rnic.RecvRequest) error {
	t.workAs(Verbs, t.host.cpu.PostMore)
	return q.PostRecv(r, t.now)
}

// Poll takes the next completion that can be seen; none while the thread is at work.
func (t *Thread) Poll(cq *rnic.CQ) (rnic.Completion, bool) {
	if t.Working() {
		return rnic.Completion{}, false
	}
	c, ok := cq.Poll()
	if ok {
		t.workAs(Verbs, t.host.cpu.Poll)
		t.Progress++
	}
	return c, ok
}

// Watch is a place in memory at which a thread looks for what WRITEs bring.
type Watch struct {
	t          *Thread
	came, seen uint64
}

var _ rnic.Watcher = (*Watch)(nil)

// Watch has the thread look at a part of memory that others write to through a NIC of
// its host.
func (t *Thread) Watch(n *rnic.NIC, va uint64, length units.Bytes) *Watch {
	w := &Watch{t: t}
	n.Watch(va, length, w)
	return w
}

// Written implements [rnic.Watcher].
func (w *Watch) Written(now units.Time) {
	w.came++
	w.t.ready(now)
}

// Look tells whether one more WRITE has come whole since it said so last; like
// [Thread.Poll], it finds nothing while the thread is at work.
func (w *Watch) Look() bool {
	if w.t.Working() || w.seen == w.came {
		return false
	}
	w.seen++
	w.t.Progress++
	w.t.workAs(Verbs, w.t.host.cpu.Poll)
	return true
}

// Arm asks for an event with the next completion, of a thread that sleeps. It is to be
// called when a poll has found nothing and the thread is not at work.
func (t *Thread) Arm(cq *rnic.CQ) {
	if t.opt.Events && !t.Working() {
		cq.Arm(false)
	}
}

// CallAt has the thread called again at a time, beside what else calls it; at once if that has passed. Another thread of
// its host may ask for it, which has run since this one has.
func (t *Thread) CallAt(at units.Time) { t.alarm(max(at, t.host.stepped)) }

// Completed implements [rnic.Listener].
func (t *Thread) Completed(_ *rnic.CQ, now units.Time) {
	if !t.opt.Events {
		t.ready(now)
	}
}

// Event implements [rnic.Listener].
func (t *Thread) Event(_ *rnic.CQ, now units.Time) {
	if !t.opt.Events {
		return
	}
	t.owed[Interrupts] += t.host.cpu.Interrupt
	t.owed[WakeUps] += t.host.cpu.Wake
	if delay := t.host.cpu.InterruptDelay; delay > 0 {
		t.alarm(now + delay)
		return
	}
	t.ready(now)
}

// Async implements [rnic.Listener]. Completions in error tell a program all that it
// wants to know.
func (t *Thread) Async(_ rnic.AsyncEvent, now units.Time) { t.ready(now) }

// polls tells whether the thread looks for what it waits for, and does not sleep.
func (t *Thread) polls() bool {
	if t.sockets > 0 {
		return t.host.stack.cfg.BusyPoll
	}
	return !t.opt.Events
}

// alarm sets a timer that calls the thread.
func (t *Thread) alarm(at units.Time) {
	t.alarms++
	t.host.timers.Add(at, fabric.OwnerTimer(threadTimer, uint64(t.number)))
}

// ready puts the thread in the line for its core. It runs at once if nobody is before it;
// one that goes on with its work stands behind those that came while it was at it.
func (t *Thread) ready(now units.Time) {
	if t.inLine || t.done || now < t.opt.Start {
		return
	}
	c := t.core
	t.host.disturb(c, now)
	if c.idle(now) {
		t.host.run(t, now)
		return
	}
	t.inLine = true
	c.line = append(c.line, t)
	t.host.arm(c, now)
}

// run has a thread take a step.
func (h *Host) run(t *Thread, now units.Time) {
	t.now, t.clock, h.stepped = now, now, now
	switch {
	case t.owed != CPUTime{}:
		for w, d := range t.owed {
			t.workAs(Work(w), d)
		}
		t.owed = CPUTime{}
	default:
		for t.sends() && !t.Working() {
			continue // its processor takes no time
		}
		if !t.Working() {
			t.program.Step(t)
		}
	}
	t.core.freeAt = t.clock
	if t.program.Done() && !t.sending() {
		t.done, t.end = true, t.clock
	} else if t.Working() {
		t.inLine = true
		t.core.at = t
		h.arm(t.core, now)
	}
}

// kickPosted has the ports send what threads have posted.
func (h *Host) kickPosted(now units.Time) {
	h.posted = false
	for port := range h.nics {
		h.kick(port, now)
	}
}

// onThreadTimer handles the timers of threads and cores.
func (h *Host) onThreadTimer(kind int, id uint64, now units.Time) {
	if kind == threadTimer {
		t := h.threads[id]
		t.alarms--
		t.ready(now)
		return
	}
	h.onCore(h.cores[id], now)
}

// biding tells whether the thread is at work, waits for its core, or will be called at
// a time that has been set.
func (t *Thread) biding() bool { return !t.done && (t.inLine || t.alarms > 0) }

// threadsRunning is how many threads have not ended, and what all of them have found to
// go on with.
func (c *Cluster) threadsRunning() (running int, progress uint64) {
	for _, t := range c.Threads {
		if !t.done {
			running++
		}
		progress += t.Progress
	}
	return running, progress
}

// threadsBide tells whether any thread is at work or will be by itself.
func (c *Cluster) threadsBide() bool { return slices.ContainsFunc(c.Threads, (*Thread).biding) }
