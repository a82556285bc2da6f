package rnic

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/wire"
)

// stream is one end of the TCP connection of a queue pair (iWARP), which the adapter runs, and
// the messages in it.
//
// The scheduler gives a queue pair with a stream its turns like any other. In a turn TCP sends
// again what it holds for lost, or else the next DDP segment is cut, written and sent, if the
// window lets it out; so nothing lies written and not sent, and each segment travels in
// a packet of its own. Acknowledgements without payload are sent at once. The numbers that a
// requester counts by are here those of the segments of its requests.
//
// What a message is travels beside the packets, as a [message] that the sender writes down
// when it begins it; where it ends in the stream follows from its size.
type stream struct {
	nic   *NIC
	index int // among those of the NIC
	qp    int // index of its queue pair; -1 as long as it has none
	tcp   *tcp.Endpoint
	data  Class
	// Where its packets go, and the number that the other end knows it by.
	dest       topology.Dest
	flow       uint32
	peerNumber uint32
	// life and peerLife tell its packets from those of an earlier connection of the same numbers.
	life, peerLife uint8

	out      outgoing
	in       incoming
	sendable bool       // there is something for the wire
	covered  int64      // number of the first segment of a request that is not acknowledged
	timerAt  units.Time // of its entry among the timers; Never if it has none
	timeouts uint64     // of TCP, that have been booked
	made     *making    // for which connection it is made during the run; nil if it stands from the start
	service  uint64     // that is called
}

// outgoing is the way out of a stream.
type outgoing struct {
	messages pageWriter[message]
	sacks    pageWriter[sackNote]
	op       wire.RDMAP  // of the message that is being cut
	size     units.Bytes // of its payload
	done     units.Bytes // of these, cut; the message is over when open is false
	open     bool
	of       int64 // number of the next of its segments among those of requests; -1 if it is none
	last     bool  // it ends its request
	source   source
	cut      fabric.Queue[cutSegment] // not acknowledged
	repeats  bool                     // TCP has something that it has sent before
	over     bool                     // nothing more may be cut
	refusal  bool                     // the message of the manager being cut ends what this side sends
}

// source is where the payload of a message is.
type source struct {
	key    uint32
	va     uint64
	inline bool // it has come with its work request, or the adapter makes it
}

// cutSegment is a DDP segment that has been written.
type cutSegment struct {
	end     units.Bytes // of its FPDU in the stream
	payload units.Bytes
	of      int64 // its number among those of requests; -1 if it is none
}

// incoming is the way in.
type incoming struct {
	messages pageReader[message]
	sacks    pageReader[sackNote]
	message  *message    // of which the next segment is to come; nil if none is begun
	got      units.Bytes // of its payload
}

// message is what an RDMAP message says beside its payload. Once its first packet has left it
// does not change any more.
type message struct {
	op     wire.RDMAP
	size   units.Bytes // of the payload, in all its segments
	header             // what it names; the number of the packet means nothing here
	verb   Verb        // which of the two atomic operations it asks for
	status Status      // of a TERMINATE: how requests end for which it is the reason
	// setup is what the manager of connections says; see streamconnect.go.
	setup *rdmacm.Message
}

// sackNote is what an acknowledgement says of what came behind a gap.
type sackNote struct {
	count int
	sacks [4]tcp.Range
}

// offload is what a NIC has that runs TCP.
type offload struct {
	streams []*stream
	arrived tcp.Segment // that is being taken in
}

// newStream makes a stream without a connection, of a queue pair or of none.
func (n *NIC) newStream(qp int, data Class) *stream {
	if n.offload == nil {
		n.offload = new(offload)
	}
	s := &stream{
		nic: n, index: len(n.offload.streams), qp: qp, timerAt: units.Never, data: data,
		out: outgoing{messages: newPageWriter[message](), sacks: newPageWriter[sackNote](), of: -1},
	}
	n.offload.streams = append(n.offload.streams, s)
	return s
}

// pages are the beginnings of what the stream writes beside its packets.
func (s *stream) pages() streamPages { return streamPages{s.out.messages.page, s.out.sacks.page} }

type streamPages struct {
	messages *page[message]
	sacks    *page[sackNote]
}

// read has the stream read what the other end writes.
func (s *stream) read(from streamPages) {
	s.in.messages = pageReader[message]{page: from.messages}
	s.in.sacks = pageReader[sackNote]{page: from.sacks}
}

// newEndpoint makes an end of TCP. All begin with the same number: what is left over from an
// earlier connection is told apart otherwise.
func (n *NIC) newEndpoint() *tcp.Endpoint {
	w := n.cfg.IWARP
	return tcp.NewEndpoint(&w.TCP, w.Control.New(), uint32(n.cfg.InitialPSN))
}

