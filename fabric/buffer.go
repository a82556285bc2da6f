package fabric

import (
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// group is the account of one priority group: what one ingress port and class
// hold of a switch's buffer. It fills a cache line.
type group struct {
	reserved units.Bytes // held of its guaranteed minimum
	shared   units.Bytes // held of the shared pool
	headroom units.Bytes // held of its headroom
	minimum  units.Bytes // guaranteed
	room     units.Bytes // headroom it may use; 0 for a lossy class
	peak     units.Bytes // held of all three together at the most

	// nearest is the largest share of its limit the group has reached, as a
	// fraction of two sizes: how near PFC (or, for a lossy class, a drop) came.
	nearest      units.Bytes
	nearestLimit units.Bytes
}

// groupPeaks is what is noted of a group only when it reaches a new height.
type groupPeaks struct {
	nearestAt  units.Time
	headroom   units.Bytes
	headroomAt units.Time
	exhausted  uint64 // frames for which the group had headroom left, but the pool of headroom had none
	shared     units.Bytes
}

// lane is what the priority groups of one class have in common.
type lane struct {
	threshold pfc.Threshold
	lossless  bool
}

func (g *group) held() units.Bytes { return g.reserved + g.shared + g.headroom }

// Buffer is the shared packet memory of a switch. Every frame is charged to the
// priority group by which it came in: first to the group's guaranteed minimum,
// then to the shared pool up to the group's threshold, and, if its class is
// lossless, at last to the group's headroom, which is drawn from a pool of
// headroom. What fits nowhere is dropped. Nothing of a lossless class is ever
// dropped for the length of its egress queue: it is gated at its ingress alone.
type Buffer struct {
	groups []group // by port, then lane
	lanes  []lane
	pool   units.Bytes // shared
	used   units.Bytes // of the pool
	peak   units.Bytes // of the pool
	xonGap units.Bytes // hysteresis of XON
	memory pfc.Memory
	mixed  bool // whether groups have held anything but shared memory; see sharedPeak
	rooms  headroomPool
	peaks  []groupPeaks
	split  *splitAccounts // nil for our own
}

// headroomPool is what all headroom is drawn from. If it is smaller than the sum of
// what the groups may use, it is over-subscribed and may be found empty.
type headroomPool struct{ size, used, peak units.Bytes }

// limit is the present threshold of the groups of a class.
func (b *Buffer) limit(lane int) units.Bytes { return b.lanes[lane].threshold.Limit(b.pool - b.used) }

// limitAt is the present threshold of one group.
func (b *Buffer) limitAt(port, lane int) units.Bytes {
	if b.split != nil && b.lanes[lane].lossless {
		return b.split.thresholds[port].Limit(b.pool - b.used)
	}
	return b.limit(lane)
}

// at is the index of a priority group.
func (b *Buffer) at(port, lane int) int { return port*len(b.lanes) + lane }

// admit charges a frame to its group, or refuses it.
func (b *Buffer) admit(port, lane int, frame units.Bytes, now units.Time) bool {
	if b.split != nil {
		return b.chargeSplit(b.at(port, lane), b.limitAt(port, lane), b.memory.Of(frame), now)
	}
	return b.charge(b.at(port, lane), lane, b.memory.Of(frame), now)
}

// charge charges what a frame takes up to the i-th group.
func (b *Buffer) charge(i, lane int, size units.Bytes, now units.Time) bool {
	g := &b.groups[i]
	switch limit := b.limit(lane); {
	case g.reserved+size <= g.minimum:
		g.reserved += size
	case g.shared+size <= limit && b.used+size <= b.pool:
		g.shared += size
		b.used += size
		b.peak = max(b.peak, b.used)
		if b.mixed {
			b.peaks[i].shared = max(b.peaks[i].shared, g.shared)
		}
		b.approach(i, g.shared, limit, now)
	case g.headroom+size > g.room:
		return false
	case b.rooms.used+size > b.rooms.size:
		b.peaks[i].exhausted++
		return false
	default:
		b.takeHeadroom(i, size, now)
		b.approach(i, max(limit, 1), max(limit, 1), now)
	}
	g.peak = max(g.peak, g.held())
	return true
}

// passes tells whether a frame that leaves at once would be charged to the shared pool and
// taken off it again, and notes what that leaves behind: nothing but the heights reached.
func (b *Buffer) passes(port, lane int, frame units.Bytes, now units.Time) bool {
	if b.split != nil {
		return false
	}
	i, size := b.at(port, lane), b.memory.Of(frame)
	g, limit := &b.groups[i], b.limit(lane)
	shared, used := g.shared+size, b.used+size
	if g.headroom > 0 || g.reserved+size <= g.minimum || shared > limit || used > b.pool {
		return false
	}
	b.peak = max(b.peak, used)
	if b.mixed {
		b.peaks[i].shared = max(b.peaks[i].shared, shared)
	}
	b.approach(i, shared, limit, now)
	g.peak = max(g.peak, g.held()+size)
	return true
}

// takeHeadroom charges a frame to a group's headroom.
func (b *Buffer) takeHeadroom(i int, size units.Bytes, now units.Time) {
	if !b.mixed {
		b.mix()
	}
	g, h := &b.groups[i], &b.peaks[i]
	g.headroom += size
	b.rooms.used += size
	b.rooms.peak = max(b.rooms.peak, b.rooms.used)
	if g.headroom > h.headroom {
		h.headroom, h.headroomAt = g.headroom, now
	}
}

// mix begins to keep the peaks of shared memory apart.
func (b *Buffer) mix() {
	for i := range b.groups {
		b.peaks[i].shared = b.groups[i].peak
	}
	b.mixed = true
}

// sharedPeak is the most of the shared pool that the i-th group has held. As long as
// groups hold nothing else, that is the most they have held.
func (b *Buffer) sharedPeak(i int) units.Bytes {
	if b.mixed {
		return b.peaks[i].shared
	}
	return b.groups[i].peak
}

// approach notes a level if it is the nearest yet to its limit.
func (b *Buffer) approach(i int, level, limit units.Bytes, now units.Time) {
	g := &b.groups[i]
	if level <= g.nearest && limit >= g.nearestLimit {
		return // as nearly always, without a product
	}
	if float64(level)*float64(g.nearestLimit) > float64(g.nearest)*float64(limit) || g.nearestLimit == 0 {
		g.nearest, g.nearestLimit = level, limit
		b.peaks[i].nearestAt = now
	}
}

// release takes a frame off its group's account, headroom first, the guaranteed
// minimum last.
func (b *Buffer) release(port, lane int, frame units.Bytes) {
	b.discharge(b.at(port, lane), b.memory.Of(frame))
}

// discharge takes what a frame took up off the account of the i-th group.
func (b *Buffer) discharge(i int, size units.Bytes) {
	g := &b.groups[i]
	h := min(size, g.headroom)
	s := min(size-h, g.shared)
	if h > 0 {
		g.headroom -= h
		b.rooms.used -= h
	}
	g.shared -= s
	b.used -= s
	g.reserved -= size - h - s
	if g.reserved < 0 {
		panic("buffer: a priority group gave back more than it held")
	}
}

// mustPause tells whether a lossless group has to ask its upstream for a pause. One
// that holds nothing never has to, even if its limit is 0: nothing would ever leave
// it and end the pause.
func (b *Buffer) mustPause(port, lane int) bool {
	g := &b.groups[b.at(port, lane)]
	limit := b.limit(lane)
	if b.split != nil {
		limit = b.limitAt(port, lane)
	}
	return b.lanes[lane].lossless && pfc.IsXOFF(g.headroom, g.shared, limit) && g.held() > 0
}

// isPausable tells whether a group is lossless and holds anything whose departure
// could end a pause.
func (b *Buffer) isPausable(port, lane int) bool {
	return b.lanes[lane].lossless && b.groups[b.at(port, lane)].held() > 0
}

// mayResume tells whether a paused group may let its upstream go on. A group that
// holds nothing always may.
func (b *Buffer) mayResume(port, lane int) bool {
	g := &b.groups[b.at(port, lane)]
	return pfc.IsXON(g.headroom, g.shared, b.limitAt(port, lane), b.xonGap)
}
