package rnic

import (
	"github.com/rdmasim/rdmasim/rnic/contexts"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Lookups are how many look-ups found what an adapter keeps, and how many what it had to read.
type Lookups = contexts.Counts

// Lookups counts those of contexts of queue pairs and of translations of addresses.
func (n *NIC) Lookups() (queuePairs, pages Lookups) {
	if n.adapter == nil {
		return queuePairs, pages
	}
	return n.adapter.contexts.Counts, n.adapter.pages.Counts
}

// MessageTimes are how long a message keeps each part of a NIC from others at the least: one after the other,
// messages can come no faster than the longest of them. What costs nothing takes 0.
type MessageTimes struct {
	Wire       units.Time // at the rate of the port, gaps between frames included
	Port       units.Time // by the gap between packets of a port
	QueuePair  units.Time // by the gap between messages of a queue pair
	FromMemory units.Time // by the bus, to be sent
	IntoMemory units.Time // by the bus, as received
}

// MessageTimes are those of a message of a size: of WRITE and SEND, or of what answers a READ.
func (n *NIC) MessageTimes(size units.Bytes, answer bool) (t MessageTimes) {
	mtu := units.Bytes(n.cfg.MTU)
	packets := max(1, (size+mtu-1)/mtu)
	rest := size - (packets-1)*mtu
	only := wire.WriteOnly
	if answer {
		only = wire.ReadResponseOnly
	}
	frame := func(op wire.Opcode, payload units.Bytes) int {
		return n.cfg.wireBytes(op, int(payload))
	}
	t.Wire = units.Time(packets-1)*n.port.Rate().Serialise(frame(wire.WriteMiddle, mtu)) + n.port.Rate().Serialise(frame(only, rest))
	if n.adapter == nil {
		return t
	}
	hw := n.adapter.cfg
	t.Port = units.Time(packets) * hw.PortGap
	if !answer {
		t.QueuePair = hw.QPGap
	}
	if bus := hw.SendRate(min(size, mtu)); bus > 0 {
		t.FromMemory = bus.Serialise(int(size))
	}
	if bus := hw.ReceiveRate(min(size, mtu)); bus > 0 {
		t.IntoMemory = bus.Serialise(int(size))
	}
	return t
}
