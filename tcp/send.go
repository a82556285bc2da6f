package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// wait is why nothing can be sent.
type wait uint8

const (
	forNothing wait = iota // there is nothing to send
	forWindow              // for the congestion window
	forPeer                // for the peer's window
	forPace                // for its turn in time
	forNagle               // for an acknowledgement, by Nagle's rule
	forMore                // for an acknowledgement, to send a larger segment
	forLimit               // for the host
	mayGo                  // for nothing: something can be sent
)

// job is what Next would do.
type job struct {
	what  kind
	chunk int32 // to send again
	start int64
	end   int64 // with the FIN
}

type kind uint8

const (
	nothing kind = iota
	reset
	synchronise
	sendAgain
	sendNew
	tailProbe
	windowProbe
	earlierAcknowledgement
	acknowledgement
)

// inFlight is what is believed to be under way.
func (e *Endpoint) inFlight() int64 {
	return max(e.board.bytes-e.board.sacked-e.board.lost-e.inflation, 0)
}

// window is what may be in flight: what the control says, but in recovery what proportional rate
// reduction says. With nothing in flight one packet may always go.
func (e *Endpoint) window() int64 {
	w := int64(e.control.Window())
	if e.phase == recovering && e.prr.on {
		w = e.prr.window
	}
	return w
}

// pacing returns the rate of pacing; 0 if there is none.
func (e *Endpoint) pacing() units.Rate {
	if r := e.control.Pacing(); r > 0 || !e.cfg.Pacing {
		return r
	}
	return e.natural()
}

// natural is the rate of a window per round trip, with what Linux adds; 0 if no round trip has been
// measured.
func (e *Endpoint) natural() units.Rate {
	if e.rtt.srtt == 0 {
		return 0
	}
	share := e.cfg.PacingAvoidance
	if w := e.control.Window(); 2*w < e.control.Threshold() {
		share = e.cfg.PacingSlowStart
	}
	return rateOf(int64(share.Of(max(e.control.Window(), units.Bytes(e.inFlight())))), e.rtt.srtt)
}

// largest is the most payload of one segment: what the adapter takes, and no more than a millisecond
// at the pace of the connection, but two packets (Linux: tcp_tso_autosize).
func (e *Endpoint) largest() int64 {
	n := int64(e.cfg.TSO) / e.mss * e.mss
	if n < 2*e.mss {
		return e.mss
	}
	rate := e.control.Pacing()
	if rate == 0 {
		rate = e.natural()
	}
	if rate > 0 {
		n = min(n, max(int64(rate.BytesIn(units.Millisecond))/e.mss, 2)*e.mss)
	}
	return n
}

// Ready reports whether Next would give something at the time now, if there is no limit.
func (e *Endpoint) Ready(now units.Time) bool {
	j, _ := e.choose(max(e.clock, now), units.Bytes(1)<<40)
	return j.what != nothing
}

// Next returns what is to be sent next, with no more than limit bytes of data; it reports false if
// there is nothing (now).
func (e *Endpoint) Next(now units.Time, limit units.Bytes) (Segment, bool) {
	now = e.tick(now)
	j, why := e.choose(now, limit)
	e.waits = why
	switch j.what {
	case nothing:
		e.blocked(now, why)
		return Segment{}, false
	case reset:
		e.rstDue = false
		s := e.rst
		e.countSent(&s)
		return s, true
	case synchronise:
		return e.syn(now), true
	case sendAgain:
		return e.resend(j, now), true
	case sendNew, tailProbe:
		return e.sendData(j, now), true
	case windowProbe:
		e.persisted = false
		e.counters.WindowProbes++
		s := e.segment(e.una-1, ACK)
		e.countSent(&s)
		return s, true
	case earlierAcknowledgement:
		s := e.segment(e.nxt, ACK)
		s.Ack = e.peerNumber(e.earlier.upTo)
		s.Flags &^= ECE
		if e.earlier.echo {
			s.Flags |= ECE
		}
		e.earlier.due = false
		// What came with the other mark is acknowledged next.
		e.ackDue, e.ackedAt = true, e.earlier.upTo
		e.countSent(&s)
		return s, true
	}
	s := e.segment(e.nxt, ACK)
	if e.sack {
		e.sacks(&s)
	}
	e.countSent(&s)
	return s, true
}

