package programs

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// mostBounded is how many operations a schedule may have for what it takes in theory to be worked out.
const mostBounded = 4_000_000

// jobCosts is what operations of a job take by the alpha-beta model.
type jobCosts struct {
	*Job
	known map[jobWay][2]units.Time
}

// jobWay is a message from one NIC to another.
type jobWay struct {
	from, to, portA, portB int
	size                   units.Bytes
	sends                  bool
}

// takes is for how long a message keeps a rank's NIC busy, and what it takes from there to another's, through the empty network.
func (c jobCosts) takes(a, b *jobRank, size units.Bytes, sends bool) (busy, arrives units.Time) {
	portA, portB, err := c.ports(a.node, b.node, a.place.NIC%c.Rails, b.place.NIC%c.Rails, 0)
	if err != nil {
		return 0, 0 // NewJob has told of it
	}
	way := jobWay{a.node.at, b.node.at, portA, portB, size, sends}
	if t, known := c.known[way]; known {
		return t[0], t[1]
	}
	m := host.Alone{Size: size, Sockets: c.Channel.Transport == TCP, Class: c.Channel.Data, Sends: sends}
	if busy, arrives, err = c.cluster.Takes(m, way.from, way.to, way.portA, way.portB); err != nil {
		return 0, 0
	}
	c.known[way] = [2]units.Time{busy, arrives}
	return busy, arrives
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
	switch {
	case c.Channel.Transport == TCP:
		busy, arrives = c.takes(a, b, op.Size+MessageHeader, true)
	case op.Size <= c.Channel.Eager:
		busy, arrives = c.takes(a, b, op.Size+MessageHeader, true)
		arrives += 2 * c.Channel.copyTime(op.Size)
	default: // It is announced, and answered, before it goes.
		busy, arrives = c.takes(a, b, op.Size, false)
		_, small := c.takes(a, b, MessageHeader, true)
		arrives += 2 * small
	}
	return busy, arrives + 2*c.Channel.Overhead
}

// Processor implements [schedule.Costs].
func (c jobCosts) Processor(op *schedule.Op) units.Time { return c.costs(op) }
