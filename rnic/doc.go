// Package rnic is the RDMA network adapter: queue pairs, the transport that hardware runs
// for them, and the scheduler that picks the next packet for the wire.
//
// A queue pair serves one of two masters. One that carries a [Transfer] moves WRITE
// messages of which nobody looks at the memory; it is what flows are made of. One that a
// program holds ([VerbsQP]) is that of the verbs interface: work requests of all sorts on
// send and receive queues, completion queues, protection domains and regions
// (package memory), the services RC, UC and UD, states and their errors. Both have the
// same sender, with its pace, window and timers; the receiver of a program's queue pair
// carries out what it is asked for (serve.go).
//
// A NIC is one port of an adapter. It is pulled: when the port is free, its host
// asks [NIC.Transmit] for the packet to send. Nothing is queued ahead of the wire but
// acknowledgements and congestion notifications, and what an adapter that costs time
// ([Config].Hardware) prepares.
//
// The requester side of a queue pair segments messages at the path MTU, asks for
// an acknowledgement at the end of each message and every so many packets, goes
// back to the packet a NAK names or, when the timer of 4.096 us * 2^t runs out,
// to the oldest unacknowledged one, and gives up after so many rounds without
// progress with the completion status RETRY_EXC_ERR. The responder side accepts
// packets in order only, answers a gap with one NAK, a duplicate with an
// acknowledgement, and congestion marks with notifications. To show why nobody does
// so any more, a NIC may begin a message again from its first packet instead
// ([GoBackZero]). A queue pair may repeat selectively instead ([SelectiveRepeat]), or go back
// after a timer that begins short and grows ([AdaptiveTimer]).
//
// What bounds a queue pair is booked whenever it changes ([Bound]), so that the life
// of every transfer can be divided by it afterwards, without remainder.
//
// Sources: IBTA volume 1, chapter 9 (transport), 9.7.5 (acknowledgement), 9.7.6
// (retry); the Linux rxe driver for what the standard leaves open; annex A17 for
// RoCEv2.
package rnic