// tellsMore reports whether an acknowledgement has more to tell than how much has come in order.
func (e *Endpoint) tellsMore() bool { return e.in.count > 0 || e.in.twice.start < e.in.twice.end }

// choose decides what is to be sent. It changes nothing.
func (e *Endpoint) choose(now units.Time, limit units.Bytes) (job, wait) {
	if e.rstDue {
		return job{what: reset}, mayGo
	}
	if e.synDue {
		return job{what: synchronise}, mayGo
	}
	if e.earlier.due {
		return job{what: earlierAcknowledgement}, mayGo
	}
	// What tells of gaps and of duplicates travels by itself: a full packet has no room for it.
	if e.ackDue && e.sack && e.tellsMore() {
		return job{what: acknowledgement}, forNothing
	}
	why := forNothing
	if e.state.sends() {
		var j job
		if j, why = e.chooseData(now, int64(limit)); j.what != nothing {
			return j, mayGo
		}
	}
	if e.ackDue {
		return job{what: acknowledgement}, why
	}
	return job{}, why
}

// chooseData decides which data are to be sent: what is lost first, then new ones.
func (e *Endpoint) chooseData(now units.Time, limit int64) (job, wait) {
	room := e.window() - e.inFlight()
	if e.board.bytes == 0 {
		room = max(room, e.mss)
	}
	pace := e.pacing()
	if i := e.board.firstLost(); i != 0 {
		c := e.board.at(i)
		n := c.end - c.start
		switch {
		case e.mustSend:
			n = min(n, e.mss)
		case room < min(n, e.mss):
			return job{}, forWindow
		case pace > 0 && e.pace.next > now:
			return job{}, forPace
		}
		if n > e.mss {
			n = min(n, max(room, e.mss), e.largest(), max(limit, 0))
			if n < c.end-c.start {
				n = n / e.mss * e.mss
			}
		}
		if n <= 0 || n > limit && n > 1 {
			return job{}, forLimit
		}
		return job{sendAgain, i, c.start, c.start + n}, mayGo
	}
	if e.probe.due {
		return e.chooseProbe(limit)
	}
	return e.chooseNew(now, limit, room, pace)
}

// chooseNew decides whether new data may go.
func (e *Endpoint) chooseNew(now units.Time, limit, room int64, pace units.Rate) (job, wait) {
	data := e.written - e.nxt // -1 if the FIN is sent
	fin := e.closing && e.nxt <= e.written
	open := e.edge - e.nxt
	switch {
	case data <= 0 && !fin:
		return job{}, forNothing
	case open <= 0 && e.persisted:
		return job{what: windowProbe}, mayGo
	case open <= 0:
		return job{}, forPeer
	case data <= 0: // a FIN alone needs no congestion window (Linux: tcp_cwnd_test)
		return job{sendNew, 0, e.nxt, e.nxt + 1}, mayGo
	case room < min(e.mss, data):
		return job{}, forWindow
	case pace > 0 && e.pace.next > now:
		return job{}, forPace
	case limit < min(e.mss, data):
		return job{}, forLimit
	}
	most := min(limit, e.largest())
	n := min(data, open, room, most)
	if n < data && n < e.mss && !e.persisted && 2*n < e.maxWindow {
		// A silly window: nothing but the peer's can be as small as this (RFC 9293, section 3.8.6.2.1).
		return job{}, forPeer
	}
	if n < data && n > e.mss || n == data && n%e.mss != 0 && e.holdsSmall() {
		n = n / e.mss * e.mss
		if n == 0 {
			return job{}, forNagle
		}
	}
	if e.defers(now, n, most, data, open, room) {
		return job{}, forMore
	}
	end := e.nxt + n
	if n == data && fin && open > n {
		end++
	}
	return job{sendNew, 0, e.nxt, end}, mayGo
}

// holdsSmall is Nagle's rule with Minshall's change: a small packet waits while another one is on its
// way.
func (e *Endpoint) holdsSmall() bool {
	return e.nagle && !e.closing && e.smallEnd > e.una
}

