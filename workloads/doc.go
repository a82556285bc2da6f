// Package workloads says what the hosts of a network want to move, before anything runs: a [Workload] turns its
// parameters and the names of the hosts ([Env]) into a list of [Flow]. [Kinds] lists the workloads that a scenario can
// choose from, and [Generate] runs those it has chosen.
//
// A flow is messages of one size from one host to another over one queue pair. All flows are known before the run,
// and what is random about them comes from streams that are named after the workload and, where each host has its
// part, after the host: one more workload, or one more host, leaves the draws of the others as they were.
//
// Hosts are chosen by selectors, which are lists of names and patterns: "h3", "h[0-15]", "h0,h[4-7]", or "*" for all
// hosts; see package hostlist. They are also known by where they stand: "rack1/*" for all hosts of a rack, "pod0/*" for
// those of a pod, "rack[0-3]/0" for the first of each of four racks, "rack1/h9" for one that must stand there. In YAML,
// brackets and stars want quotes.
//
// Nothing here knows of packets: a fluid model could run the same flows.
package workloads
