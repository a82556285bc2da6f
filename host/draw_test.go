package host_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// drawTree draws a network: a tree of switches, some joined by several cables, and
// hosts with one or two NICs at random switches. In a tree no traffic waits for itself, so
// that PFC cannot deadlock.
func drawTree(t *rapid.T) *topology.Graph {
	var nodes []topology.Node
	var links []topology.Link
	cable := func(a, b int) {
		links = append(links, topology.Link{
			A: a, B: b, Rate: rapid.SampledFrom([]units.Rate{10, 25, 30, 40, 100, 400}).Draw(t, "Gbps") * units.Gbps,
			Delay: rapid.SampledFrom([]units.Time{1, 25_000, 100_000, 500_000, 2_000_000}).Draw(t, "delay"),
		})
	}
	switches := rapid.IntRange(1, 4).Draw(t, "switches")
	for i := range switches {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("s", i), Kind: topology.Switch})
		for range rapid.IntRange(1, 3).Draw(t, "cables") {
			if i > 0 {
				cable(rapid.IntRange(0, i-1).Draw(t, "parent"), i)
			}
		}
	}
	for i := range rapid.IntRange(2, 6).Draw(t, "hosts") {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("h", i)})
		for range rapid.IntRange(1, 2).Draw(t, "NICs") {
			cable(rapid.IntRange(0, switches-1).Draw(t, "switch"), len(nodes)-1)
		}
	}
	g, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// drawNet draws a network with everything that can be set: lossless or not, buffers so
// small that much is dropped, or large ones, ECN, congestion control, windows.
func drawNet(t *rapid.T) *simtest.Net {
	n := simtest.On(drawTree(t))
	n.NIC.MTU = rapid.SampledFrom([]int{256, 1000, 1024, 4096}).Draw(t, "mtu")
	n.NIC.AckEvery = rapid.SampledFrom([]int{0, 1, 7}).Draw(t, "ack every")
	n.NIC.Window = units.Bytes(rapid.SampledFrom([]int{0, 0, 3000, 50_000}).Draw(t, "window"))
	n.NIC.Timeout, n.NIC.Retries = 8, rapid.IntRange(0, 7).Draw(t, "retries")
	n.NIC.CNPLatency = units.Time(rapid.IntRange(0, 1_000_000).Draw(t, "CNP latency"))
	n.NIC.Control = rapid.SampledFrom([]cc.Params{
		cc.None.Params(""), &cc.FixedParams{Rate: 7 * units.Gbps}, dcqcn.Kind.Params("paper"), dcqcn.Kind.Params("scaled"),
	}).Draw(t, "control")
	f := &n.Fabric
	f.Priorities = []int{1, 3, 6}
	f.MaxFrame = units.Bytes(n.NIC.MTU + 78)
	f.Pipeline = units.Time(rapid.IntRange(0, 500_000).Draw(t, "pipeline"))
	f.Lossy.Alpha = units.Ratio{Num: rapid.Int64Range(1, 4).Draw(t, "lossy alpha"), Den: 2}
	if rapid.Bool().Draw(t, "ECN") {
		f.ECN = fabric.ECN{Kmin: 5 * units.KB, Kmax: 20 * units.KB, Pmax: units.Ratio{Num: 1, Den: 2}}
	}
	if rapid.Bool().Draw(t, "small buffer") {
		f.Buffer, f.PFC.Headroom = units.Bytes(rapid.IntRange(100_000, 200_000).Draw(t, "buffer")), 2000
	}
	f.PFC.XOFF = units.Bytes(rapid.SampledFrom([]int{0, 15_000, 30_000}).Draw(t, "XOFF"))
	f.PFC.XONOffset = units.Bytes(rapid.IntRange(0, 10_000).Draw(t, "XON offset"))
	f.PFC.Quanta = uint16(rapid.SampledFrom([]int{100, 3000, 65535}).Draw(t, "quanta"))
	f.PFC.Response = units.Time(rapid.IntRange(-1, 1_000_000).Draw(t, "response"))
	if rapid.Bool().Draw(t, "lossy") {
		f.PFC.Lossless = 0
	}
	drawSwitches(t, n)
	return n
}

// drawFlows draws flows between hosts, many of them to the same one, in two classes,
// some on the same queue pair.
func drawFlows(t *rapid.T, n *simtest.Net) []host.Flow {
	var flows []host.Flow
	hosts := len(n.Graph.Hosts())
	for range rapid.SampledFrom([]int{1, 3, 8, 12}).Draw(t, "flows") {
		dst := min(hosts-1, rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5}).Draw(t, "dst"))
		f := simtest.Flow((dst+rapid.IntRange(1, hosts-1).Draw(t, "further"))%hosts, dst, 0)
		f.Size = units.Bytes(rapid.SampledFrom([]int{0, 1, 1024, 9999, 40_000, 200_000, 200_001}).Draw(t, "size"))
		f.Messages = rapid.IntRange(1, 3).Draw(t, "messages")
		f.Start = units.Time(rapid.SampledFrom([]int{0, 0, 0, 123_456, 5_000_000, 20_000_000}).Draw(t, "start"))
		f.Lane = rapid.IntRange(1, 3).Draw(t, "lane")
		if f.Lane == 1 { // a queue pair is of one class
			f = inClass(f, 1)
		}
		flows = append(flows, f)
	}
	return flows
}
