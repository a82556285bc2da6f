// Package stopwatch reads the wall clock for the engine, the only part of the model
// that may look at it: how long windows take decides who runs them, and never what
// happens in them.
package stopwatch

import "time"

// Start starts a stopwatch. What it returns tells the nanoseconds since then.
func Start() func() int64 {
	began := time.Now()
	return func() int64 { return int64(time.Since(began)) }
}