// defers reports whether it is better to wait for an acknowledgement that is near, so as to send a
// larger segment (Linux: tcp_tso_should_defer).
func (e *Endpoint) defers(now units.Time, n, most, data, open, room int64) bool {
	bound := min(open, room)
	if !e.cfg.TSODefer || n >= data || bound >= most || e.phase == recovering || e.board.head == 0 || e.persisted {
		return false
	}
	if bound >= min(e.maxWindow, e.window())/3 || now-e.lastSent > units.Millisecond {
		return false
	}
	return now-e.board.at(e.board.head).sent >= e.rtt.srtt/2
}

// blocked notes what the endpoint waits for.
func (e *Endpoint) blocked(now units.Time, why wait) {
	switch why {
	case forWindow, forMore:
		e.limited = e.nxt
	case forPeer:
		if e.board.bytes == 0 && e.persistAt == units.Never && !e.persisted {
			e.persistAt = now + e.persistTime()
		}
	case forNothing:
		if e.state.sends() && e.nxt >= e.written && e.inFlight() < e.window() && e.rate.appLimited < 0 {
			e.rate.appLimited = e.rate.delivered + e.inFlight()
		}
	}
}

// persistTime is the time to the next question after the peer's window.
func (e *Endpoint) persistTime() units.Time {
	d := e.rtt.rto
	for range e.persists {
		if d >= e.cfg.MaxRTO {
			break
		}
		d = min(2*d, e.cfg.MaxRTO)
	}
	return d
}

// syn makes a SYN or a SYN-ACK.
func (e *Endpoint) syn(now units.Time) Segment {
	e.synDue = false
	window := min(e.cfg.capacity(), 65535) // not scaled in a SYN (RFC 7323, section 2.2)
	e.offerEnd = max(e.offerEnd, e.in.next+window)
	s := Segment{Seq: e.number(-1), Flags: SYN, Packets: 1, Window: units.Bytes(window), MSS: e.cfg.MTU - headers, Options: e.offer()}
	if e.state == SynReceived {
		s.Flags |= ACK
		s.Ack = e.peerNumber(e.in.next)
		if e.offered&Offered != 0 {
			s.Options &= e.offered
		}
		if e.ecn {
			s.Flags |= ECE
		}
		e.ackSent()
	} else if e.wantsECN() {
		s.Flags |= ECE | CWR
	}
	s.ECT = e.exact
	s.Retransmission = e.synSent
	e.synSent = true
	e.synAt = now
	e.nxt = 0
	e.rtoAt = now + e.rtt.rto
	e.countSent(&s)
	return s
}

// segment returns a segment at an offset without data, with all that acknowledges.
func (e *Endpoint) segment(at int64, flags Flags) Segment {
	s := Segment{Seq: e.number(at), Ack: e.peerNumber(e.in.next), Flags: flags | ACK, Packets: 1}
	e.offerEnd = max(e.newEdge(), e.offerEnd)
	window := max(e.offerEnd-e.in.next, 0)
	// What is offered is what is on the wire: a multiple of the scale, rounded up so that the edge never moves back.
	window = (window + 1<<e.shift - 1) >> e.shift
	s.Window = units.Bytes(min(window, 65535) << e.shift)
	e.offerEnd = max(e.offerEnd, e.in.next+int64(s.Window))
	if e.echo {
		s.Flags |= ECE
	}
	s.ECT = e.ecn && e.exact
	e.ackSent()
	return s
}

// sacks fills in the selective acknowledgements.
func (e *Endpoint) sacks(s *Segment) {
	r := &e.in
	n := 0
	if r.twice.start < r.twice.end {
		s.Sacks[0] = Range{e.peerNumber(r.twice.start), e.peerNumber(r.twice.end)}
		n = 1
		r.twice = span{}
	}
	for _, b := range r.recent[:r.count] {
		if n == e.maxSacks {
			break
		}
		s.Sacks[n] = Range{e.peerNumber(b.start), e.peerNumber(b.end)}
		n++
	}
	s.SackCount = n
	if n > 0 {
		e.counters.DuplicateAcksSent++
	}
}

// ackSent notes that all that has come is acknowledged.
func (e *Endpoint) ackSent() {
	e.ackDue = false
	e.delackAt = units.Never
	e.ackedAt = e.in.next
}

