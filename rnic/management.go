package rnic

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// managementQPN is the queue pair of the general services interface, to which
// management datagrams go (IBTA volume 1, 3.9.4).
const managementQPN = 1

// management is what a NIC has that manages connections.
type management struct {
	manager     *rdmacm.Manager
	peers       map[int32]*correspondent
	connections map[rdmacm.ID]*Connection
	listeners   map[uint64]ConnectionHandler
	// calls and callers are the streams that others have called for, by their number and by the name
	// that the other manager has for the connection (iWARP).
	calls, callers map[caller]*stream
	spare          []*VerbsQP // whose numbers may be used again
	wake           units.Time // of the timer that is set; Never if there is none
	psn            uint32     // of the first packet of the queue pair made last
	counted        ManagementCounters
}

// ManagementCounters are the books of a NIC's management packets, ARP frames among them.
type ManagementCounters struct {
	Sent, Received uint64
	Late           uint64 // of those received, ones that were overtaken by so many others that they count as lost
}

// correspondent is another NIC with which connections may be made.
type correspondent struct {
	dest    topology.Dest
	baseRTT units.Time
	flow    uint32
	letters *letter // the last one written
	lastOne uint32
	mail    *letter // what it has written was read up to here, or is too old to be read
}

// letter is what travels beside a management packet; see beside.go. Letters are numbered and
// chained by their writer, and found by the number that the packet carries, which may have
// been overtaken.
type letter struct {
	number  uint32
	message *rdmacm.Message
	call    *call // in its place: of a connection of TCP
	next    *letter
}

// lettersBehind is how many letters back one that was overtaken is still found.
const lettersBehind = 64

// Acquaint lets two NICs connect to each other during a run: baseRTT is the round trip of a full packet
// from a to b through the empty network, back that from b to a. It happens before the run.
func Acquaint(a, b *NIC, baseRTT, back units.Time) {
	ma, mb := a.useManagement(), b.useManagement()
	if ma.peers[b.endpoint] != nil {
		return
	}
	fromA, fromB := new(letter), new(letter)
	ma.peers[b.endpoint] = &correspondent{dest: b.address, baseRTT: baseRTT, flow: managementFlow(a, b), letters: fromA, mail: fromB}
	mb.peers[a.endpoint] = &correspondent{dest: a.address, baseRTT: back, flow: managementFlow(b, a), letters: fromB, mail: fromA}
}

// managementFlow is the hash of the 5-tuple of datagrams from a to b.
func managementFlow(a, b *NIC) uint32 {
	return TupleHash(a.endpoint, b.endpoint, SourcePort(managementQPN, managementQPN))
}

// useManagement makes the NIC ready for connections.
func (n *NIC) useManagement() *management {
	o := n.useVerbs()
	if o.management == nil {
		if n.sendQueues == nil {
			n.sendQueues = new(sendQueues)
		}
		params := n.cfg.Connections
		if params == nil {
			costless := rdmacm.Costless()
			params = &costless
		}
		o.management = &management{
			manager: rdmacm.New(params), peers: map[int32]*correspondent{}, connections: map[rdmacm.ID]*Connection{},
			listeners: map[uint64]ConnectionHandler{}, wake: units.Never, calls: map[caller]*stream{}, callers: map[caller]*stream{},
		}
	}
	return o.management
}

// ManagesConnections tells whether the NIC has been made acquainted with others.
func (n *NIC) ManagesConnections() bool { return n.objects != nil && n.objects.management != nil }

// Management are the books of the NIC's management packets, and of its connections.
func (n *NIC) Management() (packets ManagementCounters, connections rdmacm.Counters) {
	if !n.ManagesConnections() {
		return packets, connections
	}
	m := n.objects.management
	return m.counted, m.manager.Counted()
}

// Connecting tells whether connections are under way, or to their end: then something will
// happen by itself, be it that they are given up.
func (n *NIC) Connecting() bool {
	return n.ManagesConnections() && n.objects.management.manager.Pending() > 0
}

// mail sends a message of connection management.
func (n *NIC) mail(to int32, message *rdmacm.Message) {
	m := n.objects.management
	peer := m.peers[to]
	p := wire.Packet{
		Stamp: units.Time(n.endpoint)<<32 | units.Time(peer.write(letter{message: message})), Edge: uint16(peer.dest.Edge), EdgePort: peer.dest.Port, Flow: peer.flow,
		QPN: managementQPN, Op: wire.DatagramSend, Payload: rdmacm.MADBytes,
	}
	if !message.Kind.IsMAD() {
		p.Op, p.Payload = wire.ARP, 0
	}
	m.counted.Sent++
	n.queueManagement(&p)
}

