// Package simtest has small networks for tests: built in a line, with defaults
// that make closed forms hold (no response time, no pipeline, no window).
package simtest

import (
	"context"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
	"github.com/rdmasim/rdmasim/wire"
)

// Data, Ack and CNP are the classes of the defaults: all but notifications in
// the lossless priority 3.
var (
	Data = rnic.Class{DSCP: 26, Priority: 3}
	CNP  = rnic.Class{DSCP: 48, Priority: 6}
)

// TB is a test, or the part of one that draws its input.
type TB interface {
	// Helper keeps the caller's lines out of failure messages.
	Helper()
	// Errorf fails the test and goes on.
	Errorf(format string, args ...any)
	// Fatalf fails the test and ends it.
	Fatalf(format string, args ...any)
}

// Net is what a test network is made of; change what the test is about.
type Net struct {
	Graph  *topology.Graph
	Fabric fabric.Config
	NIC    rnic.Config
	Run    host.RunOptions
}

// On gives the defaults on a graph: 32 MiB of buffer, PFC on priority 3 with a
// dynamic threshold of 1/8, no ECN, MTU 4096, an acknowledgement per message,
// no congestion control, the timer off; workers, if there are several, share every window.
func On(g *topology.Graph) *Net {
	n := &Net{Graph: g}
	n.Fabric = fabric.Config{
		Buffer:     32 * units.MiB,
		Priorities: []int{3, 6},
		MaxFrame:   4174,
		PFC: fabric.PFC{
			Lossless: 1 << 3, Alpha: units.Ratio{Num: 1, Den: 8}, Headroom: -1,
			Quanta: 65535, Refresh: units.Ratio{Num: 1, Den: 2},
		},
		Lossy: fabric.Lossy{Alpha: units.Ratio{Num: 1, Den: 1}},
		Seed:  1, PathSeed: 1,
	}
	for dscp := range n.Fabric.PriorityOf {
		n.Fabric.PriorityOf[dscp] = uint8(dscp >> 3)
	}
	n.NIC = rnic.Config{MTU: 4096, Retries: 7, Data: Data, Ack: Data, CNP: CNP, Management: CNP, Control: cc.None.Params("")}
	n.Run = host.RunOptions{Limit: units.Second, UntilDone: true, Workers: 1, Together: Always}
	return n
}

// InfiniBand puts a network on InfiniBand links, whose packets take 4 bytes on the wire
// beside their own: each lane of each port has so much buffer, and flow-control packets take
// effect at once.
func (n *Net) InfiniBand(buffer units.Bytes) {
	framing := wire.InfiniBand(4)
	n.Fabric.UseCredits(fabric.Credits{Buffer: buffer}, fabric.Credits{Buffer: buffer}, framing)
	n.NIC.Framing = framing
	n.Fabric.MaxFrame = units.Bytes(framing.FrameBytes(wire.WriteFirst, n.NIC.MTU, n.NIC.MTU))
}

// IWARP has the NICs of a network run TCP connections with NewReno, in packets of an MTU, for
// flows in the class that it returns.
func (n *Net) IWARP(mtu units.Bytes) rnic.Class {
	cfg := tcp.Defaults()
	cfg.MTU = mtu
	n.NIC.IWARP = rnic.NewIWARP(cfg, congestion.NewReno.Params())
	n.Fabric.MaxFrame = max(n.Fabric.MaxFrame, mtu+18)
	class := Data
	class.IWARP = true
	return class
}

// Always has workers share every window, whatever is faster.
func Always() bool { return true }

// InTurns has workers share some windows, and one run others alone.
func InTurns() func() bool {
	window := 0
	return func() bool {
		window++
		return window%7 < 4
	}
}

// Star is hosts on one switch.
func Star(hosts int, rate units.Rate, delay units.Time) *Net {
	nodes := make([]topology.Node, hosts, hosts+1)
	var links []topology.Link
	for i := range nodes {
		nodes[i] = topology.Node{Name: "h" + digits(i)}
		links = append(links, topology.Link{A: i, B: hosts, Rate: rate, Delay: delay})
	}
	nodes = append(nodes, topology.Node{Name: "s0", Kind: topology.Switch})
	return On(must(topology.New(nodes, links)))
}

// Chain is two hosts with switches between them, all links alike.
func Chain(links int, rate units.Rate, delay units.Time) *Net {
	nodes := []topology.Node{{Name: "h0"}, {Name: "h1"}}
	var cables []topology.Link
	at := 0
	for i := range links - 1 {
		nodes = append(nodes, topology.Node{Name: "s" + digits(i), Kind: topology.Switch})
		cables = append(cables, topology.Link{A: at, B: len(nodes) - 1, Rate: rate, Delay: delay})
		at = len(nodes) - 1
	}
	cables = append(cables, topology.Link{A: at, B: 1, Rate: rate, Delay: delay})
	return On(must(topology.New(nodes, cables)))
}

// Build builds a family of the topology registry.
func Build(b topology.Builder) *Net { return On(must(b.Build())) }

// Flow is one message from a host to another at time 0.
func Flow(src, dst int, size units.Bytes) host.Flow {
	return host.Flow{Src: src, Dst: dst, Size: size, Messages: 1, Data: Data}
}

// Cluster builds the network and its flows without running it.
func (n *Net) Cluster(t TB, flows ...host.Flow) *host.Cluster {
	t.Helper()
	net, err := fabric.New(n.Graph, topology.NewRoutes(n.Graph), n.Fabric)
	if err != nil {
		t.Fatalf("%v", err)
	}
	c := host.NewCluster(net, &n.NIC)
	for i, f := range flows {
		if f.Lane == 0 {
			f.Lane = -1 - i // a queue pair of its own
		}
		if err := c.AddFlow(f); err != nil {
			t.Fatalf("%v", err)
		}
	}
	return c
}

// Finish runs a cluster and fails the test unless the books balance.
func (n *Net) Finish(t TB, c *host.Cluster) host.Report {
	t.Helper()
	r, err := c.Run(context.Background(), n.Run)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// Do builds and finishes.
func (n *Net) Do(t TB, flows ...host.Flow) (*host.Cluster, host.Report) {
	t.Helper()
	c := n.Cluster(t, flows...)
	return c, n.Finish(t, c)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func digits(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return digits(i/10) + digits(i%10)
}
