// Package schedule is what the ranks of a job have to do, and what of it waits for what: computing, messages, and
// collectives of groups of ranks. Traces that others have recorded, and models of applications, become a [Job]; what
// it takes on a network, whoever runs it finds out.
//
// Each rank has a [Graph] of operations of its own. An operation becomes ready when all that it requires have finished,
// and those that it needs only the start of have started. Between ranks there are messages and collectives only: nothing
// that one rank does waits for another one but by them.
//
// A graph is compact: an operation takes 48 bytes, what follows what another 4 bytes for each pair, so that a job of ten
// million operations fits into half a gigabyte or so.
package schedule
