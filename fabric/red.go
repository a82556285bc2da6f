package fabric

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// red is what random early detection does beyond marking the packets that leave a
// queue by the length they leave behind: it decides when packets join, by an
// average of the length, or drops those that cannot be marked.
type red struct {
	atEnqueue bool
	drops     bool
	weight    float64   // of a new sample of the length in its average; 1 takes the length as it is
	averages  []average // by queue
}

func newRED(e *ECN) *red {
	return &red{atEnqueue: e.AtEnqueue, drops: e.DropNotECT, weight: 1 / float64(int64(1)<<e.Averaging)}
}

// add adds a queue of a port of that rate.
func (r *red) add(rate units.Rate, largest units.Bytes) {
	r.averages = append(r.averages, average{packet: rate.Serialise(int(largest))})
}

// average is the moving average of a queue's length as Floyd and Jacobson (1993)
// keep it: each packet moves it by a weight towards the length it sees, and a time
// in which the queue was empty counts as so many packets that saw none, as could
// have been sent meanwhile.
type average struct {
	value     float64
	idleSince units.Time // when the queue ran empty; Never while it is not
	packet    units.Time // time a full frame takes on the port
}

// see takes a sample of the length.
func (a *average) see(length units.Bytes, weight float64, now units.Time) units.Bytes {
	if a.idleSince != units.Never {
		a.value = float64(a.value * power(1-weight, int64((now-a.idleSince)/a.packet)))
	}
	a.idleSince = units.Never
	a.value += float64(weight * (float64(length) - a.value))
	return units.Bytes(a.value)
}

// power is x to the n, by products alone.
func power(x float64, n int64) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			y = float64(y * x)
		}
		x = float64(x * x)
	}
	return y
}

// level is the length of a queue as RED takes it.
func (r *red) level(queue int, length units.Bytes, now units.Time) units.Bytes {
	if r.weight == 1 {
		return length
	}
	return r.averages[queue].see(length, r.weight, now)
}

// joinRED decides about a packet that would join a queue, by the length with it: to
// mark it if that is decided here, or to drop it, which it tells.
func (s *Switch) joinRED(queue int, p *wire.Packet, port, priority int, now units.Time) (dropped bool) {
	drops := s.red.drops && p.ECN == wire.NotECT
	if !drops && !s.red.atEnqueue {
		return false
	}
	level := s.red.level(queue, s.queues[queue].bytes+units.Bytes(p.Frame), now)
	if !drops && p.ECN != wire.ECT0 || !s.markers[queue].marks(level) {
		return false
	}
	if !drops {
		s.mark(p, port, priority, now)
	}
	return drops
}

// leaveRED decides about a packet that has left a queue, by what it left behind.
func (s *Switch) leaveRED(queue int, p *wire.Packet, port, priority int, now units.Time) {
	left := s.queues[queue].bytes
	if !s.red.atEnqueue {
		level := s.red.level(queue, left, now)
		if p.ECN == wire.ECT0 && s.markers[queue].marks(level) {
			s.mark(p, port, priority, now)
		}
	}
	if left == 0 {
		s.red.averages[queue].idleSince = now
	}
}
