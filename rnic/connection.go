package rnic

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// ConnectionQP is the queue pair that a connection is to have at one end (rdma_conn_param, and
// what a program gives to rdma_create_qp). The service is RC or UC.
type ConnectionQP struct {
	Init   QPInit
	Access memory.Access // what the other end may do
	// Reads is how many READs and atomics this end would like to have under way, Serves how
	// many it answers at a time; each gets the lesser of what it would like and of what the other
	// one serves. 0 to [MostReads].
	Reads, Serves int
	// RNRRetries is how often the other end is to try again where this one has no receive
	// request, 0 to 7; 7 is without end. MinRNR is the code of the timer for which it waits.
	RNRRetries, MinRNR int
	// Timeout and Retries are those of this end's retransmissions; nil is as for all NICs.
	Timeout, Retries *int
	// Receives are posted before the other end can send.
	Receives []RecvRequest
	// Use, if not nil, is a queue pair that the program has made before, in state RESET or
	// INIT. It is taken in place of a new one, and the program gets it back when its number has
	// rested.
	Use *VerbsQP
}

// ConnectionEvent is what a program is told about a connection (rdma_cm_event).
type ConnectionEvent struct {
	Kind    ConnectionEventKind
	Private []byte        // from the program at the other end
	Reason  rdmacm.Reason // of a refusal
}

// ConnectionEventKind is the sort of an event.
type ConnectionEventKind uint8

// Events of connections. Each connection that was asked for has exactly one of Established,
// Refused and Unreachable; one that was established ends. Where a queue pair was made, it is
// released, some time after an end, and before or after a refusal.
const (
	ConnectionAsked       ConnectionEventKind = iota // somebody wants one: accept or reject it
	ConnectionEstablished                            // the program may send
	ConnectionRefused
	ConnectionUnreachable // the other end does not answer
	ConnectionEnded       // its queue pair is in state ERR, or about to be
	ConnectionReleased    // its queue pair, in state RESET, may be used again
)

// String names the event.
func (k ConnectionEventKind) String() string {
	return [...]string{"asked", "established", "refused", "unreachable", "ended", "released"}[k]
}

// ConnectionHandler is a program that is told about its connections. It is called from a
// timer of the host and never from within the transport, so that it may go on at once.
type ConnectionHandler interface {
	Connection(c *Connection, e ConnectionEvent, now units.Time)
}

// Connection is one end of a connection that is made during a run.
type Connection struct {
	// Peer is the endpoint at the other side, Service what was asked for.
	Peer    int32
	Service uint64
	// QP is its queue pair; nil until it is made.
	QP *VerbsQP

	nic     *NIC
	id      rdmacm.ID
	handler ConnectionHandler
	wanted  ConnectionQP
	handle  Handle
	stream  *stream // with iWARP; nil until it is begun
	asked   bool    // the other end has asked for it
	// ended says that the program has been told of its end, or that it will not be; released that
	// the queue pair has been taken back.
	ended, released bool
}

// Listen has a handler asked about connections to a service.
func (n *NIC) Listen(service uint64, h ConnectionHandler) {
	m := n.useManagement()
	m.listeners[service] = h
	m.manager.Listen(service)
}

