// Package credit is the flow control of InfiniBand links (InfiniBand Architecture
// Specification, volume 1, 7.9) as pure state machines, one pair for each virtual lane and
// direction of a link:
//
//   - [Sender] counts the blocks it has sent (FCTBS), knows up to which count it may send
//     (FCCL), and tells whether a packet may go;
//   - [Receiver] counts the blocks that have come (ABR), holds them in a buffer of its lane,
//     and tells the sender up to which count it has room.
//
// A block is 64 bytes, and a packet takes up whole blocks. Counts have twelve bits and go
// round: all arithmetic is modulo 4096, and a receiver never grants more than half of
// that, so that what is behind and what is ahead can be told apart.
//
// A packet goes only if there is room for it, so none is ever dropped for lack of buffer.
// If packets are lost on the way, the receiver has counted too little and grants too
// little; a flow-control packet brings the sender's own count, which the receiver takes
// over. If flow-control packets are lost, the next one says all that they said.
package credit
