package sim

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// How often a worker that waits looks before it parks. To wake one that has parked takes
// a tenth of a millisecond, as long as many a window, so it pays to look for longer than
// that, some 250 us, as long as the parts of a window are about equal. Where a partner's
// core has been given to another program it does not, so one who had to park looks for
// less the next time, though not every time.
const (
	mostLooks, leastLooks = 500_000, 4_000
	fullEvery             = 16    // waits
	yieldEvery            = 2_000 // looks: a goroutine that is waited for may need this very thread
)

// barrier lets n workers meet. The last to arrive runs a piece of work alone
// before all go on.
type barrier struct {
	n    int32
	most int // looks of one that waits
	// Words that are written while others are read stand on cache lines of their own:
	// a worker that looks must not take the line away from one that arrives.
	_       [64]byte
	arrived atomic.Int32
	_       [64]byte
	round   atomic.Uint32
	_       [64]byte
	parked  atomic.Int32
	mu      sync.Mutex
	open    sync.Cond
}

func newBarrier(n int) *barrier {
	b := &barrier{n: int32(n), most: mostLooks}
	if n > runtime.GOMAXPROCS(0) {
		b.most = 0 // the one who is waited for may need the very core
	}
	b.open.L = &b.mu
	return b
}

// patience is for how long a worker looks before it parks.
type patience struct{ looks, waits int }

// begin is how many looks it takes this time.
func (p *patience) begin(most int) int {
	if p.waits%fullEvery == 0 {
		p.looks = most
	}
	p.waits++
	return p.looks
}

// end learns from whether they were enough.
func (p *patience) end(enough bool, most int) {
	if enough {
		p.looks = min(2*p.looks, most)
	} else {
		p.looks = min(max(p.looks/4, leastLooks), most)
	}
}

// wait blocks until all n workers have called it; the last runs alone first.
func (b *barrier) wait(p *patience, alone func()) {
	round := b.round.Load()
	if b.arrived.Add(1) == b.n {
		alone()
		b.arrived.Store(0)
		b.round.Add(1)
		// Whoever parks counts itself before it looks at the round for the last
		// time, so that one of the two sees the other.
		if b.parked.Load() > 0 {
			b.mu.Lock()
			b.open.Broadcast()
			b.mu.Unlock()
		}
		return
	}
	for i := range p.begin(b.most) {
		if b.round.Load() != round {
			p.end(true, b.most)
			return
		}
		if i%yieldEvery == yieldEvery-1 {
			runtime.Gosched()
		}
	}
	p.end(false, b.most)
	b.park(round)
}

func (b *barrier) park(round uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parked.Add(1)
	for b.round.Load() == round {
		b.open.Wait()
	}
	b.parked.Add(-1)
}
