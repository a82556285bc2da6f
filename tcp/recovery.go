package tcp

import (
	"math"
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// phase is what the sender does about losses.
type phase uint8

const (
	open       phase = iota // nothing is known to be lost
	recovering              // fast recovery
	restarting              // after a timeout: slow start
)

// threshold is how many packets must have overtaken another for it to count as lost where packets
// are counted (RFC 5681, RFC 6675: DupThresh).
const threshold = 3

// prr is proportional rate reduction (RFC 6937).
type prr struct {
	on        bool
	window    int64
	flight    int64 // what recovery will see delivered: RecoverFS
	delivered int64
	out       int64
}

// update works out the window after an acknowledgement of n bytes.
func (p *prr) update(e *Endpoint, n int64, lost, advanced bool) {
	if !p.on {
		return
	}
	p.delivered += n
	pipe, target := e.inFlight(), int64(e.control.Threshold())
	var send int64
	if pipe > target {
		send = mulDivUp(p.delivered, target, max(p.flight, 1)) - p.out
	} else {
		// As far as the threshold: a packet more than is delivered if nothing more is lost, else as much (RFC 6937,
		// section 3: slow start and conservative reduction bound).
		send = max(p.delivered-p.out, n)
		if advanced && !lost {
			send += e.mss
		}
		send = min(target-pipe, send)
	}
	p.window = pipe + max(send, 0)
}

// mulDivUp is ⌈a·b/c⌉ for sizes whose quotient is a size.
func mulDivUp(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(c-1), 0)
	hi += carry
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64))
}

// startRecovery enters fast recovery, on an acknowledgement of so many bytes.
func (e *Endpoint) startRecovery(delivered int64) {
	e.counters.FastRecoveries++
	e.phase = recovering
	e.recover = e.nxt
	flight := e.nxt - e.una
	e.control.OnLoss(units.Bytes(flight), e.clock)
	e.reduced, e.cwr = e.nxt, e.ecn
	// What was sacked before is not delivered during recovery (draft-ietf-tcpm-prr-rfc6937bis, section 6).
	e.prr = prr{flight: flight - e.board.sacked + delivered}
	e.prr.on = e.cfg.PRR && e.control.Threshold() < congestion.Unbounded
	e.prr.window = e.inFlight()
	e.mustSend = true // RFC 6675, section 5, step 4.3
	e.probeAt = units.Never
	e.probe.due = false
	e.rack.recoveries++
}

// detect finds out what is lost.
func (e *Endpoint) detect() {
	switch {
	case !e.sack:
	case e.cfg.RACK:
		e.detectByTime()
	default:
		e.detectByCount()
	}
}

// lose notes that a chunk is lost.
func (e *Endpoint) lose(i int32) {
	c := e.board.at(i)
	if c.lost || c.sacked {
		return
	}
	e.counters.BytesLost += units.Bytes(c.end - c.start)
	e.board.lose(i)
}

// detectByCount is RFC 6675: what three packets' worth has overtaken is lost.
func (e *Endpoint) detectByCount() {
	b, above := &e.board, int64(0)
	for i := b.tail; i != 0; i = b.at(i).prev {
		c := b.at(i)
		switch {
		case c.sacked:
			above += packets(c.end-c.start, e.mss)
		case above >= threshold && !c.again:
			e.lose(i)
		}
	}
}

// takeDuplicates is RFC 6582, for peers that do not say what has come: the third acknowledgement in a
// row that brings nothing new means that the first packet is lost, and one that brings a part, that
// the next one is. Each that brings nothing new stands for a packet that has come; what is then
// acknowledged has been counted already (Linux: tcp_add_reno_sack, tcp_remove_reno_sacks).
func (e *Endpoint) takeDuplicates(s *Segment, advanced, edgeMoved bool, in *intake) {
	if advanced {
		counted := min(e.inflation, max(in.delivered-e.mss, 0))
		in.delivered -= counted
		e.inflation = max(min(e.inflation-counted, e.board.bytes-e.board.lost), 0)
		e.dups = 0
		if e.phase == recovering && e.una < e.recover {
			e.loseHead()
			e.mustSend = true // RFC 6582, section 3.2, step 3
		}
		return
	}
	if s.Payload > 0 || edgeMoved || s.Flags&(SYN|FIN) != 0 || e.sentOffset(s.Ack) != e.una || e.board.bytes == 0 {
		return
	}
	e.counters.DuplicateAcks++
	e.dups++
	before := e.inflation
	e.inflation = min(before+e.mss, max(e.board.bytes-e.board.lost-min(e.mss, e.board.bytes), 0))
	in.delivered = max(e.inflation-before, 0)
	if e.dups == threshold && e.phase == open && e.una >= e.recover {
		e.loseHead()
	}
}

// loseHead marks the first packet as lost.
func (e *Endpoint) loseHead() {
	b := &e.board
	if b.head == 0 {
		return
	}
	if c := b.at(b.head); c.end-c.start > e.mss {
		b.split(b.head, c.start+e.mss, e.mss)
	}
	e.lose(b.head)
	e.inflation = min(e.inflation, max(b.bytes-b.lost, 0))
}

