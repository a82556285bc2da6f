package programs

import (
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// mostBounded is how many operations a schedule may have for what it takes in theory to be worked out.
const mostBounded = 4_000_000

// jobCosts is what operations of a job take by the alpha-beta model.
type jobCosts struct {
	*Job
	known map[jobWay]units.Time
}

// jobWay is a message from one NIC to another.
type jobWay struct {
	from, to, portA, portB int
	size                   units.Bytes
}

// latency is what a message takes from a rank to another, through the empty network.
func (c jobCosts) latency(a, b *jobRank, size units.Bytes) units.Time {
	way := jobWay{a.node.at, b.node.at, a.place.NIC % c.Rails, b.place.NIC % c.Rails, size}
	if t, known := c.known[way]; known {
		return t
	}
	t, err := c.cluster.EmptyLatency(way.from, way.to, way.portA, way.portB, size, c.Channel.Transport == TCP, c.Channel.Data)
	if err != nil {
		t = 0 // NewJob has told of it
	}
	c.known[way] = t
	return t
}

// Collective implements [schedule.Costs].
func (c jobCosts) Collective(op *schedule.Op) units.Time {
	return c.Theory(c.comms[op.Group].shape, op)
}

// Message implements [schedule.Costs].
func (c jobCosts) Message(op *schedule.Op, from int32) (busy, arrives units.Time) {
	a, b := c.ranks[from], c.ranks[op.Peer]
	if a.node == b.node {
		busy = c.NVLink.Serialise(int(op.Size))
		return busy, busy + c.NVLinkDelay
	}
	size := op.Size + MessageHeader
	latency := c.latency(a, b, size) + 2*c.Channel.Overhead
	if op.Size <= c.Channel.Eager {
		return c.nicRate.Serialise(int(size)), latency + 2*c.Channel.copyTime(op.Size)
	}
	// It is announced, and answered, before it goes.
	small := c.latency(a, b, MessageHeader)
	if c.Channel.Transport == TCP {
		small = 0
	}
	return c.nicRate.Serialise(int(size)), latency + 2*small
}

// Processor implements [schedule.Costs].
func (c jobCosts) Processor(op *schedule.Op) units.Time { return c.costs(op) }
