package fabric

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// mailbox carries frames from one worker's nodes to another's. What is posted in
// a window is collected at the start of the next, so the two sides never touch
// the same slice at the same time. Frames of one link stay in order, and frames
// of different links need none.
type mailbox struct {
	parcels [2][]parcel
	rests   [2][]restParcel
	pauses  [2][]pauseParcel
	parity  *int // of the posting worker's window
	first   *units.Time
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
	*m.first = min(*m.first, at)
	m.parcels[*m.parity] = append(m.parcels[*m.parity], parcel{to, arrival{at, *p}})
}

func (m *mailbox) postRest(to *inbox, rest units.Time) {
	m.rests[*m.parity] = append(m.rests[*m.parity], restParcel{to, rest})
}

func (m *mailbox) postPFC(to *inbox, at units.Time, f *wire.PFC) {
	*m.first = min(*m.first, at)
	m.pauses[*m.parity] = append(m.pauses[*m.parity], pauseParcel{to, pauseArrival{at, *f}})
}

func (m *mailbox) collect(parity int) {
	for i := range m.parcels[parity] {
		p := &m.parcels[parity][i]
		p.to.accept(p.at, &p.Packet)
	}
	for _, r := range m.rests[parity] {
		r.to.rests.Push(&r.rest)
	}
	for i := range m.pauses[parity] {
		p := &m.pauses[parity][i]
		p.to.acceptPFC(p.at, &p.PFC)
	}
	m.parcels[parity], m.rests[parity], m.pauses[parity] = m.parcels[parity][:0], m.rests[parity][:0], m.pauses[parity][:0]
}

// post is one worker's side of the exchange.
type postOffice struct {
	parity int        // of the window this worker is in
	first  units.Time // earliest arrival it posted in this window
	in     []*mailbox // from the other workers
	_      [64]byte   // a cache line of its own
}

// exchange takes in what was posted to this worker in the window before, and
// opens the next window.
func (o *postOffice) exchange() {
	for _, m := range o.in {
		m.collect(o.parity)
	}
	o.parity ^= 1
	o.first = units.Never
}