// rack is loss detection by time (RFC 8985, section 6). Where the standard compares times of sending,
// this compares places in the order of sending, which no clock blurs.
type rack struct {
	order, end  int64 // of the chunk that was sent last of those that have come
	rtt         units.Time
	highest     int64 // end of what has come
	reordered   bool
	multiple    int64 // of a quarter of the least round trip that reordering is given
	roundEnd    int64 // no second step for duplicates before this is acknowledged
	recoveries  int
	persistence int // recoveries at which the multiple is reset
}

func (r *rack) init() { r.multiple, r.roundEnd, r.highest = 1, -1, -1 }

// arrived takes in a chunk that has come, up to an offset.
func (r *rack) arrived(e *Endpoint, c *chunk, upTo int64, rtt units.Time) {
	if upTo > r.highest {
		r.highest = upTo
	} else if !c.again {
		r.reordered = true
	}
	if c.again && rtt < e.rtt.min {
		return // it is the first sending that has come
	}
	if c.order > r.order || c.order == r.order && upTo > r.end {
		r.order, r.end, r.rtt = c.order, upTo, rtt
	}
}

// duplicate gives reordering more time: what was sent again had not been lost (section 6.2, step 4).
func (r *rack) duplicate(e *Endpoint) {
	if e.una < r.roundEnd {
		return
	}
	r.roundEnd = e.nxt
	r.multiple++
	r.persistence = r.recoveries + 16
}

// window is how much later a chunk may come than one that was sent after it.
func (r *rack) window(e *Endpoint) units.Time {
	if r.recoveries >= r.persistence {
		r.multiple = 1
	}
	if !r.reordered && (e.phase != open || e.board.sacks >= threshold) {
		return 0
	}
	return min(units.Time(r.multiple)*e.rtt.min/4, e.rtt.srtt)
}

// detectByTime marks as lost what was sent so long before something that has come that it should
// have come too.
func (e *Endpoint) detectByTime() {
	e.reorderAt = units.Never
	r, b := &e.rack, &e.board
	if b.first == 0 {
		return
	}
	window := r.window(e)
	for i := b.first; i != 0; {
		c := b.at(i)
		later := c.later
		if c.order > r.order || c.order == r.order && c.end > r.end {
			return
		}
		if due := c.sent + r.rtt + window; due <= e.clock {
			e.lose(i)
		} else if e.reorderAt == units.Never || due > e.reorderAt {
			e.reorderAt = due
		}
		i = later
	}
}

// probe is the probe of the tail (RFC 8985, section 7).
type probe struct {
	due     bool
	out     bool // one has been sent and not been accounted for
	again   bool // with data sent before
	end     int64
	doubled bool // and they have been reported as duplicates
}

func (p *probe) sent(end int64, again bool) {
	*p = probe{out: true, again: again, end: end}
}

// duplicate notes a report of a duplicate that ends where the probe does.
func (p *probe) duplicate(end int64) {
	if p.out && end == p.end {
		p.doubled = true
	}
}

// acked finds out whether a probe has repaired a loss that nobody has noticed (section 7.4.2).
func (p *probe) acked(e *Endpoint, s *Segment, ack int64, in *intake) {
	switch {
	case !p.out || ack < p.end:
	case !p.again, p.doubled, ack == p.end && !in.advanced && s.Payload == 0 && s.SackCount == 0:
		p.out = false // what it carried had not been sent, or had not been lost
	case ack > p.end:
		p.out = false
		if e.phase == open {
			e.counters.ProbesRepaired++
			e.control.OnLoss(units.Bytes(e.nxt-e.una+in.delivered), e.clock)
			e.control.OnRecovered(e.clock)
			e.reduced, e.cwr = e.nxt, e.ecn
		}
	}
}

// armProbe sets the timer of the probe (section 7.2).
func (e *Endpoint) armProbe(now units.Time) {
	e.probeAt = units.Never
	if !e.cfg.TLP || !e.sack || e.phase != open || e.board.sacked > 0 || e.board.bytes == 0 || e.probe.out {
		return
	}
	d := units.Second
	if e.rtt.srtt > 0 {
		d = 2 * e.rtt.srtt
		if e.board.bytes <= e.mss {
			d += e.cfg.DelayedAck
		}
	}
	e.probeAt = min(now+d, e.rtoAt) // at the time of the timeout the probe goes in its place
}

// chooseProbe decides what a probe of the tail carries: new data if there are, or the last packet.
func (e *Endpoint) chooseProbe(limit int64) (job, wait) {
	if n := min(e.written-e.nxt, e.mss, e.edge-e.nxt); n > 0 && (n == e.mss || n == e.written-e.nxt) {
		if n > limit {
			return job{}, forLimit
		}
		return job{tailProbe, 0, e.nxt, e.nxt + n}, mayGo
	}
	i := e.board.tail
	if i == 0 {
		return job{}, forNothing
	}
	c := e.board.at(i)
	n := min(c.end-c.start, e.mss)
	if n > limit && n > 1 {
		return job{}, forLimit
	}
	return job{tailProbe, i, c.end - n, c.end}, mayGo
}
