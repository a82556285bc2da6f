// Package collective holds what the ranks of a job send each other in a collective operation: for every algorithm a plan
// of each rank's messages, and the time that theory gives for it.
//
// A plan says which messages a rank sends, which ones it receives, and which of those must have come before which of
// these can go. It holds no times and knows no network: whoever runs it (package programs, on hosts and NICs) finds out
// how long it takes. Nothing in it is known to all ranks at once; a step begins at a rank when its inputs have arrived
// there.
//
// The algorithms are those of NCCL and of MPI libraries; docs/collectives.md lists them with their formulas.
package collective
