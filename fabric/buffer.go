package fabric

import (
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// group is the account of one priority group: what one ingress port and class
// hold of a switch's buffer.
type group struct {
	reserved units.Bytes // of its guaranteed minimum
	shared   units.Bytes // of the shared pool
	headroom units.Bytes // of its headroom

	minimum   units.Bytes // guaranteed
	room      units.Bytes // headroom it may use; 0 for a lossy class
	threshold pfc.Threshold
	lossless  bool

	// nearest is the largest share of its limit the group has reached, as a
	// fraction of two sizes: how near PFC (or, for a lossy class, a drop) came.
	nearest      units.Bytes
	nearestLimit units.Bytes
	nearestAt    units.Time
	peak         units.Bytes // of all three together
	peakHeadroom units.Bytes
	peakRoomAt   units.Time
}

func (g *group) held() units.Bytes { return g.reserved + g.shared + g.headroom }

// Buffer is the shared packet memory of a switch. Every frame is charged to the
// priority group by which it came in: first to the group's guaranteed minimum,
// then to the shared pool up to the group's threshold, and, if its class is
// lossless, at last to the group's headroom. What fits nowhere is dropped.
// Nothing is ever dropped for the length of its egress queue: a lossless class
// is gated at its ingress alone.
type Buffer struct {
	groups  []group // by port, then class
	classes int
	pool    units.Bytes // shared
	used    units.Bytes // of the pool
	peak    units.Bytes // of the pool
	xonGap  units.Bytes // hysteresis of XON
}

func (b *Buffer) group(port, class int) *group { return &b.groups[port*b.classes+class] }

// limit is the present threshold of a group.
func (b *Buffer) limit(g *group) units.Bytes { return g.threshold.Limit(b.pool - b.used) }

// admit charges a frame to its group, or refuses it.
func (b *Buffer) admit(g *group, size units.Bytes, now units.Time) bool {
	switch limit := b.limit(g); {
	case g.reserved+size <= g.minimum:
		g.reserved += size
	case g.shared+size <= limit && b.used+size <= b.pool:
		g.shared += size
		b.used += size
		b.peak = max(b.peak, b.used)
		g.approach(g.shared, limit, now)
	case g.headroom+size <= g.room:
		g.headroom += size
		if g.headroom > g.peakHeadroom {
			g.peakHeadroom, g.peakRoomAt = g.headroom, now
		}
		g.approach(max(limit, 1), max(limit, 1), now)
	default:
		return false
	}
	g.peak = max(g.peak, g.held())
	return true
}

// approach notes a level if it is the nearest yet to its limit.
func (g *group) approach(level, limit units.Bytes, now units.Time) {
	if level*g.nearestLimit > g.nearest*limit || g.nearestLimit == 0 {
		g.nearest, g.nearestLimit, g.nearestAt = level, limit, now
	}
}

// release takes a frame off its group's account, headroom first, the guaranteed
// minimum last.
func (b *Buffer) release(g *group, size units.Bytes) {
	h := min(size, g.headroom)
	s := min(size-h, g.shared)
	g.headroom -= h
	g.shared -= s
	b.used -= s
	g.reserved -= size - h - s
	if g.reserved < 0 {
		panic("buffer: a priority group gave back more than it held")
	}
}

// mustPause tells whether a lossless group has to ask its upstream for a pause.
func (b *Buffer) mustPause(g *group) bool {
	return g.lossless && pfc.IsXOFF(g.headroom, g.shared, b.limit(g))
}

// mayResume tells whether a paused group may let its upstream go on. A group that
// holds nothing always may.
func (b *Buffer) mayResume(g *group) bool {
	return pfc.IsXON(g.headroom, g.shared, b.limit(g), b.xonGap)
}
