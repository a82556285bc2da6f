package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// Receive takes in a segment that has come. It does not keep s.
func (e *Endpoint) Receive(s *Segment, now units.Time) {
	e.tick(now)
	c := &e.counters
	c.SegmentsReceived++
	c.PacketsReceived += uint64(s.Packets)
	c.BytesReceived += s.Payload
	c.PacketsMarked += uint64(s.Marked)
	switch e.state {
	case Closed:
		c.BytesRefused += s.Payload
		e.refuse(s)
	case Listen:
		c.BytesRefused += s.Payload
		e.receiveListening(s)
	case SynSent:
		c.BytesRefused += s.Payload
		e.receiveSynSent(s)
	default:
		e.receive(s)
	}
}

// refuse answers a segment that belongs to no connection with RST (RFC 9293, section 3.10.7.1).
func (e *Endpoint) refuse(s *Segment) {
	if s.Flags&RST != 0 {
		return
	}
	if s.Flags&ACK != 0 {
		e.resetPeer(Segment{Seq: s.Ack, Flags: RST})
		return
	}
	e.resetPeer(Segment{Ack: s.Seq + uint32(s.span()), Flags: RST | ACK})
}

// receiveListening is RFC 9293, section 3.10.7.2.
func (e *Endpoint) receiveListening(s *Segment) {
	switch {
	case s.Flags&RST != 0:
	case s.Flags&ACK != 0:
		e.resetPeer(Segment{Seq: s.Ack, Flags: RST})
	case s.Flags&SYN != 0:
		e.takeSyn(s)
		e.ecn = e.wantsECN() && s.Flags.Has(ECE|CWR)
		e.state, e.synDue = SynReceived, true
	}
}

// takeSyn takes from a SYN what it tells of the peer.
func (e *Endpoint) takeSyn(s *Segment) {
	e.irs = s.Seq
	e.in.next = 0
	e.offered = s.Options
	e.agree(s.MSS, s.Options)
	e.edge = int64(s.Window)
	e.maxWindow = int64(s.Window)
}

// receiveSynSent is RFC 9293, section 3.10.7.3.
func (e *Endpoint) receiveSynSent(s *Segment) {
	acked := s.Flags&ACK != 0 && s.Ack == e.number(0) && e.synSent
	switch {
	case s.Flags&ACK != 0 && !acked:
		if s.Flags&RST == 0 {
			e.resetPeer(Segment{Seq: s.Ack, Flags: RST})
		}
	case s.Flags&RST != 0:
		if acked {
			e.end(ErrRefused)
		}
	case s.Flags&SYN == 0:
	case acked:
		e.takeSyn(s)
		e.ecn = e.wantsECN() && s.Flags&(ECE|CWR) == ECE
		e.synAcked()
		e.ackDue = true
		e.establish()
	default: // both have opened at once
		e.takeSyn(s)
		e.synSent = false
		e.ecn = e.wantsECN() && s.Flags.Has(ECE|CWR)
		e.state, e.synDue = SynReceived, true
	}
}

// synAcked notes that the peer has our SYN.
func (e *Endpoint) synAcked() {
	e.una, e.nxt = 0, 0
	if !e.synRetransmits {
		e.rtt.sample(e.clock-e.synAt, e.clock, e.cfg)
	}
}

// receive is RFC 9293, section 3.10.7.4.
func (e *Endpoint) receive(s *Segment) {
	start := e.peerOffset(s.Seq)
	if s.Flags&SYN != 0 {
		start++ // of the data that follow it
	}
	end := start + int64(s.Payload)
	last := end
	if s.Flags&FIN != 0 {
		last++
	}
	if !e.acceptable(start, last) {
		e.outside(s, start, end)
		return
	}
	if s.Flags&RST != 0 {
		e.counters.BytesRefused += s.Payload
		if start == e.in.next {
			e.receiveReset()
		} else {
			e.challenge() // RFC 5961, section 3.2
		}
		return
	}
	if s.Flags&SYN != 0 {
		e.counters.BytesRefused += s.Payload
		if e.state == SynReceived && s.Flags&ACK != 0 && s.Ack == e.number(0) {
			e.synAcked() // both have opened at once
			e.establish()
			e.ackDue = true
			return
		}
		e.challenge() // RFC 5961, section 4.2
		return
	}
	if s.Flags&ACK == 0 {
		e.counters.BytesRefused += s.Payload
		return
	}
	if e.state == SynReceived {
		if s.Ack != e.number(0) {
			e.counters.BytesRefused += s.Payload
			e.resetPeer(Segment{Seq: s.Ack, Flags: RST})
			return
		}
		e.synAcked()
		e.establish()
		e.edge = e.sentOffset(s.Ack) + int64(s.Window) // the first that is scaled
		e.maxWindow = int64(s.Window)
	}
	if !e.acknowledged(s) {
		e.counters.BytesRefused += s.Payload
		return
	}
	if e.state == Closed || e.state == TimeWait && last == start {
		e.counters.BytesRefused += s.Payload
		return
	}
	e.takeData(s, start, end, last)
}

// acceptable reports whether some of a segment lies in the window (RFC 9293, section 3.10.7.4).
func (e *Endpoint) acceptable(start, last int64) bool {
	edge := max(e.offerEnd, e.in.next)
	if start == last {
		return start >= e.in.next && start <= edge
	}
	return start < edge && last > e.in.next
}

