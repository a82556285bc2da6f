package sim

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// spins is how often a waiting worker looks before it parks. Windows are
// microseconds of work, so a partner that is running arrives within the spin;
// one whose core was given to another program does not, and spinning on would
// only keep that core longer from it.
const spins = 4000

// barrier lets n workers meet. The last to arrive runs a piece of work alone
// before all go on.
type barrier struct {
	n       int32
	arrived atomic.Int32
	round   atomic.Uint32
	parked  atomic.Int32
	mu      sync.Mutex
	open    sync.Cond
}

func newBarrier(n int) *barrier {
	b := &barrier{n: int32(n)}
	b.open.L = &b.mu
	return b
}

// wait blocks until all n workers have called it; the last runs alone first.
func (b *barrier) wait(alone func()) {
	round := b.round.Load()
	if b.arrived.Add(1) == b.n {
		alone()
		b.arrived.Store(0)
		b.mu.Lock()
		b.round.Add(1)
		b.mu.Unlock()
		if b.parked.Load() > 0 {
			b.open.Broadcast()
		}
		return
	}
	for i := range spins {
		if b.round.Load() != round {
			return
		}
		if i%256 == 255 {
			runtime.Gosched()
		}
	}
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
