// Package verify holds rdmasim against theory, standards, papers and other simulators, and says how close it came.
//
// A [Check] is one thing to be held against: a scenario of scenarios/verify, whose expectations are its rows, or a
// function of this package. To add a check, put a scenario there (in the folder full if it takes long), or write a
// function and add a line to [Checks]. Checks run side by side and do not depend on each other; the table of their rows
// is the same in whatever order they end.
package verify
