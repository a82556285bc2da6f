package host

import (
	"fmt"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/wire"
)

// Acceptor is a port at which a thread waits for connections.
type Acceptor struct {
	host    *Host
	number  int
	thread  *Thread
	callers []*visits
	queue   []*Socket // established, not yet accepted
	known   map[caller]*Socket
	asking  int  // connections of which the handshake has begun
	told    bool // the thread has been told of those in the queue
	// Accepted counts connections, Overflows the SYNs that were dropped since too many waited.
	Accepted, Overflows uint64
}

// caller tells the connections of an acceptor apart.
type caller struct {
	visits int
	number uint32
}

// visits are the connections that a thread makes to an acceptor. Both ends find there the
// lists that travel beside the packets: who connects puts its own there before its SYN leaves,
// who accepts before the answer does, each in a place of its own that nobody else writes.
type visits struct {
	thread   *Thread
	door     *Acceptor
	number   int // among those of the acceptor
	src, dst int32
	holds    []*Socket // that still have a port, the oldest first
	there    [visitRoom]visit
	back     [visitRoom]visit
	made     int
}

// visitRoom is how many connections of a thread to an acceptor may be on their way to be
// established at a time.
const visitRoom = 1024

// visit is the beginnings of the lists of one end.
type visit struct {
	marks *markBlock
	notes *sackNote
}

// Listen has a thread wait for connections; before the run.
func (c *Cluster) Listen(t *Thread) *Acceptor {
	k := c.stack(t.host)
	a := &Acceptor{host: t.host, number: len(k.doors), thread: t, known: map[caller]*Socket{}}
	k.doors = append(k.doors, a)
	t.sockets++
	return a
}

// Introduce lets a thread connect to an acceptor during the run.
func (c *Cluster) Introduce(t *Thread, a *Acceptor, turn int) error {
	src, dst, err := c.endpoints(t.host, a.host, turn)
	if err != nil {
		return err
	}
	c.stack(t.host)
	v := &visits{thread: t, door: a, number: len(a.callers), src: src, dst: dst}
	a.callers = append(a.callers, v)
	t.introduced = append(t.introduced, v)
	return nil
}

// Connect begins to connect to an acceptor to which the thread has been introduced. The
// socket may be used when it is established, of which the thread is told. It has failed from the start
// if no port is left (EADDRNOTAVAIL).
func (t *Thread) Connect(a *Acceptor, o SocketOptions) *Socket {
	var v *visits
	for _, known := range t.introduced {
		if known.door == a {
			v = known
		}
	}
	k, routes := t.host.stack, t.host.routes
	t.workAs(Syscalls, k.cfg.Open)
	k.traffic.Syscalls += 2
	s := k.socket(t, routes.Endpoints[v.src].Port, o.Class)
	s.door, s.started = a, t.clock
	s.goesTo(acceptorBit|a.number, v.dst, routes.Dest(v.dst))
	s.opener = sourcePort(s.number)
	s.flow = rnic.TupleHash(v.src, v.dst, s.opener)
	k.steer(s)
	s.marks, s.writes = markWriter{block: new(markBlock)}, noteWriter{new(sackNote)}
	at := v.made % visitRoom
	v.there[at] = visit{s.marks.block, s.writes.last}
	v.made++
	s.visit, s.calls = &v.back[at], greeting{by: v.number, place: at}
	if s.refused = v.hold(s, k.cfg.Ports); s.refused != nil {
		return s
	}
	s.end.Connect(t.clock)
	s.noticed = s.end.State()
	t.push(s)
	return s
}

// Lingering is how many connections of the thread to an acceptor are in TIME-WAIT.
func (t *Thread) Lingering(a *Acceptor) (n int) {
	for _, v := range t.introduced {
		if v.door != a {
			continue
		}
		for _, s := range v.holds {
			if s.end.State() == tcp.TimeWait {
				n++
			}
		}
	}
	return n
}

