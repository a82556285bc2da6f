package fabric

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// What a PFC watchdog does about a storm.

// mitigate begins what the watchdog does about a storm.
func (s *Switch) mitigate(port, priority int, now units.Time) {
	switch s.watchdog.action {
	case WatchdogDrop:
		s.watchdog.discarding[port] |= 1 << priority
		s.discardQueue(port, priority, now)
	case WatchdogForward:
		s.ports[port].ignore(priority, now)
		s.kick(port, now)
	}
}

// discardQueue empties a queue.
func (s *Switch) discardQueue(port, priority int, now units.Time) {
	i := s.queue(port, priority)
	q := &s.queues[i]
	s.backlog[port] &^= 1 << priority
	if s.schedulers != nil {
		s.schedulers[port].leave(priority)
	}
	for q.bytes > 0 {
		p := *s.take(i)
		s.watchdog.at(port, priority).discard(&p)
		s.release(port, &p, now)
	}
	if s.red != nil {
		s.red.averages[i].idleSince = now
	}
}

// discards takes a frame that came in by one port and would leave by another out of the
// traffic, and tells so, if its class is stormed at either of them.
func (s *Switch) discards(in, out, priority int, p *wire.Packet) bool {
	w, bit := s.watchdog, uint8(1)<<priority
	switch {
	case w.discarding[in]&bit != 0:
		w.at(in, priority).discard(p)
	case w.discarding[out]&bit != 0:
		w.at(out, priority).discard(p)
	default:
		return false
	}
	return true
}

func (w *watched) discard(p *wire.Packet) {
	w.discarded.Packets++
	w.discarded.Bytes += uint64(p.Frame)
	w.discardedData += isData(p)
}

// discarded is what the watchdog has discarded at all ports, and how many of that
// were data packets.
func (s *Switch) discarded() (all ClassCount, data uint64) {
	if s.watchdog == nil {
		return all, 0
	}
	for i := range s.watchdog.classes {
		all.Add(s.watchdog.classes[i].discarded)
		data += s.watchdog.classes[i].discardedData
	}
	return all, data
}

// Discarded is what the watchdog has discarded at a port for a storm in a priority.
func (s *Switch) Discarded(port, priority int) ClassCount {
	if s.watchdog == nil {
		return ClassCount{}
	}
	return s.watchdog.at(port, priority).discarded
}
