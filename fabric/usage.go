package fabric

import "github.com/rdmasim/rdmasim/sim/units"

// UsageSample is for how long a port's transmitter was busy in a bucket of time.
type UsageSample struct {
	From, Length units.Time // of the bucket
	Busy         units.Time // at most Length
}

// usage divides the time a transmitter is busy among buckets of equal length, a frame
// that spans two of them by what it takes of each. So no bucket is ever busier than it
// is long, and all together are as busy as the transmitter was. Only buckets that
// differ from the one before are kept.
type usage struct {
	length     units.Time
	from       units.Time // of the present bucket
	busy       units.Time // in the present bucket
	last       units.Time // in the one before
	start, end units.Time // of the latest frame, which is not counted yet
	samples    []UsageSample
}

// add counts the frame before this one: of the last one in a run not all may be sent.
func (u *usage) add(start, end units.Time) {
	u.count(u.start, u.end)
	u.start, u.end = start, end
}

// count divides a busy time among buckets.
func (u *usage) count(start, end units.Time) {
	for start < end {
		if start >= u.from+u.length {
			u.skip(start)
			continue
		}
		part := min(end, u.from+u.length)
		u.busy += part - max(start, u.from)
		start = part
	}
}

// skip closes the present bucket, and passes over idle ones up to a time.
func (u *usage) skip(to units.Time) {
	if u.busy == 0 && u.last == 0 {
		u.from = to - to%u.length
		return
	}
	u.close(u.length)
	u.from += u.length
}

// close records the present bucket if it differs from the one before.
func (u *usage) close(length units.Time) {
	if u.busy != u.last || length != u.length {
		u.samples = append(u.samples, UsageSample{u.from, length, u.busy})
	}
	u.last, u.busy = u.busy, 0
}

// flush counts what has been sent up to the end of a run, whose last bucket may be
// shorter than the others.
func (u *usage) flush(now units.Time) {
	u.count(u.start, min(u.end, now))
	for now > u.from+u.length {
		u.skip(now)
	}
	if now > u.from {
		u.close(now - u.from)
	}
}

// Usage is for how long the port was busy, by buckets: each holds up to the next.
func (p *Port) Usage() []UsageSample {
	if p.usage == nil {
		return nil
	}
	return p.usage.samples
}
