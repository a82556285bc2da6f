// Package selective is loss recovery by selective repeat, as two state machines that know
// packets by running numbers and nothing else: no time, no queue pair, no wire.
//
// A [Receiver] takes in packets out of order and says what each brings: whether it was
// new, and how much is complete in order with it. A [Sender] is the scoreboard at the
// other end: which packets have been reported as received, which count as lost, and
// which of them is to be sent again next.
//
// Source: Mittal et al., Revisiting Network Support for RDMA (SIGCOMM 2018), section 3.1,
// "IRN". What it leaves open, which packets count as lost when a timer has run out, is as
// in the simulator published with ConWeave (SIGCOMM 2023): all that are outstanding and
// were not reported.
package selective

// MaxWindow is the greatest number of packets that may be in flight, which is as far
// ahead of a gap as a report can name a packet.
const MaxWindow = 1<<16 - 1

// ring is the length of a ring for so many packets: a power of two.
func ring(window int) int {
	n := 64
	for n < window {
		n *= 2
	}
	return n
}
