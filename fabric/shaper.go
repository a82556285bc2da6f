package fabric

import "github.com/rdmasim/rdmasim/sim/units"

// Shaper bounds what leaves: over any time t no more L2 bytes than Rate·t/8 +
// Burst, each frame counted when it starts. The zero value sets no bound.
type Shaper struct {
	Rate units.Rate
	// Burst is what may leave at once after a rest; at least the largest frame.
	Burst units.Bytes
}

// bucket is the token bucket of a shaper, kept as the time at which it will be
// full again (virtual scheduling; ITU-T I.371, appendix I). A frame lets that time
// advance by its size at the shaper's rate, and conforms as long as the bucket is
// never further from full than its size. Rounding is against the frame.
type bucket struct {
	rate   units.Rate
	depth  units.Time // time to fill an empty bucket
	fullAt units.Time
}

func newBucket(s Shaper) bucket {
	depth := s.Rate.Serialise(int(s.Burst))
	if _, exact := s.Rate.PerByte(); !exact {
		depth-- // it was rounded up
	}
	return bucket{rate: s.Rate, depth: depth}
}

// conformsAt is when a frame may start, which may be past.
func (b *bucket) conformsAt(size units.Bytes) units.Time {
	return b.fullAt + b.rate.Serialise(int(size)) - b.depth
}

// take pays for a frame that starts now.
func (b *bucket) take(size units.Bytes, now units.Time) {
	b.fullAt = max(b.fullAt, now) + b.rate.Serialise(int(size))
}
