// Package congestion has the congestion controls of TCP as pure state machines, one for each connection: told what
// acknowledgements, losses and marks say, each answers with a window and, if it paces, a rate.
//
// A [Control] owns no timer, sees no segment and schedules nothing; time comes with each call. A [Kind] is a family of
// controls as a scenario names it, with its parameters; [Kinds] lists them all, and a new one is one file and one line
// there.
//
// Windows count payload and are whole bytes to the sender; a control may keep a finer one. Invariants every control keeps:
// the window is at least one segment and at most [MaxWindow]; the same calls at the same times give the same answers,
// whether or not they were read in between; two controls share nothing that changes.
package congestion
