package rnic

import (
	"errors"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/wire"
)

// With iWARP a connection that is made during the run begins with a handshake of TCP. Then the
// side that connects sends the request of MPA and the other one its reply (RFC 5044, 7.1), with
// which a program's own data travel, and the numbers of READs that each may have under way (RFC
// 6581). The first FPDU, of a WRITE without payload, says that the side that connects is ready.
// To its end the two sides send each other FIN.
//
// Managers are those of the other transports: what they tell each other stands for these
// messages, from the request on, and travels with them.

// streamNumbers is the first of the numbers of connections that are made during the run; those
// that stand from the start have the numbers of their queue pairs.
const streamNumbers = 1 << 22

// mpaStart stands for the opcode of what is no RDMAP message: a request or reply of MPA, or the
// end of a stream.
const mpaStart wire.RDMAP = 0xFF

// making is what a stream knows of the connection that it is made for.
type making struct {
	peer   int32                         // endpoint at the other side
	setups fabric.Queue[*rdmacm.Message] // to be sent
	met    bool                          // the other side's number is known
	bid    bool                          // the other side has said that it sends no more
	over   bool                          // the connection is gone, and the manager knows
	// What the two managers call it; 0 while that is not known.
	id, remote rdmacm.ID
}

// call is what travels beside a SYN and its answer.
type call struct {
	segment tcp.Segment
	number  uint32 // by which its sender wants to be known
	to      uint32 // that of the receiver; 0 in a SYN
	service uint64
	refused bool // nobody listens there
	pages   streamPages
}

// caller names the other end of a connection as that does: by its number, or by the name that
// its manager has for it.
type caller struct {
	peer int32
	name uint32
}

// number is by what number the stream is known to the other end.
func (s *stream) number() uint32 { return streamNumbers + uint32(s.index) }

// streamOf is the stream of a number; nil if it is not there, or not any more.
func (n *NIC) streamOf(number uint32) *stream {
	i := number - streamNumbers
	if n.offload == nil || number < streamNumbers || i >= uint32(len(n.offload.streams)) {
		return nil
	}
	return n.offload.streams[i]
}

// elsewhere handles a packet that is for none of the queue pairs by its number.
func (n *NIC) elsewhere(p *wire.Packet, now units.Time) {
	switch s := n.streamOf(p.QPN); {
	case s != nil:
		s.receive(p, now)
	case p.QPN == managementQPN && p.Op == wire.TCPAck:
		n.onCall(p, now)
	case p.QPN == managementQPN:
		n.manage(p, now)
	default:
		n.discard(p)
	}
}

// contextKey is the key of the context that a packet needs.
func (n *NIC) contextKey(p *wire.Packet) uint32 {
	if s := n.streamOf(p.QPN); s != nil && s.qp >= 0 {
		return uint32(s.qp)
	}
	return uint32(index(p.QPN))
}

// newConnection makes the stream of a connection to another endpoint. The side that calls has
// a port of its own, by which switches tell the connection from others.
func (n *NIC) newConnection(peer int32, calls uint32, data Class) *stream {
	s := n.newStream(-1, data)
	if calls == 0 {
		calls = s.number()
	}
	s.made = &making{peer: peer}
	s.dest, s.flow = n.objects.management.peers[peer].dest, TupleHash(n.endpoint, peer, SourcePort(calls, managementQPN))
	s.tcp = n.newEndpoint()
	return s
}

// callOut sends a SYN, or the answer to one.
func (s *stream) callOut(seg *tcp.Segment, service uint64) {
	c := &call{segment: *seg, number: s.number(), service: service, pages: s.pages()}
	if s.made.met {
		c.to = s.peerNumber
	}
	s.nic.sendCall(s.made.peer, c, s.flow, s.data)
}

// sendCall puts what begins a connection in line.
func (n *NIC) sendCall(to int32, c *call, flow uint32, class Class) {
	peer := n.objects.management.peers[to]
	p := wire.Packet{
		Stamp: units.Time(n.endpoint)<<32 | units.Time(peer.write(letter{call: c})),
		Edge:  uint16(peer.dest.Edge), EdgePort: peer.dest.Port, Flow: flow, QPN: managementQPN,
		Op: wire.TCPAck, Frame: uint16(wire.TCPFrame(0, wire.TCPSynOptions)), DSCP: class.DSCP,
	}
	n.queueSegment(&p, class)
}

// onCall takes in a SYN, or the answer to one. One that was overtaken is lost, and comes again.
func (n *NIC) onCall(p *wire.Packet, now units.Time) {
	m := n.objects.management
	from := int32(uint64(p.Stamp) >> 32)
	l := m.peers[from].open(uint32(p.Stamp))
	if l == nil {
		m.counted.Late++
		return
	}
	n.Progress++
	c := l.call
	s := n.streamOf(c.to)
	switch {
	case c.to != 0 && s == nil:
		return
	case c.refused:
		s.turnedAway(now)
		return
	case c.to == 0:
		if s = n.answerCall(from, c); s == nil {
			return
		}
	}
	if !s.made.met {
		s.made.met, s.peerNumber = true, c.number
		s.read(c.pages)
	}
	n.offload.arrived = c.segment
	s.arrive(p, now)
}

