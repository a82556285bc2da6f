package rnic

import "github.com/rdmasim/rdmasim/sim/units"

// Watcher is who looks at memory for what a WRITE brings, which has no completion at the
// end that it goes to: a thread that polls the last byte, which is there last since writes
// on the bus keep their order.
type Watcher interface {
	// Written says that a WRITE to the memory that is watched can be seen there whole. It is
	// called like a [Listener].
	Written(now units.Time)
}

// watch is a part of memory that somebody looks at.
type watch struct {
	from, to uint64
	watcher  Watcher
}

// Watch has somebody told of every WRITE, with immediate or without, through this NIC to any of
// length bytes from va on.
func (n *NIC) Watch(va uint64, length units.Bytes, w Watcher) {
	o := n.useVerbs()
	o.watches = append(o.watches, watch{va, va + uint64(length), w})
}

// written tells those who look at the memory where a message has come whole.
func (n *NIC) written(m *inbound, now units.Time) {
	from := m.remote - uint64(m.got)
	for _, w := range n.objects.watches {
		if from < w.to && w.from < m.remote {
			n.deposit(&posted{at: n.landed(now), watcher: w.watcher})
		}
	}
}
