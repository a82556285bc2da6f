package host

import "github.com/rdmasim/rdmasim/sim/units"

// CPU says how many cores the hosts of a run have and what work takes them. The zero
// value is a processor that takes no time for anything, with as many cores as there are
// threads: the network alone.
type CPU struct {
	// Cores of each host; 0 for one for each thread. Threads are pinned to them in turn.
	Cores int
	// Post is what it takes to post the first work request of a doorbell, its bell
	// included; PostMore each further one, and a receive.
	Post, PostMore units.Time
	// Poll is what it takes to take one completion from a queue, or to see in memory what a
	// WRITE has brought.
	Poll units.Time
	// InterruptDelay is the time from an event to its core's notice; Interrupt is what its
	// handler takes that core, and Wake what it takes to have the thread run again.
	InterruptDelay, Interrupt, Wake units.Time
	// IdleExit is what a core takes to leave the idle state in which an interrupt or a thread that
	// wakes finds it once it has had nothing to do for IdleAfter.
	IdleExit, IdleAfter units.Time
}

// DefaultCPU is a server of today, by the figures from which the small-message
// latencies of adapters are put together: 120 ns to post and 60 ns to poll (Zambre et al.
// measure 175 and 62 ns on a slower processor), 20 to 40 ns for each further request of a
// doorbell, and 3 to 6 us from an event to a thread that runs again.
func DefaultCPU() CPU {
	return CPU{
		Cores: 16, Post: 120 * units.Nanosecond, PostMore: 30 * units.Nanosecond, Poll: 60 * units.Nanosecond,
		InterruptDelay: 800 * units.Nanosecond, Interrupt: 1200 * units.Nanosecond, Wake: 2000 * units.Nanosecond,
	}
}

// Rouse is what an interrupt of a device takes a core until a thread runs that sleeps for it.
func (c *Cluster) Rouse() units.Time {
	if c.kernel != nil {
		return c.kernel.Interrupt + c.kernel.Wake
	}
	return c.CPU.Interrupt + c.CPU.Wake
}

// Usage is what a thread has had of its core.
type Usage struct {
	// Busy is the time in which it worked: posted, took completions, computed, woke up.
	Busy units.Time
	// Spinning is the time for which it looked for completions in vain; 0 for one that
	// sleeps until there is an event.
	Spinning units.Time
}

// Cores is the share of a core that the thread kept from others in so long a time.
func (u Usage) Cores(in units.Time) float64 {
	if in <= 0 {
		return 0
	}
	return float64(u.Busy+u.Spinning) / float64(in)
}
