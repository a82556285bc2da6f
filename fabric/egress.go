package fabric

import (
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// egressAccount is what an egress queue holds of a switch's memory.
type egressAccount struct{ reserved, shared units.Bytes }

// egressLimits are the accounts of the egress queues of the priorities without PFC,
// kept beside those of the ingress: a frame that finds its queue at its limit is
// dropped. Queues of lossless priorities have no account, and drop nothing.
type egressLimits struct {
	accounts  []egressAccount // by queue
	limited   []bool          // by lane
	pool      units.Bytes     // shared by all
	used      units.Bytes     // of the pool
	minimum   units.Bytes     // guaranteed to each queue
	threshold pfc.Threshold
	memory    pfc.Memory
}

// fits tells whether a frame finds room in its queue.
func (e *egressLimits) fits(queue int, frame units.Bytes) bool {
	if !e.limited[queue%len(e.limited)] {
		return true
	}
	a, size, free := &e.accounts[queue], e.memory.Of(frame), e.pool-e.used
	return a.reserved+size <= e.minimum || a.shared+size <= e.threshold.Limit(free) && size <= free
}

// charge books a frame that fits.
func (e *egressLimits) charge(queue int, frame units.Bytes) {
	if !e.limited[queue%len(e.limited)] {
		return
	}
	a, size := &e.accounts[queue], e.memory.Of(frame)
	if a.reserved+size <= e.minimum {
		a.reserved += size
		return
	}
	a.shared += size
	e.used += size
}

// release takes a frame off the account of its queue, what is guaranteed last.
func (e *egressLimits) release(queue int, frame units.Bytes) {
	if !e.limited[queue%len(e.limited)] {
		return
	}
	a, size := &e.accounts[queue], e.memory.Of(frame)
	shared := min(size, a.shared)
	a.shared -= shared
	e.used -= shared
	a.reserved -= size - shared
}

// Refused counts the packets that an egress queue did not take, by reason.
type Refused struct {
	Limit ClassCount // the queue was at its limit
	RED   ClassCount // RED picked them, and they could not be marked
}

// refuses decides whether an egress queue takes a packet, marks it if that is
// decided here, and counts it if it is refused.
func (s *Switch) refuses(port, priority int, p *wire.Packet, now units.Time) bool {
	q := s.queue(port, priority)
	var reason *ClassCount
	switch {
	case s.has&limiting != 0 && !s.limits.fits(q, units.Bytes(p.Frame)):
		reason = &s.refused[q].Limit
	case s.has&detecting != 0 && s.joinRED(q, p, port, priority, now):
		reason = &s.refused[q].RED
	default:
		return false
	}
	reason.Packets++
	reason.Bytes += uint64(p.Frame)
	s.refusedData += isData(p)
	return true
}
