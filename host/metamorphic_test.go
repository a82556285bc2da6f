package host_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// Rules that compare two runs instead of a run and a figure: what must not matter does
// not, and what must scale does.

// drawEven draws a network whose every time is a whole even number of picoseconds and
// nothing of which knows a time of its own: no congestion control, no response by the
// standard's table, static thresholds. Rates are such that a byte takes an even number of
// picoseconds.
func drawEven(t *rapid.T) *simtest.Net {
	n := drawNet(t)
	n.NIC.Control = cc.None.Params("")
	n.NIC.CNPLatency &^= 1
	n.NIC.NakRearm = rapid.SampledFrom([]units.Time{0, 2, 20 * units.Microsecond}).Draw(t, "re-arm")
	for i := range n.Graph.Links {
		link := &n.Graph.Links[i]
		link.Rate = rapid.SampledFrom([]units.Rate{10, 20, 25, 40, 50, 100, 200}).Draw(t, "even Gbps") * units.Gbps
		link.Delay += link.Delay & 1
	}
	even := func(f *fabric.Config) {
		f.Pipeline &^= 1
		f.PFC.Response = max(f.PFC.Response, 0) &^ 1
		f.PFC.XOFF = max(f.PFC.XOFF, 10_000)
		f.Lossy.Limit = 40 * units.KB
		for _, s := range append([]*fabric.Shaper{&f.Schedule.Port}, shapersOf(f)...) {
			s.Rate = min(s.Rate, 1) * 10 * units.Gbps // 800 ps a byte
		}
	}
	even(&n.Fabric)
	for _, sw := range n.Graph.Switches() {
		if own := n.Fabric.Switches[sw]; own != nil {
			even(own)
		}
	}
	return n
}

func shapersOf(f *fabric.Config) (all []*fabric.Shaper) {
	for p := range f.Schedule.Shapers {
		all = append(all, &f.Schedule.Shapers[p])
	}
	return all
}

// faster is a network in which all rates are twice as high and all times half as long.
func faster(t *rapid.T, n *simtest.Net) *simtest.Net {
	f := *n
	links := slices.Clone(n.Graph.Links)
	for i := range links {
		links[i].Rate *= 2
		links[i].Delay /= 2
	}
	f.Graph = rebuilt(t, n.Graph, n.Graph.Nodes, links)
	f.NIC.Timeout--
	f.NIC.NakRearm /= 2
	f.NIC.CNPLatency /= 2
	f.Fabric = twice(n.Fabric)
	f.Fabric.Switches = map[int]*fabric.Config{}
	for _, sw := range n.Graph.Switches() {
		if own := n.Fabric.Switches[sw]; own != nil {
			own := twice(*own)
			f.Fabric.Switches[sw] = &own
		}
	}
	return &f
}

func twice(f fabric.Config) fabric.Config {
	f.Pipeline /= 2
	f.PFC.Response /= 2
	f.Schedule.Port.Rate *= 2
	for p := range f.Schedule.Shapers {
		f.Schedule.Shapers[p].Rate *= 2
	}
	return f
}

// rebuilt is a graph with other nodes or links.
func rebuilt(t *rapid.T, g *topology.Graph, nodes []topology.Node, links []topology.Link) *topology.Graph {
	again, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	again.Routing = g.Routing
	return again
}

