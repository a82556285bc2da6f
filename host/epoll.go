package host

import "github.com/rdmasim/rdmasim/sim/units"

// epoll is what a thread knows of its sockets: those that have something for it, in the order
// in which they had it, out of which one system call takes some at a time.
//
// Source: Linux, epoll_wait(2), level-triggered: a socket that has been looked at and still has
// something stands in the line again.
type epoll struct {
	line  []*Socket
	first int
	batch int // those that the last call has told of
}

func (e *epoll) len() int { return len(e.line) - e.first }

func (e *epoll) push(s *Socket) {
	if s.listed {
		return
	}
	s.listed = true
	if e.first > 0 && len(e.line) == cap(e.line) {
		e.line = e.line[:copy(e.line, e.line[e.first:])]
		e.first = 0
	}
	e.line = append(e.line, s)
}

func (e *epoll) pop() {
	e.line[e.first].listed = false
	e.line[e.first] = nil
	e.first++
	e.batch = max(0, e.batch-1)
}

// read tells whether a message has been read whole that the program has not taken.
func (s *Socket) read() bool {
	return s.end.Consumed() > s.whole && s.incoming.front().end <= s.end.Consumed()
}

// has tells whether the kernel has something for the socket's thread.
func (s *Socket) has() bool { return !s.shut && (s.news || s.end.Readable() > 0) }

// list notes that the kernel has something for a socket's thread.
func (s *Socket) list() {
	if s.stream == nil && !s.unknown && s.has() {
		s.thread.epoll.push(s)
	}
}

// Ready is the next of the thread's sockets that has something for it: bytes or messages, the
// end of the stream, or another state. A thread with several sockets asks for it by a system
// call (epoll_wait), which tells of [kernel.Config.Events] of them at the most; each is given once,
// and again by a later call if there is still something. Like [Thread.Poll], Ready finds nothing
// while the thread is at work.
func (t *Thread) Ready() (*Socket, bool) {
	e := &t.epoll
	for !t.Working() && e.len() > 0 {
		s := e.line[e.first]
		if !s.shut && s.read() {
			return s, true
		}
		if s.turn || !s.has() {
			s.turn = false
			e.pop()
			s.list()
			continue
		}
		if e.batch == 0 {
			e.batch = 1
			if t.sockets > 1 {
				e.batch = t.round(e.len())
				continue
			}
		}
		s.turn, s.news = true, false
		t.Progress++
		return s, true
	}
	return nil, false
}

// round is a system call that tells of some sockets.
func (t *Thread) round(n int) int {
	k := t.host.stack
	n = min(n, k.cfg.Events)
	k.traffic.Syscalls++
	t.workAs(Syscalls, k.cfg.Epoll+units.Time(n)*k.cfg.Event)
	return n
}

// Ended tells whether the other end has closed and all has been read.
func (s *Socket) Ended() bool { return s.end.Ended() && !s.read() }

// KernelTime is what cores have worked for the socket by themselves, beside its thread: in
// interrupts and softirqs.
func (s *Socket) KernelTime() units.Time { return s.kernel }

// SocketMTU is the MTU of connections of sockets: bytes of a full packet with its IP header; 0
// where hosts have no TCP.
func (c *Cluster) SocketMTU() units.Bytes {
	if c.tcp == nil {
		return 0
	}
	return c.tcp.MTU
}

// SpinsOnSockets tells whether threads look for packets of their sockets all the time, instead of
// sleeping.
func (c *Cluster) SpinsOnSockets() bool { return c.kernel != nil && c.kernel.BusyPoll }
