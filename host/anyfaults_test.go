package host_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// injected is a cluster with faults.
func injected(t simtest.TB, n *simtest.Net, f host.Faults, flows ...host.Flow) *host.Cluster {
	t.Helper()
	c := n.Cluster(t, flows...)
	if err := c.Inject(f); err != nil {
		t.Fatalf("%v", err)
	}
	return c
}

// drawSpan draws a time early in a run, short or for good.
func drawSpan(t *rapid.T) fabric.Span {
	from := units.Time(rapid.Int64Range(0, 100_000_000).Draw(t, "from"))
	lasts := rapid.SampledFrom([]units.Time{1, 100 * units.Nanosecond, 10 * units.Microsecond, 200 * units.Microsecond, units.Never - from}).Draw(t, "lasts")
	return fabric.Span{From: from, To: from + lasts}
}

// drawLoss draws a loss at one end of a cable.
func drawLoss(t *rapid.T, c *host.Cluster, name string) fabric.Loss {
	l := fabric.Loss{Name: name, Span: fabric.Span{To: units.Never}, Frames: fabric.AllFrames, Corrupts: rapid.Bool().Draw(t, "corrupts")}
	l.Node = rapid.IntRange(0, len(c.Net.Graph.Nodes)-1).Draw(t, "node")
	l.Port = rapid.IntRange(0, 7).Draw(t, "port") % len(c.Net.Ports(l.Node))
	if rapid.Bool().Draw(t, "one kind") {
		l.Frames = 1 << rapid.IntRange(0, int(fabric.FrameKinds)-1).Draw(t, "kind")
	}
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		l.Chance = rapid.SampledFrom([]units.Ratio{{Num: 1, Den: 1000}, {Num: 1, Den: 10}, {Num: 1, Den: 1}}).Draw(t, "chance")
	case 1:
		l.BitErrors = rapid.SampledFrom([]float64{1e-12, 1e-7, 1e-5}).Draw(t, "bit errors")
	default:
		l.Pick = &fabric.Pick{First: rapid.Int64Range(1, 30).Draw(t, "first"), Every: rapid.Int64Range(1, 30).Draw(t, "every"),
			Count: rapid.Int64Range(0, 9).Draw(t, "count")}
		if rapid.Bool().Draw(t, "of a flow") {
			l.To = c.AddressesOf(rapid.IntRange(0, len(c.Flows)-1).Draw(t, "flow"))
		}
	}
	return l
}

// drawFaults draws up to three faults of any kind.
func drawFaults(t *rapid.T, c *host.Cluster) host.Faults {
	var f host.Faults
	links := c.Net.Graph.Links
	for i := range rapid.IntRange(1, 3).Draw(t, "faults") {
		link := rapid.IntRange(0, len(links)-1).Draw(t, "link")
		switch rapid.IntRange(0, 3).Draw(t, "fault") {
		case 0:
			f.Losses = append(f.Losses, drawLoss(t, c, fmt.Sprint("loss-", i)))
		case 1:
			after := rapid.SampledFrom([]units.Time{0, units.Microsecond, 50 * units.Microsecond, units.Never}).Draw(t, "convergence")
			f.Outages = append(f.Outages, fabric.Outage{Link: link, Span: drawSpan(t), Convergence: after})
		case 2:
			f.Degradations = append(f.Degradations, fabric.Degradation{
				Link: link, Span: drawSpan(t), Rate: links[link].Rate / units.Rate(rapid.IntRange(1, 50).Draw(t, "slower")),
				Delay: units.Time(rapid.IntRange(0, 5_000_000).Draw(t, "longer")),
			})
		default:
			f.Pauses = append(f.Pauses, host.Pause{Host: rapid.IntRange(0, len(c.Hosts)-1).Draw(t, "host"), Span: drawSpan(t)})
		}
	}
	return f
}

// drawRing draws a ring of switches of which each has a host, by any policy of routes:
// a network with ways round a dead link, and with pauses that may wait for each other.
func drawRing(t *rapid.T) *topology.Graph {
	size := rapid.IntRange(3, 6).Draw(t, "ring")
	var nodes []topology.Node
	var links []topology.Link
	cable := func(a, b int) {
		links = append(links, topology.Link{
			A: a, B: b, Rate: rapid.SampledFrom([]units.Rate{10, 40, 100}).Draw(t, "Gbps") * units.Gbps,
			Delay: units.Time(rapid.IntRange(1, 2_000_000).Draw(t, "delay")),
		})
	}
	for i := range size {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("h", i)}, topology.Node{Name: fmt.Sprint("s", i), Kind: topology.Switch})
		cable(2*i, 2*i+1)
		cable(2*i+1, (2*i+3)%(2*size))
	}
	g, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	g.Routing = rapid.SampledFrom([]topology.RoutePolicy{"", topology.ShortestPaths, topology.UpDown}).Draw(t, "policy")
	return g
}