// connectStreams has two queue pairs that have been joined stand on an established connection.
func connectStreams(a *NIC, qa int, b *NIC, qb int) {
	sa, sb := a.newStream(qa, a.qps[qa].data), b.newStream(qb, b.qps[qb].data)
	sa.address(&a.qps[qa])
	sb.address(&b.qps[qb])
	sa.read(sb.pages())
	sb.read(sa.pages())
	sa.tcp, sb.tcp = a.newEndpoint(), b.newEndpoint()
	sa.tcp.Establish(sb.tcp)
	a.qps[qa].stream, b.qps[qb].stream = sa, sb
}

// HandshakeTook tells the connection of a queue pair that stands from the start how long the
// round trip of its handshake would have been.
func (n *NIC) HandshakeTook(i int, rtt units.Time) { n.qps[i].stream.tcp.Took(rtt) }

// address has the packets of a stream go where those of its queue pair go.
func (s *stream) address(qp *QP) {
	s.dest, s.flow, s.peerNumber = qp.dest, qp.flow, qp.PeerQPN
}

// owner is the queue pair of the stream; nil if it has none.
func (s *stream) owner() *QP {
	if s.qp < 0 {
		return nil
	}
	return &s.nic.qps[s.qp]
}

// packet makes the packet of a TCP segment.
func (s *stream) packet(seg *tcp.Segment) *wire.Packet {
	n := s.nic
	n.lastID++
	p := &n.scratch
	op, options := wire.TCPData, wire.TCPSack(seg.SackCount)
	if seg.Payload == 0 {
		op = wire.TCPAck
	} else {
		options = 0 // acknowledgements of what came behind gaps travel by themselves
	}
	*p = wire.Packet{
		ID: n.lastID, Edge: uint16(s.dest.Edge), EdgePort: s.dest.Port, Flow: s.flow, QPN: s.peerNumber,
		Payload: uint16(seg.Payload), Frame: uint16(wire.TCPFrame(int(seg.Payload), options)),
		Op: op, DSCP: s.data.DSCP, Flags: wire.OfLife(s.life),
	}
	if n.cfg.Tagged {
		p.Frame += wire.VLANTag
	}
	if seg.ECT {
		p.ECN = wire.ECT0
	}
	p.SetTCP(wire.TCPHeader{Seq: seg.Seq, Ack: seg.Ack, Window: uint16(min(seg.Window>>s.tcp.Shift(), 1<<16-1)), Flags: uint8(seg.Flags)})
	if op == wire.TCPAck && seg.SackCount > 0 {
		*s.out.sacks.add() = sackNote{count: seg.SackCount, sacks: seg.Sacks}
		p.Flags |= wire.Headed
		p.SetNote(uint16(s.out.sacks.written - 1))
	}
	return p
}

// say sends what TCP has to say without payload: acknowledgements, and what begins and ends a
// connection. A stream without a queue pair sends all it has.
func (s *stream) say(now units.Time) {
	if s.qp < 0 {
		var piece piecemeal
		for s.tcp.Ready(now) || s.write(&piece, now) {
			seg, due := s.tcp.Next(now, s.tcp.MSS())
			if !due {
				return
			}
			s.utter(&seg)
		}
		return
	}
	for s.tcp.Owes() {
		seg, due := s.tcp.Next(now, 0)
		if !due {
			return
		}
		s.utter(&seg)
	}
}

// utter sends a segment out of turn.
func (s *stream) utter(seg *tcp.Segment) {
	if seg.Flags.Has(tcp.SYN) {
		s.callOut(seg, s.service)
		return
	}
	p := *s.packet(seg)
	switch q := s.owner(); {
	case q == nil:
		s.nic.objects.management.counted.Sent += isData(&p)
	case p.Op == wire.TCPAck:
		q.received.Acks++
	default:
		q.counted.Packets++
	}
	s.nic.queueSegment(&p, s.data)
}

// queueSegment puts a segment in line that goes before those in turn.
func (n *NIC) queueSegment(p *wire.Packet, class Class) {
	if n.cfg.Tagged && p.QPN == managementQPN {
		p.Frame += wire.VLANTag
	}
	if a := n.adapter; a != nil {
		*a.control[class.Priority].Add() = staged{packet: *p, ready: a.now + a.cfg.TxPipeline + a.cfg.TCP}
		return
	}
	n.control[class.Priority].Push(p)
	n.controlMask |= 1 << class.Priority
}

// receive takes in a packet of the connection.
func (s *stream) receive(p *wire.Packet, now units.Time) {
	n := s.nic
	if s.tcp == nil || p.Flags.Life() != s.peerLife {
		n.discard(p)
		return
	}
	h := p.TCP()
	n.offload.arrived = tcp.Segment{
		Seq: h.Seq, Ack: h.Ack, Flags: tcp.Flags(h.Flags), Payload: units.Bytes(p.Payload), Packets: 1,
		Window: units.Bytes(h.Window) << s.tcp.Shift(), ECT: p.ECN != wire.NotECT,
	}
	seg := &n.offload.arrived
	if p.ECN == wire.CE {
		seg.Marked = 1
	}
	if p.Flags.Has(wire.Headed) {
		s.readSacks(p.Note(), seg)
	}
	s.arrive(p, now)
}

