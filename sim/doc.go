// Package sim is the engine: it runs nodes through simulated time, on one core
// or many, with the same result bit for bit.
//
// A frame needs at least the propagation delay of a link to reach the next
// node. So whatever happens at one node during a window shorter than the
// smallest link delay (the look-ahead) cannot depend on what happens elsewhere
// in that window. Each node therefore keeps its own small agenda and runs all
// its events of a window in one go, while its queues are warm in the cache;
// nodes of different workers run at the same time and meet at a barrier per
// window. Events at one node run in an order fixed by the topology, and nothing
// else orders them, which is why the number of workers cannot show.
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
