package fabric

import (
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// splitAccounts is another way to keep a buffer's accounts, that of the simulator
// published with HPCC (switch-mmu.cc): a frame may lie in the minimum and in the shared
// pool at once, and the threshold of a port depends on its rate.
type splitAccounts struct {
	thresholds []pfc.Threshold // by port
}

// newSplitAccounts gives ports at the rate of the hosts the threshold of the switch,
// and twice as much for each doubling of the rate beyond that, rounded up, but no more
// than all that is left of the pool.
func newSplitAccounts(ports []Port, alpha units.Ratio, hostRate units.Rate) *splitAccounts {
	a := new(splitAccounts)
	for i := range ports {
		own := alpha
		for rate := ports[i].Rate(); rate > hostRate && own.Num < own.Den; rate /= 2 {
			own.Num *= 2
		}
		a.thresholds = append(a.thresholds, pfc.DynamicThreshold(own))
	}
	return a
}

// chargeSplit charges a frame to the i-th group, or refuses it. What does not fit into
// the minimum is shared, unless that exceeds the threshold: then the frame goes to the
// headroom as a whole.
func (b *Buffer) chargeSplit(i int, limit, size units.Bytes, now units.Time) bool {
	g := &b.groups[i]
	if g.headroom+size > g.room && g.shared+size > limit {
		return false
	}
	switch over := g.reserved + g.shared + size - g.minimum; {
	case over <= 0:
		g.reserved += size
	case over > limit:
		b.takeHeadroom(i, size, now)
		b.approach(i, max(limit, 1), max(limit, 1), now)
	default:
		shared := min(size, over)
		g.reserved += size - shared
		g.shared += shared
		b.used += shared
		b.peak = max(b.peak, b.used)
		b.peaks[i].shared = max(b.peaks[i].shared, g.shared)
		b.approach(i, g.shared, limit, now)
	}
	g.peak = max(g.peak, g.held())
	return true
}
