package host

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Connections is where a thread is told about its connections (rdma_event_channel). What
// waking it takes is part of the time to handle a message.
type Connections struct {
	t    *Thread
	news fabric.Queue[connectionNews]
}

type connectionNews struct {
	of    *rnic.Connection
	event rnic.ConnectionEvent
}

var _ rnic.ConnectionHandler = (*Connections)(nil)

// Connections makes a place where the thread is told about connections.
func (t *Thread) Connections() *Connections { return &Connections{t: t} }

// Connection implements [rnic.ConnectionHandler].
func (c *Connections) Connection(of *rnic.Connection, e rnic.ConnectionEvent, now units.Time) {
	c.news.Push(&connectionNews{of, e})
	c.t.ready(now)
}

// Next takes the next event, if there is one and the thread is not at work.
func (c *Connections) Next() (of *rnic.Connection, e rnic.ConnectionEvent, ok bool) {
	if c.t.Working() || c.news.Len() == 0 {
		return nil, e, false
	}
	c.t.Progress++
	n := c.news.Pop()
	return n.of, n.event, true
}

// Connect asks for a connection over a NIC of the thread's host, of whose fate it is told
// at c; see [rnic.NIC.Connect]. Like all that follows it is not for a thread that is at work.
func (c *Connections) Connect(n *rnic.NIC, to int32, service uint64, q rnic.ConnectionQP, private []byte) (*rnic.Connection, error) {
	return n.Connect(to, service, q, private, c, c.t.now)
}

// Accept accepts a connection that the thread was asked about.
func (c *Connections) Accept(of *rnic.Connection, q rnic.ConnectionQP, private []byte) error {
	return of.Accept(q, private, c.t.now)
}

// Disconnect ends a connection.
func (c *Connections) Disconnect(of *rnic.Connection) error { return of.Disconnect(c.t.now) }
