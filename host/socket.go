package host

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
	"github.com/rdmasim/rdmasim/wire"
)

// Control is the congestion control of a TCP connection.
type Control = congestion.Control

// sackBlocks are those of an acknowledgement.
type sackBlocks = [4]tcp.Range

// Timer kinds of a host's kernel, beside those of threads.
const (
	moderatedTimer = threadTimer + 1 + iota // the interrupt of a core is due
	socketTimer                             // a timer of a connection
	takenTimer                              // what has been read is to be noted
)

// SocketOptions say how a connection travels.
type SocketOptions struct {
	// Class of its packets; that of all TCP if it is the zero value.
	Class rnic.Class
	// Turn chooses among the ports of hosts with several.
	Turn int
}

// Socket is one end of a TCP connection, as a program has it. It never blocks: what does not
// fit into its buffer is sent when there is room, and the thread is called again when
// something has come.
type Socket struct {
	host    *Host
	number  int
	thread  *Thread
	soft    *core
	end     *tcp.Endpoint
	port    int
	remote  int32 // endpoint at the other end
	dest    topology.Dest
	far     uint32 // number of the connection there
	flow    uint32
	opener  uint16 // port of the end that has opened the connection
	class   rnic.Class
	mss     units.Bytes
	scale   uint8      // of the windows that either end advertises
	below   int        // segments on their way through the kernel and the adapter
	queued  int        // of these, those that the softirq has not come to
	timerAt units.Time // of the timer that has been set
	timing  bool       // the softirq has been told that a timer has run out, and has not come to it
	noticed tcp.State  // of which the thread has been told

	listed  bool       // its thread has it in its line of those that have something
	turn    bool       // it has just been given to it
	news    bool       // its state has changed
	unknown bool       // it has not been accepted yet
	shut    bool       // closed by its thread, which hears no more of it
	closing bool       // it will be, when all has been handed over
	refused error      // why no connection was begun
	kernel  units.Time // what cores have worked for it by themselves
	copied  units.Bytes

	marks    markWriter
	given    units.Bytes // by the program, sent or not
	unsent   units.Bytes // of that, what the buffer has not taken
	full     bool        // the buffer had no room
	flushing bool        // the thread has it among those of which something is unsent
	incoming markReader
	whole    units.Bytes // of messages that have been read
	unread   int         // packets whose pages have not been given back
	notes    noteReader
	writes   noteWriter

	door      *Acceptor // that it has been accepted from or connects to
	visit     *visit    // where the lists of the other end will be
	calls     greeting
	accepting bool
	stream    *stream // that it serves; nil for one of a program
	started   units.Time

	// RingDrops counts packets for it that found the receive ring full.
	RingDrops uint64
}

// socket makes an end of a connection.
func (k *stack) socket(t *Thread, port int, class rnic.Class) *Socket {
	if class == (rnic.Class{}) {
		class = k.tcp.Class
	}
	n := k.host.nics[port]
	s := &Socket{
		host: k.host, number: len(k.sockets), thread: t, port: port, class: class, timerAt: units.Never, started: t.now,
		mss: k.tcp.MSS(), scale: k.tcp.Shift(),
	}
	isn := uint32(uint64(n.Endpoint())*2654435761 + uint64(s.number)*40503) // RFC 6528 asks for any that differs from connection to connection
	s.end = tcp.NewEndpoint(&k.tcp.Config, k.tcp.Control(), isn)
	k.sockets = append(k.sockets, s)
	t.sockets++
	return s
}

// steer chooses the core that handles what comes in by a connection.
func (k *stack) steer(s *Socket) {
	app, cores := s.thread.core.number, s.host.cpu.Cores
	if cores == 0 {
		cores = max(2, len(s.host.threads))
	}
	switch {
	case k.cfg.Steering == kernel.Same || k.cfg.BusyPoll:
	case k.cfg.Steering == kernel.Other:
		app = (app + 1) % cores
	default:
		app = int(uint64(s.flow) * uint64(cores) >> 32)
	}
	s.soft = s.host.core(app)
}

// Pair makes a connection that stands from the start between threads of two hosts.
func (c *Cluster) Pair(a, b *Thread, o SocketOptions) (*Socket, *Socket, error) {
	return c.pairOf(a, b, o)
}