// hold gives a connection a port; an error if all that may be used to the same acceptor are. A
// connection gives its own back with the end of TIME-WAIT.
func (v *visits) hold(s *Socket, ports int) error {
	for len(v.holds) > 0 && v.holds[0].end.State() == tcp.Closed {
		v.holds = v.holds[1:]
	}
	if len(v.holds) >= ports {
		return fmt.Errorf("all %d ports are used, %d of them by connections in TIME-WAIT", ports, s.thread.Lingering(v.door))
	}
	v.holds = append(v.holds, s)
	return nil
}

// greeting is what a SYN says beside its header: who connects, and where the lists are.
type greeting struct{ by, place int }

// greet has a SYN say what the other end has to know: the number of this one.
func (s *Socket) greet(p *wire.Packet, h *wire.TCPHeader) {
	if h.Flags&uint8(tcp.ACK) == 0 {
		h.Ack = uint32(s.number)
		h.Window = uint16(s.calls.place)
		p.SetNote(uint16(s.calls.by))
		return
	}
	p.SetNote(uint16(s.number))
	p.Syndrome = wire.Syndrome(s.number >> 16)
}

// greeted reads what a SYN says.
func (s *Socket) greeted(p *wire.Packet, seg *tcp.Segment) {
	seg.Window = 1<<16 - 1
	if seg.Flags&tcp.ACK == 0 {
		seg.Ack = 0
		return
	}
	if s.visit != nil && s.incoming.block == nil {
		s.far = wire.FirstSocket + uint32(p.Note()) + uint32(p.Syndrome)<<16
		s.incoming.block, s.notes.last = s.visit.marks, s.visit.notes
	}
}

// knock finds or makes the connection for a SYN at an acceptor.
func (k *stack) knock(a *Acceptor, p *wire.Packet, now units.Time) *Socket {
	h := p.TCP()
	if tcp.Flags(h.Flags)&tcp.SYN == 0 {
		return nil
	}
	v := a.callers[p.Note()]
	who := caller{int(p.Note()), h.Ack}
	if s := a.known[who]; s != nil {
		return s
	}
	if len(a.queue) > k.cfg.Backlog || a.asking > k.cfg.Backlog {
		a.Overflows++
		return nil
	}
	a.asking++
	routes := k.host.routes
	s := k.socket(a.thread, routes.Endpoints[v.dst].Port, rnic.Class{DSCP: p.DSCP, Priority: int(k.host.priorityOf[p.DSCP])})
	a.known[who] = s
	s.started = now
	s.door = a
	s.goesTo(int(h.Ack), v.src, routes.Dest(v.src))
	s.opener = sourcePort(int(h.Ack))
	s.flow = rnic.TupleHash(v.dst, v.src, s.opener)
	k.steer(s)
	s.marks, s.writes = markWriter{block: new(markBlock)}, noteWriter{new(sackNote)}
	there := &v.there[h.Window]
	s.incoming.block, s.notes.last = there.marks, there.notes
	v.back[h.Window] = visit{s.marks.block, s.writes.last}
	s.end.Listen()
	s.noticed = s.end.State()
	s.accepting, s.unknown = true, true
	return s
}

// Accept takes the next connection that has been established. A thread that has others is told of
// the first that waits as of a socket; see [Thread.Ready].
func (t *Thread) Accept(a *Acceptor) (*Socket, bool) {
	if t.Working() || len(a.queue) == 0 {
		return nil, false
	}
	if !a.told {
		a.told = true
		if t.sockets > 1 {
			t.round(1)
			if t.Working() {
				return nil, false
			}
		}
	}
	s := a.queue[0]
	a.queue = append(a.queue[:0], a.queue[1:]...)
	a.told = len(a.queue) > 0
	a.Accepted++
	t.Progress++
	k := t.host.stack
	k.traffic.Syscalls++
	t.workAs(Syscalls, k.cfg.Syscall)
	s.unknown, s.news = false, false
	s.list()
	return s, true
}

// opens puts a connection that has been established in the acceptor's queue. It tells whether it has.
func (s *Socket) opens() bool {
	if !s.accepting {
		return false
	}
	gone := s.end.Failed() != nil
	if !gone && !s.Established() {
		return false
	}
	s.accepting = false
	s.door.asking--
	if !gone {
		s.door.queue = append(s.door.queue, s)
	}
	return !gone
}
