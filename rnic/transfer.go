package rnic

import (
	"slices"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Transfer is the sender's side of what an application moves over a queue pair:
// a number of messages of one size, posted together at one time or each when another has
// completed. A message above [MaxMessage] goes as several.
type Transfer struct {
	ID       int // number in the run
	QP       int // index among the NIC's queue pairs
	Size     units.Bytes
	Messages int
	Start    units.Time
	// Depth is how many messages are posted at a time, if not all: the next follows when one
	// completes. Such a transfer has its queue pair to itself.
	Depth int

	// Open is how many messages have not completed yet, -1 before the start.
	Open int64
	// End is when the last message completed, with Status.
	End    units.Time
	Status Status
	// Retransmitted is payload sent more than once.
	Retransmitted units.Bytes
	// Sent is when its last packet was sent for the first time, or [units.Never].
	Sent     units.Time
	tally    tally
	unposted int // messages that wait for others to complete
}

// Done tells whether all messages have completed, well or not.
func (t *Transfer) Done() bool { return t.Open == 0 }

// Transfers are the transfers that this NIC sends.
func (n *NIC) Transfers() []Transfer { return n.transfers }

// Connect joins a new queue pair of each NIC, and gives their indices. Data that
// a sends goes in the given class.
func Connect(a, b *NIC, data Class) (qa, qb int) {
	qa, qb = len(a.qps), len(b.qps)
	a.addQP(b, qb, data)
	b.addQP(a, qa, data)
	if data.IWARP {
		connectStreams(a, qa, b, qb)
	}
	return qa, qb
}

func (n *NIC) addQP(peer *NIC, peerQP int, data Class) {
	if n.sendQueues == nil {
		n.sendQueues = new(sendQueues)
	}
	local, remote := QPN(len(n.qps)), QPN(peerQP)
	port := SourcePort(local, remote)
	psn := int64(n.cfg.InitialPSN)
	qp := QP{
		Peer: peer.endpoint, PeerQPN: remote, SourcePort: port, data: data, dest: peer.address,
		flow: TupleHash(n.endpoint, peer.endpoint, port),
	}
	qp.requester = blankRequester(psn)
	qp.expected, qp.first = psn, psn
	qp.reached = psn
	n.qps = append(n.qps, qp)
	n.Recover(len(n.qps)-1, n.cfg.Recovery)
}

// blankRequester is the sending side of a queue pair that has sent nothing yet.
func blankRequester(psn int64) requester {
	return requester{
		next: psn, una: psn, highest: psn, end: psn, furthest: psn, asked: psn,
		deadline: units.Never, deadlineAt: units.Never, controlAt: units.Never,
		marked: units.Never,
	}
}

// Control gives a queue pair its congestion control; before that it must not send.
func (n *NIC) Control(i int, c cc.Controller) {
	if n.qps[i].stream != nil {
		c = n.leftToTCP()
	}
	n.qps[i].controller = c
	n.qps[i].pace = c.Start(0)
}

// Add announces a transfer over a queue pair, at both ends; it starts at its time.
func (n *NIC) Add(t Transfer, peer *NIC, peerQP int) {
	messages := int64(t.Messages) * pieces(t.Size)
	t.Open, t.Sent = -1, units.Never
	n.timer(startTimer, t.Start, len(n.transfers))
	n.transfers = append(n.transfers, t)
	n.Unfinished++
	peer.Awaited++
	peer.qps[peerQP].expect(delivery{transfer: t.ID, start: t.Start, messages: messages, lastByte: units.Never})
}

// expect announces a transfer to the responder. Transfers over one queue pair are
// sent in the order in which they start.
func (r *responder) expect(d delivery) {
	at := len(r.inbound)
	for at > 0 && r.inbound[at-1].start > d.start {
		at--
	}
	r.inbound = slices.Insert(r.inbound, at, d)
}

// pieces is how many work requests a message takes.
func pieces(size units.Bytes) int64 { return max(1, int64((size+MaxMessage-1)/MaxMessage)) }

// begin posts the messages of a transfer.
func (n *NIC) begin(i int, now units.Time) {
	t := &n.transfers[i]
	t.Open = int64(t.Messages) * pieces(t.Size)
	qp := &n.qps[t.QP]
	t.tally.late = now - t.Start
	n.open(qp, now)
	n.catchUp(t.QP, now)
	first := qp.next == qp.end
	at := t.Messages
	if t.Depth > 0 {
		at = min(at, t.Depth)
		t.unposted = t.Messages - at
	}
	for range at {
		n.postMessage(i, now)
	}
	if first {
		n.lead(i, now)
	}
}

// postMessage posts a message of a transfer.
func (n *NIC) postMessage(i int, now units.Time) {
	t := &n.transfers[i]
	for left := t.Size; ; left -= MaxMessage {
		n.post(t.QP, min(left, MaxMessage), i, now)
		if left <= MaxMessage {
			return
		}
	}
}

// complete books the completion of a message, or of a piece of one, and posts the next if one waits for that.
func (n *NIC) complete(transfer int, s Status, now units.Time) {
	if n.adapter != nil && n.putsOff(transfer, s, now) {
		return
	}
	t := &n.transfers[transfer]
	t.Open--
	if t.Status == Success {
		t.Status = s
	}
	if t.unposted > 0 {
		n.follow(transfer, now)
	}
	if t.Open == 0 {
		t.End = now
		n.Unfinished--
		n.end(t, now)
	}
}

// follow posts the next message of a transfer whose depth left it waiting, or gives it up with
// the others.
func (n *NIC) follow(i int, now units.Time) {
	t := &n.transfers[i]
	switch per := pieces(t.Size); {
	case t.Status != Success:
		t.Open -= int64(t.unposted) * per
		t.unposted = 0
	case t.Open%per == 0:
		t.unposted--
		n.postMessage(i, now)
	}
}

// Deliveries calls f for every transfer that a NIC has received or is to
// receive: when its last byte came, or [units.Never].
func (n *NIC) Deliveries(f func(transfer int, lastByte units.Time)) {
	for i := range n.qps {
		for _, d := range n.qps[i].inbound {
			at := d.lastByte
			if d.messages > 0 {
				at = units.Never
			}
			f(d.transfer, at)
		}
	}
}
