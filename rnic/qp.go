package rnic

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// request is a work request on the send queue: one WRITE message.
type request struct {
	first    int64 // running number of its first packet; its PSN is the low 24 bits
	packets  int64
	offset   units.Bytes // payload posted on this queue pair before it
	size     units.Bytes
	transfer int   // index into the NIC's transfers, if it is part of one
	work     *work // what a verbs program has posted, otherwise
}

// QP is a queue pair: a requester, a responder, and who is at the other end.
type QP struct {
	// Peer and PeerQPN are the endpoint and queue pair at the other end.
	Peer    int32
	PeerQPN uint32
	// SourcePort is the UDP source port of its packets, from which, with the
	// addresses, switches choose paths.
	SourcePort uint16
	dest       topology.Dest // of its packets
	flow       uint32        // hash of the 5-tuple
	data       Class
	verbs      *VerbsQP // nil for one that carries transfers
	recovery   Recovery
	irn        *irn    // nil but with selective repeat
	stream     *stream // nil but with iWARP
	requester
	responder
}

// requester is the sending side of a queue pair. Packets are counted from the
// initial PSN on and never wrap; only on the wire are they cut to 24 bits.
type requester struct {
	next int64 // packet to send next
	una  int64 // oldest unacknowledged packet
	// furthest is the greatest una there has been: with go-back-0 it goes back.
	furthest int64
	highest  int64 // first packet never sent
	end      int64 // first packet not yet posted
	current  int   // index in the send queue of the message that next belongs to

	acked  units.Bytes // payload before una
	sent   units.Bytes // payload before next
	posted units.Bytes

	pace      cc.Pace
	nextStart units.Time // pacing: no packet may start before
	lastStart units.Time
	remainder int64 // of the pacing division, carried so that the rate does not drift
	lastWire  int

	sinceAck   int
	asked      int64 // the packet after the last one that asked for an acknowledgement
	retries    int
	expiries   int // of the retransmission timer, since the last progress
	place      place
	pacedAt    units.Time // of its valid entry among the paced
	deadline   units.Time // of the retransmission timer; Never if nothing is outstanding
	deadlineAt units.Time // of its entry among the timers; Never if it has none
	controlAt  units.Time // likewise for the congestion control's timer
	unreported units.Bytes
	controller cc.Controller
	queue      fabric.Queue[request]
	failed     Status // Success while the queue pair works
	counted    RequesterCounters
	marked     units.Time // when the mark was set that congestion control has not answered yet; Never if none
	feedback   Feedback
	ledger     ledger
	leader     int // the transfer that led last; see [NIC.Bounds]
}

// place is where the scheduler has put a queue pair.
type place uint8

const (
	idle    place = iota // nothing to send, or the window is closed
	ready                // in the ring of its class
	waiting              // for its pace
)

// RequesterCounters are the books of the sending side of a queue pair.
type RequesterCounters struct {
	Packets, Payload     uint64 // sent, retransmissions included
	Retransmitted        uint64 // packets sent again
	RetransmittedPayload uint64
	Acks, Naks, CNPs     uint64 // received
	Timeouts             uint64
	Restarts             uint64 // of a message from its first packet (go-back-0)
}

// responder is the receiving side of a queue pair.
type responder struct {
	expected int64      // packet that is next in sequence
	gap      bool       // a NAK for expected was sent; silence until it comes
	naked    units.Time // when it was sent
	reached  int64      // the greatest expected there has been: with go-back-0 it goes back
	first    int64      // of the message in progress (go-back-0)
	held     uint64     // payload accepted of the message in progress (go-back-0)
	notifier dcqcn.Notifier
	marks    fabric.Queue[units.Time] // when those were set whose notifications wait for their latency
	inbound  []delivery               // transfers to come, in the order in which they start
	arrived  int                      // index of the one in progress
	received ResponderCounters
}

// ResponderCounters are the books of the receiving side of a queue pair.
type ResponderCounters struct {
	Packets                  uint64 // accepted
	Payload                  uint64 // of these, in order; with go-back-0 of whole messages only
	Abandoned                uint64 // packets accepted of messages begun again (go-back-0)
	Duplicates               uint64 // packets received again
	OutOfSequence            uint64 // packets behind a gap, dropped
	OutOfOrder               uint64 // packets behind a gap, accepted (selective repeat); they are among Packets
	OutOfSequencePayload     uint64
	DuplicatePayload         uint64
	Marked                   uint64 // data packets that came with CE
	CNPsSent, Acks, NaksSent uint64
}

// delivery is the receiver's side of a transfer.
type delivery struct {
	transfer int // number in the run
	start    units.Time
	messages int64 // still to come
	lastByte units.Time
}

// Verbs is the queue pair as a program holds it; nil for one that carries transfers.
func (qp *QP) Verbs() *VerbsQP { return qp.verbs }

// Sent are the books of the queue pair's requester.
func (qp *QP) Sent() RequesterCounters { return qp.counted }

// Received are the books of its responder.
func (qp *QP) Received() ResponderCounters { return qp.received }

// Add adds other books to these.
func (c *RequesterCounters) Add(o RequesterCounters) {
	c.Packets += o.Packets
	c.Payload += o.Payload
	c.Retransmitted += o.Retransmitted
	c.RetransmittedPayload += o.RetransmittedPayload
	c.Acks += o.Acks
	c.Naks += o.Naks
	c.CNPs += o.CNPs
	c.Timeouts += o.Timeouts
	c.Restarts += o.Restarts
}

// Add adds other books to these.
func (c *ResponderCounters) Add(o ResponderCounters) {
	c.Packets += o.Packets
	c.Payload += o.Payload
	c.Abandoned += o.Abandoned
	c.Duplicates += o.Duplicates
	c.DuplicatePayload += o.DuplicatePayload
	c.OutOfSequence += o.OutOfSequence
	c.OutOfSequencePayload += o.OutOfSequencePayload
	c.OutOfOrder += o.OutOfOrder
	c.Marked += o.Marked
	c.CNPsSent += o.CNPsSent
	c.Acks += o.Acks
	c.NaksSent += o.NaksSent
}
