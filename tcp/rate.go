package tcp

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// snapshot is what the sampler knew when a chunk was sent.
type snapshot struct {
	delivered   int64
	deliveredAt units.Time
	firstSent   units.Time // of the flight that was acknowledged last
	appLimited  bool
}

// sampler measures the rate of delivery (Cheng et al., draft-cheng-iccrg-delivery-rate-estimation).
type sampler struct {
	delivered   int64
	deliveredAt units.Time
	firstSent   units.Time
	appLimited  int64 // the application is what binds until so much is delivered; -1: it does not
	nextRound   int64

	// The sample that the present acknowledgement gives.
	found    bool
	best     snapshot
	bestSent units.Time
}

// send is called before a chunk is added to the board.
func (r *sampler) send(now units.Time, nothingOut bool) snapshot {
	if nothingOut {
		r.firstSent, r.deliveredAt = now, now
	}
	return snapshot{r.delivered, r.deliveredAt, r.firstSent, r.appLimited >= 0}
}

// arrived takes in a chunk that has been acknowledged for the first time.
func (r *sampler) arrived(c *chunk) {
	if !r.found || c.snapshot.delivered > r.best.delivered ||
		c.snapshot.delivered == r.best.delivered && c.sent > r.bestSent {
		r.found, r.best, r.bestSent = true, c.snapshot, c.sent
	}
}

// sample ends an acknowledgement of n bytes. The rate is 0 if there is no sample.
func (r *sampler) sample(n int64, now, least units.Time) (rate units.Rate, appLimited, round bool) {
	r.delivered += n
	if n > 0 {
		r.deliveredAt = now
	}
	if r.appLimited >= 0 && r.delivered > r.appLimited {
		r.appLimited = -1
	}
	if !r.found {
		return 0, false, false
	}
	r.found = false
	r.firstSent = r.bestSent
	if r.best.delivered >= r.nextRound {
		r.nextRound, round = r.delivered, true
	}
	interval := max(r.bestSent-r.best.firstSent, now-r.best.deliveredAt)
	if interval < max(least, 1) {
		return 0, r.best.appLimited, round
	}
	return rateOf(r.delivered-r.best.delivered, interval), r.best.appLimited, round
}

// rateOf is n bytes in a time greater than 0.
func rateOf(n int64, d units.Time) units.Rate {
	const perSecond = 8 * uint64(units.Second)
	hi, lo := bits.Mul64(uint64(n), perSecond)
	if hi >= uint64(d) {
		return 1 << 62
	}
	q, _ := bits.Div64(hi, lo, uint64(d))
	return units.Rate(min(q, 1<<62))
}

// pacer spreads segments (Linux: tcp_update_skb_after_send).
type pacer struct {
	next units.Time // no data before
}

// sent takes in that n bytes have left.
func (p *pacer) sent(n units.Bytes, rate units.Rate, now units.Time) {
	d := rate.Serialise(int(n))
	if credit := now - p.next; credit > 0 {
		d -= min(d/2, credit)
	}
	p.next = now + d
}
