// Package rdmacm is RDMA connection management as a state machine without events or
// packets of its own: how two programs that know of each other only an address and a
// service get a pair of connected queue pairs, and get rid of it again.
//
// A [Manager] does this for one port of an adapter. It is fed with times: its owner tells it
// of requests of programs ([Manager.Connect], [Manager.Accept] …) and of messages that have come
// ([Manager.Deliver]), asks when it wants to be called again ([Manager.Next]), and does then
// what [Manager.Step] says, one [Action] after another.
//
// The exchange is that of the RDMA connection manager:
//
//	active                                      passive
//	  address resolution   ── ARP request ──▶
//	                       ◀── ARP reply ───
//	  create, INIT
//	                       ────── REQ ──────▶   asks the program, which accepts
//	                                            create, INIT; RTR; RTS
//	                       ◀───── REP ──────
//	  RTR; RTS; may send
//	                       ────── RTU ──────▶   knows that the other side is ready
//	  …
//	  ERR                  ────── DREQ ─────▶   ERR
//	                       ◀───── DREP ─────
//	  rests for a while    (timewait)           rests for a while
//
// or a REJ in place of the REP. REQ, REP and DREQ are sent again, a bounded number of times, until
// they are answered. Each is one management datagram ([MADBytes]) in a UD packet.
//
// What it costs a host are the commands to the adapter's firmware, which executes one after the
// other, and the handling of every message that comes in, by one kernel thread.
//
// Sources: IBTA volume 1, chapter 12 (communication management) and annex A11 (RDMA IP CM
// service); the Linux drivers ib_cm and rdma_cm for times and for what the standard leaves
// open.
package rdmacm
