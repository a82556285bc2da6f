package host

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/wire"
)

// stack is a host's TCP: its sockets, and what stands between them and the ports. The
// protocol is that of package tcp; what its work costs, and when it is done, is the kernel's.
type stack struct {
	host    *Host
	cfg     *kernel.Config
	tcp     *TCP
	sockets []*Socket
	doors   []*Acceptor
	egress  []egress // by port
	traffic HostTraffic
	lastID  uint16

	// Data packets that were sent, came to a socket, and were dropped at the host.
	sent, received, dropped uint64
	// progress counts what brings the run nearer to its end.
	progress uint64
	// Flows that have not been acknowledged whole, those that failed, and of those to this host
	// the ones that have not been read whole.
	unfinished, failed, awaited int
	taken                       units.Bytes // payload of flows that applications have read
	notes                       []units.Bytes
	scratch                     wire.Packet
	probe                       *windowProbe
}

// TCP is how the hosts of a cluster speak TCP.
type TCP struct {
	tcp.Config
	// Control makes the congestion control of a connection.
	Control func() Control
	// Class is that of packets unless a connection asks for another.
	Class rnic.Class
	// Tagged tells whether frames carry an 802.1Q tag.
	Tagged bool
}

// UseTCP gives the hosts of the cluster TCP, before anything needs it.
func (c *Cluster) UseTCP(t *TCP, k *kernel.Config) {
	c.tcp, c.kernel = t, k
	c.CPU.IdleExit, c.CPU.IdleAfter = k.Idle, k.IdleFrom
}

// stack is the TCP of a host, which is made when it is first needed.
func (c *Cluster) stack(h *Host) *stack {
	if h.stack == nil {
		h.stack = &stack{host: h, cfg: c.kernel, tcp: c.tcp, egress: make([]egress, len(h.ports))}
		c.stacks = append(c.stacks, h.stack)
	}
	return h.stack
}

// acceptorBit tells the number of an acceptor from that of a connection.
const acceptorBit = 1 << 22

// admit finds the socket for which a packet is; nil if there is none.
func (k *stack) admit(p *wire.Packet, now units.Time) *Socket {
	n := int(p.QPN) - wire.FirstSocket
	if n&acceptorBit != 0 {
		s := k.knock(k.doors[n&^acceptorBit], p, now)
		if s != nil {
			p.QPN = wire.FirstSocket + uint32(s.number)
		}
		return s
	}
	return k.sockets[n]
}

// drop loses a packet at the host.
func (k *stack) drop(p *wire.Packet) {
	if p.Op.IsData() {
		k.dropped++
	}
}

// socketOf is the socket for which a packet in a ring is.
func (k *stack) socketOf(p *wire.Packet) *Socket { return k.sockets[int(p.QPN)-wire.FirstSocket] }

// read takes a packet out of its ring.
func (k *stack) read(p *wire.Packet) (*Socket, tcp.Segment) {
	s := k.socketOf(p)
	h := p.TCP()
	seg := tcp.Segment{
		Seq: h.Seq, Ack: h.Ack, Flags: tcp.Flags(h.Flags), Payload: units.Bytes(p.Payload), Window: units.Bytes(h.Window) << s.shift(tcp.Flags(h.Flags)),
		Packets: 1, ECT: p.ECN != wire.NotECT,
	}
	if p.ECN == wire.CE {
		seg.Marked = 1
	}
	if p.Op.IsData() {
		k.received++
		k.traffic.Data++
		k.traffic.Marked += uint64(seg.Marked)
	} else if note := p.Note(); note != 0 && s.notes.last != nil && seg.Flags&tcp.SYN == 0 {
		if n := s.notes.take(note); n != nil {
			seg.Sacks, seg.SackCount = n.blocks, n.count
		}
	}
	if seg.Flags&tcp.SYN != 0 {
		s.greeted(p, &seg)
	}
	return s, seg
}

// deliver takes a segment that has come through TCP.
func (k *stack) deliver(s *Socket, seg *tcp.Segment, now units.Time) {
	k.observe(now)
	s.unread += seg.Packets
	before := s.end.Acked() + s.end.Delivered()
	s.end.Receive(seg, now)
	if s.end.Acked()+s.end.Delivered() > before {
		k.progress++
	}
	k.advance(s, now)
}

// advance sends what a connection may send, in the softirq, and tells its thread what it
// wants to know.
func (k *stack) advance(s *Socket, now units.Time) {
	for {
		seg, ok := s.end.Next(now, s.burst())
		if !ok {
			break
		}
		if seg.Payload == 0 {
			k.emit(s, &seg, now+k.cfg.DMA, now)
			continue
		}
		s.below++
		s.queued++
		k.add(s.soft, task{job: transmit, socket: s, out: seg}, now)
	}
	s.settle(now)
}

// emit hands a segment to the adapter, which can send it from a time on.
func (k *stack) emit(s *Socket, seg *tcp.Segment, at, now units.Time) {
	k.traffic.Segments++
	k.egress[s.port].push(s, seg, at)
	k.host.posted = true
}

