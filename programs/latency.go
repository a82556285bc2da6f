package programs

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// stage is what a latency test does next.
type stage uint8

const (
	posting    stage = iota // a request
	completing              // waits for its completion
	listening               // waits for the other end's message
)

// pingpong is one end of ib_write_lat and ib_send_lat: each end sends when it has got the
// other's message, which the one that looks at memory finds there, and waits for the
// completion of its own before it looks for the next.
type pingpong struct {
	meter
	begins    bool
	stage     stage
	sent, got int
	posted    []units.Time
}

// Step implements [host.Program].
func (p *pingpong) Step(t *host.Thread) {
	for !p.Done() {
		if !p.begun {
			if !p.begin(t) {
				return
			}
			if p.stage = listening; p.begins {
				p.stage = posting
			}
		}
		switch p.stage {
		case posting:
			p.posted = append(p.posted, t.Now())
			if err := t.Post(p.qps[0], p.request(0, p.current())); err != nil {
				p.fail(err, p.sent, p.test.Iterations)
				return
			}
			p.stage = completing
		case completing:
			if !p.complete(t) {
				return
			}
		case listening:
			if !p.listen(t) {
				return
			}
		}
	}
}

func (p *pingpong) complete(t *host.Thread) bool {
	c, ok := t.Poll(p.sendCQ)
	switch {
	case !ok:
		t.Arm(p.sendCQ)
		return false
	case c.Status != rnic.Success:
		p.fail(failed(c), p.sent, p.test.Iterations)
		return false
	}
	p.sent++
	p.stage = listening
	if !p.begins {
		p.over(t)
	}
	return true
}

func (p *pingpong) listen(t *host.Thread) bool {
	if p.test.Test == WriteLat {
		if !p.watch.Look() {
			return false
		}
	} else {
		_, ok, err := p.takeNext(t)
		if err != nil {
			p.fail(err, p.got, p.test.Iterations)
		}
		if !ok || err != nil {
			return false
		}
	}
	p.got++
	p.stage = posting
	if p.begins {
		p.over(t)
	}
	return true
}

// over ends a size when all of its messages have come and gone.
func (p *pingpong) over(t *host.Thread) {
	n := p.test.Iterations
	if p.sent < n || p.got < n {
		return
	}
	if p.begins {
		l := NewLatency(p.posted, false)
		p.results = append(p.results, Result{
			Size: p.current(), Iterations: n, Begun: p.posted[0], Ended: t.Now(), Latency: &l, Client: p.load(t),
		})
	}
	p.sent, p.got, p.posted = 0, 0, p.posted[:0]
	p.finish(t)
	if p.begins {
		p.pauseBefore(t)
	}
}

// Waits implements [host.Program].
func (p *pingpong) Waits() string {
	what := "a message in its memory"
	switch {
	case p.stage == completing:
		what = "a send completion"
	case p.test.Test == SendLat:
		what = "a receive completion"
	}
	return p.waits(what, min(p.sent, p.got), p.test.Iterations)
}

// asker is the client of ib_read_lat and ib_atomic_lat, at whose other end nothing runs.
type asker struct {
	meter
	waiting bool
	done    int
	posted  []units.Time
}

// Step implements [host.Program].
func (a *asker) Step(t *host.Thread) {
	for !a.Done() {
		if !a.begin(t) {
			return
		}
		if !a.waiting {
			a.posted = append(a.posted, t.Now())
			if err := t.Post(a.qps[0], a.request(0, a.current())); err != nil {
				a.fail(err, a.done, a.test.Iterations)
				return
			}
			a.waiting = true
		}
		c, ok := t.Poll(a.sendCQ)
		switch {
		case !ok:
			t.Arm(a.sendCQ)
			return
		case c.Status != rnic.Success:
			a.fail(failed(c), a.done, a.test.Iterations)
			return
		}
		a.waiting = false
		if a.done++; a.done == a.test.Iterations {
			a.over(t)
		}
	}
}

func (a *asker) over(t *host.Thread) {
	l := NewLatency(a.posted, true)
	a.results = append(a.results, Result{
		Size: a.current(), Iterations: a.done, Begun: a.posted[0], Ended: t.Now(), Latency: &l, Client: a.load(t),
	})
	a.done, a.posted = 0, a.posted[:0]
	a.finish(t)
	a.pauseBefore(t)
}

// Waits implements [host.Program].
func (a *asker) Waits() string {
	return a.waits("the completion of its "+a.test.verb().String(), a.done, a.test.Iterations)
}
