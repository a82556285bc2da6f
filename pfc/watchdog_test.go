package pfc_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

const ms = units.Millisecond

// Observations of an interval of 200 ms.
var (
	stuck   = pfc.Observation{Queued: true, Held: 200 * ms, Paused: true, XOFFs: true}
	idle    = pfc.Observation{Held: 200 * ms, Paused: true, XOFFs: true} // paused, but nothing to send
	flowing = pfc.Observation{Queued: true, Sent: true}
	quiet   = pfc.Observation{}
)

// polls gives what a watchdog makes of observations, one each 200 ms.
func polls(w *pfc.Watchdog, t pfc.WatchdogTimes, seen ...pfc.Observation) (verdicts []pfc.Verdict) {
	for _, o := range seen {
		verdicts = append(verdicts, w.Poll(&t, o))
	}
	return verdicts
}

func TestWatchdog(t *testing.T) {
	const none, storm, over = pfc.Unchanged, pfc.StormBegins, pfc.StormEnds
	once := pfc.WatchdogTimes{Poll: 200 * ms, Detection: 200 * ms, Restoration: 200 * ms}
	twice := pfc.WatchdogTimes{Poll: 200 * ms, Detection: 400 * ms, Restoration: 400 * ms}
	uneven := pfc.WatchdogTimes{Poll: 200 * ms, Detection: 500 * ms, Restoration: 200 * ms}
	for _, tc := range []struct {
		name  string
		times pfc.WatchdogTimes
		seen  []pfc.Observation
		want  []pfc.Verdict
	}{
		{"a storm and its end", once, []pfc.Observation{flowing, stuck, quiet, flowing}, []pfc.Verdict{none, storm, over, none}},
		{"a storm that lasts is one storm", once, []pfc.Observation{stuck, idle, idle, idle}, []pfc.Verdict{storm, none, none, none}},
		{"detection takes its time", twice, []pfc.Observation{stuck, stuck, quiet, quiet}, []pfc.Verdict{none, storm, none, over}},
		{"a run that breaks off counts for nothing", twice, []pfc.Observation{stuck, flowing, stuck, stuck}, []pfc.Verdict{none, none, none, storm}},
		{"nor does a silence", twice, []pfc.Observation{stuck, stuck, quiet, idle, quiet, quiet}, []pfc.Verdict{none, storm, none, none, none, over}},
		{"detection rounds up to polls", uneven, []pfc.Observation{stuck, stuck, stuck}, []pfc.Verdict{none, none, storm}},
		{"a class without frames is not held up", once, []pfc.Observation{idle, idle}, []pfc.Verdict{none, none}},
	} {
		var w pfc.Watchdog
		if got := polls(&w, tc.times, tc.seen...); !slices.Equal(got, tc.want) {
			t.Errorf("%s: verdicts %v, want %v", tc.name, got, tc.want)
		}
	}
}

// What is paused for 99 % of an interval or less is not stormed, however little it sends.
func TestAWatchdogWantsAClassPausedNearlyAllTheTime(t *testing.T) {
	times := pfc.WatchdogTimes{Poll: 200 * ms, Detection: 200 * ms, Restoration: 200 * ms}
	for _, tc := range []struct {
		held  units.Time
		storm bool
	}{{2 * ms, false}, {198 * ms, false}, {198*ms + 1, true}, {200 * ms, true}} {
		var w pfc.Watchdog
		o := stuck
		o.Held = tc.held
		if got := w.Poll(&times, o) == pfc.StormBegins; got != tc.storm {
			t.Errorf("paused for %v of 200ms: storm %v, want %v", tc.held, got, tc.storm)
		}
	}
}

// The end of a pause is no pause: a port that is told to resume over and over is
// restored like one that is told nothing.
func TestFramesThatEndAPauseDoNotKeepAStormAlive(t *testing.T) {
	times := pfc.WatchdogTimes{Poll: 200 * ms, Detection: 200 * ms, Restoration: 200 * ms}
	var w pfc.Watchdog
	w.Poll(&times, stuck)
	if !w.Storming() {
		t.Fatal("no storm")
	}
	resumed := pfc.Observation{Queued: true, Held: 10 * units.Microsecond} // in which a last pause ran out
	if got := w.Poll(&times, resumed); got != pfc.StormEnds || w.Storming() {
		t.Errorf("verdict %v, storming %v; want the storm to end", got, w.Storming())
	}
}