// answerCall is the stream of a call, which may have come before; nil if nobody listens.
func (n *NIC) answerCall(from int32, c *call) *stream {
	m := n.objects.management
	if s := m.calls[caller{from, c.number}]; s != nil {
		return s
	}
	if m.listeners[c.service] == nil {
		port := SourcePort(c.number, managementQPN)
		n.sendCall(from, &call{to: c.number, refused: true}, TupleHash(n.endpoint, from, port), n.cfg.Data)
		return nil
	}
	s := n.newConnection(from, c.number, n.cfg.Data)
	s.tcp.Listen()
	m.calls[caller{from, c.number}] = s
	return s
}

// turnedAway tells the manager that nobody listens at the other side.
func (s *stream) turnedAway(now units.Time) {
	if s.made.over {
		return
	}
	s.made.over = true
	s.tcp.Abort(now)
	s.tellManager(&rdmacm.Message{Kind: rdmacm.REJ, To: s.made.id, Reason: rdmacm.NobodyListens}, now)
}

// tellManager hands the manager a message of the other side, or what stands for one.
func (s *stream) tellManager(message *rdmacm.Message, now units.Time) {
	s.nic.objects.management.manager.Deliver(s.made.peer, message, now)
	s.nic.wakeManager(now)
}

// convey has a message of the manager travel by the TCP connection that it is about; false if that
// is none.
func (n *NIC) convey(a *rdmacm.Action, now units.Time) bool {
	m, message := n.objects.management, a.Message
	c := m.connections[a.ID]
	s := m.callers[caller{a.Peer, uint32(message.To)}]
	if c != nil {
		s = c.stream
	}
	switch {
	case c != nil && s == nil && message.Kind == rdmacm.REQ && c.overTCP():
		s = n.newConnection(a.Peer, 0, c.wanted.class())
		c.stream, s.made.id, s.service = s, a.ID, message.Service
		s.tcp.Connect(now)
		s.made.setups.Push(&message)
	case s == nil:
		return false
	case message.Kind == rdmacm.REQ: // TCP is at it
		return true
	case s.out.over || s.tcp.State() == tcp.Closed:
		if message.Kind == rdmacm.DREQ { // nobody is there to answer
			s.tellManager(&rdmacm.Message{Kind: rdmacm.DREP, From: message.To, To: message.From}, now)
		}
		return true
	case message.Kind == rdmacm.DREQ || message.Kind == rdmacm.DREP:
		s.farewell(message, now)
	default:
		s.made.setups.Push(&message)
	}
	s.settle(now)
	return true
}

// class is that of the data of the queue pair.
func (q *ConnectionQP) class() Class {
	if q.Use != nil {
		return q.Use.init.Data
	}
	return q.Init.Data
}

// farewell says that no more will be sent, and why.
func (s *stream) farewell(why *rdmacm.Message, now units.Time) {
	if s.out.over {
		return
	}
	s.out.over, s.out.open = true, false
	*s.out.messages.add() = message{op: mpaStart, setup: why}
	s.tcp.Close(now)
}

// setupBytes is what a message of the manager takes in the stream: the frame of MPA, four bytes
// for the numbers of READs, and what is the program's own.
func setupBytes(message *rdmacm.Message) units.Bytes {
	if message.Kind == rdmacm.RTU {
		return units.Bytes(wire.FPDUBytes(wire.TaggedBytes))
	}
	return units.Bytes(wire.MPAStartBytes + 4 + len(message.Private))
}

// beginSetup begins the next message of the manager. A refusal ends what this side sends.
func (s *stream) beginSetup(size units.Bytes) {
	m := s.open(mpaStart, size)
	m.setup = *s.made.setups.Pop()
	s.out.refusal, s.out.source.inline = m.setup.Kind == rdmacm.REJ, true
}

// onSetup takes in a message of the other manager.
func (s *stream) onSetup(message *rdmacm.Message, now units.Time) {
	s.made.remote = message.From
	switch message.Kind {
	case rdmacm.REQ:
		s.nic.objects.management.callers[caller{s.made.peer, uint32(message.From)}] = s
	case rdmacm.REJ:
		s.made.over = true
		s.farewell(nil, now)
	}
	s.nic.Progress++
	s.tellManager(message, now)
}

// onEnd takes in that the other side sends no more.
func (s *stream) onEnd(now units.Time) {
	s.made.bid = true
	if m := s.in.messages.take(); m.setup != nil {
		s.onSetup(m.setup, now)
		return
	}
	s.made.over = true
	s.farewell(nil, now)
}

// lost tells the manager that an established connection has been reset, or has timed out.
func (s *stream) lost(why error, now units.Time) {
	if s.made.over || s.made.remote == 0 || errors.Is(why, tcp.ErrAborted) {
		return
	}
	s.made.over = true
	if s.made.id != 0 {
		s.tellManager(&rdmacm.Message{Kind: rdmacm.DREQ, From: s.made.remote, To: s.made.id}, now)
	}
}

// bind gives a stream to the queue pair of its connection.
func (c *Connection) bind() {
	s, q := c.stream, c.QP
	if s == nil || s.qp >= 0 {
		return
	}
	qp := q.qp()
	qp.stream.leave()
	qp.stream, s.qp, s.data = s, q.index, q.init.Data
}

// free forgets a connection of which nothing will be heard any more.
func (s *stream) free() {
	if s.made == nil || s.qp >= 0 || s.tcp.State() != tcp.Closed || s.tcp.Owes() {
		return
	}
	m := s.nic.objects.management
	delete(m.calls, caller{s.made.peer, s.peerNumber})
	delete(m.callers, caller{s.made.peer, uint32(s.made.remote)})
	s.nic.offload.streams[s.index] = nil
}
