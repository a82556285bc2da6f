package host_test

import (
	"reflect"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// ends is what is drawn about the ends of links.
type ends struct {
	slow     rnic.ReceiveBuffer
	storms   []units.Time
	response units.Time
}

// drawEnds draws slow receivers, storms, a watchdog and responses. Pauses of a tree end at
// last, so that every run does.
func drawEnds(t *rapid.T, n *simtest.Net) ends {
	e := ends{response: units.Time(rapid.IntRange(0, 3_000_000).Draw(t, "response of odd nodes"))}
	e.slow = rnic.ReceiveBuffer{
		Drain: units.Rate(rapid.IntRange(1, 40).Draw(t, "drain")) * units.Gbps, Size: units.Bytes(rapid.IntRange(10_000, 200_000).Draw(t, "receive buffer")),
		Lossless: n.Fabric.PFC.Lossless,
	}
	e.slow.XOFF = e.slow.Size - units.Bytes(rapid.IntRange(0, 9_000).Draw(t, "headroom of NICs"))
	e.slow.XON = e.slow.XOFF / 2
	if n.Fabric.PFC.Lossless != 0 {
		for range rapid.IntRange(0, 3).Draw(t, "storms") {
			e.storms = append(e.storms, units.Time(rapid.IntRange(0, 5_000_000_000).Draw(t, "storm")))
		}
		n.Fabric.Watchdog = fabric.Watchdog{
			Enabled: rapid.Bool().Draw(t, "watchdog"), Poll: 200 * units.Microsecond, Detection: 400 * units.Microsecond, Restoration: 200 * units.Microsecond,
			Action: fabric.WatchdogAction(rapid.IntRange(0, 2).Draw(t, "action")),
		}
	}
	n.Fabric.PFC.ResponseAt = func(node, _ int) (units.Time, bool) { return e.response, node%2 == 1 }
	n.Run.Limit = 50 * units.Millisecond
	return e
}

// build makes a cluster with those ends: every other host is slow, and storms come from
// the first ones.
func (e ends) build(t simtest.TB, n *simtest.Net, flows []host.Flow) *host.Cluster {
	c := n.Cluster(t, flows...)
	for i, h := range c.Hosts {
		for _, nic := range h.NICs() {
			if i%2 == 0 && e.slow.Drain < nic.Rate() {
				nic.Limit(e.slow)
			}
		}
	}
	for i, from := range e.storms {
		c.Hosts[i%len(c.Hosts)].NIC(0).Storm(3, from, from+units.Millisecond)
	}
	return c
}

// Whatever there is at the ends of links, the books balance (each run is audited), and any
// number of workers gives the same events and the same counts.
func TestEndsOfLinksKeepTheBooksOnAnyNumberOfWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNet(t)
		flows := drawFlows(t, n)
		e := drawEnds(t, n)
		drawSwitches(t, n)
		var want host.Report
		var ports []books
		for _, workers := range []int{1, 3} {
			n.Run.Workers = workers
			c := e.build(t, n, flows)
			got := n.Finish(t, c)
			got.Workers = 0
			var counted []books
			for node := range c.Net.Graph.Nodes {
				for port := range c.Net.Ports(node) {
					counted = append(counted, booksOf(&c.Net.Ports(node)[port]))
				}
			}
			if workers == 1 {
				want, ports = got, counted
			} else if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(counted, ports) {
				t.Fatalf("%d workers: %+v, one worker: %+v", workers, got, want)
			}
		}
	})
}
