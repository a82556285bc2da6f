// Package sim is the engine: it runs nodes through simulated time, on one core
// or many, with the same result bit for bit.
//
// A frame needs at least the propagation delay of a link to reach the next
// node. So whatever happens at one node during a window shorter than the
// smallest link delay (the look-ahead) cannot depend on what happens elsewhere
// in that window. Each node therefore keeps its own small agenda and runs all
// its events of a window in one go, while its queues are warm in the cache.
// Events at one node run in an order fixed by the topology, and nothing else
// orders them, which is why it cannot show who runs it.
//
// Windows are of two kinds ([Share], [Config]). Nodes of different workers run at the
// same time, and workers meet at a barrier in each window of the look-ahead between
// them. Within it a worker runs its own nodes in windows of the look-ahead among
// these: one after another, so that only what goes back in their order counts.
// Whether workers really run at the same time is chosen by what is faster, which is
// all that the wall clock is good for here.
//
// What is decided for the whole run (is the work done? has everything stalled?)
// is decided by a [Supervisor] at the edges of a fixed grid of simulated time,
// for which windows are cut, so that neither the partition nor the look-ahead
// can move a decision.
//
// The method is conservative parallel simulation in synchronous windows
// (Nicol, "The cost of conservative synchronization in parallel discrete event
// simulations", JACM 1993; as used for networks by UNISON, EuroSys 2024).
package sim
