// Package jobtest runs jobs for tests, on an ideal network that is all formulas: no queues, no packets. A test of a reader
// says with it what begins when.
package jobtest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Network is what messages and collectives take, from when all that they need is there; nil is no time.
type Network struct {
	Message    func(size units.Bytes) units.Time
	Collective func(op *schedule.Op, members int) units.Time
}

// Span is when an operation began and when it had finished.
type Span struct{ Begin, End units.Time }

// Run returns when each operation of each rank runs, going through the job once. It fails the test if some never do.
func Run(t testing.TB, job *schedule.Job, net Network) [][]Span {
	t.Helper()
	r := &run{job: job, net: net, ranks: make([]rank, len(job.Ranks)), met: map[meeting]*party{}}
	if net.Message == nil {
		r.net.Message = func(units.Bytes) units.Time { return 0 }
	}
	if net.Collective == nil {
		r.net.Collective = func(*schedule.Op, int) units.Time { return 0 }
	}
	for k := range r.ranks {
		r.ranks[k] = rank{free: map[uint8]units.Time{}, places: map[int32]int{}}
		g := job.Ranks[k]
		for i := range g.Ops() {
			r.ranks[k].needs = append(r.ranks[k].needs, g.Needs(i))
			r.ranks[k].spans = append(r.ranks[k].spans, Span{-1, -1})
		}
	}
	for k := range r.ranks {
		for i := range r.ranks[k].needs {
			if r.ranks[k].needs[i] == 0 {
				r.at(0, func() { r.ready(k, i) })
			}
		}
	}
	for len(r.events) > 0 {
		first := 0
		for i := range r.events {
			if r.events[i].at < r.events[first].at {
				first = i
			}
		}
		e := r.events[first]
		r.events = slices.Delete(r.events, first, first+1)
		r.now = e.at
		e.do()
	}
	all := make([][]Span, len(r.ranks))
	for k := range r.ranks {
		all[k] = r.ranks[k].spans
		for i, s := range all[k] {
			if s.End < 0 {
				t.Fatalf("rank %d, operation %d (%v) never finishes", k, i, job.Ranks[k].Op(i))
			}
		}
	}
	return all
}

// End is when the last operation of all has finished.
func End(spans [][]Span) (end units.Time) {
	for _, rank := range spans {
		for _, s := range rank {
			end = max(end, s.End)
		}
	}
	return end
}

type run struct {
	job    *schedule.Job
	net    Network
	ranks  []rank
	now    units.Time
	events []event // in the order in which they were made
	posted []message
	sent   []message
	met    map[meeting]*party
}

type event struct {
	at units.Time
	do func()
}

type rank struct {
	needs  []int
	spans  []Span
	free   map[uint8]units.Time
	places map[int32]int // how many collectives of each group have begun
}

type message struct{ rank, op int }

// meeting is the k-th collective of a group.
type meeting struct {
	group int32
	k     int
}

type party struct{ there []message }

func (r *run) at(t units.Time, do func()) { r.events = append(r.events, event{t, do}) }

func (r *run) ready(k, i int) {
	op := r.job.Ranks[k].Op(i)
	begin := r.now
	switch op.Kind {
	case schedule.Calc:
		begin = max(r.now, r.ranks[k].free[op.Stream])
		r.ranks[k].free[op.Stream] = begin + op.Time
		r.at(begin+op.Time, func() { r.finish(k, i) })
	case schedule.Send:
		r.sent = append(r.sent, message{k, i})
		r.match()
	case schedule.Recv:
		r.posted = append(r.posted, message{k, i})
		r.match()
	case schedule.Collective:
		m := meeting{op.Group, r.ranks[k].places[op.Group]}
		r.ranks[k].places[op.Group]++
		if r.met[m] == nil {
			r.met[m] = new(party)
		}
		p := r.met[m]
		p.there = append(p.there, message{k, i})
		if members := len(r.job.Groups[op.Group]); len(p.there) == members {
			for _, other := range p.there {
				r.at(r.now+r.net.Collective(op, members), func() { r.finish(other.rank, other.op) })
			}
		}
	}
	r.ranks[k].spans[i].Begin = begin
	r.at(begin, func() { r.count(k, i, true) })
}

// match brings the first message together with the first receive for it.
func (r *run) match() {
	for s, from := range r.sent {
		send := r.job.Ranks[from.rank].Op(from.op)
		for p, to := range r.posted {
			recv := r.job.Ranks[to.rank].Op(to.op)
			if int(send.Peer) != to.rank || recv.Peer != schedule.Any && int(recv.Peer) != from.rank || recv.Tag != schedule.AnyTag && recv.Tag != send.Tag {
				continue
			}
			end := r.now + r.net.Message(send.Size)
			r.at(end, func() { r.finish(from.rank, from.op) })
			r.at(end, func() { r.finish(to.rank, to.op) })
			r.sent, r.posted = slices.Delete(r.sent, s, s+1), slices.Delete(r.posted, p, p+1)
			return
		}
	}
}

func (r *run) finish(k, i int) {
	r.ranks[k].spans[i].End = r.now
	r.count(k, i, false)
}

func (r *run) count(k, i int, started bool) {
	for _, s := range r.job.Ranks[k].Successors(i) {
		if s.OnStart() != started {
			continue
		}
		next := s.Op()
		if r.ranks[k].needs[next]--; r.ranks[k].needs[next] == 0 {
			r.ready(k, next)
		}
	}
}

// Lines are the operations of a rank in the order in which they began, one a line, such as "0s-1us calc of 1us".
func Lines(job *schedule.Job, spans [][]Span, rank int) (lines []string) {
	order := make([]int, len(spans[rank]))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spans[rank][a].Begin, spans[rank][b].Begin) })
	for _, i := range order {
		s := spans[rank][i]
		lines = append(lines, fmt.Sprintf("%v-%v %v", s.Begin, s.End, job.Ranks[rank].Op(i)))
	}
	return lines
}
