package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// Whatever the network and its traffic: when all flows have ended, no switch holds a
// byte, nothing is in flight, each frame that was sent has come or was dropped for want
// of buffer, and each flow that ended well was delivered whole, no faster than it
// would be alone.
func TestWhenAllIsDoneAllIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNet(t)
		flows := drawFlows(t, n)
		c, r := n.Do(t, flows...)
		if r.Outcome != host.Done && r.Outcome != host.Failed {
			t.Fatalf("%v at %v: %+v", r.Outcome, r.Now, c.Waits(r.Now))
		}
		expectEmptyNetwork(t, c)
		expectFramesConserved(t, c)
		expectDelivery(t, c)
	})
}

func expectEmptyNetwork(t *rapid.T, c *host.Cluster) {
	if packets, pauses := c.Net.InFlight(); packets+pauses > 0 {
		t.Fatalf("%d packets and %d pauses in flight", packets, pauses)
	}
	for _, sw := range c.Net.Graph.Switches() {
		for port := range c.Net.Ports(sw) {
			for priority := range 8 {
				if left := c.Net.Switch(sw).Queue(port, priority).Bytes; left != 0 {
					t.Fatalf("%s still queues %d bytes", c.Net.Graph.PortName(sw, port), left)
				}
				if c.Net.Ports(sw)[port].Requester.Wants(priority) {
					t.Fatalf("%s still has priority %d paused", c.Net.Graph.PortName(sw, port), priority)
				}
			}
		}
	}
}

func expectFramesConserved(t *rapid.T, c *host.Cluster) {
	var sent, came, dropped, acks, accepted uint64
	for node := range c.Net.Graph.Nodes {
		for port := range c.Net.Ports(node) {
			for _, counted := range c.Net.Ports(node)[port].Counters.Class {
				sent += counted.Tx.Packets
				came += counted.Rx.Packets
				dropped += counted.Dropped.Packets
				if c.Net.Switch(node) == nil { // from here on, what hosts put in and took out
					acks += counted.Tx.Packets
					accepted += counted.Rx.Packets
				}
			}
		}
	}
	for _, sw := range c.Net.Graph.Switches() {
		for port := range c.Net.Ports(sw) {
			for priority := range 8 {
				r := c.Net.Switch(sw).Queue(port, priority).Refused
				dropped += r.Limit.Packets + r.RED.Packets
			}
		}
	}
	if sent != came || acks != accepted+dropped {
		t.Fatalf("%d frames sent, %d came; hosts sent %d, received %d, switches dropped %d", sent, came, acks, accepted, dropped)
	}
}

func expectDelivery(t *rapid.T, c *host.Cluster) {
	type queuePair struct {
		nic *rnic.NIC
		qp  int
	}
	posted, failed := map[queuePair]units.Bytes{}, map[queuePair]bool{}
	for flow, f := range c.Flows {
		tr, at := c.Transfer(flow), lastByte(c, flow)
		to := queuePair{c.Conns[flow].To, c.Conns[flow].ToQP}
		posted[to] += f.Payload()
		if tr.Status != rnic.Success {
			failed[to] = true
			continue
		}
		bytes, acks := c.Ideal(flow)
		if at == units.Never || at-f.Start < bytes || tr.End-f.Start < acks || early(c, flow) {
			t.Fatalf("flow %d delivered after %v, ideal %v; acknowledged after %v, ideal %v", flow, at-f.Start, bytes, tr.End-f.Start, acks)
		}
	}
	for flow := range c.Flows {
		to := queuePair{c.Conns[flow].To, c.Conns[flow].ToQP}
		if got := units.Bytes(receiver(c, flow).Payload); !failed[to] && got != posted[to] {
			t.Fatalf("flow %d: %d bytes accepted on its queue pair, %d posted", flow, got, posted[to])
		}
	}
}

// A flow alone in its network takes its ideal time exactly, on every family of
// topologies: slowdown 1.
func TestAFlowAloneHasSlowdownOne(t *testing.T) {
	near := topology.HostCable{Rate: gbps100, Delay: 500 * units.Nanosecond}
	far := topology.FabricCable{Rate: 400 * units.Gbps, Delay: units.Microsecond}
	for name, family := range map[string]topology.Builder{
		"pair":       &topology.Pair{Link: near},
		"star":       &topology.Star{Hosts: 5, NICsPerHost: 1, Link: near},
		"leaf-spine": &topology.LeafSpine{Leaves: 3, Spines: 2, HostsPerLeaf: 3, NICsPerHost: 1, HostLink: near, FabricLink: far},
		"fat-tree":   &topology.FatTree{K: 4, HostLink: near, FabricLink: far},
		"custom": &topology.Custom{Hosts: []string{"h[0-2]"}, Switches: []string{"a", "b"}, Links: []topology.CustomLink{
			{A: "h0", B: "a", Rate: 25 * units.Gbps, Delay: 100, Count: 1},
			{A: "a", B: "b", Rate: 10 * units.Gbps, Delay: units.Microsecond, Count: 2},
			{A: "h[1-2]", B: "b", Rate: gbps100, Delay: 5000, Count: 1},
		}},
	} {
		hosts := len(simtest.Build(family).Graph.Hosts())
		for dst := 1; dst < hosts; dst++ {
			n := simtest.Build(family)
			n.Fabric.Pipeline = 300 * units.Nanosecond
			f := simtest.Flow(0, dst, 100_001)
			f.Messages, f.Start = 2, 12_345
			c, r := n.Do(t, f)
			mustBe(t, r, host.Done)
			bytes, acks := c.Ideal(0)
			mustTake(t, c, 0, bytes, acks)
			if t.Failed() {
				t.Fatalf("%s, host 0 to host %d", name, dst)
			}
		}
	}
}
