package programs

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// LeastPart is the shortest message of a collective: the words that say what is in it. NCCL's flags and those that MPI puts
// before data are about as long.
const LeastPart units.Bytes = 24

// jobLink is how a rank's messages to another go, on one lane: over channels of one of its host's threads. Without a thread
// they stay within the host.
type jobLink struct {
	thread   *jobThread
	channels []int32 // numbers at the thread's mailbox
	waiting  int     // messages that are not posted yet, behind which others must stay
	relay    int32   // GPU of the host to which data goes first, or noRelay
	turn     int32
	told     bool   // of the delivery of every message
	number   uint32 // messages so far, where there are several channels
	// unsure are, by channel, those whose messages have not been delivered yet: operations, or strands; less than 0 where nobody
	// waits for that.
	unsure []queue[int32]
	to     jobEnd // where messages within the host come out
}

const noRelay = -1

// jobEnd is who takes what comes by a channel.
type jobEnd struct {
	lane *jobLane // of a communicator; nil: a message of the schedule
	rank *jobRank
	peer int32 // position in the communicator, or rank
	nic  uint8 // the rail that a schedule has messages go by; 0: the rank's own
	// Where there are several channels: the message that is next, and those that have come before it or not whole.
	expected uint32
	held     []heldMessage
}

// tooLong is what a message must not be that goes by RDMA.
var tooLong = fmt.Sprintf("messages by RDMA of at most %v", rnic.MaxMessage)

// join opens the channels that the schedule needs.
func (j *Job) join() error {
	o := &j.Channel
	sums := *o // of collectives: what is sent lies in the receiver's buffer, without a header
	longest := j.longest()
	if longest > rnic.MaxMessage && o.Transport != TCP {
		return &units.FieldError{Problem: fmt.Sprintf("a message of %v of a collective", longest.Human()), Want: tooLong}
	}
	sums.Header, sums.Copy, sums.Credits, sums.Eager = 0, 0, j.Window, max(LeastPart, longest)
	for _, comm := range j.comms {
		if err := j.joinComm(comm, sums); err != nil {
			return err
		}
	}
	own := *o
	own.Header, own.Tell, own.Sure = MessageHeader, true, true
	for _, r := range j.ranks {
		for i := range r.graph.Ops() {
			op := r.graph.Op(i)
			if op.Kind != schedule.Send {
				continue
			}
			if op.Size > rnic.MaxMessage && o.Transport != TCP {
				return &units.FieldError{Problem: fmt.Sprintf("rank %d, %s", r.number, r.called(int32(i))), Want: tooLong}
			}
			own.Memory = max(own.Memory, op.Size)
		}
	}
	for _, r := range j.ranks {
		for i := range r.graph.Ops() {
			if op := r.graph.Op(i); op.Kind == schedule.Send {
				if err := j.joinRanks(r, j.ranks[op.Peer], op.NIC, own); err != nil {
					return err
				}
			}
		}
	}
	j.measure()
	return nil
}

// longest is the longest message of any collective.
func (j *Job) longest() (most units.Bytes) {
	for _, r := range j.ranks {
		eachCollective(r.graph, func(_ int, op *schedule.Op) {
			comm := j.comms[op.Group]
			plans := comm.plans[j.keyOf(comm, op)]
			lanes := units.Bytes(j.lanesOf(comm, plans.algorithm))
			part := (op.Size + lanes - 1) / lanes
			p := plans.byMember[slices.Index(comm.members, r.number)]
			for s := range p.Strands {
				for i := range p.Strands[s].Sends {
					send := &p.Strands[s].Sends[i]
					most = max(most, p.Bytes(part, send.First, send.Count))
				}
			}
		})
	}
	return most
}

