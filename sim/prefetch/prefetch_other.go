//go:build !amd64 && !arm64

package prefetch

import "unsafe"

// Line is the size of a cache line in bytes, as far as it matters here.
const Line = 64

// Lines does nothing on this processor.
func Lines(unsafe.Pointer, int) {}
