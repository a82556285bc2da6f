package fabric

import (
	"fmt"
	"math/bits"

	"github.com/rdmasim/rdmasim/credit"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Credits is the flow control of InfiniBand links, in place of PFC: each port has a buffer
// for each virtual lane, and its peer sends only what fits there (package credit). A packet
// for which there are no credits waits at its sender, as if its priority were paused:
// [Port.Paused] and [Port.PausedFor] then speak of lanes without credits.
//
// Priorities are lanes, 0 to 7, and a service level is the lane of its number on every
// link; the management lane 15 does not exist. Switches serve their lanes as [Schedule]
// says, strictly or in proportion to weights, and NICs strictly, where the arbiter of the
// standard has two tables of weights in units of 64 bytes, and a bound on what the
// one of high priority may send before the other.
type Credits struct {
	// Buffer is that of each lane of each port of a node.
	Buffer units.Bytes
	// Delay is the time from the last bit of a flow-control packet at a port of a node to
	// its effect there.
	Delay units.Time
}

// UseCredits has links flow-controlled by credits in place of PFC, with the framing of
// InfiniBand. Priorities must be complete by then: all of them are lanes.
func (c *Config) UseCredits(switches, hosts Credits, framing *wire.Framing) {
	c.Credits, c.HostCredits, c.Framing = &switches, &hosts, framing
	c.Memory = pfc.Memory{Cell: credit.Block}
	c.PFC = PFC{Sticky: true} // lanes are held until they are let go, and not for a time
	for _, p := range c.Priorities {
		c.PFC.Lossless |= 1 << p
	}
}

// A receiver tells its peer of room at once if the peer may need it: if it is room for a
// full packet, or if what the peer still has is less than two of them. Smaller news waits
// for more, but no longer than the standard allows.

// creditSymbols is the longest time between two flow-control packets of a lane, in symbol
// times (InfiniBand Architecture Specification, volume 1, 7.9), and creditLanes the physical
// lanes of a cable, each of which carries a byte in a symbol time. A packet that would say
// what its peer knows already is left out: it could take nothing but 0.004 % of the wire.
const creditSymbols, creditLanes = 65536, 4

// creditPort is the credits of a port: of what it sends, and of what it receives.
type creditPort struct {
	lanes    [pfc.Priorities]creditLane
	due      uint8 // lanes of which a flow-control packet is to be sent
	pending  uint8 // lanes with a timer that sees to it that one is
	full     int   // blocks of the largest packet
	arriving Queue[creditArrival]
	counting Queue[creditArrival] // the same packets, where counts may differ
	counted  CreditCounters
}

// creditLane is one lane of a port.
type creditLane struct {
	out   credit.Sender
	in    credit.Receiver
	needs int // blocks of the packet that waits for credits
	// What the peer was last told, lost packets aside.
	told wire.FlowControl
	LaneCounters
}

// LaneCounters is what a port has counted of a lane. Blocks are of 64 bytes.
type LaneCounters struct {
	Sent, Lost  uint64 // blocks sent, and of them those lost on the cable
	Came, Freed uint64 // blocks that came, and of them those given back
	Healed      uint64 // blocks that the peer had sent and that never came, found by its counts
	Stalls      uint64 // times that a packet had to wait for credits
}

// CreditCounters is what a port has counted of flow-control packets.
type CreditCounters struct{ Tx, Rx, Lost uint64 }

// creditArrival is a flow-control packet in flight: when what it grants takes effect, and
// when all that was sent before it has come out of the receiver's pipeline.
type creditArrival struct {
	at, counts units.Time // counts: Never if there is nothing to be counted
	wire.FlowControl
}

// creditsOf is the flow control of a node's ports; nil if it is not by credits.
func (n *Network) creditsOf(node int) *Credits {
	cfg := n.ConfigOf(node)
	if cfg.Credits == nil || n.Graph.Nodes[node].Kind == topology.Switch {
		return cfg.Credits
	}
	return cfg.HostCredits
}

// controlDelay is the time from the last bit of a frame of flow control at a port to its
// effect there.
func (n *Network) controlDelay(node, port int) units.Time {
	if c := n.creditsOf(node); c != nil {
		return c.Delay
	}
	return n.Response(node, port)
}

// controlWire is what such a frame takes on the wire.
func (c *Config) controlWire() int {
	if c.Credits != nil {
		return c.Framing.FlowControlWire()
	}
	return c.Framing.PauseFrame()
}

// grantCredits initialises all links: each end knows the buffers of the other.
func (n *Network) grantCredits() {
	if n.Config.Credits == nil {
		return
	}
	for node := range n.ports {
		for i := range n.ports[node] {
			p, c := &n.ports[node][i], &creditPort{full: credit.Blocks(n.Config.MaxFrame)}
			p.in.credits, p.watched = c, true
			p.Requester.Mute()
			for lane := range c.lanes {
				c.lanes[lane].in = credit.NewReceiver(n.creditsOf(node).Buffer)
			}
		}
	}
	for node := range n.ports {
		for i, at := range n.Graph.Ports(node) {
			here, there := n.ports[node][i].in.credits, n.ports[at.Peer][at.PeerPort].in.credits
			for lane := range here.lanes {
				limit := there.lanes[lane].in.Grant()
				here.lanes[lane].out.Grant(limit)
				there.lanes[lane].told.Limit = uint16(limit)
			}
		}
	}
}

// OnCredits tells whether the port is one of a link with credits.
func (p *Port) OnCredits() bool { return p.watched && p.in.credits != nil }

// Affords tells whether a frame of a priority may be sent: on a link with credits, if they
// suffice for it. If not the priority is held from now on until they do.
func (p *Port) Affords(priority int, frame units.Bytes, now units.Time) bool {
	c := p.in.credits
	if c == nil {
		return true
	}
	lane, blocks := &c.lanes[priority], credit.Blocks(frame)
	if lane.out.May(blocks) {
		return true
	}
	lane.needs = blocks
	lane.Stalls++
	p.pauser.Pause(priority, now, units.Never)
	return false
}

// spend counts a packet that is being sent.
func (c *creditPort) spend(lane int, frame units.Bytes) {
	blocks := credit.Blocks(frame)
	c.lanes[lane].out.Send(blocks)
	c.lanes[lane].Sent += uint64(blocks)
}

// TakeIn counts the credits of a packet that has come, if the link has any; only ports that
// are [Port.Watched] do.
func (p *Port) TakeIn(pk *wire.Packet, priority int) {
	if c := p.in.credits; c != nil {
		c.take(priority, units.Bytes(pk.Frame))
	}
}

// take counts a packet that has come.
func (c *creditPort) take(lane int, frame units.Bytes) {
	blocks := credit.Blocks(frame)
	if l := &c.lanes[lane]; !l.in.Arrive(blocks) {
		panic(fmt.Sprintf("port: %d of %d blocks of lane %d are in use", l.in.Held(), l.in.Size(), lane))
	}
	c.lanes[lane].Came += uint64(blocks)
}

// Freed gives back the buffer of a frame of a priority that has come in by the port and is
// gone from there; without credits it does nothing. Its owner looks afterwards whether the
// port has anything to say ([Port.Owes]).
func (p *Port) Freed(priority int, frame units.Bytes, now units.Time) {
	if !p.watched || p.in.credits == nil {
		return
	}
	blocks, lane := credit.Blocks(frame), &p.in.credits.lanes[priority]
	lane.in.Free(blocks)
	lane.Freed += uint64(blocks)
	p.considerCredits(priority, now)
}

// considerCredits decides whether the peer is to be told now of what is new of a lane, or
// in time.
func (p *Port) considerCredits(lane int, now units.Time) {
	c := p.in.credits
	switch in := &c.lanes[lane].in; {
	case in.News() == 0:
	case in.News() >= c.full || in.Told() < 2*c.full:
		c.due |= 1 << lane
	default:
		p.tellInTime(lane, now)
	}
}

// tellInTime makes sure that a flow-control packet of a lane is sent before the standard's
// time is over, if it then says anything new.
func (p *Port) tellInTime(lane int, now units.Time) {
	c := p.in.credits
	if c.pending&(1<<lane) == 0 {
		c.pending |= 1 << lane
		p.timers.Add(now+creditPeriod(p.out.rate), timerKey(CreditsDue, int(p.index), lane))
	}
}

// creditPeriod is the longest time between two flow-control packets of a lane.
func creditPeriod(rate units.Rate) units.Time { return rate.Serialise(creditSymbols * creditLanes) }

// longestWithoutCredits is the longest of them on any cable, at the slowest it gets.
func (n *Network) longestWithoutCredits() (longest units.Time) {
	for node := range n.ports {
		for i := range n.ports[node] {
			p := &n.ports[node][i]
			longest = max(longest, creditPeriod(p.out.rate))
			if p.cable == nil {
				continue
			}
			for k := range p.cable.changes {
				longest = max(longest, creditPeriod(p.cable.changes[k].rate))
			}
		}
	}
	return longest
}

// owesCredits tells whether a flow-control packet is to be sent.
func (p *Port) owesCredits() bool { return p.in.credits != nil && p.in.credits.due != 0 }

// flowControl is what a flow-control packet of a lane would say now.
func (c *creditPort) flowControl(lane int) wire.FlowControl {
	l := &c.lanes[lane]
	return wire.FlowControl{VL: uint8(lane), Sent: uint16(l.out.Sent()), Limit: uint16(l.in.Limit())}
}

// tell sends the flow-control packet of the lowest lane of which one is due. The
// transmitter must be free.
func (p *Port) tell(now units.Time) {
	c := p.in.credits
	lane := bits.TrailingZeros8(c.due)
	c.due &^= 1 << lane
	l, f := &c.lanes[lane], c.flowControl(lane)
	l.in.Grant()
	end := now + p.out.serialise(int(p.out.pfcWire))
	c.counted.Tx++
	if p.cable != nil && p.cable.losesCredits(&f, now, &p.out) {
		c.counted.Lost++
		p.tellInTime(lane, now)
	} else {
		l.told = f
		p.out.sendCredits(end, &f, p.cable != nil)
	}
	p.FreeAt = max(p.FreeAt, end)
	p.Busy += end - now
	if p.usage != nil {
		p.usage.add(now, end)
	}
}

// OnCreditTimer handles the timers of credits: a flow-control packet that takes effect, one
// whose count does, and a lane of which one may be due. Its owner looks afterwards for
// something to send.
func (p *Port) OnCreditTimer(kind, lane int, now units.Time) {
	c := p.in.credits
	switch kind {
	case CreditsArrive:
		f := &c.arriving.Pop().FlowControl
		c.counted.Rx++
		l := &c.lanes[f.VL]
		l.out.Grant(credit.Count(f.Limit))
		if p.pauser.Mask(now)&(1<<f.VL) != 0 && l.out.May(l.needs) {
			p.pauser.Resume(int(f.VL), now)
		}
	case CreditsCount:
		f := &c.counting.Pop().FlowControl
		l := &c.lanes[f.VL]
		l.Healed += uint64(l.in.Synchronise(credit.Count(f.Sent)))
		p.considerCredits(int(f.VL), now)
	case CreditsDue:
		c.pending &^= 1 << lane
		f, told := c.flowControl(lane), &c.lanes[lane].told
		if f.Limit != told.Limit || p.cable != nil && f.Sent != told.Sent {
			c.due |= 1 << lane
		}
	}
}

// initialiseCredits is a link that goes down or comes up: of each lane that has been used
// is said anew what there is.
func (c *creditPort) initialiseCredits() {
	for lane := range c.lanes {
		if l := &c.lanes[lane]; l.Sent+l.Came > 0 {
			c.due |= 1 << lane
		}
	}
}

// sendCredits puts a flow-control packet in flight whose last bit leaves at end. If packets
// may have been lost before it, its count is of use.
func (l *link) sendCredits(end units.Time, f *wire.FlowControl, counts bool) {
	a := creditArrival{at: end + l.pfcDelay, counts: units.Never, FlowControl: *f}
	if counts {
		a.counts = end + l.delay
	}
	if l.box == nil {
		l.to.acceptCredits(&a)
	} else {
		l.box.postCredits(l.to, &a)
	}
}

func (in *inbox) acceptCredits(a *creditArrival) {
	in.credits.arriving.Push(a)
	in.timers.Add(a.at, timerKey(CreditsArrive, int(in.slot), 0))
	if a.counts != units.Never {
		in.credits.counting.Push(a)
		in.timers.Add(a.counts, timerKey(CreditsCount, int(in.slot), 0))
	}
	in.arrivals.waker.Wake(min(a.at, a.counts))
}

type creditParcel struct {
	to *inbox
	creditArrival
}

func (m *mailbox) postCredits(to *inbox, a *creditArrival) {
	if m.from.straight {
		to.acceptCredits(a)
		return
	}
	side := m.open(min(a.at, a.counts))
	side.credits = append(side.credits, creditParcel{to, *a})
}

// flowControls is how many flow-control packets are in flight to the inbox.
func (in *inbox) flowControls() int {
	if in.credits == nil {
		return 0
	}
	return max(in.credits.arriving.Len(), in.credits.counting.Len())
}

// losesCredits decides about a flow-control packet whose transmission starts now.
func (c *cable) losesCredits(f *wire.FlowControl, now units.Time, out *link) bool {
	about := passing{kind: CreditFrame, wire: int(out.pfcWire)}
	takesEffect := now + out.serialise(int(out.pfcWire)) + out.pfcDelay
	why, lost := c.judge(&about, now, takesEffect)
	if taker, is := c.fault.(CreditFault); is && taker.LosesCredits(*f, now) && !lost {
		why, lost = Random, true
	}
	if lost {
		c.book(why, about.kind, wire.FlowControlBytes)
	}
	return lost
}

// CreditFault is a [Fault] that decides about flow-control packets too.
type CreditFault interface {
	Fault
	// LosesCredits decides about a flow-control packet whose transmission starts now.
	LosesCredits(f wire.FlowControl, now units.Time) bool
}

// LaneReport is how a lane of a port stands.
type LaneReport struct {
	LaneCounters
	Left  int // blocks that the port may still send
	Needs int // blocks of the packet that waits for credits, meaningful while the lane is held
	// Held, Peak and Size are blocks of the port's own buffer of the lane: in use, in use at
	// the most, and all.
	Held, Peak, Size int
}

// Lane reports on a lane of a port with credits; false if it has none.
func (p *Port) Lane(lane int) (LaneReport, bool) {
	if p.in.credits == nil {
		return LaneReport{}, false
	}
	l := &p.in.credits.lanes[lane]
	return LaneReport{
		LaneCounters: l.LaneCounters, Left: l.out.Left(), Needs: l.needs,
		Held: l.in.Held(), Peak: l.in.Peak(), Size: l.in.Size(),
	}, true
}

// FlowControls counts the flow-control packets through a port with credits.
func (p *Port) FlowControls() CreditCounters {
	if p.in.credits == nil {
		return CreditCounters{}
	}
	return p.in.credits.counted
}

// freeOnCredit gives back the lane's buffer of a frame that came in by a port of the switch,
// and has the port say so.
func (s *Switch) freeOnCredit(port, priority int, frame units.Bytes, now units.Time) {
	p := &s.ports[port]
	p.Freed(priority, frame, now)
	if p.owesCredits() {
		s.kick(port, now)
	}
}

// speaksOrHolds has a free port send a flow-control packet if one is due, and otherwise
// holds those lanes whose next packet has no credits. It tells whether the port can send
// nothing more now.
func (s *Switch) speaksOrHolds(port int, now units.Time) (spoken bool) {
	out := &s.ports[port]
	if out.owesCredits() {
		out.tell(now)
		wake := units.Never
		if out.owesCredits() || s.backlog[port]&^out.Paused(now) != 0 {
			wake = out.FreeAt
		}
		s.transmits.Set(port, wake)
		return true
	}
	for ready := s.backlog[port] &^ out.Paused(now); ready != 0; ready &= ready - 1 {
		priority := bits.TrailingZeros8(ready)
		out.Affords(priority, units.Bytes(s.front(s.queue(port, priority)).Frame), now)
	}
	return false
}

// AuditCredits checks the link into a port, at the end of a run: every block that was sent
// has come, is in flight or was lost; what has come is held or given back; and the counts
// of the two ends differ by what is in flight, and by what is lost and not yet found.
func (n *Network) AuditCredits(node, port int) error {
	at := n.Graph.Ports(node)[port]
	here, there := n.ports[node][port].in.credits, n.ports[at.Peer][at.PeerPort].in.credits
	if here == nil {
		return nil
	}
	var flying [pfc.Priorities]uint64
	in := &n.ports[node][port].in
	for i := range in.data.Len() {
		p := &in.data.At(i).Packet
		flying[n.ConfigOf(node).PriorityOf[p.DSCP]] += uint64(credit.Blocks(units.Bytes(p.Frame)))
	}
	for lane := range here.lanes {
		h, t := &here.lanes[lane], &there.lanes[lane]
		if t.Sent != h.Came+flying[lane]+t.Lost {
			return fmt.Errorf("lane %d: %d blocks were sent to it, %d came, %d were lost, %d are in flight", lane, t.Sent, h.Came, t.Lost, flying[lane])
		}
		if held := uint64(h.in.Held()); h.Came != h.Freed+held || h.in.Peak() > h.in.Size() {
			return fmt.Errorf("lane %d: %d blocks came, %d were given back, %d are held; at most %d of %d were",
				lane, h.Came, h.Freed, held, h.in.Peak(), h.in.Size())
		}
		behind := int(flying[lane] + t.Lost - h.Healed)
		if got := t.out.Sent().Minus(h.in.Came()); got != behind%credit.Modulus {
			return fmt.Errorf("lane %d: FCTBS is %d blocks ahead of ABR, but %d are in flight and %d lost and not found", lane, got, flying[lane], t.Lost-h.Healed)
		}
		if free := h.in.Size() - h.in.Held(); t.out.Left() > free {
			return fmt.Errorf("lane %d: the sender may send %d blocks, but only %d are free", lane, t.out.Left(), free)
		}
	}
	return nil
}
