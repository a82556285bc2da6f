package congestion_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// RFC 9406, section 4.2: when the least round trip of a round has grown by an eighth, the window grows a quarter as fast,
// and after five such rounds the connection is in congestion avoidance.
func TestHyStartSlowsDownBeforePacketsAreLost(t *testing.T) {
	c := newCUBIC(16, nil)
	c.round(80 * ms)
	c.round(80 * ms)
	if got := c.Window(); got != 64*mss {
		t.Fatalf("window %v after two rounds without a queue", got)
	}
	// The eighth sample of the round shows that round trips are 12.5 % longer: seven segments count in full, the rest a quarter.
	c.round(90 * ms)
	near(t, "window", c.segments(), 64+7+57.0/4, 0.01)
	for range 4 {
		before := c.segments()
		c.round(90 * ms)
		near(t, "growth", c.segments()/before, 1.25, 0.01)
	}
	if got := c.State().Phase; got != congestion.SlowStart {
		t.Errorf("phase %s after four rounds", got)
	}
	c.round(90 * ms)
	if got := c.State(); got.Phase != congestion.Avoidance || got.MaxWindow == 0 {
		t.Errorf("after five rounds: %+v", got)
	}
}

func TestHyStartGoesOnIfTheRoundTripShortensAgain(t *testing.T) {
	c := newCUBIC(16, nil)
	c.round(80 * ms)
	c.round(90 * ms)
	c.round(80 * ms)
	before := c.segments()
	c.round(80 * ms)
	near(t, "growth", c.segments()/before, 2, 0.05)
}

// A data centre's round trips never grow by 4 ms.
func TestHyStartIsForLongRoundTripsOrTurnedOff(t *testing.T) {
	for name, c := range map[string]*connection{
		"short": newCUBIC(16, nil),
		"off":   newCUBIC(16, func(p *congestion.CUBICParams) { p.Enabled = false }),
	} {
		rtt := units.Time(20 * us)
		if name == "off" {
			rtt = 80 * ms
		}
		for range 6 {
			c.round(rtt)
			rtt += rtt / 4
		}
		if got := c.Window(); got != 16*64*mss {
			t.Errorf("%s: window %v", name, got)
		}
	}
}