func (c *Cluster) pairOf(a, b *Thread, o SocketOptions) (*Socket, *Socket, error) {
	src, dst, err := c.endpoints(a.host, b.host, o.Turn)
	if err != nil {
		return nil, nil, err
	}
	return c.join(a, b, src, dst, o.Class, 0)
}

// PairAt makes one between given NICs, by their ports. It is an error if they cannot reach each other.
func (c *Cluster) PairAt(a, b *Thread, portA, portB int, class rnic.Class) (*Socket, *Socket, error) {
	src, dst, err := c.endpointsAt(a.host, b.host, portA, portB)
	if err != nil {
		return nil, nil, err
	}
	return c.join(a, b, src, dst, class, 0)
}

// endpoints chooses ports of two hosts that can reach each other.
func (c *Cluster) endpoints(a, b *Host, turn int) (src, dst int32, err error) {
	if a == b {
		return 0, 0, fmt.Errorf("a connection from %s to itself", c.Net.Graph.Nodes[a.node].Name)
	}
	return c.Net.Routes.Pair(a.node, b.node, turn)
}

// join makes a connection between two endpoints. A port of 0 stands for one that is chosen.
func (c *Cluster) join(a, b *Thread, src, dst int32, class rnic.Class, port uint16) (*Socket, *Socket, error) {
	ends := c.Net.Routes.Endpoints
	sa, sb := c.stack(a.host).socket(a, ends[src].Port, class), c.stack(b.host).socket(b, ends[dst].Port, class)
	if port == 0 {
		port = sourcePort(sa.number)
	}
	for _, s := range []struct {
		s, peer *Socket
		local   int32
		remote  int32
	}{{sa, sb, src, dst}, {sb, sa, dst, src}} {
		s.s.goesTo(s.peer.number, s.remote, c.Net.Routes.Dest(s.remote))
		s.s.opener = port
		s.s.flow = rnic.TupleHash(s.local, s.remote, port)
		s.s.host.stack.steer(s.s)
		s.s.marks, s.s.writes = markWriter{block: new(markBlock)}, noteWriter{new(sackNote)}
	}
	for _, s := range [][2]*Socket{{sa, sb}, {sb, sa}} {
		s[0].incoming.block, s[0].notes.last = s[1].marks.block, s[1].writes.last
	}
	sa.end.Establish(sb.end)
	rtt := c.handshake(src, dst)
	sa.end.Took(rtt)
	sb.end.Took(rtt)
	sa.noticed, sb.noticed = sa.end.State(), sb.end.State()
	return sa, sb, nil
}

// handshake is the round trip of a SYN and its answer through an empty network.
func (c *Cluster) handshake(src, dst int32) (rtt units.Time) {
	syn := []rnic.Frames{{Count: 1, Wire: wire.TCPFrame(0, wire.TCPSynOptions) + wire.Interframe}}
	for _, way := range [][2]int32{{src, dst}, {dst, src}} {
		best := units.Never
		for _, hops := range c.ways(way[0], way[1]) {
			best = min(best, rnic.Pipelined(syn, c.legs(hops)))
		}
		rtt += best
	}
	return rtt
}

// sourcePort is the port of a host's connection, one after the other out of those that Linux
// gives out.
func sourcePort(number int) uint16 {
	const first, count = 32768, 28232
	return uint16(first + number*7919%count)
}

// goesTo says where the other end is.
func (s *Socket) goesTo(number int, endpoint int32, dest topology.Dest) {
	s.far, s.remote, s.dest = wire.FirstSocket+uint32(number), endpoint, dest
}

// shift is the scale of the window of a segment: that of a SYN has none.
func (s *Socket) shift(f tcp.Flags) uint8 {
	if f&tcp.SYN != 0 {
		return 0
	}
	return s.scale
}

// burst is how much the connection may hand to the adapter now.
func (s *Socket) burst() units.Bytes {
	k := s.host.stack
	switch {
	case s.below >= k.cfg.QueueLimit:
		return 0
	case !k.cfg.Segmentation:
		return s.mss
	}
	return maxSegment
}

// maxSegment is what one segment holds at the most (GSO_LEGACY_MAX_SIZE).
const maxSegment = 65536

// arm sets the timer of the connection. One that has run out while the softirq was at something else
// is due now, not when it was: a host's time does not go back.
func (s *Socket) arm(now units.Time) {
	if at := s.end.Deadline(); at < s.timerAt && !s.timing {
		s.timerAt = max(at, now)
		s.host.timers.Add(s.timerAt, fabric.OwnerTimer(socketTimer, uint64(s.number)))
	}
}

