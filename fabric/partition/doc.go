// Package partition shares the nodes of a network out to workers.
//
// Workers meet once in every window of the least look-ahead between nodes of
// different workers, so that the short cables of a network, those from hosts to their
// leaf, should not be cut, and few of the others: a frame over a cut cable costs more.
// What a worker is given should be its part of the work in every window and not only
// in sum, and since packets cross a network in waves, tier by tier, it gets its part
// of each tier: so many pods, so many cores.
//
// Within a worker the order of the nodes matters. In a window they run one after the
// other, each from the beginning of the window to its end, so what one sends to
// another that has not run yet may arrive in the same window. Only links against the
// order bound the window. If leaves run before their hosts, the cable from leaf to
// host does not count, and that from host to leaf counts with the pipeline of the leaf.
//
// Nothing of this can be seen in results, but for the time that they take.
package partition