// drawRecovery draws what a NIC does about loss.
func drawRecovery(t *rapid.T, n *simtest.Net) {
	n.NIC.Recovery = rapid.SampledFrom([]rnic.Recovery{rnic.GoBackN, rnic.GoBackZero, rnic.Selective, rnic.Adaptive}).Draw(t, "recovery")
	n.NIC.Selective = rnic.SelectiveRepeat{
		Window: rapid.SampledFrom([]int{0, 1, 7, 100}).Draw(t, "packets in flight"), Few: 3,
		TimerLow:  rapid.SampledFrom([]units.Time{20 * units.Microsecond, 100 * units.Microsecond}).Draw(t, "low timer"),
		TimerHigh: rapid.SampledFrom([]units.Time{50 * units.Microsecond, 320 * units.Microsecond}).Draw(t, "high timer"),
	}
	n.NIC.Adaptive = rnic.AdaptiveTimer{Start: 16 * units.Microsecond, Limit: units.Millisecond, Tries: rapid.IntRange(1, 2).Draw(t, "tries")}
	n.NIC.TimerFactor = rapid.IntRange(0, 4).Draw(t, "timer factor")
	n.NIC.WindowByRate = n.NIC.Window > 0 && rapid.Bool().Draw(t, "window by rate")
	n.NIC.NakRearm = rapid.SampledFrom([]units.Time{0, units.Nanosecond, 20 * units.Microsecond}).Draw(t, "re-arm")
	n.Fabric.PFC.Sticky = rapid.Bool().Draw(t, "sticky")
	n.Run.Limit = 50 * units.Millisecond
	n.Run.NoProgress = rapid.SampledFrom([]units.Time{0, 20 * units.Millisecond}).Draw(t, "no progress")
}

// drawSlow draws whether the first host is slow, and gives it a receive buffer then.
func drawSlow(t *rapid.T, n *simtest.Net) func(c *host.Cluster) {
	if rapid.Bool().Draw(t, "all hosts are fast") {
		return func(*host.Cluster) {}
	}
	buffer := rnic.ReceiveBuffer{Drain: units.Rate(rapid.IntRange(1, 50).Draw(t, "drain")) * units.Gbps, Lossless: n.Fabric.PFC.Lossless}
	buffer.Size = units.Bytes(rapid.IntRange(20_000, 300_000).Draw(t, "receive buffer"))
	buffer.XOFF = buffer.Size / 3
	buffer.XON = buffer.XOFF / 2
	return func(c *host.Cluster) {
		for _, nic := range c.Hosts[0].NICs() {
			nic.Limit(buffer)
		}
	}
}

// Whatever goes wrong, up to three things at once, in whatever network: the run ends,
// its books balance, no flow beats its ideal, and no flow is called done that did not
// arrive whole. Any number of workers comes to the same bits.
func TestNoFaultHangsARunOrMakesItLie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNet(t)
		if rapid.Bool().Draw(t, "in a ring") {
			n.Graph, n.Fabric.Switches = drawRing(t), nil
		}
		expectEndsWithFaults(t, n)
	})
}

// expectEndsWithFaults runs a network with random flows and faults, alone and on several workers.
func expectEndsWithFaults(t *rapid.T, n *simtest.Net) {
	drawRecovery(t, n)
	flows, slow := drawFlows(t, n), drawSlow(t, n)
	faults := drawFaults(t, n.Cluster(t, flows...))
	c := injected(t, n, faults, flows...)
	slow(c)
	r := n.Finish(t, c)
	expectHonesty(t, c, r)
	if waits := c.Waits(r.Now); r.Outcome != host.Done && len(waits) == 0 {
		t.Fatalf("%v, and nothing waits", r.Outcome)
	}
	n.Run.Workers, n.Run.Together = 1+rapid.IntRange(1, 3).Draw(t, "workers"), simtest.InTurns()
	again := injected(t, n, faults, flows...)
	slow(again)
	if r2 := n.Finish(t, again); r2.Digest != r.Digest || r2.Now != r.Now || !reflect.DeepEqual(portBooks(again), portBooks(c)) {
		t.Fatalf("%d workers: %+v; one: %+v", n.Run.Workers, r2, r)
	}
}

// expectHonesty expects that a flow which ended well was delivered whole, no faster than
// it could be alone, and that a run which is done has no others.
func expectHonesty(t *rapid.T, c *host.Cluster, r host.Report) {
	for flow, f := range c.Flows {
		tr, at := c.Transfer(flow), lastByte(c, flow)
		if !tr.Done() || tr.Status != rnic.Success {
			if r.Outcome == host.Done {
				t.Fatalf("flow %d: %+v in a run that is done", flow, tr)
			}
			continue
		}
		if bytes, acks := c.Ideal(flow); at == units.Never || early(c, flow) || at-f.Start < bytes || tr.End-f.Start < acks {
			t.Fatalf("flow %d delivered after %v, ideal %v; acknowledged after %v, ideal %v", flow, at-f.Start, bytes, tr.End-f.Start, acks)
		}
	}
	if r.Outcome == host.Done || r.Outcome == host.Failed {
		expectDelivery(t, c)
	}
}

// early tells whether a sender thought a flow to be delivered before it was. With adapters that take time that is
// no fault: they acknowledge what has come, before it is in memory.
func early(c *host.Cluster, flow int) bool {
	return c.NIC.Hardware == nil && c.Transfer(flow).End < lastByte(c, flow)
}

// portBooks are the counters of all ports.
func portBooks(c *host.Cluster) (all []books) {
	for node := range c.Net.Graph.Nodes {
		for port := range c.Net.Ports(node) {
			all = append(all, booksOf(&c.Net.Ports(node)[port]))
		}
	}
	return all
}
