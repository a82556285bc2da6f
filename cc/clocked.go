package cc

import "github.com/rdmasim/rdmasim/sim/units"

// Clocks is how many clocks a [Clocked] controller has.
const Clocks = 3

// Clocked is a controller whose clocks are events of their own, for runs in which it
// matters what happens first at one instant.
type Clocked interface {
	Controller
	// Due is when a clock ticks next; units.Never if it stands still. Clocks that one
	// call has set are set in the order of their numbers.
	Due(clock int) units.Time
	// Tick is called when a clock ticks.
	Tick(clock int, now units.Time) Pace
}
