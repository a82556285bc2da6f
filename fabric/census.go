package fabric

import (
	"fmt"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// LongestPause is the longest time for which one pause frame can hold a class on
// any link of the network; 0 without PFC or if pauses do not expire. With credits it is the
// longest time after which a lane hears of them, even if packets that told of them are lost.
func (n *Network) LongestPause() units.Time {
	if n.Config.Credits != nil {
		return n.longestWithoutCredits()
	}
	var longest units.Time
	for _, cable := range n.Graph.Links {
		for _, node := range [2]int{cable.A, cable.B} {
			if p := &n.ConfigOf(node).PFC; p.Lossless != 0 && !p.Sticky {
				longest = max(longest, pfc.QuantaTime(int(p.Quanta), cable.Rate))
			}
		}
	}
	return max(longest, n.longestDegraded())
}

// InFlight counts the packets and the pause frames that are on links.
func (n *Network) InFlight() (packets, pauses int) {
	count := func(in *inbox) {
		packets += in.data.Len()
		pauses += in.pauses.Len() + in.flowControls()
	}
	for _, node := range n.Active() {
		for i, at := range n.Graph.Ports(int(node)) {
			p := &n.ports[node][i]
			count(&p.in)
			if p.Entering() != nil {
				packets++
			}
			if n.activity.states[at.Peer] == asleep { // what is in flight to it, an active node has sent
				count(p.out.to)
			}
		}
	}
	for i := range n.offices {
		for _, m := range n.offices[i].in {
			packets += len(m.sides[0].parcels) + len(m.sides[1].parcels)
			pauses += len(m.sides[0].pauses) + len(m.sides[1].pauses) + len(m.sides[0].credits) + len(m.sides[1].credits)
		}
	}
	return packets, pauses
}

// DataPackets counts the data packets that switches have dropped, for lack of buffer or of a route, or cables have
// lost, and those on links or queued in switches.
func (n *Network) DataPackets() (dropped, underWay uint64) {
	for _, node := range n.Active() {
		for i, at := range n.Graph.Ports(int(node)) {
			p := &n.ports[node][i]
			dropped += p.Counters.DroppedData + p.Counters.NoRouteData + p.Counters.LostData
			underWay += p.in.dataPackets()
			if n.activity.states[at.Peer] == asleep {
				underWay += p.out.to.dataPackets()
			}
			if sent := p.Entering(); sent != nil {
				underWay += isData(sent)
			}
		}
		if s := n.switches[node]; s != nil {
			_, data := s.discarded()
			dropped += data + s.refusedData
			for i := range s.queues {
				for p := range s.waiting(i) {
					underWay += isData(p)
				}
			}
		}
	}
	return dropped, underWay
}

// dataPackets counts the data packets in flight to the inbox.
func (in *inbox) dataPackets() (n uint64) {
	for i := range in.data.Len() {
		n += isData(&in.data.At(i).Packet)
	}
	return n
}

func isData(p *wire.Packet) uint64 {
	if p.Op.IsData() {
		return 1
	}
	return 0
}

// Transmitting tells whether a switch has something to send that no pause holds back.
func (n *Network) Transmitting() bool {
	for s := range n.ActiveSwitches() {
		if s.transmits.Earliest() != units.Never {
			return true
		}
	}
	return false
}

// Quiet tells whether no switch holds a packet or owes its peer a word on a pause.
func (n *Network) Quiet() bool {
	for s := range n.ActiveSwitches() {
		for i := range s.ports {
			if s.backlog[i] != 0 || s.ports[i].Owes() || s.has&holding != 0 && s.leaving[i].Frame != 0 || s.owed != nil && s.owed[i].Len() > 0 {
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
		s.probe.flush(now, s)
	}
	for i := range s.ports {
		s.ports[i].Flush(now)
	}
}

// QueueReport is the length of an egress queue.
type QueueReport struct {
	Bytes, Peak units.Bytes // now, and at the most
	PeakAt      units.Time
	Refused     Refused // what it did not take
}

// Queue reports on the queue of a port and priority.
func (s *Switch) Queue(port, priority int) QueueReport {
	if s.lane[priority] < 0 {
		return QueueReport{}
	}
	i := s.queue(port, priority)
	q := &s.queues[i]
	r := QueueReport{Bytes: q.bytes, Peak: q.peak, PeakAt: q.peakAt}
	if s.refused != nil {
		r.Refused = s.refused[i]
	}
	return r
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
	// PeakShared is the most of the shared pool it held.
	PeakShared units.Bytes
	// PeakHeadroom is the most of its headroom it used, at the time PeakHeadroomAt.
	PeakHeadroom   units.Bytes
	PeakHeadroomAt units.Time
	// Exhausted is how many frames found room in the group's headroom but none in the
	// pool that headroom is drawn from. They are among the dropped.
	Exhausted uint64
	// Nearest and Limit are the level and threshold at the time NearestAt when it
	// was nearest to its threshold; at Limit PFC acts, or a lossy group drops.
	Nearest, Limit units.Bytes
	NearestAt      units.Time
}

// Group reports on the priority group of an ingress port.
func (s *Switch) Group(port, priority int) GroupReport {
	if s.group[priority] < 0 {
		return GroupReport{}
	}
	lane := int(s.group[priority])
	i := s.buffer.at(port, lane)
	g, peaks := &s.buffer.groups[i], &s.buffer.peaks[i]
	return GroupReport{
		Lossless: s.buffer.lanes[lane].lossless, Peak: g.peak,
		PeakShared: s.buffer.sharedPeak(i), Headroom: g.room, PeakHeadroom: peaks.headroom, PeakHeadroomAt: peaks.headroomAt, Exhausted: peaks.exhausted,
		Nearest: g.nearest, Limit: g.nearestLimit, NearestAt: peaks.nearestAt,
	}
}

// SharedPool is the size of the switch's shared pool, and the most of it in use.
func (s *Switch) SharedPool() (size, peak units.Bytes) { return s.buffer.pool, s.buffer.peak }

// HeadroomPool is the size of the pool from which the switch's groups draw their
// headroom, and the most of it in use.
func (s *Switch) HeadroomPool() (size, peak units.Bytes) {
	return s.buffer.rooms.size, s.buffer.rooms.peak
}

// Audit checks the switch's own books: every frame that came in went out, was
// dropped, or is queued; the accounts of the buffer add up to what it stores.
func (s *Switch) Audit() error {
	var in, out, dropped, waiting uint64
	for i := range s.ports {
		c := s.ports[i].Counters
		for p := range pfc.Priorities {
			in += c.Class[p].Rx.Bytes
			out += c.Class[p].Tx.Bytes
			dropped += c.Class[p].Dropped.Bytes
		}
		dropped += c.NoRoute.Bytes
	}
	for i := range s.refused {
		dropped += s.refused[i].Limit.Bytes + s.refused[i].RED.Bytes
	}
	discarded, _ := s.discarded()
	dropped += discarded.Bytes
	for i := range s.queues {
		waiting += uint64(s.queues[i].bytes)
	}
	if in != out+dropped+waiting {
		return fmt.Errorf("%d bytes came in, but %d went out, %d were dropped and %d wait", in, out, dropped, waiting)
	}
	return s.auditMemory()
}

// auditMemory checks the accounts of the buffer against the packets it stores: those
// queued, and those being sent that still hold their memory.
func (s *Switch) auditMemory() error {
	var stored, charged, shared, headroom units.Bytes
	for i := range s.queues {
		for p := range s.waiting(i) {
			stored += s.buffer.memory.Of(units.Bytes(p.Frame))
		}
	}
	for i := range s.leaving {
		stored += s.buffer.memory.Of(units.Bytes(s.leaving[i].Frame))
	}
	for i := range s.buffer.groups {
		g := &s.buffer.groups[i]
		charged += g.held()
		shared += g.shared
		headroom += g.headroom
	}
	if charged != stored || shared != s.buffer.used || headroom != s.buffer.rooms.used {
		return fmt.Errorf("the buffer is charged with %d bytes (%d shared, %d headroom), but stores %d (%d of the pool used, %d of the headroom)",
			charged, shared, headroom, stored, s.buffer.used, s.buffer.rooms.used)
	}
	return nil
}
