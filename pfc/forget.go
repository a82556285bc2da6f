package pfc

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Clear lets all classes go, as a port does whose link goes down or comes up: what
// its peer asked for before does not hold any more.
func (p *Pauser) Clear(now units.Time) {
	p.expire(now)
	for m := p.mask; m != 0; m &= m - 1 {
		p.end(bits.TrailingZeros8(m), now)
	}
	p.refreshSoonest()
}

// Forget takes the peer for one that has been told nothing: after a link was down
// it obeys no pause, and what is wanted has to be said again.
func (r *Requester) Forget() { r.told, r.due = 0, 0 }
