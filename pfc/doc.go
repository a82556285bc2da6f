// Package pfc is priority-based flow control (IEEE 802.1Qbb) as pure state
// machines, fed with times and buffer levels and returning decisions:
//
//   - [Pauser] is the transmitting side: which classes may not send now, until
//     when, and for how long they could not;
//   - [Requester] is the receiving side: which classes its peer should pause, and
//     which PFC frame has to tell it so;
//   - [Threshold] decides when a priority group asks for a pause and when it
//     lets go again;
//   - [Watchdog] declares a storm where a class is paused for ever;
//   - [Reaction] adds up the bytes that still arrive after a pause was decided,
//     which is the headroom that a lossless group needs; [NICHeadroom] is the rule by
//     which a NIC sets it aside.
package pfc
