package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
)

// openDoor has a thread of the server wait for connections of sockets.
func (s *ShortLived) openDoor(c *host.Cluster) {
	a := &socketReceptionist{test: s, left: s.connections() * len(s.ShortLivedOptions.Clients)}
	t := c.AddThread(s.ShortLivedOptions.Server, a, s.threadOverTCP(c, "short-connections server"))
	a.door = c.Listen(t)
	s.acceptor = a.door
}

func (s *ShortLived) threadOverTCP(c *host.Cluster, name string) host.ThreadOptions {
	if s.Beside && s.Transport != TCP {
		name += " over tcp"
	}
	return host.ThreadOptions{Name: name, Start: s.Start, Events: !c.SpinsOnSockets()}
}

// addOverTCP makes a client over sockets, which begins when another of its host has ended, if
// there is one.
func (s *ShortLived) addOverTCP(c *host.Cluster, client int, after *visitor) error {
	at := s.ShortLivedOptions.Clients[client]
	k := &socketVisitor{test: s, door: s.acceptor}
	k.thread = c.AddThread(at, k, s.threadOverTCP(c, "short-connections client"))
	if err := c.Introduce(k.thread, s.acceptor, client); err != nil {
		return err
	}
	s.overTCP = append(s.overTCP, k)
	if after != nil {
		after.next, k.waits = k, true
		return nil
	}
	s.names = append(s.names, nameOf(c, at))
	return nil
}

// TimeWait is how many connections of a client over TCP are in TIME-WAIT.
func (s *ShortLived) TimeWait(client int) int {
	if client >= len(s.overTCP) {
		return 0
	}
	return s.overTCP[client].thread.Lingering(s.acceptor)
}

// Overflows is how many SYNs the server has dropped since too many connections over TCP waited to
// be accepted.
func (s *ShortLived) Overflows() uint64 {
	if s.acceptor == nil {
		return 0
	}
	return s.acceptor.Overflows
}

// socketVisitor is a client of short connections over sockets.
type socketVisitor struct {
	test     *ShortLived
	thread   *host.Thread
	door     *host.Acceptor
	waits    bool // for another client
	socket   *host.Socket
	begun    bool // a session
	asking   bool // a request is under way
	standing bool // the connection
	asked    int  // requests of the session
	present  Session
	sessions []Session
	err      error
}

// Done implements [host.Program].
func (k *socketVisitor) Done() bool { return k.err != nil || len(k.sessions) == k.test.Sessions }

// Failed implements [host.Program].
func (k *socketVisitor) Failed() error { return k.err }

// Waits implements [host.Program].
func (k *socketVisitor) Waits() string {
	what := "an answer"
	switch {
	case k.waits:
		what = "the client over RDMA"
	case !k.standing:
		what = "a connection to " + k.test.server
	}
	if k.socket != nil {
		what += socketCause([]*host.Socket{k.socket})
	}
	return fmt.Sprintf("waits for %s; %d of %d sessions done", what, len(k.sessions), k.test.Sessions)
}

// Step implements [host.Program].
func (k *socketVisitor) Step(t *host.Thread) {
	for !k.waits && !k.Done() && !t.Working() && k.advance(t) {
	}
}

// advance takes one step, and tells whether there may be another one now.
func (k *socketVisitor) advance(t *host.Thread) bool {
	if !k.begun {
		k.begun, k.asked, k.present = true, 0, Session{Begun: t.Now()}
		if k.socket == nil {
			k.socket = t.Connect(k.door, host.SocketOptions{Class: k.test.DataTCP})
			return true
		}
		k.present.Connected = t.Now() // it is used again
	}
	if k.err = k.socket.Failed(); k.err != nil {
		k.err = fmt.Errorf("no connection to %s: %w", k.test.server, k.err)
		return false
	}
	switch {
	case !k.standing:
		if t.Ready(); !k.socket.Established() {
			return false
		}
		k.standing = true
		k.present.Connected = t.Now()
	case !k.asking:
		t.Send(k.socket, host.Message{Size: k.test.RequestSize})
		k.asking = true
		k.asked++
	default:
		return k.listen(t)
	}
	return true
}

// listen takes an answer, and ends the session with the last.
func (k *socketVisitor) listen(t *host.Thread) bool {
	if _, ok := t.Ready(); !ok {
		return false
	}
	if _, ok := t.Recv(k.socket); !ok {
		return true
	}
	k.asking = false
	if k.asked < k.test.Requests {
		return true
	}
	k.present.Answered = t.Now()
	if k.test.Reuse != ReuseConnections || len(k.sessions)+1 == k.test.Sessions {
		t.Shut(k.socket)
		k.socket, k.standing = nil, false
	}
	k.present.Ended = t.Now()
	k.sessions = append(k.sessions, k.present)
	k.begun = false
	return true
}

// socketReceptionist is the server of short connections over sockets.
type socketReceptionist struct {
	test *ShortLived
	door *host.Acceptor
	left int // connections that will come or are open
	err  error
}

// Done implements [host.Program].
func (a *socketReceptionist) Done() bool { return a.err != nil || a.left == 0 }

// Failed implements [host.Program].
func (a *socketReceptionist) Failed() error { return a.err }

// Waits implements [host.Program].
func (a *socketReceptionist) Waits() string {
	return fmt.Sprintf("waits for requests and connections; %s to come or to end", countOf(a.left, "connection"))
}

// Step implements [host.Program].
func (a *socketReceptionist) Step(t *host.Thread) {
	for !a.Done() && !t.Working() {
		if _, ok := t.Accept(a.door); ok {
			continue
		}
		s, ok := t.Ready()
		if !ok {
			return
		}
		if a.err = s.Failed(); a.err != nil {
			return
		}
		if _, ok := t.Recv(s); ok {
			t.Send(s, host.Message{Size: a.test.AnswerSize})
		} else if s.Ended() {
			t.Shut(s)
			a.left--
		}
	}
}
