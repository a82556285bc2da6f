// Package pcie is a PCI Express slot at the level of its transactions: read requests,
// completions, posted writes, and the bytes that each of them adds to what it carries.
//
// A [Link] is fed with times and answers with times; it schedules nothing. What is asked
// of it is served in the order of the calls, whose times must not go back. Each call costs
// a step for each read request and nothing else, and allocates nothing.
//
// What a slot can carry follows from the mechanism. Its raw rate is that of its lanes less
// the line code. Each packet of the transaction layer adds a header, framing and a check
// sum; acknowledgements and credits of the data link layer take a share. A read waits for one of a
// bounded number of tags, which is free again when the last completion has come, so that
// reads move at most tags times request size for each round trip: a far memory is slow
// because it is far.
//
// Sources: PCI Express base specification (encodings, limits on payload, request size and
// completion boundary); R. Neugebauer et al., Understanding PCIe performance for end host
// networking, SIGCOMM 2018 (bytes of each kind of packet, and how a slot's rate follows).
package pcie
