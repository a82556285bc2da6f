package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// makeOverTCP makes the programs and the connections of calls over sockets: those of a client
// belong to one thread, and are dealt out among the threads of the server.
func (c *Calls) makeOverTCP(clients []int) error {
	thread := func(name string) host.ThreadOptions {
		o := c.thread(name)
		o.Events = !c.cluster.SpinsOnSockets()
		return o
	}
	for i := range c.Threads {
		s := &socketCallee{calls: c}
		s.thread = c.cluster.AddThread(c.server, s, thread(fmt.Sprintf("rpc server %d", i)))
		c.socketServers = append(c.socketServers, s)
	}
	for _, client := range clients {
		cl := &socketCaller{calling: calling{calls: c}, links: map[*host.Socket]*callLink{}}
		cl.thread = c.cluster.AddThread(client, cl, thread("rpc client"))
		for k := range c.Connections {
			s := c.socketServers[(len(c.socketClients)+k)%len(c.socketServers)]
			near, far, err := c.cluster.Pair(cl.thread, s.thread, host.SocketOptions{Class: c.Data, Turn: k})
			if err != nil {
				return err
			}
			cl.sockets, s.sockets = append(cl.sockets, near), append(s.sockets, far)
			cl.links[near] = &callLink{}
		}
		c.socketClients = append(c.socketClients, cl)
	}
	return nil
}

// callLink is a connection, as its client has it.
type callLink struct {
	posted queue[units.Time] // when the calls under way were made
	begun  int
}

// socketCaller is the program of a client over sockets.
type socketCaller struct {
	calling
	sockets []*host.Socket
	links   map[*host.Socket]*callLink
	due     queue[*host.Socket] // on which a call is to be made
}

// Step implements [host.Program].
func (c *socketCaller) Step(t *host.Thread) {
	if !c.begun {
		c.begun, c.began = true, t.Now()
		for range min(c.calls.Outstanding, c.calls.CallOptions.Calls) {
			for _, s := range c.sockets {
				c.due.push(s)
			}
		}
	}
	for !c.Done() && !t.Working() {
		if s, due := c.due.pop(); due {
			c.call(t, s)
			continue
		}
		s, ok := t.Ready()
		if !ok {
			return
		}
		if err := s.Failed(); err != nil {
			c.err = fmt.Errorf("%w; %d of %d calls done", err, c.done, c.all())
			return
		}
		if _, ok := t.Recv(s); ok {
			l := c.links[s]
			posted, _ := l.posted.pop()
			c.answered(t, posted)
			if l.begun < c.calls.CallOptions.Calls {
				c.call(t, s)
			}
		}
	}
}

// call makes a call.
func (c *socketCaller) call(t *host.Thread, s *host.Socket) {
	l := c.links[s]
	l.begun++
	l.posted.push(t.Now())
	t.Send(s, host.Message{Size: atLeastOne(c.calls.Request)})
}

// atLeastOne is the size of a message of a stream, which has no empty ones.
func atLeastOne(size units.Bytes) units.Bytes { return max(size, 1) }

// Waits implements [host.Program].
func (c *socketCaller) Waits() string {
	return fmt.Sprintf("waits for replies%s; %d of %d calls done", socketCause(c.sockets), c.done, c.all())
}

// socketCallee is a thread of the server over sockets.
type socketCallee struct {
	calls   *Calls
	thread  *host.Thread
	sockets []*host.Socket
	served  int
	err     error
}

func (s *socketCallee) all() int { return len(s.sockets) * s.calls.CallOptions.Calls }

// Done implements [host.Program].
func (s *socketCallee) Done() bool { return s.err != nil || s.served == s.all() }

// Failed implements [host.Program].
func (s *socketCallee) Failed() error { return s.err }

// Waits implements [host.Program].
func (s *socketCallee) Waits() string {
	return fmt.Sprintf("waits for requests%s; %d of %d calls served", socketCause(s.sockets), s.served, s.all())
}

// Step implements [host.Program].
func (s *socketCallee) Step(t *host.Thread) {
	for !s.Done() && !t.Working() {
		at, ok := t.Ready()
		if !ok {
			return
		}
		if err := at.Failed(); err != nil {
			s.err = fmt.Errorf("%w; %d of %d calls served", err, s.served, s.all())
			return
		}
		if _, ok := t.Recv(at); ok {
			s.served++
			t.Work(s.calls.Think)
			t.Send(at, host.Message{Size: atLeastOne(s.calls.Reply)})
		}
	}
}
