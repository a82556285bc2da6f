// Package calibration tells how fast a machine is for work like a simulator's, so that
// figures of different machines, and of one machine at different times, can be compared.
//
// [Measure] runs three fixed loops in turn:
//
//   - events: the earliest of 256 events is taken from a heap and put back later, and one of
//     four things is done with it, by chance: arithmetic in the first cache with branches
//     that no processor can predict;
//   - near: a walk through 1 MiB of cache lines in a random order, each of which says where
//     the next one is: the latency of the second cache, where a small network fits;
//   - far: the same through 16 MiB: the latency of what comes behind it, and of the tables
//     that translate addresses.
//
// [Speeds.Score] puts the three together as the time that a packet-hop would take, and
// compares that with the reference machine. Loops and weights are fixed for ever as
// [Version]: a change of either is a new version, and scores of different versions
// cannot be compared. Each loop ends in a checksum that is the same everywhere; a
// machine that finds another one has not done the work.
package calibration