// onTimer handles a timer of the connection.
func (s *Socket) onTimer(now units.Time) {
	s.timing = false
	if s.end.Deadline() <= now {
		s.end.OnTimer(now)
	}
}

// settle sets the connection's timer, and calls its thread if there is something for it.
func (s *Socket) settle(now units.Time) {
	s.arm(now)
	if s.stream != nil {
		s.stream.look(s, now)
	}
	state := s.end.State()
	changed := state != s.noticed
	s.noticed, s.news = state, s.news || changed
	wanted := s.opens() || s.unsent > 0 && s.room(s.unsent) > 0 || s.wantsRoom()
	if !s.unknown && !s.shut {
		s.list()
		wanted = wanted || changed || s.end.Readable() > 0
	}
	if wanted {
		s.call(now)
	}
}

// wantsRoom tells whether a stream's writer waits for room that there is.
func (s *Socket) wantsRoom() bool { return s.stream != nil && s.stream.canWrite(s) }

// room is what the buffer takes of so much that is to be written. Who has found it full is not
// woken before a third of it is free, or all that he needs (Linux: sk_stream_write_space).
func (s *Socket) room(left units.Bytes) units.Bytes {
	r := s.end.Room()
	if s.full && r < left && 3*r < s.host.stack.tcp.SendBuffer {
		return 0
	}
	s.full = r == 0
	return r
}

// call has the socket's thread look at it.
func (s *Socket) call(now units.Time) {
	t := s.thread
	if t.inLine || t.done || now < t.opt.Start {
		return
	}
	if k := s.host.stack; !k.cfg.BusyPoll {
		t.owed[WakeUps] += k.cfg.Wake
		k.traffic.WakeUps++
	}
	t.ready(now)
}

// Host is the host that has this end, by its node in the graph.
func (s *Socket) Host() int { return s.host.node }

// Peer is the endpoint at the other end.
func (s *Socket) Peer() int32 { return s.remote }

// Number is the connection's number at its host.
func (s *Socket) Number() int { return s.number }

// Thread is the thread that has the socket.
func (s *Socket) Thread() *Thread { return s.thread }

// SoftCore is the core that handles what comes in.
func (s *Socket) SoftCore() int { return s.soft.number }

// Endpoint is the connection's state of the protocol.
func (s *Socket) Endpoint() *tcp.Endpoint { return s.end }

// Class is that of its packets.
func (s *Socket) Class() rnic.Class { return s.class }

// SourcePort is the port of the end that has opened the connection.
func (s *Socket) SourcePort() uint16 { return s.opener }

// FlowHash is the hash of the 5-tuple of its packets.
func (s *Socket) FlowHash() uint32 { return s.flow }

// Established tells whether both ends may send.
func (s *Socket) Established() bool {
	switch s.end.State() {
	case tcp.Closed, tcp.Listen, tcp.SynSent, tcp.SynReceived:
		return false
	}
	return true
}

// Closed tells whether this end has nothing to do any more but to wait (TIME-WAIT).
func (s *Socket) Closed() bool {
	return s.end.State() == tcp.Closed || s.end.State() == tcp.TimeWait
}

// Failed is why the connection failed; nil if it did not.
func (s *Socket) Failed() error {
	if s.refused != nil {
		return s.refused
	}
	return s.end.Failed()
}

// Unsent is what the program has given it and the buffer has not taken yet.
func (s *Socket) Unsent() units.Bytes { return s.unsent }

// Copied is what processors have copied between it and its program, once for each copy.
func (s *Socket) Copied() units.Bytes { return s.copied }

// Sockets are all sockets of the cluster, by host and number.
func (c *Cluster) Sockets() []*Socket {
	var all []*Socket
	for _, h := range c.Hosts {
		if h.stack != nil {
			all = append(all, h.stack.sockets...)
		}
	}
	return all
}

// Send sends a message of at least one byte. What the buffer has no room for follows by
// itself when there is.
func (t *Thread) Send(s *Socket, m Message) {
	s.given += m.Size
	s.marks.add(mark{end: s.given, Message: m})
	s.unsent += m.Size
	if !t.Working() || s.unsent == m.Size {
		t.write(s)
	}
	if s.unsent > 0 && !s.flushing {
		s.flushing = true
		t.flushing = append(t.flushing, s)
	}
}

