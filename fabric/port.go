package fabric

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/credit"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// ClassCount counts the frames of one priority through a port, one way.
type ClassCount struct {
	Packets, Bytes uint64 // Bytes are L2 bytes
}

// Add adds another count to this one.
func (c *ClassCount) Add(o ClassCount) {
	c.Packets += o.Packets
	c.Bytes += o.Bytes
}

// PauseCount counts the PFC messages about one priority through a port, one way:
// a pause that began, one that was prolonged, one that was ended.
type PauseCount struct{ XOFF, Refresh, XON uint64 }

// ClassCounters is what a port has counted of one priority. It fills a cache line.
type ClassCounters struct {
	Tx, Rx  ClassCount
	Dropped ClassCount // came in by the port, but the buffer had no room
	Marked  uint64     // packets the port sent that it set CE on
	_       uint64
}

// PortCounters is what a port has counted, by priority where it matters.
type PortCounters struct {
	Class            [pfc.Priorities]ClassCounters
	PauseTx, PauseRx [pfc.Priorities]PauseCount
	DroppedData      uint64     // of the dropped packets, those that carry data
	Lost             ClassCount // sent, but lost on the cable
	LostData         uint64     // of the lost packets, those that carry data
	LostPFC          uint64     // PFC frames lost on the cable
	NoRoute          ClassCount // came in by the port, but the switch had no way for them
	NoRouteData      uint64     // of these packets, those that carry data
	PFCTx, PFCRx     uint64     // PFC frames
	_                [6]uint64  // up to a whole number of cache lines
}

// Port is one end of a cable, at a host or a switch alike: a transmitter that
// obeys the pauses of its peer, a receiver that may ask for pauses, and the
// frames in flight towards it. Its owner decides what to transmit, and when.
//
// What a frame needs fills three cache lines: one to send by, one for the link away,
// one for the frames that come. Ports of a network lie side by side, and all else that
// they have lies elsewhere: at a thousand hosts most of a run's time goes into loading
// ports into the cache, once for each window.
type Port struct {
	// FreeAt is when the frame being sent leaves the transmitter free.
	FreeAt units.Time
	// Busy is for how long the transmitter has been busy.
	Busy units.Time
	// Counters are the port's books.
	Counters *PortCounters
	pauser   pfc.Pauser
	// Requester holds the pauses that this port asks of its peer.
	Requester pfc.Requester
	ignored   uint8 // priorities of which pauses are counted, but not obeyed
	watched   bool  // whether there is a cable or a usage to be told of what is sent
	index     uint16
	*portExtras

	out link
	in  inbox
}

// portExtras is what a port has beside what a frame needs.
type portExtras struct {
	timers    *sim.Timers
	rules     *pauseRules
	refreshAt [pfc.Priorities]units.Time // when the latest pause asked for is due to be repeated
	cable     *cable                     // what is wrong with the cable away from here; nil for a sound one
	usage     *usage                     // nil if nobody asks for it
}

// Fault is what is wrong with a cable in one direction: it decides which frames
// are lost on it. A lost frame occupies the wire like any other.
type Fault interface {
	// Loses decides about a packet whose transmission starts now.
	Loses(p *wire.Packet, now units.Time) bool
	// LosesPFC decides about a pause frame whose transmission starts now.
	LosesPFC(f *wire.PFC, now units.Time) bool
}

// Break puts a fault on the cable away from the port; nil mends it.
func (p *Port) Break(f Fault) { p.faulty().fault = f }

// pauseRules is how a network's ports speak PFC.
type pauseRules struct {
	quanta  uint16      // asked for
	refresh units.Ratio // of the quanta's time, after which a pause is repeated
	sticky  bool        // pauses never expire (as in several simulators)
}

// Timer kinds of a port, in the order in which they run at equal times. An owner
// may use kinds from OwnerTimers up for itself.
const (
	// PauseArrives is a PFC frame to be obeyed: the owner calls [Port.Obey].
	PauseArrives = iota
	// PauseEnds is the end of a pause by its quanta.
	PauseEnds
	// PauseRefresh asks the owner whether the cause of a pause lasts.
	PauseRefresh
	// LinkChanges is a change of the cable: the owner calls [Port.ChangeLink].
	LinkChanges
	// RoutesChange has a switch use other routes.
	RoutesChange
	// NodePauses is the beginning of a pause of the owner itself, NodeResumes its end.
	NodePauses
	NodeResumes
	// FrameArrives is a frame that is in, TransmitterFree one of which the last bit has
	// left; both are events in serial runs only.
	FrameArrives
	TransmitterFree
	// FrameCrosses is a frame on its way through a switch, in chained runs only.
	FrameCrosses
	// CreditsArrive is a flow-control packet that takes effect, CreditsCount one whose count
	// of what was sent before it does, CreditsDue a lane of which one may have to be sent; the
	// owner calls [Port.OnCreditTimer].
	CreditsArrive
	CreditsCount
	CreditsDue
	// OwnerTimers is the first timer kind that is not a port's.
	OwnerTimers
)

const kindShift, portShift = 56, 24

