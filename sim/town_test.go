package sim_test

import (
	"slices"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// letter is what nodes of these tests send each other.
type letter struct {
	at       units.Time
	from, to int
	stamps   int // how often it will be sent on
}

// person is a node: it answers each letter with one to somebody else, at a time
// that is made up from what it has read so far. Letters of equal time are read in
// the order of their senders.
type person struct {
	town    *town
	number  int
	waker   sim.Waker
	pending []letter
	read    sim.Digest
	times   []units.Time
	burden  func(units.Time) // if not nil, runs with each letter
}

func before(a, b letter) bool { return a.at < b.at || a.at == b.at && a.from < b.from }

func (p *person) accept(l letter) {
	i, _ := slices.BinarySearchFunc(p.pending, l, func(a, b letter) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	p.pending = slices.Insert(p.pending, i, l)
	p.waker.Wake(l.at)
}

func (p *person) NextEvent() units.Time {
	if len(p.pending) == 0 {
		return units.Never
	}
	return p.pending[0].at
}

func (p *person) RunUntil(limit units.Time) {
	for p.NextEvent() < limit {
		l := p.pending[0]
		p.pending = p.pending[1:]
		p.times = append(p.times, l.at)
		if p.burden != nil {
			p.burden(l.at)
		}
		p.read.Fold(uint64(l.at), uint64(l.from))
		if l.stamps > 0 {
			mood := int(p.read >> 40)
			p.town.send(letter{l.at + distance + units.Time(mood%4)*distance, p.number, (l.to + mood) % len(p.town.people), l.stamps - 1})
		}
	}
}

// distance is the least time a letter takes.
const distance = 700 * units.Nanosecond

// town is a set of nodes with a mail between workers like that between links: what
// is posted in a window is collected at the start of the next.
type town struct {
	people []*person
	engine *sim.Engine
	boxes  map[[2]int]*[2][]letter // by workers from and to; a slice for odd and even windows
	parity []int
	first  []units.Time
}

func newTown(people, workers int, limit units.Time) *town {
	t := &town{boxes: map[[2]int]*[2][]letter{}}
	nodes := make([]sim.Node, people)
	for i := range nodes {
		p := &person{town: t, number: i}
		t.people, nodes[i] = append(t.people, p), p
	}
	t.engine = sim.New(nodes, nil, sim.Config{
		LookAhead: distance, Limit: limit, Workers: workers, Exchange: t.exchange,
		Sent: func(w int) units.Time { return t.first[w] },
	})
	for i, p := range t.people {
		p.waker = t.engine.Waker(i)
	}
	for w := range t.engine.Workers() {
		t.parity, t.first = append(t.parity, 0), append(t.first, units.Never)
		for other := range t.engine.Workers() {
			t.boxes[[2]int{w, other}] = &[2][]letter{}
		}
	}
	return t
}

func (t *town) send(l letter) {
	from, to := t.engine.WorkerOf(l.from), t.engine.WorkerOf(l.to)
	if from == to {
		t.people[l.to].accept(l)
		return
	}
	box := &t.boxes[[2]int{from, to}][t.parity[from]]
	*box = append(*box, l)
	t.first[from] = min(t.first[from], l.at)
}

func (t *town) exchange(w int) {
	for from := range t.engine.Workers() {
		box := &t.boxes[[2]int{from, w}][t.parity[w]]
		for _, l := range *box {
			t.people[l.to].accept(l)
		}
		*box = nil
	}
	t.parity[w] ^= 1
	t.first[w] = units.Never
}

// digest is the fingerprint of what everybody read.
func (t *town) digest() sim.Digest {
	var read []sim.Digest
	for _, p := range t.people {
		read = append(read, p.read)
	}
	return sim.Combine(read)
}

// edge is one question to a supervisor.
type edge struct{ now, next units.Time }

// mayor is a supervisor that writes down what it was asked, and stops the run at a
// time if that is not zero.
type mayor struct {
	asked  []edge
	stopAt units.Time
}

func (m *mayor) AtEdge(now, next units.Time) sim.Verdict {
	m.asked = append(m.asked, edge{now, next})
	if m.stopAt > 0 && now >= m.stopAt {
		return sim.Stop
	}
	return sim.Continue
}
