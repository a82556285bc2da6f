// Package fabric is the network between the hosts: links, ports, and switches
// with a shared buffer, priority queues, ECN marking and PFC. Switches store frames
// or let them cut through, serve their queues by strict priority or by weight, and the
// flows of a queue in turn if they are asked to; each may have settings of its own.
//
// [New] builds it from a graph and its routes. The ports of the hosts are part
// of it too, since a cable has two alike ends; package host takes them over and
// decides what they send.
//
// What goes wrong with cables in the course of a run ([Faults]) is known before it:
// each end of a cable decides at the start of a transmission whether the frame will
// arrive, and changes with the cable at events of its own. A sound cable costs a
// comparison a frame.
//
// What holds at any time, and is checked at the end of every run: every frame in
// a switch is charged to exactly one priority group, in whole cells; what the groups
// hold of the shared pool and of the pool of headroom adds up to what those have
// given; no class starts a frame while its peer has it paused; a lossless class loses
// nothing unless its headroom, or the pool it is drawn from, is too small, and then
// every lost frame is counted.
package fabric
