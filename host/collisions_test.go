package host_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// racks is two racks of four hosts over two spines.
func racks() *simtest.Net {
	link := topology.HostCable{Rate: gbps100, Delay: units.Microsecond}
	return simtest.Build(&topology.LeafSpine{
		Leaves: 2, Spines: 2, HostsPerLeaf: 4, NICsPerHost: 1, HostLink: link, FabricLink: topology.FabricCable(link),
	})
}

// uplink is the spine that a flow is hashed to.
func uplink(c *host.Cluster, flow int) int { return c.Path(flow)[2].Node }

// A source port decides the path, at both ends alike: with the right ones, any two flows
// meet on a spine or do not.
func TestASourcePortChoosesThePath(t *testing.T) {
	n := racks()
	first := simtest.Flow(0, 4, units.MB)
	spine := uplink(n.Cluster(t, first), 0)
	var same, other int
	for port := 50_000; same == 0 || other == 0; port++ {
		flow := simtest.Flow(1, 5, units.MB)
		flow.SourcePort = port
		if uplink(n.Cluster(t, flow), 0) == spine {
			same = port
		} else {
			other = port
		}
	}
	for _, tc := range []struct{ port, collisions int }{{same, 1}, {other, 0}} {
		second := simtest.Flow(1, 5, units.MB)
		second.SourcePort = tc.port
		c, r := n.Do(t, first, second)
		mustBe(t, r, host.Done)
		conn := c.Conns[1]
		if a, b := conn.From.QueuePairs()[conn.FromQP].SourcePort, conn.To.QueuePairs()[conn.ToQP].SourcePort; int(a) != tc.port || b != a {
			t.Errorf("source ports %d and %d, want %d", a, b, tc.port)
		}
		leaf := c.Path(0)[1]
		want := []host.Collision{}
		if tc.collisions > 0 {
			want = []host.Collision{{Link: leaf, Choices: 2, Flows: []int{0, 1}}}
		}
		if diff := cmp.Diff(want, c.Collisions()); diff != "" {
			t.Errorf("source port %d: collisions (-want +got):\n%s", tc.port, diff)
		}
		// Two flows of 100G on an uplink of 100G take twice as long.
		if slow := c.Transfer(1).End > 150*units.Microsecond; slow != (tc.collisions > 0) {
			t.Errorf("source port %d: done at %v", tc.port, c.Transfer(1).End)
		}
	}
}

// Each link is named with all queue pairs that chose it, those with most first; links
// that leave no choice, and flows on one queue pair, are no collision.
func TestCollisionsAreQueuePairsThatChoseOneLink(t *testing.T) {
	n := racks()
	var flows []host.Flow
	for src := range 4 {
		for dst := 4; dst < 8; dst++ {
			flows = append(flows, simtest.Flow(src, dst, 4096))
		}
	}
	flows = append(flows, onLane(simtest.Flow(0, 1, 4096), 1), onLane(simtest.Flow(2, 1, 4096), 1), // within a rack
		onLane(simtest.Flow(4, 0, 4096), 1), onLane(simtest.Flow(4, 0, 4096), 1)) // one queue pair
	c := n.Cluster(t, flows...)
	want := map[int][]int{}
	for flow := range 16 {
		want[uplink(c, flow)] = append(want[uplink(c, flow)], flow)
	}
	got := c.Collisions()
	if len(got) != 2 || len(got[0].Flows) < len(got[1].Flows) {
		t.Fatalf("collisions %+v, want the two uplinks of leaf 0, the busier one first", got)
	}
	for _, collision := range got {
		spine := c.Net.Graph.Ports(collision.Link.Node)[collision.Link.Port].Peer
		if diff := cmp.Diff(want[spine], collision.Flows); diff != "" || collision.Choices != 2 {
			t.Errorf("to spine %d, one of %d (-want +got):\n%s", spine, collision.Choices, diff)
		}
	}
}

// Unless it is set, the source port is that of the rule.
func TestWithoutASourcePortTheRuleHolds(t *testing.T) {
	c := racks().Cluster(t, simtest.Flow(0, 4, 4096))
	conn := c.Conns[0]
	if got, want := conn.From.QueuePairs()[conn.FromQP].SourcePort, rnic.SourcePort(rnic.QPN(conn.FromQP), rnic.QPN(conn.ToQP)); got != want {
		t.Errorf("source port %d, want %d", got, want)
	}
}
