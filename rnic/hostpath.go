package rnic

import "github.com/rdmasim/rdmasim/sim/units"

// stored is when a completion can be seen in host memory that follows so many bytes of
// payload there.
func (n *NIC) stored(payload units.Bytes, now units.Time) units.Time { return now }
