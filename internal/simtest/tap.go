package simtest

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Tap watches what leaves a port, and loses on its cable what it is told to lose.
type Tap struct {
	Packets []Packet
	Pauses  []Pause
	// Lose and LosePFC, if not nil, say which frames are lost.
	Lose    func(p *wire.Packet, now units.Time) bool
	LosePFC func(f *wire.PFC, now units.Time) bool
}

// Packet is a packet and when its first bit left.
type Packet struct {
	At units.Time
	wire.Packet
}

// Pause is a PFC frame and when its first bit left.
type Pause struct {
	At units.Time
	wire.PFC
}

var _ fabric.Fault = (*Tap)(nil)

// Watch taps the cable away from a port.
func Watch(c *host.Cluster, node, port int) *Tap {
	t := &Tap{}
	c.Net.Ports(node)[port].Break(t)
	return t
}

// Loses implements [fabric.Fault].
func (t *Tap) Loses(p *wire.Packet, now units.Time) bool {
	t.Packets = append(t.Packets, Packet{now, *p})
	return t.Lose != nil && t.Lose(p, now)
}

// LosesPFC implements [fabric.Fault].
func (t *Tap) LosesPFC(f *wire.PFC, now units.Time) bool {
	t.Pauses = append(t.Pauses, Pause{now, *f})
	return t.LosePFC != nil && t.LosePFC(f, now)
}

// Starts are the times at which packets for which want holds left; nil wants all.
func (t *Tap) Starts(want func(p *wire.Packet) bool) []units.Time {
	var at []units.Time
	for i := range t.Packets {
		if want == nil || want(&t.Packets[i].Packet) {
			at = append(at, t.Packets[i].At)
		}
	}
	return at
}

// XOFFs are the times at which frames left that pause a class.
func (t *Tap) XOFFs(class int) []units.Time { return t.about(class, true) }

// XONs are the times at which frames left that resume a class.
func (t *Tap) XONs(class int) []units.Time { return t.about(class, false) }

func (t *Tap) about(class int, pause bool) []units.Time {
	var at []units.Time
	for _, f := range t.Pauses {
		if f.Classes&(1<<class) != 0 && (f.Quanta[class] != 0) == pause {
			at = append(at, f.At)
		}
	}
	return at
}

// idle is a node to which nothing happens.
type idle struct{}

func (idle) NextEvent() units.Time      { return units.Never }
func (idle) RunUntil(units.Time) uint64 { return 0 }

// PauseAtStart has a port ask its peer at time 0, before anything runs, to pause
// some classes. A switch notices before it would have to repeat the pause that it has
// no cause for it, and ends it; a NIC forgets that it asked.
func PauseAtStart(c *host.Cluster, node, port int, classes ...int) {
	nodes := make([]sim.Node, len(c.Net.Graph.Nodes))
	for i := range nodes {
		nodes[i] = idle{}
	}
	// The links want to wake somebody; the engine of the run replaces this one.
	c.Net.Connect(sim.New(nodes, sim.Config{Shares: sim.Whole(len(nodes), 1), Limit: 1}))
	p := &c.Net.Ports(node)[port]
	for _, class := range classes {
		p.Requester.XOFF(class)
	}
	p.TransmitPFC(0)
	if c.Net.Switch(node) == nil {
		for _, class := range classes {
			p.Requester.XON(class)
		}
		p.Requester.Take()
	}
}
