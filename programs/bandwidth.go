package programs

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// stream is the sending end of a bandwidth test: it keeps as many requests under way on each
// queue pair as its send queue holds, and asks for a completion for every so many.
type stream struct {
	meter
	sent, done []int // by queue pair
	total      int   // complete, of all queue pairs
	room       []int // queue pairs that may have room for more: all at first, then those with a completion
	posted     []units.Time
	completed  []completed
	batch      []rnic.SendRequest
}

// Step implements [host.Program].
func (s *stream) Step(t *host.Thread) {
	for !s.Done() {
		if !s.begin(t) {
			return
		}
		if s.sent == nil {
			s.sent, s.done = make([]int, s.test.QPs), make([]int, s.test.QPs)
			s.room = s.room[:0]
			for qp := range s.qps {
				s.room = append(s.room, qp)
			}
		}
		for _, qp := range s.room {
			if err := s.fill(t, qp); err != nil {
				s.fail(err, s.total, s.all())
				return
			}
		}
		s.room = s.room[:0]
		c, ok := t.Poll(s.sendCQ)
		switch {
		case !ok:
			t.Arm(s.sendCQ)
			return
		case c.Status != rnic.Success:
			s.fail(failed(c), s.total, s.all())
			return
		}
		s.complete(t, c.ID)
	}
}

// all is the number of messages of a size.
func (s *stream) all() int { return s.test.Iterations * s.test.QPs }

// times tells whether the times of all messages are kept, for the peak. Otherwise those of the first and of the last do.
func (s *stream) times() bool { return s.all() <= peakIterations }

// fill posts what a send queue has room for.
func (s *stream) fill(t *host.Thread, qp int) error {
	o := &s.test.Options
	for s.sent[qp] < o.Iterations {
		n := min(o.PostList, o.Iterations-s.sent[qp])
		if s.sent[qp]+n > s.done[qp]+o.TxDepth {
			return nil
		}
		s.batch = s.batch[:0]
		for range n {
			if s.times() || len(s.posted) == 0 {
				s.posted = append(s.posted, t.Now())
			}
			r := s.request(qp, s.current())
			s.sent[qp]++
			r.Signalled = s.sent[qp]%o.CQMod == 0 || s.sent[qp] == o.Iterations
			r.ID = uint64(qp)<<32 | uint64(s.sent[qp])
			s.batch = append(s.batch, r)
		}
		if err := t.PostAll(s.qps[qp], s.batch); err != nil {
			return err
		}
	}
	return nil
}

// complete books a completion, which stands for all messages of its queue pair up to it.
func (s *stream) complete(t *host.Thread, id uint64) {
	qp, upTo := int(id>>32), int(uint32(id))
	s.total += upTo - s.done[qp]
	s.done[qp] = upTo
	s.room = append(s.room, qp)
	if !s.times() {
		s.completed = s.completed[:0]
	}
	s.completed = append(s.completed, completed{s.total, t.Now()})
	if s.total < s.all() {
		return
	}
	b := newBandwidth(s.current(), s.posted, s.completed)
	s.results = append(s.results, Result{
		Size: s.current(), Iterations: s.total, Begun: s.posted[0], Ended: t.Now(), Bandwidth: &b, Client: s.load(t),
	})
	s.sent, s.done, s.total, s.posted, s.completed = nil, nil, 0, s.posted[:0], s.completed[:0]
	s.finish(t)
	s.pauseBefore(t)
}

// Waits implements [host.Program].
func (s *stream) Waits() string { return s.waits("a send completion", s.total, s.all()) }

// sink is the receiving end of ib_send_bw: it takes what comes, and posts a receive for each.
type sink struct {
	meter
	got int
}

// Step implements [host.Program].
func (s *sink) Step(t *host.Thread) {
	for !s.Done() {
		s.begin(t)
		_, ok, err := s.takeNext(t)
		if err != nil {
			s.fail(err, s.got, s.all())
		}
		if !ok || err != nil {
			return
		}
		if s.got++; s.got == s.all() {
			s.got = 0
			s.finish(t)
		}
	}
}

func (s *sink) all() int { return s.test.Iterations * s.test.QPs }

// Waits implements [host.Program].
func (s *sink) Waits() string { return s.waits("a receive completion", s.got, s.all()) }
