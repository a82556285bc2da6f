package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// makeOverTCP makes the clients of a lock and the thread that keeps it, joined by connections.
func (l *Lock) makeOverTCP(c *host.Cluster) error {
	l.keeper = &lockKeeper{test: l, open: len(l.LockOptions.Clients)}
	options := host.ThreadOptions{Name: "distributed-lock server", Start: l.Start, Events: !c.SpinsOnSockets()}
	server := c.AddThread(l.LockOptions.Server, l.keeper, options)
	options.Name = "distributed-lock client"
	for i, at := range l.LockOptions.Clients {
		k := &locker{test: l, id: uint64(i + 1)}
		k.thread = c.AddThread(at, k, options)
		near, far, err := c.Pair(k.thread, server, host.SocketOptions{Class: l.Data})
		if err != nil {
			return err
		}
		k.socket = near
		l.keeper.sockets = append(l.keeper.sockets, far)
		l.clients, l.names = append(l.clients, k), append(l.names, nameOf(c, at))
	}
	return nil
}

// What a message of a client asks: the operation and the word are in its tag, and whether it
// wants an answer.
const (
	lockAnswered = 1 << 31
	lockVerbAt   = 16
)

// askOverTCP asks the server for what an adapter would do: as many bytes as its headers and
// data have.
func (k *locker) askOverTCP(t *host.Thread, local, remote uint64, r *rnic.SendRequest) {
	const word = 8
	m := host.Message{Tag: uint32(r.Verb)<<lockVerbAt | uint32(remote), A: r.CompareAdd, B: r.Swap}
	switch r.Verb {
	case rnic.Read:
		m.Size = readRequest
	case rnic.Write:
		m.Size = readRequest + word
		if local == valueWord {
			m.A = k.value
		}
	default:
		m.Size = atomicRequest
	}
	if r.Signalled {
		m.Tag |= lockAnswered
	}
	t.Send(k.socket, m)
}

// answerOverTCP takes the server's answer.
func (k *locker) answerOverTCP(t *host.Thread) (old uint64, ok bool) {
	for {
		s, any := t.Ready()
		if !any {
			return 0, false
		}
		if k.err = s.Failed(); k.err != nil {
			return 0, false
		}
		if m, ok := t.Recv(s); ok {
			return m.A, true
		}
		if t.Working() {
			return 0, false
		}
	}
}

// lockKeeper is the server of a lock over TCP: it does what clients ask for, one after the
// other.
type lockKeeper struct {
	test    *Lock
	sockets []*host.Socket
	words   [sharedBytes]uint64 // by offset
	open    int                 // connections
	asked   int
	err     error
}

// Done implements [host.Program].
func (l *lockKeeper) Done() bool { return l.err != nil || l.open == 0 }

// Failed implements [host.Program].
func (l *lockKeeper) Failed() error { return l.err }

// Waits implements [host.Program].
func (l *lockKeeper) Waits() string {
	return fmt.Sprintf("waits for requests%s; %d served, %s open", socketCause(l.sockets), l.asked, countOf(l.open, "connection"))
}

// Step implements [host.Program].
func (l *lockKeeper) Step(t *host.Thread) {
	for !l.Done() && !t.Working() {
		s, ok := t.Ready()
		if !ok {
			return
		}
		if l.err = s.Failed(); l.err != nil {
			return
		}
		if m, ok := t.Recv(s); ok {
			l.serve(t, s, m)
		} else if s.Ended() {
			l.open--
			t.Shut(s)
		}
	}
}

// serve does what a client asks for.
func (l *lockKeeper) serve(t *host.Thread, s *host.Socket, m host.Message) {
	l.asked++
	at := &l.words[m.Tag&(1<<lockVerbAt-1)]
	old, size := *at, units.Bytes(atomicAnswer)
	switch rnic.Verb(m.Tag &^ lockAnswered >> lockVerbAt) {
	case rnic.CompareSwap:
		if old == m.A {
			*at = m.B
		}
	case rnic.FetchAdd:
		*at += m.A
	case rnic.Write:
		*at, size = m.A, confirmation
	}
	if m.Tag&lockAnswered != 0 {
		t.Send(s, host.Message{Size: size, A: old})
	}
}
