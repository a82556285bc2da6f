package fabric

import (
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// arrival is a packet in flight, with the time at which it takes effect at the
// receiver: when its last bit is in, or a pipeline delay later; at a switch that cuts
// through, when its header is.
type arrival struct {
	at units.Time
	wire.Packet
}

// pauseArrival is a PFC frame in flight, with the time at which it is obeyed.
type pauseArrival struct {
	at units.Time
	wire.PFC
}

// link is one direction of a cable. A frame handed to it takes its
// serialisation time and the propagation delay, and then what every frame has
// to wait for at the receiver before it can have any effect.
type link struct {
	perByte  units.Time // 0 where a byte is not a whole number of picoseconds
	delay    units.Time // propagation and the receiver's pipeline
	to       *inbox
	box      *mailbox // set where the receiver belongs to another worker
	rate     units.Rate
	pfcDelay units.Time // propagation and the receiver's response to a pause
	ends     *ends      // set in a serial run, as is box
	header   uint16     // bytes of a frame with which it takes effect; 0 for all
	gap      uint16     // bytes that a frame occupies beyond its size
	pfcWire  uint16     // bytes of a pause frame, gap included
	nanos    bool       // whether times are cut to whole nanoseconds
}

// setRate changes the rate at which frames are sent from now on.
func (l *link) setRate(rate units.Rate) {
	l.rate, l.perByte = rate, 0
	if ps, exact := rate.PerByte(); exact && !l.nanos {
		l.perByte = ps
	}
}

// serialise is how long a frame of that wire size occupies the link.
func (l *link) serialise(wire int) units.Time {
	if l.perByte != 0 {
		return units.Time(wire) * l.perByte
	}
	if l.nanos {
		return l.rate.WholeNanoseconds(wire)
	}
	return l.rate.Serialise(wire)
}

// wireBytes is what a packet occupies on the link.
func (l *link) wireBytes(p *wire.Packet) int { return int(p.Frame) + int(l.gap) }

// send puts a packet on the wire and returns when its last bit has left.
func (l *link) send(start units.Time, p *wire.Packet) units.Time {
	end := start + l.serialise(l.wireBytes(p))
	at := end + l.delay
	if l.header != 0 {
		at = l.sendHeader(at, p)
	}
	if l.box == nil {
		l.to.accept(at, p)
	} else {
		l.post(end, at, p)
	}
	return end
}

// post sends a packet to a receiver that is not just another node of this worker.
func (l *link) post(end, at units.Time, p *wire.Packet) {
	if l.ends == nil {
		l.box.post(l.to, at, p)
	} else {
		l.ends.post(l.to, end, at, p)
	}
}

// sendHeader tells the receiver how much later than its header a frame is complete
// that it would have at the given time, and gives the time of the header.
func (l *link) sendHeader(at units.Time, p *wire.Packet) units.Time {
	whole := l.wireBytes(p)
	rest := l.serialise(whole) - l.serialise(min(int(l.header), whole))
	if l.box == nil {
		l.to.rests.Push(&rest)
	} else {
		l.box.postRest(l.to, rest)
	}
	return at - rest
}

// sendPFC puts a pause frame on the wire and returns when its last bit has left.
func (l *link) sendPFC(start units.Time, f *wire.PFC) units.Time {
	end := start + l.serialise(int(l.pfcWire))
	if l.box == nil {
		l.to.acceptPFC(end+l.pfcDelay, f)
	} else if l.ends == nil {
		l.box.postPFC(l.to, end+l.pfcDelay, f)
	} else {
		l.ends.postPFC(l.to, end, end+l.pfcDelay, f)
	}
	return end
}

// Arrivals is a node's timetable of the frames in flight to it, by port, and how the
// engine is told of a new one.
type Arrivals struct {
	sim.Timetable
	waker sim.Waker
}

// NewArrivals makes the timetable of a node with that many ports.
func NewArrivals(ports int) Arrivals { return Arrivals{Timetable: sim.NewTimetable(ports)} }

// inbox is the receiving end of a link: the frames in flight towards it. Only
// the head of each ring is an event of the receiver.
type inbox struct {
	data     Queue[arrival]
	arrivals *Arrivals // of the receiving node; slot is this port's
	slot     uint16
	headers  bool // whether frames take effect with their headers
	*inboxExtras
	_ uint64 // up to a cache line
}

// inboxExtras is what an inbox has beside what a frame needs.
type inboxExtras struct {
	pauses Queue[pauseArrival]
	timers *sim.Timers
	rests  Queue[units.Time] // where headers count, how much later each frame is complete
	// credits are those of the port whose receiving end this is; nil without.
	credits *creditPort
}

func (in *inbox) accept(at units.Time, p *wire.Packet) {
	if in.data.Len() == 0 {
		in.arrivals.Set(int(in.slot), at)
		in.arrivals.waker.Wake(at)
	}
	a := in.data.Add()
	a.at, a.Packet = at, *p
}

func (in *inbox) acceptPFC(at units.Time, f *wire.PFC) {
	in.pauses.Push(&pauseArrival{at, *f})
	in.timers.Add(at, timerKey(PauseArrives, int(in.slot), 0))
	in.arrivals.waker.Wake(at)
}

// take removes the packet that has arrived. It stays readable until the next
// packet is put on the same link.
func (in *inbox) take() *wire.Packet {
	a := in.data.Pop()
	if in.headers {
		in.rests.Pop()
	}
	next := units.Never
	if in.data.Len() > 0 {
		next = in.data.Front().at
	}
	in.arrivals.Set(int(in.slot), next)
	return &a.Packet
}