// resend sends what is lost again.
func (e *Endpoint) resend(j job, now units.Time) Segment {
	if j.end < e.board.at(j.chunk).end {
		e.board.split(j.chunk, j.end, e.mss)
	}
	s := e.dataAgain(j.start, j.end)
	if j.chunk == e.board.head && e.phase == recovering {
		e.rtoAt = now + e.rtt.rto // Linux: tcp_xmit_retransmit_queue
	}
	e.board.sentAgain(j.chunk, now, e.rate.send(now, false))
	e.mustSend = false
	e.afterData(&s, j, now)
	return s
}

// sendData sends what has not been sent, or a probe of the tail.
func (e *Endpoint) sendData(j job, now units.Time) Segment {
	if j.chunk != 0 { // the tail again
		c := e.board.at(j.chunk)
		if j.start > c.start {
			e.board.split(j.chunk, j.start, e.mss)
			j.chunk = e.board.at(j.chunk).next
		}
		e.probe.sent(j.end, true)
		e.counters.TailProbes++
		s := e.dataAgain(j.start, j.end)
		e.board.sentAgain(j.chunk, now, e.rate.send(now, false))
		e.afterData(&s, j, now)
		return s
	}
	if j.what == tailProbe {
		e.probe.sent(j.end, false)
		e.counters.TailProbes++
	}
	if e.restart != nil && e.board.bytes == 0 && e.lastSent > 0 {
		e.restart.OnRestart(now-e.lastSent, e.rtt.rto, now)
	}
	s := e.data(j.start, j.end)
	if e.cwr {
		s.Flags |= CWR
		e.cwr = false
	}
	if int64(s.Payload)%e.mss != 0 {
		e.smallEnd = j.end
	}
	e.board.add(j.start, j.end, now, e.rate.send(now, e.board.bytes == 0))
	e.nxt = j.end
	e.persisted, e.persistAt = false, units.Never
	if out := e.inFlight(); out > e.mostOut {
		e.mostOut = out
	}
	e.afterData(&s, j, now)
	if j.what == sendNew {
		e.armProbe(now)
	}
	return s
}

// afterData is what follows all that carries data.
func (e *Endpoint) afterData(s *Segment, j job, now units.Time) {
	if e.phase == recovering {
		e.prr.out += j.end - j.start
	}
	if pace := e.pacing(); pace > 0 && s.Payload > 0 {
		e.pace.sent(s.Payload+units.Bytes(s.Packets)*e.header(), pace, now)
	}
	if e.rtoAt == units.Never {
		e.rtoAt = now + e.rtt.rto
	}
	e.lastSent = now
	e.countSent(s)
}

// header is what each packet has beside its payload.
func (e *Endpoint) header() units.Bytes {
	if e.stamps {
		return headers + timestamp
	}
	return headers
}

// data returns a segment with the bytes from start to end, with the FIN if that is beyond what is
// written.
func (e *Endpoint) data(start, end int64) Segment {
	if e.quick > 0 && e.heardAt != units.Never && e.clock-e.heardAt < e.cfg.DelayedAck {
		e.quick = 0 // the program answers: acknowledgements travel with data from now on (Linux: tcp_event_data_sent, pingpong)
	}
	s := e.segment(start, 0)
	if end > e.written && e.closing {
		s.Flags |= FIN
		end--
	}
	s.Payload = units.Bytes(end - start)
	if s.Payload > 0 {
		s.Packets = int(packets(end-start, e.mss))
		s.ECT = e.ecn
		if end == e.written {
			s.Flags |= PSH
		}
	}
	return s
}

// dataAgain returns a segment with bytes that have been sent before. It is not ECN-capable (RFC 3168,
// section 6.1.5), unless all packets of the connection are.
func (e *Endpoint) dataAgain(start, end int64) Segment {
	s := e.data(start, end)
	s.Retransmission = true
	s.ECT = s.ECT && e.exact
	return s
}

// countSent counts a segment that leaves.
func (e *Endpoint) countSent(s *Segment) {
	c := &e.counters
	c.SegmentsSent++
	c.PacketsSent += uint64(s.Packets)
	c.BytesSent += s.Payload
	if s.Flags&ECE != 0 && s.Flags&SYN == 0 {
		c.EchoesSent++
	}
	if s.Retransmission {
		c.SegmentsRetransmitted++
		c.PacketsRetransmitted += uint64(s.Packets)
		c.BytesRetransmitted += s.Payload
	} else if s.Payload == 0 && s.Flags&(SYN|FIN|RST) == 0 {
		c.AcksSent++
	}
}
