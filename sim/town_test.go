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
	visits  int              // how often it was run
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

func (p *person) RunUntil(limit units.Time) (events uint64) {
	p.visits++
	for p.NextEvent() < limit {
		l := p.pending[0]
		p.pending = p.pending[1:]
		events++
		p.times = append(p.times, l.at)
		if p.burden != nil {
			p.burden(l.at)
		}
		p.read.Fold(uint64(l.at), uint64(l.from))
		if l.stamps > 0 {
			mood := int(p.read >> 40)
			to := (l.to + mood) % len(p.town.people)
			takes := p.town.distance(p.number, to) * units.Time(1+mood%4)
			p.town.send(letter{l.at + takes, p.number, to, l.stamps - 1})
		}
	}
	return events
}

// plan is a town and who delivers its mail.
type plan struct {
	people   int
	distance func(from, to int) units.Time // the least time a letter takes; nil for far
	workers  [][]int                       // the people of each worker in the order of its round; nil for one with all of them
	limit    units.Time                    // 0 for a second
	together func() bool                   // see [sim.Config]; nil for always
}

// far is how long a letter takes at least, unless a plan says otherwise.
const far = 700 * units.Nanosecond

// inTurns divides people by number into parts of equal size.
func inTurns(people, workers int) (parts [][]int) {
	for w := range workers {
		var part []int
		for i := w * people / workers; i < (w+1)*people/workers; i++ {
			part = append(part, i)
		}
		parts = append(parts, part)
	}
	return parts
}

// town is a set of nodes with a mail between workers like that between links: what
// is posted in a window is collected at the start of the next.
type town struct {
	plan
	people []*person
	engine *sim.Engine
	boxes  map[[2]int]*[2][]letter // by workers from and to; a slice for odd and even windows
	parity []int
	first  []units.Time

	straight bool
}

func (p plan) build() *town {
	if p.distance == nil {
		p.distance = func(int, int) units.Time { return far }
	}
	if p.workers == nil {
		p.workers = inTurns(p.people, 1)
	}
	if p.limit == 0 {
		p.limit = units.Second
	}
	if p.together == nil {
		p.together = func() bool { return true }
	}
	t := &town{plan: p, boxes: map[[2]int]*[2][]letter{}}
	nodes := make([]sim.Node, p.people)
	for i := range nodes {
		one := &person{town: t, number: i}
		t.people, nodes[i] = append(t.people, one), one
	}
	shares, across := p.shares()
	t.engine = sim.New(nodes, sim.Config{
		Shares: shares, LookAhead: across, Limit: p.limit, Together: p.together, Mail: t,
	})
	for i, one := range t.people {
		one.waker = t.engine.Waker(i)
	}
	for w := range t.engine.Workers() {
		t.parity, t.first = append(t.parity, 0), append(t.first, units.Never)
		for other := range t.engine.Workers() {
			t.boxes[[2]int{w, other}] = &[2][]letter{}
		}
	}
	return t
}

// shares looks at all pairs of people to find the look-ahead.
func (p plan) shares() (shares []sim.Share, across units.Time) {
	across = units.Never
	for w, part := range p.workers {
		s := sim.Share{Nodes: part, LookAhead: units.Never}
		for i, from := range part {
			for _, to := range part[:i] {
				s.LookAhead = min(s.LookAhead, p.distance(from, to))
			}
			for other, strangers := range p.workers {
				for _, to := range strangers {
					if other != w {
						across = min(across, p.distance(from, to))
					}
				}
			}
		}
		shares = append(shares, s)
	}
	return shares, across
}

func (t *town) send(l letter) {
	from, to := t.engine.WorkerOf(l.from), t.engine.WorkerOf(l.to)
	if from == to || t.straight {
		t.people[l.to].accept(l)
		return
	}
	box := &t.boxes[[2]int{from, to}][t.parity[from]]
	*box = append(*box, l)
	t.first[from] = min(t.first[from], l.at)
}

func (t *town) Straight(on bool) { t.straight = on }

func (t *town) Sent(w int) units.Time { return t.first[w] }

func (t *town) Exchange(w int) {
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

// visits is how often all people were run.
func (t *town) visits() (n int) {
	for _, p := range t.people {
		n += p.visits
	}
	return n
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
