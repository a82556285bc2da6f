package rnic

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Listener is who waits for completions: a thread of the host. It is called from a timer of
// the host and never from within the transport, so that it may post at once.
type Listener interface {
	// Completed says that a completion can be seen in host memory, by who polls for it.
	Completed(cq *CQ, now units.Time)
	// Event is the interrupt of a completion queue that was armed.
	Event(cq *CQ, now units.Time)
	// Async is an event that belongs to no completion.
	Async(e AsyncEvent, now units.Time)
}

// AsyncEvent is something that happened to an object of the adapter (ibv_event_type).
type AsyncEvent struct {
	Kind AsyncKind
	QPN  uint32 // of the queue pair, if it is about one
	SRQ  *SRQ
	CQ   *CQ
}

// AsyncKind is the sort of an asynchronous event.
type AsyncKind uint8

// Asynchronous events.
const (
	// QPFatal: a queue pair has gone into the error state.
	QPFatal AsyncKind = iota
	// SRQLimit: a shared receive queue holds fewer requests than its limit.
	SRQLimit
	// CQOverrun: a completion found its queue full; the queue and its queue pairs fail.
	CQOverrun
	// SQDrained: a queue pair in state SQD has nothing under way any more.
	SQDrained
)

// String is the name of the verbs interface without its prefix.
func (k AsyncKind) String() string {
	return [...]string{"QP_FATAL", "SRQ_LIMIT_REACHED", "CQ_ERR", "SQ_DRAINED"}[k]
}

// CQ is a completion queue.
type CQ struct {
	nic       *NIC
	index     int
	depth     int
	entries   fabric.Queue[Completion] // visible to the host
	coming    int                      // on their way there
	listener  Listener
	armed     bool
	solicited bool // armed for solicited completions and errors only
	failed    bool
	users     []*VerbsQP
	// Moderation: an armed queue raises its event when so many completions have come, or
	// so long after the first of them (ibv_modify_cq).
	count     int
	period    units.Time
	unraised  int
	raiseAt   units.Time // end of the period of the first of them
	moderated bool       // its timer is set, perhaps for an earlier time
}

// CreateCQ makes a completion queue for up to depth completions. Listener may be nil: then
// somebody has to poll. Its events are moderated as the adapter's figures say.
func (n *NIC) CreateCQ(depth int, l Listener) *CQ {
	o := n.useVerbs()
	cq := &CQ{nic: n, index: len(o.cqs), depth: depth, listener: l}
	if n.adapter != nil {
		cq.Moderate(n.adapter.cfg.Moderation.Count, n.adapter.cfg.Moderation.Period)
	}
	o.cqs = append(o.cqs, cq)
	return cq
}

// Moderate has an armed queue raise its event only when count completions have come, or a
// period after the first of these, whichever is earlier; 0 and 1 switch either off.
func (cq *CQ) Moderate(count int, period units.Time) { cq.count, cq.period = count, period }

// Poll takes the oldest completion that can be seen, if there is one.
func (cq *CQ) Poll() (Completion, bool) {
	if cq.entries.Len() == 0 {
		return Completion{}, false
	}
	return *cq.entries.Pop(), true
}

// Len is how many completions can be seen.
func (cq *CQ) Len() int { return cq.entries.Len() }

// Failed tells whether the queue has overrun.
func (cq *CQ) Failed() bool { return cq.failed }

// Arm asks for one event, at the next completion that comes, or at the next solicited or
// failed one. Completions that are there already raise none: who arms polls once more.
func (cq *CQ) Arm(solicitedOnly bool) {
	cq.armed, cq.solicited = true, solicitedOnly
	cq.unraised = 0
}

// posted is a completion or an event on its way to the host. They come in the order in
// which they are made.
type posted struct {
	at    units.Time
	cq    *CQ
	entry Completion
	async AsyncEvent
	to    Listener // of an asynchronous event; nil for a completion
	// watcher is told of a WRITE; nil for all else.
	watcher Watcher
}

// deposit sends something to the host's memory: it is there at its time at the earliest, and
// not before what was sent earlier.
func (n *NIC) deposit(p *posted) {
	o := n.objects
	p.at = max(p.at, o.lastPosted)
	o.lastPosted = p.at
	o.posted.Push(p)
	n.timer(postedTimer, p.at, 0)
}

// finish sends a completion to a queue; it can be seen at a time.
func (n *NIC) finish(cq *CQ, c Completion, at, now units.Time) {
	if cq.failed {
		return
	}
	if cq.entries.Len()+cq.coming >= cq.depth {
		cq.overrun(now)
		return
	}
	cq.coming++
	n.deposit(&posted{at: at, cq: cq, entry: c})
}

// tell sends an asynchronous event.
func (n *NIC) tell(l Listener, e AsyncEvent, now units.Time) {
	if l != nil {
		n.deposit(&posted{at: now, async: e, to: l})
	}
}

// overrun fails the queue, and with it the queue pairs that use it.
func (cq *CQ) overrun(now units.Time) {
	cq.failed = true
	cq.nic.tell(cq.listener, AsyncEvent{Kind: CQOverrun, CQ: cq}, now)
	for _, q := range cq.users {
		q.fail(notOfOwn, now)
	}
}

// onPosted hands over what is in host memory now.
func (n *NIC) onPosted(now units.Time) {
	p := *n.objects.posted.Pop()
	if p.to != nil {
		p.to.Async(p.async, now)
		return
	}
	if p.watcher != nil {
		p.watcher.Written(now)
		return
	}
	cq := p.cq
	cq.coming--
	if cq.failed {
		return
	}
	cq.entries.Push(&p.entry)
	if cq.listener != nil {
		cq.listener.Completed(cq, now)
	}
	cq.raise(&p.entry, now)
}

// raise has the interrupt of an armed queue come, unless moderation puts it off.
func (cq *CQ) raise(c *Completion, now units.Time) {
	if !cq.armed || cq.solicited && !c.solicited && c.Status == Success {
		return
	}
	if cq.unraised++; cq.unraised >= cq.count {
		cq.event(now)
		return
	}
	if cq.period > 0 && cq.unraised == 1 {
		cq.raiseAt = now + cq.period
		cq.awaitPeriod()
	}
}

// awaitPeriod sets the timer of the moderation period, unless one is set that comes earlier.
func (cq *CQ) awaitPeriod() {
	if !cq.moderated {
		cq.moderated = true
		cq.nic.timer(moderationTimer, cq.raiseAt, cq.index)
	}
}

func (cq *CQ) event(now units.Time) {
	if !cq.armed {
		return
	}
	cq.armed, cq.unraised = false, 0
	if cq.listener != nil {
		cq.listener.Event(cq, now)
	}
}

// onModeration ends a moderation period.
func (n *NIC) onModeration(i int, now units.Time) {
	cq := n.objects.cqs[i]
	cq.moderated = false
	switch {
	case cq.unraised == 0:
	case cq.raiseAt > now:
		cq.awaitPeriod()
	default:
		cq.event(now)
	}
}

// String names the queue in reports.
func (cq *CQ) String() string {
	return fmt.Sprintf("completion queue with %d of %d entries", cq.entries.Len(), cq.depth)
}
