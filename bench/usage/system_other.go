//go:build !linux

package usage

import "github.com/rdmasim/rdmasim/sim/units"

// Peak is not known on this operating system.
func Peak() (units.Bytes, bool) { return 0, false }

// Processor is not known on this operating system.
func Processor() string { return "" }
