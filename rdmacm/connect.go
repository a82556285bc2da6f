package rdmacm

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Request is what a program wants when it connects.
type Request struct {
	Peer    int32 // endpoint
	Service uint64
	Offer   Offer // but for the number of the queue pair
	Private []byte
	// Ready says that there is a queue pair in the state INIT already, so that no command
	// is needed to make one.
	Ready bool
	// Restless says that the number of the queue pair need not rest when the connection is over.
	Restless bool
}

// Connect begins a communication, whose end is that [TellEstablished], [TellRefused] or
// [TellUnreachable] is to be done. It is an error if the private data is too long.
func (m *Manager) Connect(r Request, now units.Time) (ID, error) {
	if len(r.Private) > REQ.MaxPrivate() {
		return 0, fmt.Errorf("rdmacm: %d bytes of private data with a REQ, want %d or less", len(r.Private), REQ.MaxPrivate())
	}
	c := m.open(r.Peer, r.Service)
	c.mine, c.private, c.ready, c.restless = r.Offer, r.Private, r.Ready, r.Restless
	m.move(c, Resolving)
	m.resolve(c, now)
	return c.id, nil
}

// Know notes the address of an endpoint, which then needs no resolution.
func (m *Manager) Know(peer int32) { m.addressOf(peer).known = true }

// resolution is what is known of the address of an endpoint.
type resolution struct {
	known    bool
	waiting  []*communication
	tries    int
	deadline units.Time
}

func (m *Manager) addressOf(peer int32) *resolution {
	r := m.address[peer]
	if r == nil {
		r = &resolution{}
		m.address[peer] = r
	}
	return r
}

// resolve asks for the address of a communication's other side, unless it is known or has
// been asked for.
func (m *Manager) resolve(c *communication, now units.Time) {
	r := m.addressOf(c.peer)
	if r.known {
		m.create(c, now)
		return
	}
	r.waiting = append(r.waiting, c)
	if len(r.waiting) == 1 {
		r.tries = m.p.ResolveRetries
		m.askAddress(r, now)
	}
}

// askAddress sends an ARP request in the name of the first that waits for the answer.
func (m *Manager) askAddress(r *resolution, now units.Time) {
	m.send(r.waiting[0], Message{Kind: ARPRequest})
	deadline := now + m.p.ResolveTimeout
	r.deadline = deadline
	m.at(deadline, func(now units.Time) {
		switch {
		case r.known || r.deadline != deadline:
		case r.tries > 0:
			r.tries--
			m.counted.Repeated++
			m.askAddress(r, now)
		default:
			waiting := r.waiting
			r.waiting = nil
			for _, c := range waiting {
				m.refuse(c, TellUnreachable, GaveUp, nil, now)
			}
		}
	})
}

// resolved goes on with the communications that waited for an address.
func (m *Manager) resolved(peer int32, now units.Time) {
	r := m.addressOf(peer)
	waiting := r.waiting
	r.known, r.waiting = true, nil
	for _, c := range waiting {
		m.create(c, now)
	}
}

// create has the queue pair of a communication made.
func (m *Manager) create(c *communication, now units.Time) {
	if !c.passive {
		m.move(c, Creating)
	}
	if c.ready {
		m.do(c, Create)
		return
	}
	m.command(now, func(units.Time) { m.do(c, Create) })
}

// Created tells the manager which queue pair was made for a communication, and what else the
// other side is to know about it.
func (m *Manager) Created(id ID, qpn uint32, beside any, now units.Time) {
	c := m.byID[id]
	c.mine.QPN, c.mine.Beside, c.exists = qpn, beside, true
	if c.passive {
		m.prepare(c, now)
		return
	}
	m.move(c, REQSent)
	m.ask(c, Message{Kind: REQ, Service: c.service, Offer: c.mine, Private: c.private}, now)
}

// prepare moves a queue pair to RTR and RTS, and sends what the other side waits for.
func (m *Manager) prepare(c *communication, now units.Time) {
	m.command(now, func(now units.Time) {
		m.do(c, ToRTR)
		m.command(now, func(now units.Time) {
			m.do(c, ToRTS)
			if c.passive {
				m.move(c, REPSent)
				m.ask(c, Message{Kind: REP, Offer: c.mine, Private: c.private}, now)
				return
			}
			m.send(c, Message{Kind: RTU})
			m.establish(c, c.private, now)
		})
	})
}

// Listen has the manager ask the program when a request for a service comes. Requests for
// services that nobody listens on are rejected.
func (m *Manager) Listen(service uint64) { m.services[service] = true }

// Acceptance is what a program offers when it accepts a connection.
type Acceptance struct {
	Offer   Offer // but for the number of the queue pair
	Private []byte
	// Ready and Restless are as in a [Request].
	Ready, Restless bool
}

// Accept accepts a communication that the program was asked about. It is an error if it was
// not, or if the private data is too long.
func (m *Manager) Accept(id ID, a Acceptance, now units.Time) error {
	c := m.byID[id]
	switch {
	case c == nil || c.state != Asked:
		return fmt.Errorf("rdmacm: communication %d is %v, want one that waits for the program", id, m.State(id))
	case len(a.Private) > REP.MaxPrivate():
		return fmt.Errorf("rdmacm: %d bytes of private data with a REP, want %d or less", len(a.Private), REP.MaxPrivate())
	}
	c.mine, c.private, c.ready, c.restless = a.Offer, a.Private, a.Ready, a.Restless
	c.agree()
	m.move(c, Accepting)
	m.create(c, now)
	return nil
}

// Reject rejects a communication that the program was asked about. It is an error if it was
// not, or if the private data is too long.
func (m *Manager) Reject(id ID, private []byte, _ units.Time) error {
	c := m.byID[id]
	switch {
	case c == nil || c.state != Asked:
		return fmt.Errorf("rdmacm: communication %d is %v, want one that waits for the program", id, m.State(id))
	case len(private) > REJ.MaxPrivate():
		return fmt.Errorf("rdmacm: %d bytes of private data with a REJ, want %d or less", len(private), REJ.MaxPrivate())
	}
	m.send(c, Message{Kind: REJ, Reason: ProgramRefuses, Private: private})
	m.counted.Refused++
	m.forget(c)
	return nil
}