// NoteTCP has the host note what applications have read by two times; the second may be
// [units.Never].
func (h *Host) NoteTCP(from, to units.Time) {
	if h.stack == nil {
		return
	}
	h.timers.Add(from, fabric.OwnerTimer(takenTimer, 0))
	if to != units.Never {
		h.timers.Add(to, fabric.OwnerTimer(takenTimer, 1))
	}
}

// TakenByTCP is the payload of flows over TCP that applications have read, and what it was at
// the times of [Host.NoteTCP] that have come.
func (h *Host) TakenByTCP() (all units.Bytes, at []units.Bytes) {
	if h.stack == nil {
		return 0, nil
	}
	return h.stack.taken, h.stack.notes
}

// onStackTimer handles timers of the kernel.
func (h *Host) onStackTimer(kind int, id uint64, now units.Time) {
	if kind == takenTimer {
		h.stack.notes = append(h.stack.notes, h.stack.taken)
		return
	}
	if kind == moderatedTimer {
		h.stack.onModerated(h.cores[id], now)
		return
	}
	s := h.stack.sockets[id]
	s.timerAt = units.Never
	h.stack.observe(now)
	if s.end.Deadline() <= now {
		s.timing = true
		h.stack.add(s.soft, task{job: timer, socket: s}, now)
		return
	}
	s.arm(now)
}

// packet makes the next packet of a burst.
func (k *stack) packet(b *burst) *wire.Packet {
	s, seg := b.socket, &b.seg
	payload := min(s.mss, seg.Payload-b.sent)
	last := b.sent+payload == seg.Payload
	flags := seg.Flags
	if !last {
		flags &^= tcp.PSH | tcp.FIN
	}
	if b.sent > 0 {
		flags &^= tcp.CWR
	}
	k.lastID++
	p := &k.scratch
	*p = wire.Packet{
		ID: k.lastID, Edge: uint16(s.dest.Edge), EdgePort: s.dest.Port, Flow: s.flow, QPN: s.far,
		Payload: uint16(payload), Op: wire.TCPData, DSCP: s.class.DSCP,
	}
	options := 0
	if k.tcp.Timestamps {
		options = wire.TCPTimestamps
	}
	if payload == 0 {
		p.Op = wire.TCPAck
		if seg.SackCount > 0 {
			options += wire.TCPSack(seg.SackCount)
			p.SetNote(s.writes.add(seg.SackCount, seg.Sacks))
		}
	} else {
		k.sent++
	}
	window := uint16(min(seg.Window>>s.shift(flags), 1<<16-1))
	header := wire.TCPHeader{Seq: seg.Seq + uint32(b.sent), Ack: seg.Ack, Window: window, Flags: uint8(flags)}
	if flags&tcp.SYN != 0 {
		options = wire.TCPSynOptions
		s.greet(p, &header)
	}
	p.SetTCP(header)
	if seg.ECT {
		p.ECN = wire.ECT0
	}
	frame := wire.TCPFrame(int(payload), options)
	if k.tcp.Tagged {
		frame += wire.VLANTag
	}
	p.Frame = uint16(frame)
	k.traffic.DMAOut += units.Bytes(frame)
	b.sent += payload
	return p
}

// useful tells whether anything is pending that could bring work on.
func (k *stack) useful(now units.Time) bool {
	for i := range k.egress {
		if k.egress[i].waiting()&^k.host.ports[i].PausedNow() != 0 {
			return true
		}
	}
	for _, c := range k.host.cores {
		if c.soft.waits() || c.soft.moderated || c.soft.ring.Len() > 0 {
			return true
		}
	}
	for _, s := range k.sockets {
		if s.timerAt != units.Never && s.end.State() != tcp.TimeWait || s.thread != nil && s.thread.alarms > 0 {
			return true // a timer runs, or a flow is to start
		}
	}
	return false
}

// quiet tells whether nothing is on its way through the host.
func (k *stack) quiet() bool {
	for i := range k.egress {
		if k.egress[i].waiting() != 0 {
			return false
		}
	}
	for _, c := range k.host.cores {
		if c.soft.waits() || c.soft.ring.Len() > 0 {
			return false
		}
	}
	return true
}

// inside counts the data packets in receive rings: what has left one is in the books as received.
func (k *stack) inside() (packets uint64) {
	for _, c := range k.host.cores {
		for i := range c.soft.ring.Len() {
			if c.soft.ring.At(i).Op.IsData() {
				packets++
			}
		}
	}
	return packets
}

// next is when a port is to look again for a segment of TCP.
func (k *stack) next(port int, now units.Time) units.Time {
	e, p := &k.egress[port], &k.host.ports[port]
	if e.mask == 0 {
		return units.Never
	}
	ready, next := e.due(now, p.Paused(now))
	if ready != 0 {
		return p.FreeAt
	}
	return max(next, p.FreeAt)
}

// acknowledged is the payload that has been acknowledged.
func (k *stack) acknowledged() (bytes units.Bytes) {
	for _, s := range k.sockets {
		bytes += s.end.Acked()
	}
	return bytes
}

// flush closes the books at the end of a run.
func (k *stack) flush(now units.Time) {
	if k.probe != nil {
		k.observe(k.probe.clock.Last(now))
	}
	for _, s := range k.sockets {
		if s.stream != nil && s.stream.sends {
			s.stream.rebook(now)
		}
	}
}