// write hands to the kernel what one system call takes of what a socket has to send.
func (t *Thread) write(s *Socket) {
	k := t.host.stack
	n := min(s.unsent, k.cfg.IO, s.room(s.unsent))
	if n == 0 {
		return
	}
	s.unsent -= t.hand(s, n)
	if s.closing && s.unsent == 0 {
		t.close(s)
	}
}

// hand writes to a connection in one system call.
func (t *Thread) hand(s *Socket, n units.Bytes) units.Bytes {
	k := t.host.stack
	n = s.end.Write(n)
	k.traffic.Syscalls++
	t.workAs(Syscalls, k.cfg.Syscall)
	if k.cfg.Zerocopy {
		t.workAs(Syscalls, k.cfg.Notify)
	} else {
		t.workAs(Copies, k.cfg.CopyTime(n))
		k.traffic.CopiedOut += n * units.Bytes(k.cfg.Copies)
		s.copied += n * units.Bytes(k.cfg.Copies)
	}
	t.push(s)
	return n
}

// push sends what a connection may send, on the thread's core.
func (t *Thread) push(s *Socket) {
	k := t.host.stack
	for {
		limit := s.burst()
		if s.queued > 0 {
			limit = 0 // the softirq is at it: what comes later in the stream goes later
		}
		seg, ok := s.end.Next(t.clock, limit)
		if !ok {
			break
		}
		if seg.Payload > 0 {
			t.workAs(Transmission, k.cfg.Transmit)
			s.below++
		}
		k.emit(s, &seg, t.clock+k.cfg.DMA, t.now)
	}
	s.arm(t.now)
}

// sends has the thread send what buffers had no room for. It tells whether there was room.
func (t *Thread) sends() bool {
	for i, s := range t.flushing {
		if s.room(s.unsent) == 0 {
			continue
		}
		t.write(s)
		if s.unsent == 0 {
			s.flushing = false
			t.flushing = append(t.flushing[:i], t.flushing[i+1:]...)
		} else { // the others first
			copy(t.flushing[i:], t.flushing[i+1:])
			t.flushing[len(t.flushing)-1] = s
		}
		return true
	}
	return false
}

// sending tells whether something is left for which buffers had no room.
func (t *Thread) sending() bool { return len(t.flushing) > 0 }

// Recv takes the next message that has come whole, if there is one. It reads what there is;
// like [Thread.Poll], it finds nothing new while the thread is at work.
func (t *Thread) Recv(s *Socket) (Message, bool) {
	for {
		if read := s.end.Consumed(); read > s.whole {
			if m := s.incoming.front(); m.end <= read {
				s.incoming.pop()
				s.whole = m.end
				t.Progress++
				return m.Message, true
			}
		}
		if t.Working() || t.take(s, t.host.stack.cfg.IO) == 0 {
			return Message{}, false
		}
	}
}

// take reads from a connection in one system call.
func (t *Thread) take(s *Socket, most units.Bytes) units.Bytes {
	readable := s.end.Readable()
	n := min(readable, most)
	if n == 0 {
		return 0
	}
	k := t.host.stack
	pages := s.unread
	if n < readable {
		pages = int(int64(s.unread) * int64(n) / int64(readable))
	}
	s.unread -= pages
	k.traffic.Syscalls++
	k.traffic.CopiedIn += n * units.Bytes(k.cfg.Copies)
	s.copied += n * units.Bytes(k.cfg.Copies)
	t.workAs(Syscalls, k.cfg.Syscall+units.Time(pages)*k.cfg.Page)
	t.workAs(Copies, k.cfg.CopyTime(n))
	s.end.Read(t.now, n)
	t.push(s)
	return n
}

// Readable tells whether something of a message has come that has not been read.
func (s *Socket) Readable() bool { return s.end.Readable() > 0 || s.end.Consumed() > s.whole }

// Shut closes a connection when all that was sent has gone. The thread hears no more of it.
func (t *Thread) Shut(s *Socket) {
	if s.shut {
		return
	}
	s.shut = true
	t.sockets--
	if s.closing = s.unsent > 0; !s.closing {
		t.close(s)
	}
}

// close closes a connection of which all has been handed over.
func (t *Thread) close(s *Socket) {
	k := t.host.stack
	s.closing = false
	k.traffic.Syscalls++
	t.workAs(Syscalls, k.cfg.Close)
	s.end.Close(t.clock)
	t.push(s)
}
