package fabric

import (
	"math/bits"
	"unsafe"

	"github.com/rdmasim/rdmasim/sim/prefetch"
	"github.com/rdmasim/rdmasim/sim/units"
)

const (
	// ahead is how many frames of a ring are asked for before a window: as many full
	// ones of 1 KB as come by a port of 100 Gb/s in 1 us. For few it is not worth asking.
	ahead, few = 12, 4
	// cached is how many ports a network may have of which a processor's own cache of
	// 2 MB holds all that frames need; to ask for what is there costs a fifth.
	cached = 2000
	// worthwhile is the shortest window for which that is done. In a shorter one so few
	// frames come that asking costs more than waiting.
	worthwhile = 500 * units.Nanosecond
	// many is how many events a switch must have had in the window before: what is asked
	// for is that of all its ports, and a switch of a large network may have few talkers.
	many = 8
)

// warm asks for the memory that the frames of a window are going to need: ports, queues
// and accounts, what has come in, the ends of the queues, and where the links away will
// put what leaves.
func (s *Switch) warm(limit units.Time) {
	ask(s.ports)
	ask(s.queues)
	ask(s.buffer.groups)
	for i := range s.ports {
		p := &s.ports[i]
		if s.arrivals.At(i) < limit {
			p.in.data.warm(0, min(p.in.data.size, ahead))
		}
		for class := s.classes; class != 0; class &= class - 1 {
			prefetch.Lines(unsafe.Pointer(&p.Counters.Class[bits.TrailingZeros8(class)]), 1)
		}
		if p.out.box == nil { // else the ring is another worker's, and not to be looked at now
			to := &p.out.to.data
			to.warm(to.size, min(to.size, ahead))
		}
	}
	for i := range s.queues {
		q := &s.queues[i].packets
		q.warm(0, min(q.size, ahead))
	}
}

// outgrowsCache tells whether the network is so large that it pays to ask for memory.
func (n *Network) outgrowsCache() bool { return 2*len(n.Graph.Links) > cached }

// warm asks, when the i-th parcel is handed over, for the inbox of one that comes later,
// and for the room at its end of the inbox of one in between.
func (s *side) warm(i int) {
	if i+2*ahead < len(s.parcels) {
		prefetch.Lines(unsafe.Pointer(s.parcels[i+2*ahead].to), 1)
	}
	if i+ahead < len(s.parcels) {
		if q := &s.parcels[i+ahead].to.data; len(q.ring) > 0 {
			prefetch.Lines(unsafe.Pointer(q.At(q.Len())), 1)
		}
	}
}

// warm asks for the room of n values from the i-th after the front on, which need not be there.
func (q *Queue[T]) warm(i, n uint32) {
	if n < few {
		return
	}
	room := uint32(len(q.ring))
	i = (q.head + i) & (room - 1)
	ask(q.ring[i:min(i+n, room)])
	if i+n > room {
		ask(q.ring[:min(i+n-room, i+1)])
	}
}

// ask asks for all of a slice, which must not be empty.
func ask[T any](s []T) {
	bytes := unsafe.Sizeof(s[0]) * uintptr(len(s))
	prefetch.Lines(unsafe.Pointer(&s[0]), int((bytes+prefetch.Line-1)/prefetch.Line))
}
