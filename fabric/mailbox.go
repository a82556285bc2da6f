package fabric

import (
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// mailbox carries frames from one worker's nodes to another's. What is posted in
// a window is collected at the start of the next, so the two sides never touch
// the same slice at the same time. Frames of one link stay in order, and frames
// of different links need none.
type mailbox struct {
	from  *postOffice // of the worker that posts
	sides [2]side
}

// side is what was posted in windows of one parity. Its room is kept, so that a mailbox
// that has once been as full as it gets allocates no more.
type side struct {
	parcels []parcel
	rests   []restParcel
	pauses  []pauseParcel
	credits []creditParcel
	_       [64]byte // one side is written while the other is read
}

type parcel struct {
	to *inbox
	arrival
}

type restParcel struct {
	to   *inbox
	rest units.Time
}

type pauseParcel struct {
	to *inbox
	pauseArrival
}

func (m *mailbox) post(to *inbox, at units.Time, p *wire.Packet) {
	if m.from.straight {
		to.accept(at, p)
		return
	}
	side := m.open(at)
	side.parcels = append(side.parcels, parcel{to, arrival{at, *p}})
}

func (m *mailbox) postRest(to *inbox, rest units.Time) {
	if m.from.straight {
		to.rests.Push(&rest)
		return
	}
	side := &m.sides[m.from.parity]
	side.rests = append(side.rests, restParcel{to, rest})
}

func (m *mailbox) postPFC(to *inbox, at units.Time, f *wire.PFC) {
	if m.from.straight {
		to.acceptPFC(at, f)
		return
	}
	side := m.open(at)
	side.pauses = append(side.pauses, pauseParcel{to, pauseArrival{at, *f}})
}

// open is the side that is to be posted to, now something that arrives at that time.
func (m *mailbox) open(at units.Time) *side {
	m.from.first = min(m.from.first, at)
	return &m.sides[m.from.parity]
}

// empty hands what was posted in windows of that parity to where it goes.
func (m *mailbox) empty(parity int) {
	s := &m.sides[parity]
	for i := range s.parcels {
		p := &s.parcels[i]
		if m.from.warms {
			s.warm(i)
		}
		p.to.accept(p.at, &p.Packet)
	}
	for i := range s.rests {
		s.rests[i].to.rests.Push(&s.rests[i].rest)
	}
	for i := range s.pauses {
		p := &s.pauses[i]
		p.to.acceptPFC(p.at, &p.PFC)
	}
	for i := range s.credits {
		s.credits[i].to.acceptCredits(&s.credits[i].creditArrival)
	}
	s.parcels, s.rests, s.pauses, s.credits = s.parcels[:0], s.rests[:0], s.pauses[:0], s.credits[:0]
}

// postOffice is one worker's side of the exchange.
type postOffice struct {
	parity   int        // of the window this worker is in
	straight bool       // whether frames may go straight to where they go
	warms    bool       // whether the network is too large for a cache
	first    units.Time // earliest arrival it posted in this window
	in       []*mailbox // from the other workers
	_        [64]byte   // a cache line of its own
}

// exchange takes in what was posted to this worker in the window before, and
// opens the next window.
func (o *postOffice) exchange() {
	for _, m := range o.in {
		m.empty(o.parity)
	}
	o.parity ^= 1
	o.first = units.Never
}

var _ sim.Mail = (*Network)(nil)

// Exchange implements [sim.Mail].
func (n *Network) Exchange(worker int) { n.offices[worker].exchange() }

// Sent implements [sim.Mail].
func (n *Network) Sent(worker int) units.Time { return n.offices[worker].first }

// Straight implements [sim.Mail].
func (n *Network) Straight(on bool) {
	for w := range n.offices {
		n.offices[w].straight = on
	}
}
