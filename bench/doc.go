// Package bench measures how fast rdmasim is on this machine, and what it takes for that.
//
// A [Case] is a network with its flows, built like that of a scenario. [Cases] lists them:
// a new one is one file, if its kind is new, and one line there. A [Plan] runs cases
// several times with different numbers of workers, which take turns so that a machine
// that becomes slower or faster meanwhile does so for all of them, and makes a [Report]
// of it. Each run is a process of its own ([Child]), so that its memory is that of the
// case, and no run finds the heap of another.
//
// Before and after each run the machine itself is measured (package calibration), so that
// reports of different machines and times can be compared ([Compare]).
package bench
