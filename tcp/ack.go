package tcp

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// acknowledged takes in what a segment acknowledges. It reports false if that was never sent.
func (e *Endpoint) acknowledged(s *Segment) bool {
	now := e.clock
	ack := e.sentOffset(s.Ack)
	if ack > e.nxt {
		e.challenge()
		return false
	}
	e.unheard = 0
	if e.ecn && s.Flags&ECE != 0 {
		e.counters.Echoes++
	}
	edgeMoved := e.takeWindow(s, ack)

	flight := e.nxt - e.una
	lostBefore := e.counters.BytesLost
	var in intake
	if e.sack && s.SackCount > 0 {
		e.takeSacks(s, ack, &in)
	}
	advanced := ack > e.una
	in.advanced = advanced
	if advanced {
		e.retries = 0
		e.takeCumulative(ack, &in)
	}
	if !e.sack {
		e.takeDuplicates(s, advanced, edgeMoved, &in)
	} else if !advanced && ack == e.una && s.Payload == 0 && !edgeMoved && e.board.bytes > 0 && s.Flags&(SYN|FIN) == 0 {
		e.counters.DuplicateAcks++
	}
	e.takeRTT(&in)
	finAcked := e.closing && e.una > e.written
	e.probe.acked(e, s, ack, &in)
	e.detect()
	lost := e.counters.BytesLost > lostBefore

	was := e.phase
	if e.phase != open && e.una >= e.recover {
		e.phase = open
		e.dups, e.inflation = 0, 0
	}
	if e.phase == open && e.board.losts > 0 {
		if was == recovering { // one recovery ends, and another begins
			e.control.OnRecovered(now)
			was = open
		}
		e.startRecovery(in.delivered)
	}
	rate, appLimited, round := e.rate.sample(in.delivered, now, e.rtt.min)
	if e.phase == recovering && in.delivered > 0 {
		e.prr.update(e, in.delivered, lost, advanced)
	}
	if in.delivered > 0 || round {
		e.tellControl(&in, rate, appLimited, round, s.Flags&ECE != 0, was == recovering || e.phase == recovering)
	}
	if was == recovering && e.phase == open {
		e.control.OnRecovered(now)
	}
	if e.ecn && s.Flags&ECE != 0 && advanced && e.una > e.reduced && e.phase == open {
		e.counters.Reductions++
		e.control.OnECN(units.Bytes(flight), now)
		e.reduced, e.cwr = e.nxt, true
	}
	if e.una > e.mostUntil {
		e.mostOut, e.mostUntil = e.inFlight(), e.nxt
	}
	e.setTimers(advanced, &in)
	if finAcked {
		e.finAcknowledged()
	}
	return true
}

// intake is what one acknowledgement brings.
type intake struct {
	delivered int64 // acknowledged for the first time
	advanced  bool  // cumulatively
	fin       bool  // of it, one is the FIN
	spurious  bool  // a duplicate of what was sent again has been reported
	// The round trips of the first and of the last chunk acknowledged that was sent once; 0: none.
	first, last units.Time
}

// takeWindow takes in the window that the peer offers, whose edge never moves back, and reports
// whether it has moved.
func (e *Endpoint) takeWindow(s *Segment, ack int64) bool {
	e.maxWindow = max(e.maxWindow, int64(s.Window))
	edge := ack + int64(s.Window)
	if ack >= e.una && s.Window == 0 && edge >= e.edge {
		if !e.zero {
			e.counters.ZeroWindows++
		}
		e.zero = true
	}
	if edge <= e.edge {
		return false
	}
	e.edge = edge
	e.zero = false
	e.persists = 0
	e.persistAt = units.Never
	return true
}

// takeSacks takes in the selective acknowledgements of a segment.
func (e *Endpoint) takeSacks(s *Segment, ack int64, in *intake) {
	var told [4]span
	for i, r := range s.Sacks[:s.SackCount] {
		start, end := e.sentOffset(r.Start), e.sentOffset(r.End)
		if start >= end || end > e.nxt {
			continue
		}
		if i == 0 && e.reportsDuplicate(s, start, end, ack) {
			e.counters.BytesSpurious += units.Bytes(end - start)
			in.spurious = true
			e.rack.duplicate(e)
			e.probe.duplicate(end)
			continue
		}
		if end <= ack || end <= e.una {
			continue
		}
		told[i] = span{start, end}
		if !e.toldBefore(start, end) {
			e.takeSack(max(start, e.una), end, in)
		}
	}
	e.told = told
}