// joinComm makes the lanes of a communicator's members, and the channels between them.
func (j *Job) joinComm(comm *jobComm, o ChannelOptions) error {
	lanes := 0
	for _, key := range comm.keys {
		lanes = max(lanes, j.lanesOf(comm, key.algorithm))
		o.TellAll = o.TellAll || comm.plans[key].inTurn()
	}
	member := make([]*jobMember, len(comm.members))
	for position, number := range comm.members {
		r := j.ranks[number]
		m := &jobMember{comm: comm, rank: r, position: int32(position)}
		for i := range lanes {
			m.lanes = append(m.lanes, &jobLane{member: m, number: i, links: map[laneKey]*jobLink{}})
		}
		r.members = append(r.members, m)
		member[position] = m
	}
	for _, key := range comm.keys {
		plans := comm.plans[key]
		for position, p := range plans.byMember {
			for s := range p.Strands {
				for i := range p.Strands[s].Sends {
					to := p.Strands[s].Sends[i].Peer
					for lane := range j.lanesOf(comm, plans.algorithm) {
						if err := j.joinLanes(member[position].lanes[lane], member[to].lanes[lane], plans.algorithm.Railed, o); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	return nil
}

// joinLanes opens what carries messages from one lane to another, if there is nothing yet.
func (j *Job) joinLanes(from, to *jobLane, railed bool, o ChannelOptions) error {
	a, b := from.member.rank, to.member.rank
	if from.links[laneKey{to.member.position, railed}] != nil {
		return nil
	}
	near, far := jobEnd{lane: from, rank: a, peer: to.member.position}, jobEnd{lane: to, rank: b, peer: from.member.position}
	portA, portB := a.place.NIC%j.Rails, b.place.NIC%j.Rails
	if railed {
		rail := from.member.comm.rails[from.number/j.Channels]
		portA, portB = rail, rail
	}
	portA, portB, err := j.ports(a.node, b.node, portA, portB, from.number)
	if err != nil {
		return err
	}
	if railed && a.node != b.node {
		// As NCCL's, such a connection is for one direction, so that what gives credits back does not stand in line behind data.
		there, _, err := j.channels(near, far, portA, portB, from.number, j.QPs, o)
		from.links[laneKey{to.member.position, railed}] = there
		return err
	}
	return j.open(near, far, portA, portB, from.number, o, func(l *jobLink, back bool) {
		if back {
			to.links[laneKey{from.member.position, railed}] = l
		} else {
			from.links[laneKey{to.member.position, railed}] = l
		}
	}, !railed, j.QPs)
}

// open opens what carries messages between two ends, and has keep called with what each of them sends by.
func (j *Job) open(near, far jobEnd, portA, portB, number int, o ChannelOptions, keep func(l *jobLink, back bool), relays bool, qps int) error {
	a, b := near.rank, far.rank
	if a.node == b.node {
		keep(&jobLink{relay: noRelay, to: far}, false)
		if a != b {
			keep(&jobLink{relay: noRelay, to: near}, true)
		}
		return nil
	}
	if relays && j.PXN && portA != portB && !j.crossed {
		// Each direction has the rail of the one who receives.
		for back, end := range [...][2]jobEnd{{near, far}, {far, near}} {
			port := [...]int{portB, portA}[back]
			there, _, err := j.channels(end[0], end[1], port, port, number, qps, o)
			if err != nil {
				return err
			}
			there.relay = int32(port * j.GPUs / j.Rails)
			keep(there, back == 1)
		}
		return nil
	}
	there, back, err := j.channels(near, far, portA, portB, number, qps, o)
	if err != nil {
		return err
	}
	keep(there, false)
	keep(back, true)
	return nil
}

// channels opens the channels of a link.
func (j *Job) channels(near, far jobEnd, portA, portB, number, qps int, o ChannelOptions) (there, back *jobLink, err error) {
	a := near.rank.node.threads[portA*j.Threads+number%j.Threads]
	b := far.rank.node.threads[portB*j.Threads+number%j.Threads]
	there, back = &jobLink{thread: a, relay: noRelay, told: o.TellAll}, &jobLink{thread: b, relay: noRelay, told: o.TellAll}
	first := [2]int{a.box.Channels(), b.box.Channels()}
	for range qps {
		if _, _, err := OpenAt(a.box, b.box, portA, portB, o); err != nil {
			return nil, nil, err
		}
	}
	for i, side := range [...]struct {
		link *jobLink
		end  jobEnd
	}{{there, near}, {back, far}} {
		end := &side.end
		for k := range qps {
			side.link.channels = append(side.link.channels, int32(first[i]+k))
			side.link.thread.ins = append(side.link.thread.ins, jobIn{end: end, link: side.link, place: int32(k)})
		}
		side.link.unsure = make([]queue[int32], qps)
	}
	return there, back, nil
}

// joinRanks opens what carries messages of the schedule between two ranks, if there is nothing yet.
func (j *Job) joinRanks(a, b *jobRank, nic uint8, o ChannelOptions) error {
	if a.links[peerKey{b.number, nic}] != nil {
		return nil
	}
	portA, portB := a.place.NIC%j.Rails, b.place.NIC%j.Rails
	if nic > 0 {
		portA = int(nic-1) % j.Rails
		portB = portA
	}
	portA, portB, err := j.ports(a.node, b.node, portA, portB, 0)
	if err != nil {
		return err
	}
	return j.open(jobEnd{rank: a, peer: b.number, nic: nic}, jobEnd{rank: b, peer: a.number, nic: nic}, portA, portB, 0, o, func(l *jobLink, back bool) {
		if back {
			a, b = b, a
		}
		if a.links == nil {
			a.links = map[peerKey]*jobLink{}
		}
		a.links[peerKey{b.number, nic}] = l
		if back {
			a, b = b, a
		}
	}, nic == 0, 1)
}

// peerKey is a rank and the rail by which messages go to it.
type peerKey struct {
	rank int32
	nic  uint8
}

// measure finds what a message takes in the empty network, and what its payload is at most.
func (j *Job) measure() {
	c := j.cluster
	for rail := range j.Rails {
		rate := c.Hosts[j.Ranks[0].Host].NIC(rail).Rate()
		j.nicRate = payloadRate(c, &j.Channel, rate)
		j.rate += j.nicRate
	}
}

// payloadRate is what of a link's rate is payload where all packets are full.
func payloadRate(c *host.Cluster, o *ChannelOptions, rate units.Rate) units.Rate {
	payload, wire := c.FullPacket(o.Transport == TCP, o.Data)
	return units.Rate(float64(rate) * float64(payload) / float64(wire))
}

// cost is that of the job's network and hosts in the alpha-beta model: what goes by a lane is a SEND that takes what its
// packets do on the wire and in the empty network, and what libraries take at both ends. What the lanes of all rails send at a time, and
// all ranks with the same NIC, is one message of the model. Channels of a rail follow each other as pieces do; of what is not cut into
// pieces they are one message too.
func (j *Job) cost(a *collective.Algorithm, comm *jobComm) collective.Cost {
	c := collective.Cost{LocalAlpha: j.NVLinkDelay, LocalRate: j.NVLink}
	if len(j.nodes) < 2 {
		return c
	}
	lanes, together, of := units.Bytes(j.lanesOf(comm, a)), units.Time(j.Channels), units.Time(1) // messages on a NIC: so many in the mean
	if !a.Whole {
		lanes, together = lanes/units.Bytes(j.Channels), 1
	}
	if n, rails := comm.shape.PerNode, len(comm.rails); !a.Railed && n > rails {
		together, of = together*units.Time(n), units.Time(rails)
	}
	known := map[units.Bytes][2]units.Time{}
	c.Message = func(b units.Bytes) (busy, arrives units.Time) {
		took, found := known[b]
		if !found {
			size := max(LeastPart, (b+lanes-1)/lanes)
			parts := units.Bytes(1)
			if n := units.Bytes(j.QPs); j.Split && size >= n*LeastPart {
				parts = n
			}
			m := host.Alone{Size: (size + parts - 1) / parts, Sockets: j.Channel.Transport == TCP, Class: j.Channel.Data, Sends: true}
			portA, portB, err := j.ports(j.nodes[0], j.nodes[1], 0, 0, 0)
			var one, last units.Time
			if err == nil {
				one, last, err = j.cluster.Takes(m, j.nodes[0].at, j.nodes[1].at, portA, portB)
			}
			if err != nil {
				last = one // NewJob has told of it
			}
			all := one * units.Time(parts) * together / of
			took = [2]units.Time{all, all - one + last + 2*j.Channel.Overhead}
			known[b] = took
		}
		return took[0], took[1]
	}
	return c
}
