package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Leg is a link of a path: its rate, and its delay with the pipeline of the
// switch it leads into. With Header bytes of a frame that switch may pass it on; 0
// is all of it.
type Leg struct {
	Rate   units.Rate
	Delay  units.Time
	Header int
}

// lead is how much earlier than its last bit a frame may go on from the far end.
func (l Leg) lead(f *wire.Framing, size int) units.Time {
	if l.Header == 0 || size <= l.Header {
		return 0
	}
	return f.Serialise(l.Rate, size) - f.Serialise(l.Rate, l.Header)
}

// run is a number of packets of the same wire size in a row.
type run struct {
	count int64
	wire  int
}

// runs lists the packets of a transfer.
func (c Cut) runs(size units.Bytes, messages int) []run {
	var rs []run
	for range messages {
		for left := size; ; left -= MaxMessage {
			rs = c.appendMessage(rs, min(left, MaxMessage))
			if left <= MaxMessage {
				break
			}
		}
	}
	return rs
}

func (c Cut) appendMessage(rs []run, size units.Bytes) []run {
	only, first, middle, end := wire.WriteOnly, wire.WriteFirst, wire.WriteMiddle, wire.WriteLast
	if c.sends {
		only, first, middle, end = wire.SendOnly, wire.SendFirst, wire.SendMiddle, wire.SendLast
	}
	packets := c.Packets(size)
	last := int(size - units.Bytes(packets-1)*units.Bytes(c.MTU))
	if packets == 1 {
		return append(rs, run{1, c.wireBytes(only, last)})
	}
	rs = append(rs, run{1, c.wireBytes(first, c.MTU)})
	if packets > 2 {
		rs = append(rs, run{packets - 2, c.wireBytes(middle, c.MTU)})
	}
	return append(rs, run{1, c.wireBytes(end, last)})
}

// Busy is how long a message of a size keeps a link of a rate busy: all its packets one after the other.
func (c Cut) Busy(size units.Bytes, rate units.Rate) (sum units.Time) {
	for _, r := range c.runs(size, 1) {
		sum += units.Time(r.count) * c.cfg.Framing.Serialise(rate, r.wire)
	}
	return sum
}

// Ideal is how long a transfer takes that has the network to itself, at line
// rate over the given links, all switches storing and forwarding: to the last
// byte at the receiver, and to the last acknowledgement at the sender.
//
// Packet i leaves hop k at E[i][k] = max(E[i-1][k], E[i][k-1]) + its time on link
// k (delays aside): the longest of all ways through packets and hops. Within a
// run of equal packets a way's length is linear in where it turns to the next
// hop, so the longest turns at the ends of runs, and only those are looked at.
// With no messages it is the delay of the links and the way of an acknowledgement.
func (c Cut) Ideal(size units.Bytes, messages int, forward, back []Leg) (lastByte, lastAck units.Time) {
	rs, frames := c.runs(size, messages), c.cfg.Framing
	ends := make([]units.Time, 2*len(rs)) // of the first and last packet of each run
	var before Leg
	for _, leg := range forward {
		throughHop(frames, ends, rs, before, leg.Rate)
		lastByte += leg.Delay
		before = leg
	}
	if len(ends) > 0 {
		lastByte += ends[len(ends)-1]
	}
	lastAck = lastByte
	ack := c.wireBytes(wire.Acknowledge, 0)
	for _, leg := range back {
		lastAck += frames.Serialise(leg.Rate, ack) - leg.lead(frames, ack) + leg.Delay
	}
	return lastByte, lastAck
}

// Frames is a number of frames of the same size on the wire, one after the other.
type Frames struct {
	Count int64
	Wire  int
}

// Pipelined is how long frames that are all ready at once take over the given links of
// Ethernet, switches storing and forwarding, until the last has come; see [Config.Ideal].
func Pipelined(frames []Frames, links []Leg) (last units.Time) {
	var rs []run
	for _, f := range frames {
		if f.Count > 0 {
			rs = append(rs, run{f.Count, f.Wire})
		}
	}
	ends := make([]units.Time, 2*len(rs))
	var before Leg
	for _, leg := range links {
		throughHop(nil, ends, rs, before, leg.Rate)
		last += leg.Delay
		before = leg
	}
	return last + ends[len(ends)-1]
}

// Ideal is that of the queue pairs that do not travel as iWARP.
func (c *Config) Ideal(size units.Bytes, messages int, forward, back []Leg) (lastByte, lastAck units.Time) {
	return c.Cut(Class{}).Ideal(size, messages, forward, back)
}

// throughHop turns the times at which packets leave one hop into those at which
// they leave the next, delays aside. At the first hop, before which there is none,
// all are ready at 0.
func throughHop(f *wire.Framing, ends []units.Time, rs []run, last Leg, rate units.Rate) {
	var before units.Time     // time on the link of all packets before
	turn := units.Time(-1e18) // the longest way here, less the link time before its turn
	for i, r := range rs {
		each, lead := f.Serialise(rate, r.wire), last.lead(f, r.wire)
		for j, packet := range [2]int64{0, r.count - 1} {
			link := before + units.Time(packet)*each // of the packets before this one
			turn = max(turn, ends[2*i+j]-lead-link)
			ends[2*i+j] = turn + link + each
		}
		before += units.Time(r.count) * each
	}
}