// toldBefore reports whether the acknowledgement before has told of [start, end) as well.
func (e *Endpoint) toldBefore(start, end int64) bool {
	for _, t := range e.told {
		if t.start <= start && end <= t.end {
			return true
		}
	}
	return false
}

// reportsDuplicate tells a report of a duplicate: a first block that is acknowledged already, or lies
// within the second (RFC 2883, section 4).
func (e *Endpoint) reportsDuplicate(s *Segment, start, end, ack int64) bool {
	if start < ack {
		return true
	}
	if s.SackCount < 2 {
		return false
	}
	second := s.Sacks[1]
	return start >= e.sentOffset(second.Start) && end <= e.sentOffset(second.End)
}

// takeSack marks what lies in [start, end) as arrived.
func (e *Endpoint) takeSack(start, end int64, in *intake) {
	b := &e.board
	i := b.find(start)
	for i != 0 {
		c := b.at(i)
		if c.start >= end {
			return
		}
		if c.sacked {
			i = c.next
			continue
		}
		if c.start < start {
			b.split(i, start, e.mss)
			i = b.at(i).next
			continue
		}
		if c.end > end {
			b.split(i, end, e.mss)
			c = b.at(i)
		}
		n := c.end - c.start
		e.arrived(c, c.end, in)
		in.delivered += n
		e.counters.BytesSACKed += units.Bytes(n)
		upTo := c.end
		b.markSacked(i, e.mss)
		i = b.find(upTo)
	}
}

// takeCumulative takes what lies before ack off the board.
func (e *Endpoint) takeCumulative(ack int64, in *intake) {
	b := &e.board
	for b.head != 0 {
		i := b.head
		c := b.at(i)
		if c.start >= ack {
			break
		}
		upTo := min(c.end, ack)
		if !c.sacked {
			e.arrived(c, upTo, in)
			in.delivered += upTo - c.start
		}
		if upTo < c.end {
			b.trim(i, ack, e.mss)
			break
		}
		b.remove(i, e.mss)
	}
	if e.closing && ack > e.written && e.una <= e.written {
		in.fin = true
	}
	e.una = ack
	e.mustSend = e.mustSend && b.losts > 0
}

// arrived takes in the times of a chunk that has come, up to an offset.
func (e *Endpoint) arrived(c *chunk, upTo int64, in *intake) {
	e.rate.arrived(c)
	rtt := e.clock - c.sent
	// Of what was sent twice one cannot tell which has come (Karn). Timestamps tell; as they are not
	// carried, a time that no round trip has been shorter than counts as the last one's.
	if !c.again || e.stamps && e.rtt.min > 0 && rtt >= e.rtt.min {
		if in.first == 0 {
			in.first = max(rtt, 1)
		}
		in.last = max(rtt, 1)
	}
	e.rack.arrived(e, c, upTo, rtt)
}

// takeRTT takes in samples of the round trip. The timeout is made of the oldest chunk's, which has
// waited for a delayed acknowledgement (Linux: tcp_ack_update_rtt).
func (e *Endpoint) takeRTT(in *intake) {
	if in.first == 0 {
		return
	}
	e.rtt.sample(in.first, e.clock, e.cfg)
	e.rtt.least(in.last, e.clock)
}

// tellControl tells the congestion control of an acknowledgement.
func (e *Endpoint) tellControl(in *intake, rate units.Rate, appLimited, round, echo, recovery bool) {
	n := in.delivered
	if in.fin {
		n--
	}
	e.ack = congestion.Ack{
		Acked: units.Bytes(n), RTT: in.last, InFlight: units.Bytes(e.inFlight()), Lost: e.counters.BytesLost - e.lostTold,
		RoundStart: round, Recovery: recovery, AppLimited: appLimited, Rate: rate, Limited: e.isLimited(n),
	}
	if echo && e.ecn {
		e.ack.Marked = e.ack.Acked
	}
	if e.ack.Acked > 0 || round {
		e.lostTold = e.counters.BytesLost
		e.control.OnAck(&e.ack, e.clock)
	}
}

// isLimited reports whether the window has bound the sender: what is acknowledged was sent when the
// window was full, or, in slow start, more than half full (Linux: tcp_is_cwnd_limited).
func (e *Endpoint) isLimited(n int64) bool {
	if e.una-n < e.limited {
		return true
	}
	return e.control.Window() < e.control.Threshold() && int64(e.control.Window()) < 2*e.mostOut
}

// finAcknowledged moves on when the peer has acknowledged our FIN.
func (e *Endpoint) finAcknowledged() {
	switch e.state {
	case FinWait1:
		e.state = FinWait2
	case Closing:
		e.timeWait()
	case LastAck:
		e.end(nil)
	}
}
