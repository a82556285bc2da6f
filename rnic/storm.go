package rnic

import (
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Storm has the NIC break down: from a time until another, or [units.Never], it asks
// its peer to pause a priority, over and over, for no reason ("NIC PFC pause frame
// storm", Guo et al., SIGCOMM 2016). It must be called before the run.
func (n *NIC) Storm(priority int, from, to units.Time) {
	n.timer(stormTimer, from, priority)
	if to != units.Never {
		n.timer(stormTimer, to, priority+pfc.Priorities)
	}
}

// Storming tells whether the NIC pauses its peer for no reason at present.
func (n *NIC) Storming(priority int) bool { return n.storms&(1<<priority) != 0 }

// onStormTimer begins a storm of a priority, or ends it: then the number of the
// priority is that much higher.
func (n *NIC) onStormTimer(id int) {
	priority := id % pfc.Priorities
	if id < pfc.Priorities {
		n.storms |= 1 << priority
		n.port.Requester.XOFF(priority)
		return
	}
	n.storms &^= 1 << priority
	n.letGo(priority)
}