// arrive has TCP take in the segment that has arrived in a packet.
func (s *stream) arrive(p *wire.Packet, now units.Time) {
	c := s.tcp.Counters()
	duplicate, refused, behind := c.BytesDuplicate, c.BytesRefused, c.OutOfOrder
	s.tcp.Receive(&s.nic.offload.arrived, now)
	s.count(p, c.BytesDuplicate-duplicate, c.BytesRefused-refused, c.OutOfOrder > behind)
	s.acknowledged(now)
	s.takeIn(now)
	if s.made != nil && !s.made.bid && s.tcp != nil && s.tcp.Ended() {
		s.onEnd(now)
	}
	s.settle(now)
}

// settle does what follows from whatever has happened to the connection.
func (s *stream) settle(now units.Time) {
	if s.tcp == nil {
		return
	}
	if s.tcp.Failed() != nil {
		s.broke(now)
	}
	s.say(now)
	if s.qp >= 0 {
		s.nic.enrol(s.qp, now)
	}
	s.setTimer(now)
	s.free()
}

// readSacks finds what an acknowledgement says of what came behind a gap. One that was overtaken
// says nothing.
func (s *stream) readSacks(number uint16, seg *tcp.Segment) {
	r := &s.in.sacks
	ahead := int64(int16(number - uint16(r.read)))
	if ahead < 0 {
		return
	}
	for range ahead {
		r.take()
	}
	note := r.take()
	seg.SackCount, seg.Sacks = note.count, note.sacks
}

// count books a packet that has come, of whose payload so much had come before or was refused.
func (s *stream) count(p *wire.Packet, duplicate, refused units.Bytes, behind bool) {
	q := s.owner()
	if q == nil {
		s.nic.objects.management.counted.Received += isData(p)
		return
	}
	if p.ECN == wire.CE {
		q.received.Marked++
	}
	c := &q.received
	switch {
	case p.Op != wire.TCPData:
		q.counted.Acks++
	case duplicate >= units.Bytes(p.Payload):
		c.Duplicates++
		c.DuplicatePayload += uint64(p.Payload)
	case refused > 0:
		c.OutOfSequence++
		c.OutOfSequencePayload += uint64(p.Payload)
	default:
		s.nic.Progress++
		c.Packets++
		if behind {
			c.OutOfOrder++
		}
	}
}

// takeIn takes in the segments of messages that have come whole.
func (s *stream) takeIn(now units.Time) {
	in := &s.in
	for {
		ready := s.tcp.Readable()
		if ready == 0 {
			return
		}
		if in.message == nil {
			in.message, in.got = in.messages.take(), 0
		}
		m := in.message
		size, payload := s.nic.fpdu(m.op, m.size-in.got)
		if ready < size {
			return
		}
		s.tcp.Read(now, size)
		offset := in.got
		if in.got += payload; in.got == m.size {
			in.message = nil
		}
		s.nic.takeSegment(s, m, offset, payload, now)
		if s.tcp == nil {
			return
		}
	}
}

// takeSegment takes in a segment of a message: its payload, from an offset on.
func (n *NIC) takeSegment(s *stream, m *message, offset, payload units.Bytes, now units.Time) {
	if m.setup != nil {
		s.onSetup(m.setup, now)
		return
	}
	qp := s.owner()
	if qp == nil {
		return // it has been reset
	}
	qp.received.Payload += uint64(payload)
	if qp.verbs != nil {
		qp.verbs.takeSegment(m, offset, payload, now)
		return
	}
	if n.adapter != nil {
		now = n.WriteMemory(payload, now)
	}
	if offset+payload == m.size && qp.delivered(now) {
		n.Awaited--
	}
}

// setTimer sees to it that the stream is called when TCP wants to be.
func (s *stream) setTimer(now units.Time) {
	at := s.tcp.Deadline()
	if q := s.owner(); q != nil {
		q.deadline = at
	}
	if at <= now && s.sendable {
		return // it is due, and will be looked at when it is sent
	}
	if at < s.timerAt {
		s.timerAt = max(at, now)
		s.nic.timer(streamTimer, s.timerAt, s.index)
	}
}

// onStreamTimer calls TCP when it wanted to be called.
func (n *NIC) onStreamTimer(i int, now units.Time) {
	s := n.offload.streams[i]
	if s == nil || s.timerAt > now {
		return // an earlier entry replaced it
	}
	s.timerAt = units.Never
	if s.tcp.Deadline() <= now {
		s.tcp.OnTimer(now)
		if t := s.tcp.Counters().Timeouts; t > s.timeouts {
			s.bookTimeouts(t, now)
		}
	}
	s.settle(now)
}
