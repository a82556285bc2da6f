package host_test

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

// noise loses each frame on a cable with the same probability, whatever it is.
type noise struct {
	coins sim.Stream
	rate  float64
	lost  map[wire.Opcode]int
	pfc   int
}

func (n *noise) Loses(p *wire.Packet, _ units.Time) bool {
	if n.coins.Float64() >= n.rate {
		return false
	}
	n.lost[p.Op]++
	return true
}

func (n *noise) LosesPFC(*wire.PFC, units.Time) bool {
	if n.coins.Float64() >= n.rate {
		return false
	}
	n.pfc++
	return true
}

// disturb puts noise on both directions of every cable.
func disturb(c *host.Cluster, seed uint64, rate float64) []*noise {
	var all []*noise
	for node := range c.Net.Graph.Nodes {
		for port := range c.Net.Ports(node) {
			n := &noise{rate: rate, lost: map[wire.Opcode]int{}, coins: sim.NewStream(seed, fmt.Sprint(node, ":", port), "noise")}
			c.Net.Ports(node)[port].Break(n)
			all = append(all, n)
		}
	}
	return all
}

// crowded is an incast with PFC, ECN and DCQCN, frequent pauses among them.
func crowded(hosts int) *simtest.Net {
	n := simtest.Star(hosts, gbps100, units.Microsecond)
	n.NIC.MTU, n.NIC.AckEvery, n.NIC.Timeout, n.Fabric.MaxFrame = 1024, 4, 8, 1024+78
	control := dcqcn.Paper()
	control.CNPInterval, control.MinRate = 2*units.Microsecond, 20*units.Gbps // congested for ever
	n.NIC.Control = control
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset, n.Fabric.PFC.Quanta = 60*units.KB, 20*units.KB, 2000
	n.Fabric.ECN = fabric.ECN{Kmin: 20 * units.KB, Kmax: 100 * units.KB, Pmax: units.Ratio{Num: 1, Den: 10}}
	return n
}

// Every kind of frame is lost now and then, one in a thousand, in every direction. All
// flows finish none the less, every byte is delivered, and what was lost is counted.
func TestLossOfAnyFrameIsRecovered(t *testing.T) {
	n := crowded(9)
	c := n.Cluster(t, incast(8, 10*units.MB)...)
	all := disturb(c, 1, 1e-3)
	mustBe(t, n.Finish(t, c), host.Done)
	var lost, counted, pfcs, pfcCounted int
	kinds := map[wire.Opcode]int{}
	for _, noise := range all {
		for op, k := range noise.lost {
			kinds[op] += k
			lost += k
		}
		pfcs += noise.pfc
	}
	for node := range c.Net.Graph.Nodes {
		for port := range c.Net.Ports(node) {
			counted += int(c.Net.Ports(node)[port].Counters.Lost.Packets)
			pfcCounted += int(c.Net.Ports(node)[port].Counters.LostPFC)
		}
	}
	if kinds[wire.WriteMiddle] == 0 || kinds[wire.Acknowledge] == 0 || kinds[wire.CNP] == 0 || pfcs == 0 {
		t.Errorf("lost %v and %d PFC frames, want some of each kind", kinds, pfcs)
	}
	if lost != counted || pfcs != pfcCounted {
		t.Errorf("%d packets and %d PFC frames lost, counted %d and %d", lost, pfcs, counted, pfcCounted)
	}
	for flow := range c.Flows {
		if got := receiver(c, flow); got.Payload != 10_000_000 {
			t.Errorf("flow %d: %d bytes delivered", flow, got.Payload)
		}
	}
}

// Whatever is lost, up to every fourth frame: each flow ends, with all its bytes
// delivered or an error completion, and the books balance. Nothing hangs.
func TestLossNeverHangsARun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := crowded(4)
		n.NIC.AckEvery = rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "ack every")
		n.NIC.Retries = rapid.IntRange(0, 7).Draw(t, "retries")
		n.NIC.Window = units.Bytes(rapid.SampledFrom([]int{0, 10_000, 100_000}).Draw(t, "window"))
		var flows []host.Flow
		for i := range rapid.IntRange(1, 5).Draw(t, "flows") {
			f := simtest.Flow(1+i%3, 0, units.Bytes(rapid.IntRange(0, 100_000).Draw(t, "size")))
			f.Messages, f.Lane = rapid.IntRange(1, 3).Draw(t, "messages"), 1+i%2
			flows = append(flows, f)
		}
		c := n.Cluster(t, flows...)
		disturb(c, rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]float64{1e-3, 1e-2, 0.1, 0.25}).Draw(t, "rate"))
		r := n.Finish(t, c)
		if r.Outcome != host.Done && r.Outcome != host.Failed {
			t.Fatalf("%v at %v: %+v", r.Outcome, r.Now, c.Waits(r.Now))
		}
		for flow, f := range c.Flows {
			tr := c.Transfer(flow)
			if !tr.Done() {
				t.Fatalf("flow %d has not ended", flow)
			}
			if at := lastByte(c, flow); tr.Status == rnic.Success && (at == units.Never || at > tr.End) {
				t.Fatalf("flow %d of %v completed at %v, but was delivered at %v", flow, f.Payload(), tr.End, at)
			}
		}
	})
}
