package rnic

import "github.com/rdmasim/rdmasim/sim/units"

// land writes payload that has come into host memory, to an address under a key; what is not yet there
// when a completion is written gets there before it, since the bus keeps the order of writes.
func (n *NIC) land(key uint32, va uint64, payload units.Bytes, now units.Time) {
	if n.adapter != nil && payload > 0 {
		n.adapter.holdIntake(n.translated(key, va, payload, now))
		n.objects.landed = n.WriteMemory(payload, now)
	}
}

// landed is when the payload that has come last can be seen in host memory.
func (n *NIC) landed(now units.Time) units.Time { return max(now, n.objects.landed) }

// stored is when a completion that is written now can be seen in host memory. The bus keeps it behind all payload, but
// memory that is further away than the host's, or slow, may show the payload later: what says that
// payload has come is then seen with it, as where libraries read back from a GPU before they believe a completion.
func (n *NIC) stored(brings bool, now units.Time) units.Time {
	at := n.WriteCompletion(now)
	if brings {
		at = max(at, n.objects.landed)
	}
	return at
}
