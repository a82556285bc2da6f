package host_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// waterFill gives each flow its max-min fair rate on links of some capacity, of which it
// is told who uses them: the link that has least for each flow not settled yet settles its
// flows at that, again and again.
func waterFill(capacity []float64, users [][]int, flows int) []float64 {
	rates := make([]float64, flows)
	settled := make([]bool, flows)
	for {
		least, at := math.Inf(1), -1
		for link, left := range capacity {
			open := 0
			for _, flow := range users[link] {
				if left -= rates[flow]; !settled[flow] {
					open++
				}
			}
			if open > 0 && left/float64(open) < least {
				least, at = left/float64(open), link
			}
		}
		if at < 0 {
			return rates
		}
		for _, flow := range users[at] {
			if !settled[flow] {
				rates[flow], settled[flow] = least, true
			}
		}
	}
}

// The example of the textbook: flow 0 on link A of 100 Gb/s, flow 1 on A and B of 40 Gb/s,
// two more on B.
func TestWaterFillingByHand(t *testing.T) {
	got := waterFill([]float64{100, 40}, [][]int{{0, 1}, {1, 2, 3}}, 4)
	for flow, want := range []float64{100 - 40./3, 40. / 3, 40. / 3, 40. / 3} {
		if math.Abs(got[flow]-want) > 1e-9 {
			t.Errorf("flow %d: %v, want %v", flow, got[flow], want)
		}
	}
}

// oracle is the max-min fair share of each flow of a cluster in Gb/s of its wires, by the
// paths they take.
func oracle(c *host.Cluster) []float64 {
	var capacity []float64
	var users [][]int
	index := map[topology.Step]int{}
	for flow := range c.Flows {
		path := c.Path(flow)
		for _, step := range path[:len(path)-1] {
			link, known := index[step]
			if !known {
				link = len(capacity)
				index[step] = link
				cable := c.Net.Graph.Links[c.Net.Graph.Ports(step.Node)[step.Port].Link]
				capacity, users = append(capacity, float64(cable.Rate)/1e9), append(users, nil)
			}
			users[link] = append(users[link], flow)
		}
	}
	return waterFill(capacity, users, len(c.Flows))
}

// fair has the flows of priority 3 queue apart, each with a window that is more than its
// path holds, and memory enough that PFC has nothing to do; acknowledgements, one for 32
// packets, go in a class of their own.
func fair(n *simtest.Net, window units.Bytes) {
	n.Fabric.Schedule.PerFlow = 1 << 3
	n.Fabric.Buffer, n.Fabric.PFC.XOFF = 64*units.MB, 32*units.MB
	n.NIC.Window, n.NIC.AckEvery, n.NIC.Ack = window, 32, simtest.CNP
	n.Run.UntilDone = false
}

// rates are what the flows get between two instants, in Gb/s of their wires.
func rates(t simtest.TB, n *simtest.Net, from, to units.Time, flows ...host.Flow) (c *host.Cluster, got []float64) {
	t.Helper()
	got = make([]float64, len(flows))
	for _, limit := range []units.Time{from, to} {
		n.Run.Limit = limit
		c, _ = n.Do(t, flows...)
		for flow := range flows {
			got[flow] = float64(receiver(c, flow).Payload) - got[flow]
		}
	}
	if xoffs(c, 3) > 0 {
		t.Fatalf("%d pauses", xoffs(c, 3))
	}
	onWire := float64(n.NIC.MTU+82) / float64(n.NIC.MTU)
	for flow := range got {
		got[flow] *= onWire * 8000 / float64(to-from)
	}
	return c, got
}

// twoLinks is the example: three switches in a row, A of 100 Gb/s and B of 40 Gb/s between
// them, and hosts that are no bottleneck.
func twoLinks(t *testing.T) (*simtest.Net, []host.Flow) {
	t.Helper()
	var nodes []topology.Node
	var links []topology.Link
	for i, name := range []string{"a0", "a1", "b0", "b1", "b2", "c0", "c1", "c2", "s0", "s1", "s2"} {
		nodes = append(nodes, topology.Node{Name: name})
		if i < 8 {
			links = append(links, topology.Link{A: i, B: 8 + int(name[0]-'a'), Rate: 400 * units.Gbps, Delay: 100 * units.Nanosecond})
		} else {
			nodes[i].Kind = topology.Switch
		}
	}
	links = append(links, topology.Link{A: 8, B: 9, Rate: 100 * units.Gbps, Delay: units.Microsecond},
		topology.Link{A: 9, B: 10, Rate: 40 * units.Gbps, Delay: units.Microsecond})
	g, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	const size = 100 * units.MB
	return simtest.On(g), []host.Flow{simtest.Flow(0, 2, size), simtest.Flow(1, 5, size), simtest.Flow(3, 6, size), simtest.Flow(4, 7, size)}
}

// 86.67, 13.33, 13.33 and 13.33 Gb/s within 1 %. In one queue for all they would share by
// their windows and round trips, and flow 1, with the longest way, gets less.
func TestFlowsWithQueuesOfTheirOwnGetMaxMinShares(t *testing.T) {
	n, flows := twoLinks(t)
	fair(n, 512*units.KB)
	const from, to = 2 * units.Millisecond, 6 * units.Millisecond
	c, got := rates(t, n, from, to, flows...)
	for flow, want := range oracle(c) {
		if math.Abs(got[flow]-want) > 0.01*want {
			t.Errorf("flow %d gets %.3f Gb/s, want %.3f within 1 %%", flow, got[flow], want)
		}
	}
	n.Fabric.Schedule.PerFlow = 0
	_, got = rates(t, n, from, to, flows...)
	t.Logf("first in, first out: %.2f", got)
	if want := 40. / 3; math.Abs(got[1]-want) < 0.05*want {
		t.Errorf("in one queue for all flow 1 gets %.2f Gb/s, which is its share of %.2f all the same", got[1], want)
	}
}

// In any tree of switches with any flows, each gets its max-min fair share, within 2 % and
// two packets: acknowledgements of flows that go the other way take up to 0.3 % of a link
// for each. A NIC takes its queue pairs in turn until those that are bound further on have
// filled their windows, which takes the longer the less they lack: after 40 ms 96 kB are
// full unless that is less than 20 Mb/s.
func TestMaxMinSharesInAnyNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := simtest.On(drawTree(t))
		for i := range n.Graph.Links {
			link := &n.Graph.Links[i]
			link.Rate = units.Rate(rapid.IntRange(8, 20).Draw(t, "half Gbps")) * 500 * units.Mbps
			link.Delay = min(link.Delay, 500*units.Nanosecond)
		}
		n.NIC.MTU, n.Fabric.MaxFrame = 1024, 1102
		fair(n, 96*units.KB)
		hosts := len(n.Graph.Hosts())
		var flows []host.Flow
		for range rapid.IntRange(1, 8).Draw(t, "flows") {
			dst := rapid.IntRange(0, hosts-1).Draw(t, "dst")
			flows = append(flows, simtest.Flow((dst+rapid.IntRange(1, hosts-1).Draw(t, "further"))%hosts, dst, 100*units.MB))
		}
		const from, to = 40 * units.Millisecond, 45 * units.Millisecond
		c, got := rates(t, n, from, to, flows...)
		packets := 2 * 1106. * 8000 / float64(to-from)
		for flow, want := range oracle(c) {
			if math.Abs(got[flow]-want) > 0.02*want+packets {
				t.Errorf("flow %d gets %.3f Gb/s, want %.3f; all get %.3f of %.3f", flow, got[flow], want, got, oracle(c))
			}
		}
	})
}