// timerKey orders timers of equal time by kind, then port, then class.
func timerKey(kind, port, class int) uint64 {
	return uint64(kind)<<kindShift | uint64(port)<<portShift | uint64(class)
}

// OwnerTimer makes the key of a timer of a port's owner: a kind from
// [OwnerTimers] up, and what it concerns (below 2^56).
func OwnerTimer(kind int, id uint64) uint64 { return uint64(kind)<<kindShift | id }

// TimerKind takes a key apart.
func TimerKind(key uint64) (kind int, id uint64) {
	return int(key >> kindShift), key & (1<<kindShift - 1)
}

// TimerPort takes the id of a port's timer apart.
func TimerPort(id uint64) (port, priority int) {
	return int(id >> portShift), int(id & (1<<portShift - 1))
}

// Bind tells a port who owns it: the owner's timetable of arrivals, in which the
// port's index is its slot, and the owner's timers.
func (p *Port) Bind(arrivals *Arrivals, timers *sim.Timers) {
	p.in.arrivals, p.in.timers, p.timers = arrivals, timers, timers
}

// ignorePFC switches PFC off at the port, in both directions.
func (p *Port) ignorePFC() {
	p.ignored = ^uint8(0)
	p.Requester.Mute()
}

// Rate is the rate of the cable.
func (p *Port) Rate() units.Rate { return p.out.rate }

// Paused is the set of priorities (bit = priority) that must not start a frame now.
func (p *Port) Paused(now units.Time) uint8 { return p.pauser.Mask(now) }

// PausedNow is the set of priorities that were paused when the port last looked;
// unlike Paused it changes nothing.
func (p *Port) PausedNow() uint8 { return p.pauser.Last() }

// PausedFor is how long a priority has been paused by the peer up to now.
func (p *Port) PausedFor(priority int, now units.Time) units.Time {
	return p.pauser.Total(priority, now)
}

// PausedUntil is when the present pause of a paused priority ends.
func (p *Port) PausedUntil(priority int) units.Time { return p.pauser.Until(priority) }

// PausedSince is when the present pause of a paused priority began.
func (p *Port) PausedSince(priority int) units.Time { return p.pauser.Since(priority) }

// Pauses are the pauses that the peer has asked for and that have ended, if the
// network records them.
func (p *Port) Pauses() []pfc.Interval {
	return p.pauser.Recorded()
}

// Flying is the number of packets on their way to this port.
func (p *Port) Flying() int { return p.in.data.Len() }

// Overhang is how long the frame being sent occupies the transmitter beyond now.
func (p *Port) Overhang(now units.Time) units.Time { return max(0, p.FreeAt-now) }

// Flush closes the port's books at the end of a run.
func (p *Port) Flush(now units.Time) {
	p.pauser.Flush(now)
	if p.usage != nil {
		p.usage.flush(now)
	}
}

// Receive takes the packet that has arrived. It stays readable until the next
// packet is put on the same link.
func (p *Port) Receive() *wire.Packet { return p.in.take() }

// CountIn books a received packet under its priority.
func (p *Port) CountIn(pk *wire.Packet, priority int) {
	c := &p.Counters.Class[priority&7].Rx
	c.Packets++
	c.Bytes += uint64(pk.Frame)
}

// Watched tells whether somebody has to do with each packet of the port: a fault, a probe,
// or the credits of its link.
func (p *Port) Watched() bool { return p.watched }

// CountDrop books a packet for which the buffer had no room, under its priority.
func (p *Port) CountDrop(pk *wire.Packet, priority int) {
	c := &p.Counters.Class[priority&7].Dropped
	c.Packets++
	c.Bytes += uint64(pk.Frame)
	p.Counters.DroppedData += isData(pk)
}

// Transmit sends a packet. The transmitter must be free.
func (p *Port) Transmit(now units.Time, pk *wire.Packet, priority int) {
	if p.pauser.Mask(now)&(1<<priority) != 0 || p.FreeAt > now {
		panic("port: transmission of a paused class, or on a busy wire")
	}
	c := &p.Counters.Class[priority&7].Tx
	c.Packets++
	c.Bytes += uint64(pk.Frame)
	if p.watched {
		p.sendWatched(now, pk, priority)
	} else {
		p.FreeAt = p.out.send(now, pk)
	}
	p.Busy += p.FreeAt - now
}

// sendWatched sends a packet by a port of which somebody watches what it sends.
func (p *Port) sendWatched(now units.Time, pk *wire.Packet, priority int) {
	if c := p.in.credits; c != nil {
		c.spend(priority, units.Bytes(pk.Frame))
		if p.cable != nil {
			p.tellInTime(priority, now)
		}
	}
	if p.cable != nil && p.cable.losesPacket(pk, now, &p.out) {
		p.lose(pk, now)
		if c := p.in.credits; c != nil {
			c.lanes[priority].Lost += uint64(credit.Blocks(units.Bytes(pk.Frame)))
		}
	} else {
		p.FreeAt = p.out.send(now, pk)
	}
	if p.usage != nil {
		p.usage.add(now, p.FreeAt)
	}
}

