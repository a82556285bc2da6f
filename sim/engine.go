package sim

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Grid is the period of simulated time at whose edges a run is supervised.
const Grid = 10 * units.Microsecond

// Node is one logical process: a host with all that is in it, or a switch.
type Node interface {
	// NextEvent is the time of its earliest pending event, or [units.Never].
	NextEvent() units.Time
	// RunUntil handles all its events earlier than limit, in the node's own
	// fixed order, and tells how many. It may hand frames to links, and to nothing
	// else outside.
	RunUntil(limit units.Time) (events uint64)
}

// Verdict is what a supervisor decides at an edge.
type Verdict uint8

// Verdicts.
const (
	Continue Verdict = iota
	Stop
)

// Supervisor decides when a run is over.
type Supervisor interface {
	// AtEdge is called when every event before now has been handled; next is the
	// time of the earliest event that has not, or Never. No node is running.
	AtEdge(now, next units.Time) Verdict
}

// Share is a worker's part of the nodes.
type Share struct {
	// Nodes are the numbers of its nodes, in the order in which they run.
	Nodes []int
	// LookAhead is the least time in which anything one of these nodes does can
	// reach another that does not stand after it in the list; [units.Never] if
	// nothing can. What reaches a node that stands after it may take any time. It
	// must be positive.
	LookAhead units.Time
}

// Whole is the share of a worker that runs all of n nodes, in the order of their
// numbers.
func Whole(n int, lookAhead units.Time) []Share {
	s := Share{Nodes: make([]int, n), LookAhead: lookAhead}
	for i := range s.Nodes {
		s.Nodes[i] = i
	}
	return []Share{s}
}

// Mail is what nodes of different workers have between them. What one of them sends in
// a window lies in a box until the next, so that nobody has to wait for anybody.
type Mail interface {
	// Exchange is called for each worker before its part of a window: it takes in what
	// was sent to its nodes in the window before.
	Exchange(worker int)
	// Sent is the earliest arrival among what a worker's nodes sent to other workers in
	// the window that just ended, or [units.Never].
	Sent(worker int) units.Time
	// Straight tells whether from the next window on nodes may be handed at once what is
	// sent to them, whoever runs them, since only one worker is running. All boxes
	// are emptied before.
	Straight(on bool)
}

// Config is what an engine needs to know beside its nodes.
type Config struct {
	// Shares are the workers' parts: every node is in one of them, once.
	Shares []Share
	// LookAhead is the least time in which anything a node of one worker does can
	// reach a node of another. It must be positive if there are several workers.
	LookAhead units.Time
	// Limit ends the run: events at or after it are not handled.
	Limit units.Time
	// Mail carries what nodes of different workers send each other. It may be nil if
	// nothing goes from one worker to another.
	Mail Mail
	// Together, if not nil, tells before each window whether the workers share it; one
	// runs it alone otherwise. It makes no difference to what happens. Nil does what
	// turns out to be faster.
	Together func() bool
}

// Engine runs nodes. Make it with [New], wire the nodes up with the wakers it
// gives, then call Run once.
type Engine struct {
	cfg     Config
	workers []*worker
	home    []place
	pace    pace
	least   units.Time // look-ahead between any two nodes, where the shares run one after another

	now   atomic.Int64 // start of the current window, for those who watch from outside
	mode  mode         // who runs the current window
	limit units.Time   // and its end
	edge  units.Time   // next edge of the grid at which the supervisor is asked
	boss  Supervisor
	over  bool
}

// place is where a node lives: its worker, and its slot in that worker's table.
type place struct {
	worker       *worker
	number, slot int
}

// worker is one goroutine's share.
type worker struct {
	share  Share
	nodes  []Node // by slot
	next   Timetable
	events uint64 // handled so far
	fault  *Fault
	_      [64]byte // keep workers' hot words on cache lines of their own
}

// New makes an engine of the nodes. It panics if the parts do not fit together.
func New(nodes []Node, cfg Config) *Engine {
	e := &Engine{cfg: cfg, home: make([]place, len(nodes)), pace: newPace(len(cfg.Shares), cfg.Together), least: units.Never}
	if len(cfg.Shares) > 1 {
		e.least = cfg.LookAhead
	}
	placed := 0
	for i, share := range cfg.Shares {
		e.least = min(e.least, share.LookAhead)
		w := &worker{share: share, nodes: make([]Node, len(share.Nodes)), next: NewTimetable(len(share.Nodes))}
		e.workers = append(e.workers, w)
		for slot, node := range share.Nodes {
			if e.home[node].worker != nil {
				panic(fmt.Sprintf("sim.New: node %d is placed twice", node))
			}
			w.nodes[slot] = nodes[node]
			e.home[node] = place{w, i, slot}
			placed++
		}
		if share.LookAhead <= 0 || cfg.LookAhead <= 0 && len(cfg.Shares) > 1 {
			panic(fmt.Sprintf("sim.New: look-ahead %v of worker %d, %v between workers", share.LookAhead, i, cfg.LookAhead))
		}
	}
	if placed != len(nodes) || placed == 0 {
		panic(fmt.Sprintf("sim.New: %d of %d nodes are placed", placed, len(nodes)))
	}
	return e
}

// Workers is how many workers share the nodes.
func (e *Engine) Workers() int { return len(e.workers) }

// WorkerOf is the worker that runs a node.
func (e *Engine) WorkerOf(node int) int { return e.home[node].number }

// Waker lets a link tell the engine that a node has got something to do.
type Waker struct {
	next *Timetable
	slot int
}

// Waker makes the waker of a node. It may be used only by the node's worker.
func (e *Engine) Waker(node int) Waker {
	h := e.home[node]
	return Waker{&h.worker.next, h.slot}
}

