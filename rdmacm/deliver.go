package rdmacm

import "github.com/rdmasim/rdmasim/sim/units"

// Deliver takes in a message that has come from an endpoint. The kernel answers ARP by
// itself; the others are handled by one thread in turn.
func (m *Manager) Deliver(from int32, message *Message, now units.Time) {
	switch message.Kind {
	case ARPRequest:
		m.resolved(from, now) // who asks can be told an answer
		m.at(now+m.p.ARP, func(units.Time) {
			m.counted.Sent++
			m.out = append(m.out, Action{Do: Send, Peer: from, Message: &Message{Kind: ARPReply, To: message.From}})
		})
	case ARPReply:
		m.resolved(from, now)
	default:
		m.worker = max(m.worker, now) + m.p.Processing
		m.at(m.worker, func(now units.Time) { m.handle(from, message, now) })
	}
}

// handle handles a message of connection management.
func (m *Manager) handle(from int32, message *Message, now units.Time) {
	if message.Kind == REQ {
		m.onREQ(from, message, now)
		return
	}
	c := m.byID[message.To]
	if message.To == 0 || c != nil && c.peer != from {
		c = nil
	}
	if c == nil || message.Kind != REP && message.Kind != REJ && c.remote != message.From {
		m.onUnknown(from, message)
		return
	}
	switch message.Kind {
	case REP:
		m.onREP(c, message, now)
	case RTU:
		m.onRTU(c, now)
	case REJ:
		m.onREJ(c, message, now)
	case DREQ:
		m.onDREQ(c, now)
	case DREP:
		m.onDREP(c, now)
	}
}

// onUnknown answers a message of a communication that is not there: who wants to end one
// that has been forgotten is told that it has ended, who believes in one that it has not
// come to be.
func (m *Manager) onUnknown(from int32, message *Message) {
	answer := Message{Kind: REJ, Reason: UnknownID}
	switch message.Kind {
	case DREQ:
		answer = Message{Kind: DREP}
	case REJ, DREP:
		return
	}
	answer.From, answer.To = message.To, message.From
	m.counted.Sent++
	m.out = append(m.out, Action{Do: Send, Peer: from, Message: &answer})
}

// onREQ handles a request: a new one goes to the program; one that has come before has its
// answer repeated if it was answered.
func (m *Manager) onREQ(from int32, message *Message, now units.Time) {
	if c := m.byRemote[remoteKey{from, uint32(message.From)}]; c != nil {
		m.counted.Again++
		switch c.state {
		case REPSent:
			m.repeat(c)
		case Timewait:
			m.rejectStale(from, message)
		}
		return
	}
	if c := m.byQP[remoteKey{from, message.Offer.QPN}]; c != nil {
		// The other side has forgotten a communication with this queue pair, or uses it too
		// early again.
		m.rejectStale(from, message)
		if c.state == Established {
			m.leave(c, now)
		}
		return
	}
	if !m.services[message.Service] {
		m.reject(from, message, NobodyListens)
		m.counted.Refused++
		return
	}
	c := m.open(from, message.Service)
	c.passive = true
	m.move(c, Asked)
	m.meet(c, message.From, message.Offer)
	m.do(c, TellRequest).Private = message.Private
}

// reject rejects a request that no communication was opened for.
func (m *Manager) reject(from int32, message *Message, why Reason) {
	m.counted.Sent++
	m.out = append(m.out, Action{Do: Send, Peer: from, Message: &Message{Kind: REJ, To: message.From, Reason: why}})
}

func (m *Manager) rejectStale(from int32, message *Message) {
	m.reject(from, message, Stale)
	m.counted.Refused++
}

// onREP goes on with the connection at the active side. One that comes again says that the
// RTU was lost.
func (m *Manager) onREP(c *communication, message *Message, now units.Time) {
	switch {
	case c.state == REQSent:
		c.unanswered = nil
		m.meet(c, message.From, message.Offer)
		c.agree()
		c.private = message.Private
		m.move(c, Preparing)
		m.prepare(c, now)
	case c.remote != message.From || c.passive:
	case c.state == Established:
		m.counted.Again++
		m.send(c, Message{Kind: RTU})
	default:
		m.counted.Again++
	}
}

// onRTU tells the passive side that the other one is ready.
func (m *Manager) onRTU(c *communication, now units.Time) {
	if c.state != REPSent {
		m.counted.Again++
		return
	}
	m.establish(c, nil, now)
}

// Arrived tells the manager that a queue pair has received something. If that is before
// the RTU, which may be lost, it stands for it: who sends is ready (IBTA 12.9.6,
// communication established).
func (m *Manager) Arrived(id ID, now units.Time) {
	if c := m.byID[id]; c != nil && c.state == REPSent {
		m.establish(c, nil, now)
	}
}

// onREJ ends a communication that the other side refuses.
func (m *Manager) onREJ(c *communication, message *Message, now units.Time) {
	switch c.state {
	case REQSent, REPSent:
		c.unanswered = nil
		m.refuse(c, TellRefused, message.Reason, message.Private, now)
	case Preparing: // the other side gave up, as its REP was not answered
		c.leave = true
	case Established:
		m.leave(c, now)
	}
}
