//go:build !unix

package usage

import "time"

// CPU is not known on this operating system.
func CPU() (time.Duration, bool) { return 0, false }
