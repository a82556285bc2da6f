package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// 100 Gb/s, 40 m, and headroom for a peer that obeys after 394 quanta: 42,862 B. If it
// takes four times as long, 3·394·64 = 75,648 B are missing, and that is what is told.
// The pause is decided at t and obeyed at t + 206.72 + 8069.12 ns. Frames that started
// before that arrive: 26 after the one that crossed the threshold. Ten of the 27 fit.
func TestHeadroomForAFasterPeerLosesTheShortfall(t *testing.T) {
	const standard = 394 * 5120
	for _, tc := range []struct {
		response units.Time
		missing  units.Bytes
		lost     uint64
	}{{standard, 0, 0}, {4 * standard, 75_648, 17}} {
		n := blocked(42_862)
		n.Fabric.PFC.ResponseAt = func(node, _ int) (units.Time, bool) { return tc.response, node < 2 } // the hosts'
		c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
		short := c.Net.Shortfalls()
		if tc.missing == 0 && len(short) != 0 {
			t.Errorf("response %v: %+v", tc.response, short)
		}
		if tc.missing != 0 && (len(short) != 2 || short[0].Missing() != tc.missing || short[0].Reaction.Headroom() != 42_862+tc.missing) {
			t.Errorf("response %v: %+v, want %d B missing at two ports", tc.response, short, tc.missing)
		}
		simtest.PauseAtStart(c, 1, 0, 3)
		mustBe(t, n.Finish(t, c), host.Done)
		if got := dropped(c, 3); got != tc.lost {
			t.Errorf("response %v: %d packets lost, want %d", tc.response, got, tc.lost)
		}
	}
}

// The response that counts is that of the other end, and each end has its own: what a
// switch port needs depends on its host, what a NIC needs on its switch.
func TestEachEndOfALinkHasItsResponse(t *testing.T) {
	n := simtest.Star(2, gbps100, 200*units.Nanosecond)
	n.Fabric.PFC.ResponseAt = func(node, port int) (units.Time, bool) {
		return units.Time(node+1)*units.Microsecond + units.Time(port)*100*units.Nanosecond, true
	}
	net := n.Cluster(t).Net
	for _, tc := range []struct {
		node, port int
		peer       units.Time // its response
	}{{2, 0, units.Microsecond}, {2, 1, 2 * units.Microsecond}, {0, 0, 3 * units.Microsecond}, {1, 0, 3100 * units.Nanosecond}} {
		r := net.Reaction(tc.node, tc.port)
		if want := 17_646 + gbps100.BytesIn(tc.peer); r.Response != tc.peer || r.Headroom() != want {
			t.Errorf("node %d, port %d: response %v and headroom %d, want %v and %d", tc.node, tc.port, r.Response, r.Headroom(), tc.peer, want)
		}
	}
}
