package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Everything sent is lost, and sent again every 67 ms: much happens and nothing comes of
// it. With a limit of 100 ms without progress the run has stalled after that; with none it
// goes on until the queue pair gives up, after eight timers.
func TestActivityIsNoProgress(t *testing.T) {
	for _, tc := range []struct {
		limit units.Time
		want  host.Outcome
		by    units.Time
	}{{100 * units.Millisecond, host.Stalled, 100 * units.Millisecond}, {0, host.Failed, 8 * 67_108_864_000}} {
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.NIC.Timeout, n.Run.NoProgress = 14, tc.limit
		c := n.Cluster(t, simtest.Flow(0, 1, 100*units.KB))
		simtest.Watch(c, 0, 0).Lose = func(*wire.Packet, units.Time) bool { return true }
		r := n.Finish(t, c)
		mustBe(t, r, tc.want)
		if r.Now > tc.by+units.Millisecond {
			t.Errorf("%v at %v, want it by %v", r.Outcome, r.Now, tc.by)
		}
	}
}

// A pace of 1 Mb/s is a packet each 33 ms, and a flow may start as late as it wants: to
// wait for these is no lack of progress.
func TestASlowPaceAndALateStartAreNoLackOfProgress(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Control, n.Run.NoProgress = &cc.FixedParams{Rate: units.Mbps}, 5*units.Millisecond
	c, r := n.Do(t, simtest.Flow(0, 1, 3*4096), late(simtest.Flow(1, 0, 4096), 500*units.Millisecond))
	mustBe(t, r, host.Done)
	if c.Transfer(1).End < 500*units.Millisecond {
		t.Errorf("the second flow ended at %v", c.Transfer(1).End)
	}
}

// When all flows have ended, packets that no pause will ever let go do not keep the run.
func TestWhatIsStuckWhenAllHasEndedIsLeft(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.NIC.Timeout = 8 // eight timers of 1.05 ms
	c := n.Cluster(t, simtest.Flow(0, 1, 100*units.KB))
	c.Hosts[1].NIC(0).Storm(3, 2*units.Microsecond, units.Never)
	r := n.Finish(t, c)
	mustBe(t, r, host.Failed)
	if r.Now > 11*units.Millisecond {
		t.Errorf("ended at %v, the queue pair gave up at %v", r.Now, c.Transfer(0).End)
	}
}
