package congestion_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

func newReno(change func(*congestion.NewRenoParams)) *connection {
	params := congestion.NewReno.Params().(*congestion.NewRenoParams)
	if change != nil {
		change(params)
	}
	return open(params.New(), 10)
}

// RFC 5681, section 3.1: slow start adds a segment for each that is acknowledged.
func TestSlowStartDoublesTheWindowEachRound(t *testing.T) {
	c := newReno(nil)
	for _, want := range []units.Bytes{20, 40, 80, 160, 320, 640} {
		c.round(100 * us)
		if got := c.Window(); got != want*mss {
			t.Fatalf("window %v, want %v", got, want*mss)
		}
	}
	if got := c.State().Phase; got != congestion.SlowStart {
		t.Errorf("phase %s", got)
	}
}

// The limit of appropriate byte counting (RFC 3465, section 2.3): an acknowledgement of an aggregate counts for two.
func TestOneAcknowledgementCountsForAtMostItsLimit(t *testing.T) {
	for limit, want := range map[int]units.Bytes{0: 54, 1: 11, 2: 12} {
		c := newReno(func(p *congestion.NewRenoParams) { p.ABCLimit = limit })
		c.ack(44*mss, us, congestion.Ack{})
		if got := c.Window(); got != want*mss {
			t.Errorf("limit %d: window %v, want %v", limit, got, want*mss)
		}
	}
}

// RFC 5681, eq. 4: half of what was in flight stays; then one segment more for each round trip.
func TestALossHalvesTheFlight(t *testing.T) {
	c := newReno(nil)
	for range 3 {
		c.round(100 * us)
	}
	c.OnLoss(80*mss, c.now)
	if got := c.State(); got.Window != 40*mss || got.Threshold != 40*mss || got.Phase != congestion.Recovering {
		t.Fatalf("at the loss: %+v", got)
	}
	c.OnAck(&congestion.Ack{Acked: 10 * mss, Recovery: true, Limited: true}, c.now)
	if got := c.Window(); got != 40*mss {
		t.Errorf("in recovery: window %v", got)
	}
	c.OnRecovered(c.now)
	for k := range units.Bytes(20) {
		c.round(100 * us)
		// Each packet adds 1/W of the W there is then, and a round is of whole packets: it adds less than one segment, by
		// at most 1.5/W, of which twenty rounds make 0.75.
		near(t, "segments", c.segments(), float64(41+k), 0.75)
	}
}

func TestNoLossLeavesLessThanTwoSegments(t *testing.T) {
	c := newReno(nil)
	c.OnLoss(2*mss, 0)
	if got := c.Threshold(); got != 2*mss {
		t.Errorf("threshold %v, want %v", got, 2*mss)
	}
}

// Limited transmit sends two segments beyond the window, which count for nothing (RFC 3042, section 2).
func TestWhatIsBeyondTheWindowIsNotHalved(t *testing.T) {
	c := newReno(nil)
	c.OnLoss(12*mss, 0)
	if got := c.Threshold(); got != 5*mss {
		t.Errorf("threshold %v, want %v", got, 5*mss)
	}
}

// RFC 5681, section 3.1: after a timeout the window is one segment; a second timeout of the same segment leaves the
// threshold, a later one does not.
func TestTimeoutsStartAgainSlowly(t *testing.T) {
	c := newReno(nil)
	c.OnTimeout(10*mss, 0)
	c.OnTimeout(mss, ms)
	if got := c.State(); got.Window != mss || got.Threshold != 5*mss || got.Phase != congestion.SlowStart {
		t.Errorf("after two timeouts: %+v", got)
	}
	c.ack(mss, us, congestion.Ack{})
	c.ack(mss, us, congestion.Ack{})
	if got := c.Window(); got != 3*mss {
		t.Errorf("two segments later: window %v", got)
	}
	c.OnTimeout(3*mss, 2*ms)
	if got := c.Threshold(); got != 2*mss {
		t.Errorf("threshold %v, want %v", got, 2*mss)
	}
}

// RFC 3168, section 6.1.2: a mark counts as a loss, and an acknowledgement that echoes one adds nothing.
func TestAMarkHalvesTheWindow(t *testing.T) {
	c := newReno(nil)
	c.ack(2*mss, us, congestion.Ack{Marked: 2 * mss})
	if got := c.Window(); got != 10*mss {
		t.Errorf("window %v, want %v", got, 10*mss)
	}
	c.OnECN(10*mss, c.now)
	if got := c.State(); got.Window != 5*mss || got.Phase != congestion.Avoidance {
		t.Errorf("after the mark: %+v", got)
	}
	backoff := newReno(func(p *congestion.NewRenoParams) { p.BetaECN = units.Ratio{Num: 4, Den: 5} }) // RFC 8511
	backoff.OnECN(10*mss, 0)
	if got := backoff.Window(); got != 8*mss {
		t.Errorf("with RFC 8511: window %v, want %v", got, 8*mss)
	}
}

// RFC 2861, section 3: half for each timeout of idleness, down to the initial window; three quarters of what there was
// become the threshold.
func TestIdlenessHalvesTheWindow(t *testing.T) {
	idle := func(restart bool, timeouts units.Time) congestion.State {
		c := newReno(func(p *congestion.NewRenoParams) { p.Restart = restart })
		c.round(100 * us)
		c.OnLoss(20*mss, c.now)
		c.OnRecovered(c.now)
		for c.Window() < 80*mss {
			c.round(100 * us)
		}
		window := c.Window()
		c.Control.(congestion.Restarter).OnRestart(timeouts*200*ms+us, 200*ms, c.now)
		state := c.State()
		state.Window, state.Threshold = 80*state.Window/window, 80*state.Threshold/window
		return state
	}
	for _, tc := range []struct {
		restart           bool
		timeouts          units.Time
		window, threshold units.Bytes // in eightieths
	}{
		{true, 0, 80, 10}, {true, 1, 40, 60}, {true, 2, 20, 60}, {true, 9, 10, 60}, {false, 9, 80, 10},
	} {
		got := idle(tc.restart, tc.timeouts)
		near(t, "window", float64(got.Window), float64(tc.window), 1)
		near(t, "threshold", float64(got.Threshold), float64(tc.threshold), 1)
	}
}
