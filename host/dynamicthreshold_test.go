package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// filled is a switch of which M ports take in more than ever leaves, since the host that
// it is for has paused the switch; it gives what each group holds of the shared pool once
// all of them have their senders paused.
func filled(t *testing.T, m int, alpha units.Ratio, pool units.Bytes) (held []units.Bytes) {
	t.Helper()
	n := simtest.Star(m+1, gbps100, 200*units.Nanosecond)
	n.Fabric.PFC.Alpha = alpha
	n.Fabric.Buffer = pool + units.Bytes(m+1)*17_646 // headroom by the rule
	n.Run.Limit, n.Run.UntilDone = 330*units.Microsecond, false
	c := n.Cluster(t, incast(m, pool)...)
	simtest.PauseAtStart(c, 0, 0, 3) // for 335.54 us
	n.Finish(t, c)
	sw := c.Net.Switch(m + 1)
	if size, _ := sw.SharedPool(); size != pool {
		t.Fatalf("a shared pool of %d B, want %d", size, pool)
	}
	for port := 1; port <= m; port++ {
		held = append(held, sw.Group(port, 3).PeakShared)
	}
	if got := xoffs(c, 3); got != uint64(m) || dropped(c, 3) != 0 {
		t.Fatalf("%d pauses, %d packets dropped; want one pause at each port", got, dropped(c, 3))
	}
	return held
}

// M groups that take in more than leaves settle where each holds the share alpha of what
// all of them leave free: Q = αS/(1+αM) (Choudhury and Hahne, 1998), to a packet.
func TestDynamicThresholdsSettleAtTheirFixedPoint(t *testing.T) {
	const pool = 3 * units.MB
	for _, m := range []int{1, 2, 4, 8, 16, 31} {
		for shift := range 7 {
			alpha := units.Ratio{Num: 1 << shift, Den: 8}
			want := float64(pool) * alpha.Float() / (1 + float64(alpha.Float()*float64(m)))
			for port, got := range filled(t, m, alpha, pool) {
				if d := float64(got) - want; d > 4158 || d < -4158 {
					t.Errorf("M = %d, alpha = %v: port %d holds %d B, want %.0f within a packet of 4158", m, alpha, port+1, got, want)
				}
			}
		}
	}
}
