// Package goal reads and writes schedules in GOAL, the group operation assembly language of LogGOPSim (Hoefler, Schneider,
// Lumsdaine, LSAP 2010) and ATLAHS (Shen et al., 2025): of each rank, what it sends, receives and computes, and what of
// it waits for what. Both forms are read, text and binary, packed by gzip or not; the file itself tells which it is.
//
// Text is
//
//	num_ranks 2
//	rank 0 {
//	l1: calc 1200
//	l2: send 4096b to 1 tag 7
//	l2 requires l1
//	}
//	rank 1 {
//	l1: recv 4096b from 0 tag 7 cpu 1 nic 0
//	}
//
// with one statement a line. Labels are letters, digits and underscores, begin with a letter, hold within a rank and are
// needed for operations only that others refer to. An operation that requires another one starts when that has finished;
// one that irequires it, when it has started. Both have to stand above. Ranks stand in their order. A receive is from
// rank -1, or with tag -1, if it takes any; tag, cpu and nic are 0 where they are left out. A comment // to the end of
// the line or between /* and */ stands where a statement can begin. Times count in a unit that the file does not tell:
// nanoseconds, as schedgen writes them.
//
// The binary form is that of LogGOPSim's reader, little endian: the number 4223 in 8 bytes; then, and offsets count from
// here, ranks (4 bytes), highest cpu and nic (1 each), and for each rank the offsets of its beginning and its end (8
// each). A rank is numbers of operations and of roots (4 each), the roots, which wait for nothing (4 each), and records
// of 39 bytes: how many operations this one waits for (4); 1 send, 2 recv, 3 calc (1); peer (4); size or time (8); tag
// (4); cpu, nic (1 each); then how many operations wait for it to finish and where in the list behind the records they
// stand (4 each), and the same of those that wait for it to start.
//
// Reading streams: what is kept is the schedule, never the text. Errors are one line that names the line or the record.
//
// The package imports schedule and sim/units only.
package goal
