package host_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// pinned is a flow that goes through some switches, and its acknowledgements through
// others; none are the same backwards.
func pinned(t *testing.T, n *simtest.Net, src, dst int, there, back []string) host.Flow {
	t.Helper()
	f := simtest.Flow(src, dst, units.MB)
	var err error
	if f.Path, err = n.Graph.Through("path", there); err != nil {
		t.Fatal(err)
	}
	f.Back = n.Graph.Back(f.Path)
	if back == nil {
		return f
	}
	if f.Back, err = n.Graph.Through("return_path", back); err != nil {
		t.Fatal(err)
	}
	return f
}

// wayOf names the nodes of a way.
func wayOf(c *host.Cluster, way []topology.Step) (names []string) {
	for _, s := range way {
		names = append(names, c.Net.Graph.Nodes[s.Node].Name)
	}
	return names
}

// sentBetween is the packets that one node sent to another.
func sentBetween(t *testing.T, c *host.Cluster, from, to string) (packets uint64) {
	t.Helper()
	for node := range c.Net.Graph.Nodes {
		for port, p := range c.Net.Graph.Ports(node) {
			if c.Net.Graph.Nodes[node].Name != from || c.Net.Graph.Nodes[p.Peer].Name != to {
				continue
			}
			for _, class := range c.Net.Ports(node)[port].Counters.Class {
				packets += class.Tx.Packets
			}
		}
	}
	return packets
}

// A megabyte is 245 packets of 4096 B (rounded up), with one acknowledgement. By hash the eight
// flows from rack to rack would not all take one spine there and the other back.
func TestPinnedFlowsGoTheWayTheyArePinnedTo(t *testing.T) {
	n := racks()
	var flows []host.Flow
	for i := range 4 {
		flows = append(flows, pinned(t, n, i, 4+i, []string{"leaf0", "spine1", "leaf1"}, []string{"leaf1", "spine0", "leaf0"}))
	}
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	for _, tc := range []struct {
		from, to string
		want     uint64
	}{
		{"leaf0", "spine1", 4 * 245}, {"spine1", "leaf1", 4 * 245}, {"leaf0", "spine0", 0},
		{"leaf1", "spine0", 4}, {"spine0", "leaf0", 4}, {"leaf1", "spine1", 0},
	} {
		if got := sentBetween(t, c, tc.from, tc.to); got != tc.want {
			t.Errorf("%d packets from %s to %s, want %d", got, tc.from, tc.to, tc.want)
		}
	}
	if diff := cmp.Diff([]string{"h0", "leaf0", "spine1", "leaf1", "h4"}, wayOf(c, c.Path(0))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"h4", "leaf1", "spine0", "leaf0", "h0"}, wayOf(c, c.ReturnPath(0))); diff != "" {
		t.Error(diff)
	}
	if found := c.Collisions(); len(found) > 0 {
		t.Errorf("collisions of flows for which no hash chose: %v", found)
	}
}

// Without the pin the same flows are hashed, and those that meet are found.
func TestFlowsBesideAPinnedOneAreHashedAsEver(t *testing.T) {
	n := racks()
	free := []host.Flow{simtest.Flow(0, 4, units.MB), simtest.Flow(1, 5, units.MB), simtest.Flow(2, 6, units.MB)}
	alone := n.Cluster(t, free...)
	beside := n.Cluster(t, append(free, pinned(t, n, 3, 7, []string{"leaf0", "spine1", "leaf1"}, nil))...)
	for flow := range free {
		if diff := cmp.Diff(alone.Path(flow), beside.Path(flow)); diff != "" {
			t.Errorf("flow %d takes another way beside a pinned one:\n%s", flow, diff)
		}
	}
	if diff := cmp.Diff(alone.Collisions(), beside.Collisions()); diff != "" {
		t.Error(diff)
	}
}

// Three racks; the way from rack 0 to rack 1 leads by rack 2. Alone, the flow takes exactly as
// long as the recursion over its six links says, and that is its ideal too.
func TestAPinnedWayMayBeLongerThanTheRoutesHaveIt(t *testing.T) {
	link := topology.HostCable{Rate: gbps100, Delay: units.Microsecond}
	n := simtest.Build(&topology.LeafSpine{
		Leaves: 3, Spines: 2, HostsPerLeaf: 1, NICsPerHost: 1, HostLink: link, FabricLink: topology.FabricCable(link),
	})
	c, r := n.Do(t, pinned(t, n, 0, 1, []string{"leaf0", "spine0", "leaf2", "spine1", "leaf1"}, nil))
	mustBe(t, r, host.Done)
	var legs []rnic.Leg
	for range 6 {
		legs = append(legs, rnic.Leg{Rate: gbps100, Delay: units.Microsecond})
	}
	bytes := recursion(wireSizes(units.MB, 4096), legs)
	mustTake(t, c, 0, bytes, bytes+6*(ackFrame+units.Microsecond))
	if ideal, _ := c.Ideal(0); ideal != bytes {
		t.Errorf("ideal %v, want %v", ideal, bytes)
	}
}

// The cable between leaf0 and spine1 is down for good from 20 us on, and switches take it
// out of their routes at once. The flow pinned to it loses its packets there and gives up
// after its retries; one that is not is moved.
func TestAPinnedFlowStaysOnADeadCable(t *testing.T) {
	n := racks()
	n.NIC.Timeout, n.NIC.Retries = 4, 2
	leaf0, spine1 := -1, -1
	for node := range n.Graph.Nodes {
		switch n.Graph.Nodes[node].Name {
		case "leaf0":
			leaf0 = node
		case "spine1":
			spine1 = node
		}
	}
	free := simtest.Flow(1, 5, units.MB)
	for free.SourcePort = 50_000; uplink(n.Cluster(t, free), 0) != spine1; free.SourcePort++ {
	}
	c := n.Cluster(t, pinned(t, n, 0, 4, []string{"leaf0", "spine1", "leaf1"}, nil), free)
	outage := fabric.Outage{
		Link: linkBetween(t, n.Graph, leaf0, spine1), Span: fabric.Span{From: 20 * units.Microsecond, To: units.Never},
	}
	if err := c.Inject(host.Faults{Faults: fabric.Faults{Outages: []fabric.Outage{outage}}}); err != nil {
		t.Fatal(err)
	}
	n.Finish(t, c)
	if got := c.Transfer(0).Status; got != rnic.RetryExceeded {
		t.Errorf("the pinned flow: %v, want %v", got, rnic.RetryExceeded)
	}
	if got := c.Transfer(1).Status; got != rnic.Success || !c.Transfer(1).Done() {
		t.Errorf("the other flow: %v", got)
	}
	if lost := c.Net.Ports(leaf0)[c.Path(0)[1].Port].Lost(fabric.LinkDown, fabric.DataFrame).Packets; lost == 0 {
		t.Error("nothing was lost on the dead cable")
	}
}