// lose sends a packet that does not arrive.
func (p *Port) lose(pk *wire.Packet, now units.Time) {
	p.FreeAt = now + p.out.serialise(p.out.wireBytes(pk))
	if e := p.out.ends; e != nil {
		e.agenda.Add(p.FreeAt, e.from, e.free)
	}
	p.Counters.Lost.Packets++
	p.Counters.Lost.Bytes += uint64(pk.Frame)
	p.Counters.LostData += isData(pk)
}

// Owes tells whether the port has a frame of flow control to send, which goes before all
// else.
func (p *Port) Owes() bool { return p.Requester.Pending() != 0 || p.watched && p.owesCredits() }

// Speak sends the frame of flow control that the port owes. The transmitter must be free,
// unless [Port.PausesAtOnce].
func (p *Port) Speak(now units.Time) {
	if p.owesCredits() {
		p.tell(now)
	} else {
		p.TransmitPFC(now)
	}
}

// TransmitPFC sends the PFC frame that the requester has pending, ahead of
// everything else that waits, and gives what it says. The transmitter must be free,
// unless [Port.PausesAtOnce].
func (p *Port) TransmitPFC(now units.Time) pfc.Message {
	m := p.Requester.Take()
	p.say(m, now)
	return m
}

// say sends a PFC frame.
func (p *Port) say(m pfc.Message, now units.Time) {
	f := wire.PFC{Classes: m.Classes}
	for set := m.Classes; set != 0; set &= set - 1 {
		c := bits.TrailingZeros8(set)
		if m.Pause&(1<<c) != 0 {
			f.Quanta[c] = p.rules.quanta
			p.scheduleRefresh(now, c)
		}
	}
	count(&p.Counters.PauseTx, m)
	p.Counters.PFCTx++
	end := now + p.out.serialise(int(p.out.pfcWire))
	if p.cable != nil && p.cable.losesPFC(&f, now, &p.out) {
		if e := p.out.ends; e != nil {
			e.agenda.Add(end, e.from, e.free)
		}
		p.Counters.LostPFC++
	} else {
		p.out.sendPFC(now, &f)
	}
	p.FreeAt = max(p.FreeAt, end)
	p.Busy += end - now
	if p.usage != nil {
		p.usage.add(now, end)
	}
}

// PausesAtOnce tells whether PFC frames take no time on the port's cable, and so wait
// for no other frame.
func (p *Port) PausesAtOnce() bool { return p.out.pfcWire == 0 }

// scheduleRefresh makes sure that a pause is repeated before it runs out.
func (p *Port) scheduleRefresh(now units.Time, class int) {
	if p.rules.sticky {
		return
	}
	lasts := pfc.QuantaTime(int(p.rules.quanta), p.out.rate)
	after := units.Time(p.rules.refresh.Of(units.Bytes(lasts)))
	p.refreshAt[class] = now + max(after, 1)
	p.timers.Add(p.refreshAt[class], timerKey(PauseRefresh, int(p.index), class))
}

// RefreshDue tells whether a refresh timer that came up now is the one of the
// latest pause of that class.
func (p *Port) RefreshDue(class int, now units.Time) bool { return p.refreshAt[class] == now }

// count books a message by what it means for each class.
func count(to *[pfc.Priorities]PauseCount, m pfc.Message) {
	for set := m.Classes; set != 0; set &= set - 1 {
		c := bits.TrailingZeros8(set)
		switch bit := uint8(1) << c; {
		case m.Pause&bit == 0:
			to[c].XON++
		case m.Refresh&bit != 0:
			to[c].Refresh++
		default:
			to[c].XOFF++
		}
	}
}

// Obey applies the PFC frame whose time has come. It tells whether a class was
// let go, so that the owner looks again at what the port may send.
func (p *Port) Obey(now units.Time) (resumed bool) {
	f := &p.in.pauses.Pop().PFC
	p.Counters.PFCRx++
	paused := p.pauser.Mask(now)
	m := pfc.Message{Classes: f.Classes}
	for set := f.Classes; set != 0; set &= set - 1 {
		c := bits.TrailingZeros8(set)
		if f.Quanta[c] == 0 {
			p.pauser.Resume(c, now)
			resumed = true
			continue
		}
		m.Pause |= 1 << c
		m.Refresh |= 1 << c & paused
		if p.ignored&(1<<c) != 0 {
			continue
		}
		until := units.Never
		if !p.rules.sticky {
			until = now + pfc.QuantaTime(int(f.Quanta[c]), p.out.rate)
			p.timers.Add(until, timerKey(PauseEnds, int(p.index), c))
		}
		p.pauser.Pause(c, now, until)
	}
	count(&p.Counters.PauseRx, m)
	return resumed
}

// ignore has the port send a class whatever its peer asks for.
func (p *Port) ignore(class int, now units.Time) {
	p.ignored |= 1 << class
	p.pauser.Resume(class, now)
}

// WireBytes is what a packet occupies on the port's cable.
func (p *Port) WireBytes(pk *wire.Packet) int { return p.out.wireBytes(pk) }
