//go:build amd64 || arm64

package prefetch

import "unsafe"

// Line is the size of a cache line in bytes, as far as it matters here.
const Line = 64

// Lines asks for a number of cache lines, at least one, from an address on. It reads
// nothing: any address will do, and nothing depends on whether it was heard.
//
//go:noescape
func Lines(at unsafe.Pointer, lines int)