// Connect asks for a connection to a service at another endpoint, with at most 56 bytes of
// the program's own. It is an error if the NIC has not been made acquainted with that of the
// endpoint, if there is too much private data, or if the queue pair cannot be.
func (n *NIC) Connect(to int32, service uint64, q ConnectionQP, private []byte, h ConnectionHandler, now units.Time) (*Connection, error) {
	if !n.ManagesConnections() || n.objects.management.peers[to] == nil {
		return nil, fmt.Errorf("endpoint %d is not acquainted with endpoint %d", n.endpoint, to)
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	m := n.objects.management
	offer := n.offer(&q)
	c := &Connection{nic: n, Peer: to, Service: service, handler: h, wanted: q}
	id, err := m.manager.Connect(rdmacm.Request{
		Peer: to, Service: service, Offer: offer, Private: private, Ready: q.Use != nil, Restless: c.overTCP(),
	}, now)
	if err != nil {
		return nil, err
	}
	c.id = id
	c.handle.PSN = wire.PSN(offer.PSN)
	m.connections[id] = c
	n.wakeManager(now)
	return c, nil
}

// Accept accepts a connection that the program was asked about, with at most 196 bytes of
// its own; errors are as those of [NIC.Connect], or that it was not asked.
func (c *Connection) Accept(q ConnectionQP, private []byte, now units.Time) error {
	if err := q.check(); err != nil {
		return err
	}
	offer := c.nic.offer(&q)
	c.wanted, c.handle.PSN = q, wire.PSN(offer.PSN)
	err := c.nic.objects.management.manager.Accept(c.id, rdmacm.Acceptance{Offer: offer, Private: private, Ready: q.Use != nil, Restless: c.overTCP()}, now)
	c.nic.wakeManager(now)
	return err
}

// Reject rejects a connection that the program was asked about, with at most 148 bytes of its
// own.
func (c *Connection) Reject(private []byte, now units.Time) error {
	m := c.nic.objects.management
	err := m.manager.Reject(c.id, private, now)
	if err == nil {
		delete(m.connections, c.id)
	}
	c.nic.wakeManager(now)
	return err
}

// Disconnect ends a connection, or one that the other end may hold for established already
// as soon as it is. It is an error if there is none.
func (c *Connection) Disconnect(now units.Time) error {
	err := c.nic.objects.management.manager.Disconnect(c.id, now)
	c.nic.wakeManager(now)
	return err
}

// State tells where the connection stands.
func (c *Connection) State() rdmacm.State { return c.nic.objects.management.manager.State(c.id) }

// check finds what cannot be.
func (q *ConnectionQP) check() error {
	switch {
	case q.Init.Service == UD && q.Use == nil || q.Use != nil && q.Use.init.Service == UD:
		return fmt.Errorf("a connection with a queue pair of service UD: want RC or UC")
	case q.Reads < 0 || q.Reads > MostReads || q.Serves < 0 || q.Serves > MostReads:
		return fmt.Errorf("%d READs under way and %d answered: want 0 to %d", q.Reads, q.Serves, MostReads)
	case q.RNRRetries < 0 || q.RNRRetries > Infinite:
		return fmt.Errorf("rnr_retry %d: want 0 to %d", q.RNRRetries, Infinite)
	case q.Use != nil && q.Use.state > Init:
		return fmt.Errorf("queue pair %d is in state %v: want RESET or INIT", q.Use.QPN(), q.Use.state)
	}
	return nil
}

// overTCP tells whether the connection is one of iWARP: as the side that asks for it wants.
func (c *Connection) overTCP() bool {
	if c.asked {
		return c.stream != nil
	}
	if u := c.wanted.Use; u != nil {
		return u.init.Data.IWARP
	}
	return c.wanted.Init.Data.IWARP
}

// offer is what the other end is told. Packet numbers begin elsewhere for each connection,
// lest a late packet of an earlier one should fit.
func (n *NIC) offer(q *ConnectionQP) rdmacm.Offer {
	m := n.objects.management
	m.psn = (m.psn + 0x9E3779) & 0xFFFFFF
	return rdmacm.Offer{PSN: m.psn, Reads: uint8(q.Reads), Serves: uint8(q.Serves), RNRRetries: uint8(q.RNRRetries)}
}

// create makes the queue pair of a connection, or takes one whose number has rested.
func (c *Connection) create(now units.Time) error {
	m, q := c.nic.objects.management, &c.wanted
	q.Init.Data.IWARP = c.overTCP()
	switch n := len(m.spare); {
	case q.Use != nil:
		c.QP = q.Use
	case n > 0:
		c.QP = m.spare[n-1]
		m.spare = m.spare[:n-1]
		c.QP.rebind(q.Init)
	default:
		c.QP = c.nic.CreateQP(q.Init)
	}
	if err := c.QP.Modify(Init, Attributes{Given: AttrPKey | AttrPort | AttrAccess, Access: q.Access}, now); err != nil {
		return err
	}
	for _, r := range q.Receives {
		if err := c.QP.PostRecv(r, now); err != nil {
			return err
		}
	}
	c.handle = c.QP.Handle(c.handle.PSN)
	m.manager.Created(c.id, c.QP.QPN(), c.handle, now)
	return nil
}

// rebind gives a queue pair in state RESET the queues of another.
func (q *VerbsQP) rebind(init QPInit) {
	for _, cq := range []*CQ{q.init.SendCQ, q.init.RecvCQ} {
		cq.users = slices.DeleteFunc(cq.users, func(user *VerbsQP) bool { return user == q })
	}
	for _, cq := range []*CQ{init.SendCQ, init.RecvCQ} {
		if !slices.Contains(cq.users, q) {
			cq.users = append(cq.users, q)
		}
	}
	other := q.init.Data.IWARP != init.Data.IWARP
	q.init, q.receives = init, receiveQueue{depth: init.RecvDepth}
	q.qp().data = init.Data
	if other {
		if s := q.qp().stream; s != nil {
			s.leave()
		}
		q.writeBeside()
	}
}

// toRTR has the queue pair know the other end.
func (c *Connection) toRTR(a *rdmacm.Action, now units.Time) error {
	c.bind()
	return c.QP.Modify(RTR, Attributes{
		Given:  AttrAddress | AttrMTU | AttrReadsAccepted | AttrMinRNR,
		Remote: a.Theirs.Beside.(Handle), MTU: c.nic.cfg.MTU, ReadsAccepted: int(a.Mine.Serves), MinRNR: c.wanted.MinRNR,
	}, now)
}

// toRTS has it send.
func (c *Connection) toRTS(a *rdmacm.Action, now units.Time) error {
	timeout, retries := c.nic.cfg.Timeout, c.nic.cfg.Retries
	if c.wanted.Timeout != nil {
		timeout = *c.wanted.Timeout
	}
	if c.wanted.Retries != nil {
		retries = *c.wanted.Retries
	}
	c.QP.unheard = c
	return c.QP.Modify(RTS, Attributes{
		Given:   AttrSendPSN | AttrReadsIssued | AttrRetries | AttrRNRRetries | AttrTimeout | AttrBaseRTT,
		SendPSN: c.handle.PSN, ReadsIssued: int(a.Mine.Reads), Retries: retries, RNRRetries: int(a.Theirs.RNRRetries),
		Timeout: timeout, BaseRTT: c.nic.objects.management.peers[c.Peer].baseRTT,
	}, now)
}

// heard tells the manager that the queue pair has received something, which stands for the
// message that the other end may send.
func (c *Connection) heard(now units.Time) {
	c.QP.unheard = nil
	c.nic.objects.management.manager.Arrived(c.id, now)
	c.nic.wakeManager(now)
}

// release takes the queue pair back.
func (c *Connection) release(now units.Time) error {
	m := c.nic.objects.management
	c.QP.unheard = nil
	if err := c.QP.Modify(Reset, Attributes{}, now); err != nil {
		return err
	}
	if c.wanted.Use == nil {
		m.spare = append(m.spare, c.QP)
	}
	c.released = true
	c.tell(ConnectionReleased, &rdmacm.Action{}, now)
	c.drop()
	return nil
}

// tell tells the program.
func (c *Connection) tell(kind ConnectionEventKind, a *rdmacm.Action, now units.Time) {
	if c.handler != nil {
		c.handler.Connection(c, ConnectionEvent{Kind: kind, Private: a.Private, Reason: a.Reason}, now)
	}
}

// over tells the program that there will be no connection, or no longer.
func (c *Connection) over(kind ConnectionEventKind, a *rdmacm.Action, now units.Time) {
	c.ended = true
	if s := c.stream; s != nil && kind == ConnectionUnreachable {
		s.made.over = true
		s.tcp.Abort(now)
		s.settle(now)
	}
	c.tell(kind, a, now)
	c.drop()
}

// drop forgets a connection of which nothing more will be heard.
func (c *Connection) drop() {
	if c.ended && (c.QP == nil || c.released) {
		delete(c.nic.objects.management.connections, c.id)
	}
}
