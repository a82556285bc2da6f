// Package memory is what an RDMA adapter knows of its host's memory: protection
// domains, memory regions with their keys and rights, and the bytes themselves as
// far as anybody depends on what they are.
//
//   - [Space] is one host's address space as one adapter sees it. [Space.Register]
//     makes a region of it known under a key, [Space.Check] decides whether an access
//     under a key is allowed, by the rules and in the order of an adapter.
//   - Payload is not carried around in a simulation, but locks, counters and pointers
//     are made of what memory holds. So a space has the bytes that are not 0, in pages that
//     exist only where somebody has stored something: [Space.Store], [Space.CompareSwap] and
//     [Space.FetchAdd] work on 8 bytes, [Space.Words] and [Space.Place] carry over what a
//     message takes from one memory into another. Where all is 0 they cost nothing.
//   - [Registration] is what it costs to register a region.
//   - [Space.Translations] numbers what an adapter has to look up to access a region: its key
//     and the addresses of its pages.
//
// Nothing here knows of time or of packets: the adapter calls, and is told at once.
//
// Sources: IBTA volume 1, 10.6 (memory management) and 9.4.5 (atomic operations);
// ibv_reg_mr(3) for the rights that presuppose each other.
package memory
