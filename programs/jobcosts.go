package programs

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// MostBounded is how many operations a schedule may have for what it takes in theory to be worked out.
const MostBounded = 2_000_000

// jobCosts is what operations of a job take by the alpha-beta model.
type jobCosts struct {
	*Job
	known  map[jobWay][2]units.Time
	packet units.Bytes // most that one carries
}

// theory is what a step takes by that model; [units.Never] if ranks wait for each other for good.
func (j *Job) theory() units.Time {
	payload, _ := j.cluster.FullPacket(j.Channel.Transport == TCP, j.Channel.Data)
	return schedule.Bound(j.Schedule, jobCosts{j, map[jobWay][2]units.Time{}, payload})
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
	return c.theoryOf(c.comms[op.Group], op)
}

// Message implements [schedule.Costs]. Way 0 is within the host, the others are its NICs.
func (c jobCosts) Message(op *schedule.Op, from int32) (p schedule.Passage) {
	a, b := c.ranks[from], c.ranks[op.Peer]
	asks := op.Size > c.Channel.Eager
	if a.node == b.node {
		p.Busy = c.NVLink.Serialise(int(op.Size))
		p.Arrives = p.Busy + c.NVLinkDelay
		if asks {
			p.Ask = c.NVLinkDelay
		}
		return p
	}
	p.Way = 1 + uint8(a.place.NIC%c.Rails)
	if op.NIC > 0 {
		p.Way = 1 + (op.NIC-1)%uint8(c.Rails)
	}
	if !asks {
		p.Busy, p.Arrives = c.takes(a, b, op.Size+MessageHeader, true)
		p.Arrives += 2*c.Channel.Overhead + 2*c.Channel.copyTime(op.Size)
	} else {
		tcp := c.Channel.Transport == TCP
		_, small := c.takes(a, b, MessageHeader, true)
		p.Ask = small + 2*c.Channel.Overhead
		if tcp {
			p.Busy, p.Arrives = c.takes(a, b, op.Size+MessageHeader, true)
		} else {
			p.Busy, p.Arrives = c.takes(a, b, op.Size, false)
			_, p.Told = c.takes(a, b, 0, true) // as an acknowledgement
		}
		p.Arrives += 2 * c.Channel.Overhead
	}
	p.Short = op.Size <= c.packet && c.Gap == 0
	p.Busy = max(c.Gap, p.Busy)
	return p
}

// Processor implements [schedule.Costs].
func (c jobCosts) Processor(op *schedule.Op) (busy units.Time, inTurn bool) {
	busy = c.costs(op)
	return busy, c.InTurn || busy > 0
}
