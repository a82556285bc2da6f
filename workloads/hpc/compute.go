package hpc

import (
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Compute is what a rank computes between two operations.
type Compute struct {
	Time units.Time // 0 if nothing
}

// add adds it, after what has been done.
func (c *Compute) add(b *schedule.Builder, after []int) int {
	i := b.Add(schedule.Op{Kind: schedule.Calc, Time: c.Time, Label: computing})
	for _, before := range after {
		b.Requires(i, before)
	}
	return i
}
