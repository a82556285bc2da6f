// Package archtest holds the rules about the module's own source as tests.
//
// Imports only go down: one table says which package may import which, with the reason why it may import nothing else.
// A package that is not in the table fails the test, so that its place is decided when it is made.
//
// The model packages (everything that runs in simulated time) are deterministic: the same scenario and seed give the
// same bits on any number of workers and on every machine. So they read no clock, draw no random numbers outside a
// seeded stream, never depend on the order of a map, keep no state in package variables, start no goroutines outside
// the engine, and compute with floats only in ways that give the same last bit on every processor.
//
// Every exported name is documented, and no file has an init function.
//
// Each rule is tested on a few lines of source that break it, and on a few that come close and do not.
package archtest