// Twice the rates and half of all delays and timers: every flow takes half the time, to the
// picosecond, and every port counts the same frames.
func TestTwiceAsFastTakesHalfAsLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawEven(t)
		flows := drawFlows(t, n)
		slow := outcomeOf(t, *n, 1, flows)
		for i := range flows {
			flows[i].Start /= 2
		}
		fast := outcomeOf(t, *faster(t, n), 1, flows)
		for flow := range flows {
			a, b := slow.transfers[flow], fast.transfers[flow]
			if a.Done() != b.Done() || a.Status != b.Status || a.Done() && a.End-a.Start != 2*(b.End-b.Start) {
				t.Fatalf("flow %d: %v to %v (%v), twice as fast %v to %v (%v)", flow, a.Start, a.End, a.Status, b.Start, b.End, b.Status)
			}
		}
		for i := range slow.ports {
			a, b := slow.ports[i], fast.ports[i]
			if a.Busy != 2*b.Busy {
				t.Fatalf("port %d is busy for %v, twice as fast for %v", i, a.Busy, b.Busy)
			}
			a.Busy, b.Busy = 0, 0
			if a != b {
				t.Fatalf("port %d: %+v, twice as fast %+v", i, a, b)
			}
		}
	})
}

// What hosts are called changes nothing, not even the order of events. Only losses on the
// cables of hosts are drawn by their names.
func TestNamesOfHostsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNet(t)
		flows := drawFlows(t, n)
		want := outcomeOf(t, *n, 1, flows)
		nodes := slices.Clone(n.Graph.Nodes)
		for i, h := range n.Graph.Hosts() {
			nodes[h].Name = fmt.Sprintf("%c%d", 'z'-i, i*7919%10) // in no order
		}
		n.Graph = rebuilt(t, n.Graph, nodes, n.Graph.Links)
		if got := outcomeOf(t, *n, 1, flows); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, by other names %+v", want.report, got.report)
		}
	})
}

// One more host that does nothing, at any switch, changes nothing for the others: not
// where thresholds are numbers and memory is ample, so that what is set aside for its port
// is missed by none.
func TestAnIdleHostDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNet(t)
		ample := func(f *fabric.Config) {
			f.Buffer, f.PFC.HeadroomPool, f.PFC.Oversubscription = units.GB, 100*units.MB, units.Ratio{}
			f.PFC.XOFF, f.Lossy.Limit = max(f.PFC.XOFF, 10_000), 40*units.KB
			f.Egress.Alpha = units.Ratio{}
		}
		ample(&n.Fabric)
		for _, sw := range n.Graph.Switches() {
			if own := n.Fabric.Switches[sw]; own != nil {
				ample(own)
			}
		}
		flows := drawFlows(t, n)
		want := outcomeOf(t, *n, 1, flows)
		switches, nodes := n.Graph.Switches(), len(n.Graph.Nodes)
		cable := topology.Link{A: nodes, B: rapid.SampledFrom(switches).Draw(t, "at"), Rate: 100 * units.Gbps, Delay: units.Microsecond}
		n.Graph = rebuilt(t, n.Graph, append(slices.Clone(n.Graph.Nodes), topology.Node{Name: "idle"}), append(slices.Clone(n.Graph.Links), cable))
		c, _ := n.Do(t, flows...)
		expectUnchanged(t, c, want)
	})
}

// expectUnchanged compares flows, and ports with what they were, in the order of nodes;
// those of an idle host and of its cable have counted nothing.
func expectUnchanged(t *rapid.T, c *host.Cluster, want outcome) {
	for flow := range c.Flows {
		if got := *c.Transfer(flow); got != want.transfers[flow] {
			t.Fatalf("flow %d: %+v, and with an idle host %+v", flow, want.transfers[flow], got)
		}
	}
	idle := len(c.Net.Graph.Nodes) - 1
	spare := c.Net.Graph.Ports(idle)[0]
	i := 0
	for node := range c.Net.Graph.Nodes {
		for port := range c.Net.Ports(node) {
			got := booksOf(&c.Net.Ports(node)[port])
			switch {
			case node == idle, node == spare.Peer && port == spare.PeerPort:
				if got != (books{}) {
					t.Fatalf("the cable of the idle host has carried %+v", got)
				}
			case got != want.ports[i]:
				t.Fatalf("%s: %+v, and with an idle host %+v", c.Net.Graph.PortName(node, port), want.ports[i], got)
			default:
				i++
			}
		}
	}
}
