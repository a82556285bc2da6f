package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// fatTree is the k-ary fat-tree of k³/4 hosts with links of 100 Gb/s.
func fatTree(k int) *simtest.Net {
	cable := topology.HostCable{Rate: gbps100, Delay: units.Microsecond}
	return simtest.Build(&topology.FatTree{K: k, NICsPerHost: 1, HostLink: cable, FabricLink: topology.FabricCable(cable)})
}

// talkers are eight pairs in eight racks: in each the first host sends to the second for 10 ms.
func talkers(k int) (flows []host.Flow) {
	for rack := range 8 {
		first := rack * k / 2
		flows = append(flows, simtest.Flow(first, first+1, 100*units.MB))
	}
	return flows
}

// Sixteen hosts that talk within their racks cost in a fat-tree of 1,024 hosts what they
// cost in one of 128, event by event, and nothing that is looked at while a run goes on
// looks at the others.
func TestSixteenTalkersCostTheSameInALargeNetwork(t *testing.T) {
	var small host.Report
	for _, k := range []int{8, 16} {
		n := fatTree(k)
		c := n.Cluster(t, talkers(k)...)
		r := n.Finish(t, c)
		mustBe(t, r, host.Done)
		if small.Events == 0 {
			small = r
		}
		if r.Events != small.Events || r.Hops != small.Hops || r.Now != small.Now {
			t.Errorf("k=%d: %d events and %d hops in %v; want %d and %d in %v as in the small network",
				k, r.Events, r.Hops, r.Now, small.Events, small.Hops, small.Now)
		}
		if got := len(c.Net.Active()); got != 8+16 {
			t.Errorf("k=%d: %d nodes have handled events, want 16 hosts and 8 switches", k, got)
		}
	}
}

// What is looked at at each edge is that which goes on: NICs with work, and nodes that
// have ever handled an event. A flow that has ended is not looked at again.
func TestSupervisionLooksOnlyAtWhatGoesOn(t *testing.T) {
	for _, workers := range []int{1, 3} {
		n := fatTree(8)
		n.Run.Workers = workers
		flows := talkers(8)
		for i := 1; i < len(flows); i++ {
			flows[i].Size = units.MB // 84 us
		}
		c := n.Cluster(t, flows...)
		looks, ended := 0, 0
		outcome, err := c.RunWatched(n.Run, func(now units.Time, l host.Look) {
			looks++
			if l.ActiveNodes > 8+16 {
				t.Fatalf("%v: looks at %d nodes of %d, want no more than the 24 that handle events", now, l.ActiveNodes, len(n.Graph.Nodes))
			}
			if now > 120*units.Microsecond && !c.Transfer(0).Done() {
				ended++
				if l.OpenNICs != 2 {
					t.Fatalf("%v: looks at %d NICs, want the two of the flow that is left", now, l.OpenNICs)
				}
			}
		})
		if err != nil || outcome != host.Done {
			t.Fatalf("outcome %v, %v", outcome, err)
		}
		if looks < 800 || ended < 700 {
			t.Errorf("%d workers: %d looks, %d of them after the short flows; want one in 10 us of 8.4 ms", workers, looks, ended)
		}
	}
}

// A frame on its way to a node that has never handled an event is in flight like any other.
func TestWhatFliesToANodeThatNeverActedIsCounted(t *testing.T) {
	n := simtest.Chain(2, gbps100, 10*units.Microsecond)
	n.Run.Limit = 15 * units.Microsecond // the first frames have passed the switch, and none has come
	c, r := n.Do(t, simtest.Flow(0, 1, units.MB))
	mustBe(t, r, host.OutOfTime)
	receiver := int32(n.Graph.Hosts()[1])
	if slices.Contains(c.Net.Active(), receiver) {
		t.Fatal("the receiver has handled an event")
	}
	if flying := c.Net.Ports(int(receiver))[0].Flying(); flying == 0 {
		t.Fatal("nothing is on its way to the receiver")
	}
	var ports int
	for node := range n.Graph.Nodes {
		for i := range c.Net.Ports(node) {
			ports += c.Net.Ports(node)[i].Flying()
		}
	}
	if packets, _ := c.Net.InFlight(); packets != ports {
		t.Errorf("%d packets in flight, ports count %d", packets, ports)
	}
}