// write writes a letter, and gives its number.
func (c *correspondent) write(l letter) uint32 {
	c.lastOne++
	l.number = c.lastOne
	c.letters.next = &l
	c.letters = &l
	return l.number
}

// queueManagement puts a management packet in line.
func (n *NIC) queueManagement(p *wire.Packet) {
	class := n.cfg.Management
	p.DSCP, p.ECN = class.DSCP, wire.NotECT
	n.lastID++
	p.ID = n.lastID
	p.Frame = uint16(n.cfg.FrameBytes(p.Op, int(p.Payload)))
	if n.adapter != nil {
		n.stageControl(p, class.Priority)
		return
	}
	n.control[class.Priority].Push(p)
	n.controlMask |= 1 << class.Priority
}

// manage takes in a management packet.
func (n *NIC) manage(p *wire.Packet, now units.Time) {
	m := n.objects.management
	from := int32(uint64(p.Stamp) >> 32)
	m.counted.Received++
	n.Progress++
	l := m.peers[from].open(uint32(p.Stamp))
	if l == nil {
		m.counted.Late++
		return
	}
	m.manager.Deliver(from, l.message, now)
	n.wakeManager(now)
}

// open finds the letter of a number. That is there, as it was written before its packet
// was sent; and so is all that was written before it.
func (c *correspondent) open(number uint32) *letter {
	if number <= c.mail.number {
		return nil
	}
	l := c.mail
	for l.number < number {
		l = l.next
	}
	for number-c.mail.number > lettersBehind {
		c.mail = c.mail.next
	}
	return l
}

// wakeManager sets the timer for what the manager has to do next, be it now: what it has
// done for programs may call them, which is not to happen from within the transport.
func (n *NIC) wakeManager(now units.Time) {
	m := n.objects.management
	if at := max(now, m.manager.Next()); at < m.wake {
		m.wake = at
		n.timer(manageTimer, at, 0)
	}
}

// onManageTimer does what the manager wants to be done now.
func (n *NIC) onManageTimer(now units.Time) {
	m := n.objects.management
	if m.wake > now {
		return // an earlier timer has done it
	}
	m.wake = units.Never
	for {
		a, ok := m.manager.Step(now)
		if !ok {
			break
		}
		if err := n.act(&a, now); err != nil {
			panic(fmt.Sprintf("rnic: connection %d: %v: %v", a.ID, a.Do, err)) // no program can bring this about
		}
	}
	n.wakeManager(now)
}

// act does one thing that the manager wants to be done.
func (n *NIC) act(a *rdmacm.Action, now units.Time) error {
	m := n.objects.management
	if a.Do == rdmacm.Send {
		if !a.Message.Kind.IsMAD() || !n.convey(a, now) {
			n.mail(a.Peer, a.Message)
		}
		return nil
	}
	c := m.connections[a.ID]
	switch a.Do {
	case rdmacm.Create:
		return c.create(now)
	case rdmacm.ToRTR:
		return c.toRTR(a, now)
	case rdmacm.ToRTS:
		return c.toRTS(a, now)
	case rdmacm.ToERR:
		c.QP.leaving = true
		return c.QP.Modify(Err, Attributes{}, now)
	case rdmacm.Release:
		return c.release(now)
	case rdmacm.TellRequest:
		c = &Connection{nic: n, id: a.ID, Peer: a.Peer, Service: a.Service, asked: true, handler: m.listeners[a.Service]}
		m.connections[a.ID] = c
		if c.stream = m.callers[caller{a.Peer, uint32(a.Remote)}]; c.stream != nil {
			c.stream.made.id = a.ID
		}
		c.tell(ConnectionAsked, a, now)
	case rdmacm.TellEstablished:
		c.QP.unheard = nil
		c.tell(ConnectionEstablished, a, now)
	case rdmacm.TellRefused:
		c.over(ConnectionRefused, a, now)
	case rdmacm.TellUnreachable:
		c.over(ConnectionUnreachable, a, now)
	case rdmacm.TellDisconnected:
		c.over(ConnectionEnded, a, now)
	}
	return nil
}
