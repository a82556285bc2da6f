package host

import "github.com/rdmasim/rdmasim/sim/units"

// livelock recognises that packets move and nothing gets on: no packet is accepted
// that had not been accepted before, and none acknowledged.
type livelock struct {
	after units.Time // the time without progress from which on it counts
	begun bool
	hops  uint64 // packets sent up to when the silence began to be long
}

// livelockHops is how many packets must have been sent in vain: where little is
// sent, such as at a rate of a packet now and then, silence means nothing.
const livelockHops = 100_000

// livelockAfter is four times as long as recovery may take that ends in an error
// completion at last, or as a pause may hold all.
func livelockAfter(c *Cluster, patience units.Time) units.Time {
	const rounds = 4
	return rounds * max(patience, min(c.giveUp, units.Never/rounds))
}

// is tells whether a silence that is long already is a livelock.
func (l *livelock) is(c *Cluster, idle units.Time) bool {
	if l.begun && idle <= l.after {
		return false
	}
	_, hops := c.work()
	if !l.begun {
		l.begun, l.hops = true, hops
	}
	return idle > l.after && hops-l.hops > livelockHops
}
