package sim

import (
	"runtime"

	"github.com/rdmasim/rdmasim/internal/stopwatch"
	"github.com/rdmasim/rdmasim/sim/units"
)

// mode is who runs the windows.
type mode int

// Modes.
const (
	alone    mode = iota // one worker runs all shares, one after another
	together             // each worker runs its own, and all meet at a barrier
	modes
)

// other is the mode that is not this one.
func (m mode) other() mode { return together - m }

// By what a pace goes; times are nanoseconds of the wall clock.
const (
	// A core that two programs want goes from one to the other after milliseconds, so
	// what is measured has to take longer, and not to hang on one short window. A look at the
	// clock comes after so many windows at the most.
	shortestLap, fewestLooks, longestStride = 4_000_000, 3, 64
	// A run begins without sharing: a small one is over by then.
	firstTrial = 2 * shortestLap
	// From one trial to the next it takes at least upkeep times as long as was lost by it:
	// so little do trials cost at the most.
	firstGap, longestGap, upkeep = 20_000_000, 2_000_000_000, 40
	// While windows are shared and the rate does not fall there is hardly a reason to try
	// the other mode, whose rate hangs on nobody else.
	rarely = 4
	// Rates of work that differ by less say nothing, and one that falls by more says
	// that something has happened.
	better, worse = 1.03, 0.75
)

// pace chooses the mode that gets more done. Sharing windows does not always pay:
// the cores may be busy with something else, or too little may happen in a window to
// be worth a barrier. So both modes are measured, and the one that is not in use is
// tried again now and then, the less often the more often it was in vain. No result
// shows it: a window is the same whoever runs it.
type pace struct {
	clock   func() int64 // nanoseconds
	choose  func() bool  // whether to share the next window, in place of all this, if not nil
	fixed   bool         // there is nobody to share with
	mode    mode
	trial   bool           // the mode is only tried
	rate    [modes]float64 // events by the nanosecond, when last measured
	gap     int64          // from one trial to the next
	due     int64          // time of the next trial
	rest    int64          // before that time there is no trial because of a fall of the rate
	settled int64          // when the mode was last changed for good
	lap     lap
	looked  int64 // when the clock was last looked at
	stride  int   // windows between two looks
	skip    int   // windows until the next
}

// lap is a stretch of a run over which work and time are measured.
type lap struct {
	since int64
	work  uint64
	looks int
}

func newPace(workers int, choose func() bool) pace {
	return pace{
		clock: stopwatch.Start(), choose: choose, gap: firstGap,
		fixed: workers == 1 || choose == nil && runtime.GOMAXPROCS(0) == 1,
	}
}

// begin begins the first lap.
func (p *pace) begin() {
	p.looked = p.clock()
	p.lap, p.due = lap{since: p.looked}, p.looked+firstTrial
	p.stride = 1
}

// next is who runs next, and one worker alone for how many windows.
func (p *pace) next(workers []*worker) (m mode, windows units.Time) {
	switch {
	case p.fixed:
		return alone, longestStride
	case p.choose != nil && p.choose():
		return together, 1
	case p.choose != nil:
		return alone, 1
	case p.mode == alone:
		p.skip = 0 // it has run them all
	}
	if p.skip--; p.skip <= 0 {
		p.look(workers)
	}
	return p.mode, units.Time(p.stride)
}

// look looks at the clock, and when a lap is over has it judged.
func (p *pace) look(workers []*worker) {
	var work uint64
	for _, w := range workers {
		work += w.events
	}
	now := p.clock()
	p.lap.looks++
	if took := now - p.lap.since; took >= shortestLap {
		rate := float64(work-p.lap.work) / float64(took)
		hopeless := p.trial && rate < worse*p.rate[p.mode.other()]
		if hopeless || p.lap.looks >= fewestLooks || took >= 4*shortestLap {
			p.judge(now, took, rate)
			p.lap = lap{since: now, work: work}
		}
	}
	switch since := now - p.looked; {
	case since < shortestLap/fewestLooks/2:
		p.stride = min(2*p.stride, longestStride)
	case since > shortestLap/fewestLooks:
		p.stride = max(p.stride/2, 1)
	}
	p.looked, p.skip = now, p.stride
}

// judge makes what it can of the rate of work in a lap that took so long.
func (p *pace) judge(now, took int64, rate float64) {
	m, before := p.mode, p.rate[p.mode]
	p.rate[m] = rate
	if p.trial {
		p.conclude(now, took)
		return
	}
	// The rate without sharing is known not to hang on others: where sharing falls
	// behind it, it is not waited any longer.
	fallen := rate < worse*before && now >= p.rest || m == together && rate < p.rate[alone]
	if fallen || now >= p.due {
		p.mode, p.trial = m.other(), true
	}
}

// conclude ends a trial that took so long.
func (p *pace) conclude(now, took int64) {
	here, there := p.rate[p.mode], p.rate[p.mode.other()]
	lost := 0.0
	p.trial = false
	p.gap = min(2*p.gap, longestGap)
	if here < better*there {
		p.mode = p.mode.other()
		lost = float64(float64(took) * (1 - here/float64(better*there)))
	} else {
		if now-p.settled > 8*p.gap {
			p.gap = firstGap // the world has changed, after it had been as it was for long
		}
		p.settled = now
	}
	rest := max(firstGap, int64(upkeep*lost))
	p.rest, p.due = now+rest, now+max(rest, p.gap)
	if p.mode == together {
		p.due = now + min(rarely*max(rest, p.gap), longestGap)
	}
}
