// Package topology describes a network before anything runs on it: its hosts, switches and cables ([Graph]), the families
// from which scenarios choose ([Kinds]), and the equal-cost shortest paths through it ([Routes]).
//
// A host's port is a NIC, and an address of its own: an [Endpoint]. Packets travel from endpoint to endpoint over
// switches; a host never forwards what is not for it. Two hosts may also be cabled to each other directly.
//
// What holds for every Graph that [New] returns:
//
//   - names are unique, every host has a cable, and any two hosts can reach each other;
//   - a node's ports are numbered from 0 in the order in which its cables stand in the list of links;
//   - every cable has a positive rate and a positive delay. The engine lets nodes run ahead of each other by as much as a
//     signal needs between them, so a cable of no length would leave it no room.
//
// What holds for the routes: every next hop is exactly one cable nearer to the destination, so that no choice of equal-cost
// paths, by whatever hash, can loop or end in a black hole.
//
// The package imports sim/units, hostlist and hpccfile only, and knows nothing of packets, queues or time.
package topology