// Wake says that the node has an event at that time.
func (w Waker) Wake(at units.Time) {
	if at < w.next.At(w.slot) {
		w.next.Set(w.slot, at)
	}
}

// Now is how far the run has come. It may be called from any goroutine.
func (e *Engine) Now() units.Time { return units.Time(e.now.Load()) }

// Run runs the nodes until the supervisor says stop, the limit is reached, or
// nothing is left to do, and returns the time reached. A broken invariant of
// the model comes back as a [*Fault].
func (e *Engine) Run(boss Supervisor) (units.Time, error) {
	e.boss = boss
	for _, w := range e.workers {
		for i, n := range w.nodes {
			w.next.Set(i, n.NextEvent())
		}
	}
	e.pace.begin()
	e.lead()
	if !e.over {
		e.runTogether()
	}
	for i, w := range e.workers {
		if w.fault != nil {
			return e.Now(), w.fault
		}
		e.exchange(i) // so that what is in flight at the end stands where it is counted
	}
	return e.Now(), nil
}

// lead sets the next window, and runs windows with all shares in turn for as long as
// that is no slower than sharing them. It returns when the run is over, or the next
// window is to be shared.
func (e *Engine) lead() {
	straight := false
	for e.plan(); !e.over && e.mode == alone; e.plan() {
		if !straight {
			straight = true
			for i := range e.workers {
				e.exchange(i)
			}
			e.goStraight(true)
		}
		run(e.workers, e.least, e.limit)
	}
	if straight {
		e.goStraight(false)
	}
}

// runTogether has every worker run its part of each window. The last to be ready
// leads.
func (e *Engine) runTogether() {
	gate := newBarrier(len(e.workers))
	var done sync.WaitGroup
	for i, w := range e.workers {
		done.Go(func() {
			var own patience
			for !e.over {
				e.exchange(i)
				run(e.workers[i:i+1], w.share.LookAhead, e.limit)
				gate.wait(&own, e.lead)
			}
		})
	}
	done.Wait()
}

func (e *Engine) exchange(worker int) {
	if e.cfg.Mail != nil {
		e.cfg.Mail.Exchange(worker)
	}
}

func (e *Engine) goStraight(on bool) {
	if e.cfg.Mail != nil {
		e.cfg.Mail.Straight(on)
	}
}

// plan, run by one worker while the others wait, asks the supervisor if an edge
// was passed and sets the next window.
func (e *Engine) plan() {
	next := e.earliest()
	for !e.over && next >= e.edge && e.edge < e.cfg.Limit {
		e.over = e.boss.AtEdge(e.edge, next) == Stop
		if next == units.Never {
			e.over = true // nothing is left that could change anything
		}
		e.now.Store(int64(e.edge))
		e.edge = max(e.edge, next/Grid*Grid) + Grid
	}
	if e.over {
		return
	}
	if next >= e.cfg.Limit {
		e.now.Store(int64(e.cfg.Limit))
		e.over = true
		return
	}
	e.now.Store(int64(next))
	e.limit = min(e.edge, e.cfg.Limit)
	var windows units.Time
	if e.mode, windows = e.pace.next(e.workers); e.mode == together {
		e.limit = next + min(e.cfg.LookAhead, e.limit-next)
	} else if e.least < (e.limit-next)/windows {
		e.limit = next + windows*e.least
	}
}

// earliest is the time of the earliest event anywhere, in flight between workers
// included. A fault ends the run.
func (e *Engine) earliest() units.Time {
	next := earliest(e.workers)
	for i, w := range e.workers {
		if w.fault != nil {
			e.over = true
		}
		if e.cfg.Mail != nil {
			next = min(next, e.cfg.Mail.Sent(i))
		}
	}
	return next
}

func earliest(workers []*worker) units.Time {
	next := units.Never
	for _, w := range workers {
		next = min(next, w.next.Earliest())
	}
	return next
}

// run runs the nodes of some workers up to limit, one after another, in windows of
// their own: what one of them sends to another may arrive sooner than what comes from
// other workers.
func run(workers []*worker, lookAhead, limit units.Time) {
	var w *worker
	slot := 0
	defer func() {
		if r := recover(); r != nil {
			w.fault = newFault(r, w.running(slot), w.next.At(slot))
		}
	}()
	for next := earliest(workers); next < limit; next = earliest(workers) {
		until := next + min(lookAhead, limit-next)
		for _, w = range workers {
			for slot = w.next.NextBefore(0, until); slot >= 0; slot = w.next.NextBefore(slot+1, until) {
				n := w.nodes[slot]
				w.events += n.RunUntil(until)
				w.next.Set(slot, n.NextEvent())
			}
		}
	}
}

// running is the number of the node in a slot, or of that of its nodes which is running.
func (w *worker) running(slot int) int {
	if s, ok := w.nodes[slot].(*Serial); ok {
		return s.Running()
	}
	return w.share.Nodes[slot]
}

// Fault is a broken invariant of the model: an error of ours, not of the user's.
type Fault struct {
	Node  int        // number of the node that was running
	At    units.Time // start of what it was running
	Cause any        // what it panicked with
	Stack string
}

func newFault(cause any, node int, at units.Time) *Fault {
	buf := make([]byte, 1<<14)
	return &Fault{Node: node, At: at, Cause: cause, Stack: string(buf[:runtime.Stack(buf, false)])}
}

// Error says where and when, and what broke.
func (f *Fault) Error() string {
	return fmt.Sprintf("internal fault at node %d, t=%v: %v", f.Node, f.At, f.Cause)
}

// IsFault tells whether an error is a broken invariant of the model.
func IsFault(err error) bool {
	var f *Fault
	return errors.As(err, &f)
}
