package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Two hosts send to a third, and the group of each reaches 100 KB while the switch sends to
// the first as well. A pause frame that takes no time is obeyed one delay after the frame
// that caused it, whatever is being sent; a real one waits for the wire and for itself.
func TestAPauseThatTakesNoTimeWaitsForNoFrame(t *testing.T) {
	timed := wire.Framing{Around: wire.Overhead, Ack: 66, CNP: 78, Gap: wire.Interframe, Pause: wire.PFCWire}
	instant := timed
	instant.Pause = 0
	begins := func(framing *wire.Framing, reverse bool) units.Time {
		n := simtest.Star(4, gbps100, units.Microsecond)
		n.Fabric.Framing, n.NIC.Framing = framing, framing
		n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 10*units.KB
		n.Fabric.RecordPauses = true
		flows := []host.Flow{simtest.Flow(0, 2, units.MB), simtest.Flow(1, 2, units.MB)}
		if reverse {
			f := simtest.Flow(3, 0, units.MB)
			f.Start = 50 * units.Nanosecond // out of step with the others, of which it must not decide the order
			flows = append(flows, f)
		}
		c, _ := n.Do(t, flows...)
		pauses := c.Net.Ports(0)[0].Pauses()
		if len(pauses) == 0 {
			t.Fatal("h0 is never paused")
		}
		return pauses[0].From
	}
	idle, busy := begins(&instant, false), begins(&instant, true)
	if idle != busy {
		t.Errorf("at once: %v, and %v while the switch sends to the host", idle, busy)
	}
	if got := begins(&timed, false); got != idle+pfcFrame {
		t.Errorf("on an idle wire: %v, want a PFC frame after %v", got, idle)
	}
	if got := begins(&timed, true); got <= idle+pfcFrame || got > idle+pfcFrame+fullFrame {
		t.Errorf("on a busy wire: %v, want a PFC frame and up to a data frame after %v", got, idle)
	}
}
