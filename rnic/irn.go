package rnic

import (
	"fmt"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/rnic/selective"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// SelectiveRepeat are the parameters of recovery by selective repeat. A responder takes in
// packets behind a gap, places their payload and answers each with a NAK that names the missing packet
// and the one that came; messages complete in order all the same. A requester sends again
// what is missing, each packet once in a recovery, before anything new; what is lost a second time waits
// for a timer, after which all that is outstanding and was not reported is sent again.
//
// Source: Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018, section 3
// ("IRN"). A queue pair fails when nothing has been acknowledged for as long as it would
// take with go-back-N.
type SelectiveRepeat struct {
	// Window bounds the packets between the oldest that is not acknowledged and the next
	// one, at most [selective.MaxWindow]; 0 is that.
	Window int
	// TimerLow is the time without progress after which a queue pair with at most Few packets in
	// flight sends again, TimerHigh that of one with more; 0 for never.
	TimerLow, TimerHigh units.Time
	Few                 int
}

// timer is the timer of a queue pair with so many packets in flight.
func (s *SelectiveRepeat) timer(inFlight int64) units.Time {
	after := s.TimerHigh
	if inFlight <= int64(s.Few) {
		after = s.TimerLow
	}
	if after == 0 {
		return units.Never
	}
	return after
}

// window is the bound of the packets in flight.
func (s *SelectiveRepeat) window() int {
	if s.Window == 0 {
		return selective.MaxWindow
	}
	return min(s.Window, selective.MaxWindow)
}

// irn is what a queue pair with selective repeat has beside others. Both ends are those of
// package selective; this is how they are told what happens.
type irn struct {
	window   int64
	sender   selective.Sender
	receiver selective.Receiver
	since    units.Time // when the timer was started
	progress units.Time // when something was acknowledged last, or the first packet went out after a rest
}

func newIRN(cfg *Config, first int64) *irn {
	window := cfg.Selective.window()
	return &irn{
		window: int64(window), sender: selective.NewSender(first, window), receiver: selective.NewReceiver(first, window),
	}
}

// repairing tells whether a lost packet is to be sent before anything new.
func (s *irn) repairing() bool {
	_, lost := s.sender.Lost()
	return lost
}

// full tells whether as many packets are in flight as may be.
func (s *irn) full(qp *QP) bool { return qp.next-qp.una >= s.window }

// decides tells whether it depends on the repair of loss alone if the queue pair may send.
func (s *irn) decides(qp *QP) bool { return s.full(qp) || s.repairing() }

// acknowledge notes that all packets before one are acknowledged.
func (s *irn) acknowledge(covered int64, now units.Time) {
	s.sender.Acknowledge(covered)
	s.progress = now
}

// started notes that the timer starts, for the first packet after a rest or again.
func (s *irn) started(rested bool, now units.Time) {
	s.since = now
	if rested {
		s.progress = now
	}
}

// irnDeadline is when the timer runs out for what is in flight now, which may be more than
// when it was started.
func (n *NIC) irnDeadline(qp *QP) units.Time {
	if qp.deadline == units.Never {
		return 0
	}
	after := n.retransmitAfter(qp)
	if after == units.Never {
		return after
	}
	return qp.irn.since + after
}

// resend makes the first lost packet again. It asks for an acknowledgement, whatever it
// asked for before.
func (n *NIC) resend(qp *QP, now units.Time) *wire.Packet {
	packet, _ := qp.irn.sender.Lost()
	qp.irn.sender.Resent()
	r := qp.queue.Front()
	for k := 1; packet >= r.first+r.packets; k++ {
		r = qp.queue.At(k)
	}
	op, payload := piece(Write, r.size, packet-r.first, r.packets, n.cfg.MTU)
	n.transfers[r.transfer].Retransmitted += units.Bytes(payload)
	p := n.packet(qp, op, payload, packet, now)
	p.Flags = wire.AckReq
	return p
}

// onReport handles a NAK, whose acknowledgement has been dealt with: a packet has come
// behind a gap.
func (n *NIC) onReport(i int, packet int64, now units.Time) {
	qp := &n.qps[i]
	qp.irn.sender.Report(packet)
	if qp.irn.sender.Recover(qp.next) {
		n.recover(i, cc.SequenceNAK, now)
	}
	n.enrol(i, now)
}

// expire handles a timer that has run out.
func (n *NIC) expire(i int, now units.Time) {
	qp := &n.qps[i]
	if now-qp.irn.progress >= n.selectiveLasts(qp) {
		n.giveUp(qp, now)
		return
	}
	if qp.verbs != nil {
		qp.verbs.expired(qp)
	}
	qp.irn.sender.Expire(qp.next)
	n.recover(i, cc.Timeout, now)
	n.enrol(i, now)
}

// recover books the beginning of a recovery, and tells the congestion control.
func (n *NIC) recover(i int, why cc.Loss, now units.Time) {
	qp := &n.qps[i]
	n.boundBy(qp, ByRecovery, now)
	n.restartTimer(i, now)
	n.reportSent(qp, now)
	n.setPace(i, qp.controller.OnLoss(now, why), now)
}

// respondSelectively handles a packet of a request message.
func (n *NIC) respondSelectively(qp *QP, p *wire.Packet, now units.Time) {
	c, in := &qp.received, &qp.irn.receiver
	packet := p.PSN.Unwrap(qp.expected)
	arrival, passed := in.Take(packet, int(p.Payload), p.Op.EndsMessage())
	ahead := packet - qp.expected
	switch arrival {
	case selective.Next:
		n.Progress++
		c.Packets++
		c.Payload += passed.Bytes
		qp.expected = in.Expected()
		qp.reached = qp.expected
		for range passed.Messages {
			if qp.delivered(now) {
				n.Awaited--
			}
		}
		if p.Flags.Has(wire.AckReq) || passed.Packets > 1 || in.Held() > 0 {
			c.Acks++
			n.answer(qp, p, wire.Ack, qp.expected-1)
		}
		return
	case selective.Ahead:
		n.Progress++
		c.Packets++
		c.OutOfOrder++
	case selective.Beyond:
		c.OutOfSequence++
		c.OutOfSequencePayload += uint64(p.Payload)
		ahead = 0
	case selective.Duplicate:
		c.Duplicates++
		c.DuplicatePayload += uint64(p.Payload)
		if ahead < 0 {
			c.Acks++
			n.answer(qp, p, wire.Ack, qp.expected-1)
			return
		}
	}
	c.NaksSent++
	n.report(qp, p, ahead)
}

// report queues a NAK for the missing packet that names how far ahead of it another one
// has come.
func (n *NIC) report(qp *QP, to *wire.Packet, ahead int64) {
	nak := qp.reply(to, wire.NakSequence, qp.expected, n.cfg.CutOnGaps)
	nak.SetAhead(ahead)
	if qp.verbs != nil {
		nak.Flags |= wire.OfLife(qp.verbs.life)
	}
	n.queueControl(n.cfg.Ack, &nak)
}

// irnCause tells what a queue pair with work left that may not send waits for.
func (n *NIC) irnCause(qp *QP, timer string) string {
	una := wire.PSNOf(qp.una)
	switch {
	case qp.irn.sender.Recovering():
		return fmt.Sprintf("PSN %d, which is lost and has been sent again; %s", una, timer)
	case qp.next != qp.end && qp.irn.full(qp):
		return fmt.Sprintf("its window of %d packets: PSN %d is not acknowledged; %s", qp.irn.window, una, timer)
	case qp.next != qp.end && !n.windowOpen(qp):
		return fmt.Sprintf("its window of %v: PSN %d is not acknowledged; %s", n.window(qp), una, timer)
	}
	return fmt.Sprintf("the acknowledgement of PSN %d; %s", una, timer)
}
