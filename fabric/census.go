package fabric

import (
	"fmt"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// LongestPause is the longest time for which one pause frame can hold a class on
// any link of the network; 0 without PFC or if pauses do not expire.
func (n *Network) LongestPause() units.Time {
	if n.Config.PFC.Lossless == 0 || n.Config.PFC.Sticky {
		return 0
	}
	var longest units.Time
	for _, cable := range n.Graph.Links {
		longest = max(longest, pfc.QuantaTime(int(n.Config.PFC.Quanta), cable.Rate))
	}
	return longest
}

// InFlight counts the packets and the pause frames that are on links.
func (n *Network) InFlight() (packets, pauses int) {
	for node := range n.ports {
		for i := range n.ports[node] {
			packets += n.ports[node][i].in.data.Len()
			pauses += n.ports[node][i].in.pauses.Len()
		}
	}
	for i := range n.offices {
		for _, m := range n.offices[i].in {
			packets += len(m.parcels[0]) + len(m.parcels[1])
			pauses += len(m.pauses[0]) + len(m.pauses[1])
		}
	}
	return packets, pauses
}

// DataPackets counts the data packets that switches have dropped or cables have
// lost, and those on links or queued in switches.
func (n *Network) DataPackets() (dropped, underWay uint64) {
	for node := range n.ports {
		for i := range n.ports[node] {
			p := &n.ports[node][i]
			dropped += p.Counters.DroppedData + p.Counters.LostData
			for k := range p.in.data.Len() {
				underWay += isData(&p.in.data.At(k).Packet)
			}
		}
		if s := n.switches[node]; s != nil {
			for i := range s.queues {
				for k := range s.queues[i].packets.Len() {
					underWay += isData(s.queues[i].packets.At(k))
				}
			}
		}
	}
	return dropped, underWay
}

func isData(p *wire.Packet) uint64 {
	if p.Op.IsData() {
		return 1
	}
	return 0
}

// Transmitting tells whether a switch has something to send that no pause holds back.
func (n *Network) Transmitting() bool {
	for _, s := range n.switches {
		if s != nil && s.transmits.Earliest() != units.Never {
			return true
		}
	}
	return false
}

// Quiet tells whether no switch holds a packet or owes its peer a word on a pause.
func (n *Network) Quiet() bool {
	for _, s := range n.switches {
		if s == nil {
			continue
		}
		for i := range s.ports {
			if s.backlog[i] != 0 || s.ports[i].Requester.Pending() != 0 {
				return false
			}
		}
	}
	return true
}

// Digest is the fingerprint of the switch's event stream.
func (s *Switch) Digest() sim.Digest { return s.digest }

// Work is how many events the switch has handled, and how many packets it sent.
func (s *Switch) Work() (events, hops uint64) { return s.events, s.hops }

// Flush closes the switch's books at the end of a run.
func (s *Switch) Flush(now units.Time) {
	if s.probe != nil {
		s.probe.before(now, s)
	}
	for i := range s.ports {
		s.ports[i].Flush(now)
	}
}

// QueueReport is the length of an egress queue.
type QueueReport struct {
	Bytes, Peak units.Bytes // now, and at the most
	PeakAt      units.Time
}

// Queue reports on the queue of a port and priority.
func (s *Switch) Queue(port, priority int) QueueReport {
	lane := int(s.lane[priority])
	if lane < 0 {
		return QueueReport{}
	}
	q := &s.queues[port*s.lanes+lane]
	return QueueReport{q.bytes, q.peak, q.peakAt}
}

// QueueSamples are the sampled queue lengths, with port and priority of each queue.
func (s *Switch) QueueSamples(f func(at units.Time, port, priority int, bytes units.Bytes)) {
	if s.probe == nil {
		return
	}
	priorities := s.prioritiesByLane()
	for _, q := range s.probe.samples {
		f(q.At, q.Queue/s.lanes, priorities[q.Queue%s.lanes], q.Bytes)
	}
}

func (s *Switch) prioritiesByLane() []int {
	by := make([]int, s.lanes)
	for priority, lane := range s.lane {
		if lane >= 0 {
			by[lane] = priority
		}
	}
	return by
}

// GroupReport is how a priority group fared.
type GroupReport struct {
	Lossless bool
	Peak     units.Bytes // held at the most, of all kinds
	Headroom units.Bytes // set aside for it
	// PeakHeadroom is the most of its headroom it used, at the time PeakHeadroomAt.
	PeakHeadroom   units.Bytes
	PeakHeadroomAt units.Time
	// Nearest and Limit are the level and threshold at the time NearestAt when it
	// was nearest to its threshold; at Limit PFC acts, or a lossy group drops.
	Nearest, Limit units.Bytes
	NearestAt      units.Time
}

// Group reports on the priority group of an ingress port.
func (s *Switch) Group(port, priority int) GroupReport {
	if s.lane[priority] < 0 {
		return GroupReport{}
	}
	lane := int(s.lane[priority])
	i := s.buffer.at(port, lane)
	g, peaks := &s.buffer.groups[i], &s.buffer.peaks[i]
	return GroupReport{
		Lossless: s.buffer.lanes[lane].lossless, Peak: g.peak,
		Headroom: g.room, PeakHeadroom: peaks.headroom, PeakHeadroomAt: peaks.headroomAt,
		Nearest: g.nearest, Limit: g.nearestLimit, NearestAt: peaks.nearestAt,
	}
}

// SharedPool is the size of the switch's shared pool, and the most of it in use.
func (s *Switch) SharedPool() (size, peak units.Bytes) { return s.buffer.pool, s.buffer.peak }

// Audit checks the switch's own books: every frame that came in went out, was
// dropped, or is queued; the accounts of the buffer add up to what is queued.
func (s *Switch) Audit() error {
	var in, out, dropped, queued, waiting uint64
	for i := range s.ports {
		c := &s.ports[i].Counters
		for p := range pfc.Priorities {
			in += c.Class[p].Rx.Bytes
			out += c.Class[p].Tx.Bytes
			dropped += c.Class[p].Dropped.Bytes
		}
	}
	for i := range s.queues {
		waiting += uint64(s.queues[i].bytes)
	}
	var shared units.Bytes
	for i := range s.buffer.groups {
		queued += uint64(s.buffer.groups[i].held())
		shared += s.buffer.groups[i].shared
	}
	switch {
	case in != out+dropped+waiting:
		return fmt.Errorf("%d bytes came in, but %d went out, %d were dropped and %d wait", in, out, dropped, waiting)
	case queued != waiting || shared != s.buffer.used:
		return fmt.Errorf("the buffer is charged with %d bytes (%d shared), but %d wait (%d of the pool used)",
			queued, shared, waiting, s.buffer.used)
	}
	return nil
}