// outside answers a segment that is not acceptable: with an acknowledgement, unless it is RST.
func (e *Endpoint) outside(s *Segment, start, end int64) {
	if s.Flags&RST != 0 {
		e.counters.BytesRefused += s.Payload
		return
	}
	if e.state == SynReceived && s.Flags&SYN != 0 && s.Flags&ACK == 0 && start == e.in.next {
		e.synDue = true // its SYN again: our answer was lost
		return
	}
	// What has come before is reported as a duplicate (RFC 2883).
	if old := min(end, e.in.next) - start; old > 0 && s.Flags&SYN == 0 {
		e.counters.BytesDuplicate += units.Bytes(old)
		e.counters.BytesRefused += s.Payload - units.Bytes(old)
		e.in.twice = span{start, start + old}
	} else {
		e.counters.BytesRefused += s.Payload
	}
	if e.state == TimeWait && s.Flags&FIN != 0 {
		e.endAt = e.clock + e.cfg.TimeWait
	}
	if s.Flags&ACK != 0 && s.Flags&SYN == 0 && e.state.Synchronised() {
		e.acknowledged(s) // an acknowledgement is as good as any (Linux takes it too)
	}
	if e.state == Closed {
		return
	}
	if s.Flags&SYN == 0 && start == end && s.Flags&FIN == 0 && start != e.in.next-1 {
		// An acknowledgement that was overtaken; a window probe is the number before what is expected.
		if e.clock < e.answerAt {
			return
		}
		e.answerAt = e.clock + answerEvery
	}
	e.challenge()
}

// answerEvery is how often old segments without data are answered (Linux: tcp_invalid_ratelimit).
const answerEvery = 500 * units.Millisecond

// challenge answers what does not fit with an acknowledgement.
func (e *Endpoint) challenge() {
	e.counters.Challenges++
	e.ackDue = true
}

// receiveReset is the peer's end of the connection.
func (e *Endpoint) receiveReset() {
	switch e.state {
	case TimeWait:
		e.end(nil)
	case SynReceived:
		e.end(ErrRefused)
	default:
		e.end(ErrReset)
	}
}

// takeData takes in the payload and the FIN of a segment that is acceptable.
func (e *Endpoint) takeData(s *Segment, start, end, last int64) {
	if start == last {
		return
	}
	if s.Flags&CWR != 0 && !e.exact {
		e.echo = false
	}
	if e.ecn && s.Payload > 0 {
		e.takeMarks(s, start)
	}
	c := &e.counters
	if !e.state.takes() {
		if e.finAt >= 0 && end <= e.finAt {
			c.BytesDuplicate += s.Payload
		} else {
			c.BytesRefused += s.Payload
		}
		e.ackDue = true
		return
	}
	fin := s.Flags&FIN != 0
	edge := e.offerEnd
	if end > edge {
		c.BytesRefused += units.Bytes(end - max(edge, start))
		end, fin = max(edge, start), false
	}
	if e.finAt >= 0 && end > e.finAt {
		c.BytesRefused += units.Bytes(end - max(e.finAt, start))
		end = max(e.finAt, start)
	}
	before, behind := e.in.next, len(e.in.ahead)
	fresh := e.in.take(start, end)
	if fresh > 0 {
		e.heardAt = e.clock
	}
	c.BytesDuplicate += units.Bytes(end - start - fresh)
	if fin {
		e.finAt = end
	}
	if e.in.next > before && behind == 0 && e.in.twice.start == e.in.twice.end {
		e.delay()
	} else {
		if e.in.next == before && fresh > 0 {
			c.OutOfOrder++
		}
		e.ackDue = true // RFC 5681, section 4.2: a gap, what fills one, and what comes twice are told at once
	}
	if e.finAt >= 0 && e.in.next == e.finAt {
		e.in.next++
		e.receiveFin()
	}
}

// delay decides when what has come in order is acknowledged.
func (e *Endpoint) delay() {
	switch unacked := e.in.next - e.ackedAt; {
	case e.quick > 0:
		e.quick--
		e.ackDue = true
	case e.cfg.DelayedAck == 0, unacked > int64(e.cfg.AckEvery-1)*e.mss:
		e.ackDue = true
	case e.delackAt == units.Never:
		e.delackAt = e.clock + e.cfg.DelayedAck
	}
}

// receiveFin is the end of the peer's direction.
func (e *Endpoint) receiveFin() {
	e.ackDue = true
	switch e.state {
	case Established:
		e.state = CloseWait
	case FinWait1:
		e.state = Closing
	case FinWait2:
		e.timeWait()
	}
}

// timeWait is the entry into TIME-WAIT.
func (e *Endpoint) timeWait() {
	e.state = TimeWait
	e.endAt = e.clock + e.cfg.TimeWait
	e.rtoAt, e.probeAt, e.reorderAt, e.persistAt = units.Never, units.Never, units.Never, units.Never
}

// takeMarks notes which packets of a segment, whose data begin at an offset, were marked. Of one
// that has both kinds those that are like what came before count as the first.
func (e *Endpoint) takeMarks(s *Segment, start int64) {
	if !e.exact {
		if s.Marked > 0 {
			e.echo = true // until CWR comes (RFC 3168, section 6.1.3)
		}
		return
	}
	alike := s.Packets - s.Marked // packets with the mark of what came before
	if e.echo {
		alike = s.Marked
	}
	if alike >= s.Packets {
		return
	}
	upTo := e.in.next
	if start <= upTo && len(e.in.ahead) == 0 && alike > 0 {
		upTo = max(upTo, start+min(int64(alike)*e.mss, int64(s.Payload)-1))
	}
	// Linux, dctcp_ece_ack_update: what came with the other mark is acknowledged first.
	if upTo > e.ackedAt {
		e.earlier = earlierAck{due: true, upTo: upTo, echo: e.echo}
	}
	e.echo = !e.echo
	e.ackDue = true
}
