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
	// fixed order. It may hand frames to links, and to nothing else outside.
	RunUntil(limit units.Time)
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

// Config is what an engine needs to know beside its nodes.
type Config struct {
	// LookAhead is the least time in which anything one node does can reach
	// another. It must be positive.
	LookAhead units.Time
	// Limit ends the run: events at or after it are not handled.
	Limit units.Time
	// Workers is how many goroutines share the nodes; at least 1.
	Workers int
	// Exchange, called by each worker before its part of a window, takes in what
	// other workers' nodes sent to its nodes in the window before. It may be nil
	// for one worker.
	Exchange func(worker int)
	// Sent is the earliest arrival among what a worker's nodes sent to other
	// workers in the window that just ended, or Never. It may be nil for one worker.
	Sent func(worker int) units.Time
}

// Engine runs nodes. Make it with [New], wire the nodes up with the wakers it
// gives, then call Run once.
type Engine struct {
	cfg     Config
	nodes   []Node
	workers []*worker
	home    []place

	now   atomic.Int64 // start of the current window, for those who watch from outside
	limit units.Time   // end of the current window
	edge  units.Time   // next edge of the grid at which the supervisor is asked
	boss  Supervisor
	over  bool
}

// place is where a node lives: its worker, and its slot in that worker's table.
type place struct{ worker, slot int }

// worker is one goroutine's share: a contiguous run of nodes.
type worker struct {
	first int // number of the node in slot 0
	nodes []Node
	next  Timetable
	fault *Fault
	_     [64]byte // keep workers' hot words on cache lines of their own
}

// New makes an engine of the nodes. Worker w gets the w-th contiguous part of
// them, weighted by weight (nil: all equal).
func New(nodes []Node, weight func(node int) int, cfg Config) *Engine {
	if cfg.LookAhead <= 0 || cfg.Workers < 1 || len(nodes) == 0 {
		panic(fmt.Sprintf("sim.New: look-ahead %v, workers %d, nodes %d", cfg.LookAhead, cfg.Workers, len(nodes)))
	}
	cfg.Workers = min(cfg.Workers, len(nodes))
	e := &Engine{cfg: cfg, nodes: nodes, home: make([]place, len(nodes))}
	for w, bound := 0, shares(len(nodes), weight, cfg.Workers); w < cfg.Workers; w++ {
		part := nodes[bound[w]:bound[w+1]]
		e.workers = append(e.workers, &worker{first: bound[w], nodes: part, next: NewTimetable(len(part))})
		for i := range part {
			e.home[bound[w]+i] = place{w, i}
		}
	}
	return e
}

// shares cuts n nodes into contiguous parts of about equal weight, none empty.
func shares(n int, weight func(int) int, parts int) []int {
	if weight == nil {
		weight = func(int) int { return 1 }
	}
	total := 0
	for i := range n {
		total += weight(i)
	}
	bound := []int{0}
	for i, sum := 0, 0; i < n && len(bound) < parts; i++ {
		sum += weight(i)
		if left := n - (i + 1); sum*parts >= total*len(bound) || left == parts-len(bound) {
			bound = append(bound, i+1)
		}
	}
	return append(bound, n)
}

// Workers is how many workers the engine really uses.
func (e *Engine) Workers() int { return len(e.workers) }

// WorkerOf is the worker that runs a node.
func (e *Engine) WorkerOf(node int) int { return e.home[node].worker }

// Waker lets a link tell the engine that a node has got something to do.
type Waker struct {
	next *Timetable
	slot int
}

// Waker makes the waker of a node. It may be used only by the node's worker.
func (e *Engine) Waker(node int) Waker {
	h := e.home[node]
	return Waker{&e.workers[h.worker].next, h.slot}
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
	e.plan()
	if len(e.workers) == 1 {
		e.runAlone()
	} else {
		e.runTogether()
	}
	for i, w := range e.workers {
		if w.fault != nil {
			return e.Now(), w.fault
		}
		if e.cfg.Exchange != nil {
			e.cfg.Exchange(i) // so that what is in flight at the end stands where it is counted
		}
	}
	return e.Now(), nil
}

func (e *Engine) runAlone() {
	for w := e.workers[0]; !e.over; e.plan() {
		w.window(e.limit)
	}
}

func (e *Engine) runTogether() {
	gate := newBarrier(len(e.workers))
	var done sync.WaitGroup
	for i, w := range e.workers {
		done.Go(func() {
			for !e.over {
				e.cfg.Exchange(i)
				w.window(e.limit)
				gate.wait(e.plan)
			}
		})
	}
	done.Wait()
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
	e.limit = min(next+e.cfg.LookAhead, e.edge, e.cfg.Limit)
}

// earliest is the time of the earliest event anywhere, in flight between
// workers included. After a fault it is Never, which ends the run.
func (e *Engine) earliest() units.Time {
	next := units.Never
	for i, w := range e.workers {
		if w.fault != nil {
			e.over = true
		}
		next = min(next, w.next.Earliest())
		if e.cfg.Sent != nil {
			next = min(next, e.cfg.Sent(i))
		}
	}
	return next
}

// window runs this worker's nodes up to limit.
func (w *worker) window(limit units.Time) {
	slot := 0
	defer func() {
		if r := recover(); r != nil {
			w.fault = newFault(r, w.running(slot), w.next.At(slot))
		}
	}()
	for slot = w.next.NextBefore(0, limit); slot >= 0; slot = w.next.NextBefore(slot+1, limit) {
		n := w.nodes[slot]
		n.RunUntil(limit)
		w.next.Set(slot, n.NextEvent())
	}
}

// running is the number of the node in a slot, or of that of its nodes which is running.
func (w *worker) running(slot int) int {
	if s, ok := w.nodes[slot].(*Serial); ok {
		return s.Running()
	}
	return w.first + slot
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
