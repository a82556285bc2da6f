package pfc

import "github.com/rdmasim/rdmasim/sim/units"

// WatchdogTimes are the times of a PFC watchdog. A storm is declared after so many
// polls as make up Detection, and is over after so many as make up Restoration.
type WatchdogTimes struct {
	Poll        units.Time // between two looks; positive
	Detection   units.Time // at least Poll
	Restoration units.Time // at least Poll
}

// Observation is what a watchdog sees of a class of a port in one poll interval.
type Observation struct {
	Queued bool       // frames of the class wait at the end of the interval
	Sent   bool       // one of them was sent in it
	Held   units.Time // for how long of it the class was paused
	Paused bool       // the class is paused at the end
	XOFFs  bool       // the peer asked for a pause, or for more of one
}

// Verdict is what a watchdog makes of an observation.
type Verdict uint8

// Verdicts of a watchdog.
const (
	Unchanged Verdict = iota
	StormBegins
	StormEnds
)

// Watchdog looks after a lossless class of a switch port, as SONiC's does: a class
// that has frames to send and sends none, since it is paused nearly all the time, is
// held up by a storm. The zero value is one at rest.
//
// Frames that end a pause are no sign of a storm, neither of its beginning nor of its
// going on.
type Watchdog struct {
	storm bool
	run   units.Time // of the present run of intervals that speak for a change
}

// Storming tells whether the watchdog has declared a storm that is not over.
func (w *Watchdog) Storming() bool { return w.storm }

// Poll takes in what was seen since the poll before.
func (w *Watchdog) Poll(t *WatchdogTimes, o Observation) Verdict {
	long := t.Detection
	change := o.Queued && !o.Sent && nearlyAll(o.Held, t.Poll)
	if w.storm {
		long, change = t.Restoration, !o.XOFFs && !o.Paused
	}
	if !change {
		w.run = 0
		return Unchanged
	}
	if w.run += t.Poll; w.run < long {
		return Unchanged
	}
	w.run, w.storm = 0, !w.storm
	if w.storm {
		return StormBegins
	}
	return StormEnds
}

// nearlyAll tells whether a class was paused for more than 99 % of an interval:
// a pause that just reaches into it is none.
func nearlyAll(held, interval units.Time) bool { return held > interval-interval/100 }
