package rdmacm

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Disconnect ends a connection, or one that is not yet known to stand once it is. It is an
// error if there is none.
func (m *Manager) Disconnect(id ID, now units.Time) error {
	c := m.byID[id]
	switch {
	case c == nil:
		return fmt.Errorf("rdmacm: communication %d is over", id)
	case c.state == Established:
		m.leave(c, now)
	case c.state == REPSent || c.state == Preparing || c.state == Accepting:
		c.leave = true
	case c.state == Leaving || c.state == DREQSent || c.state == Timewait:
	default:
		return fmt.Errorf("rdmacm: communication %d is %v, and cannot be disconnected", id, c.state)
	}
	return nil
}

// leave moves a queue pair to ERR, and then tells the other side.
func (m *Manager) leave(c *communication, now units.Time) {
	m.move(c, Leaving)
	m.command(now, func(now units.Time) {
		m.do(c, ToERR)
		if c.state != Leaving {
			return // the other side was faster
		}
		m.move(c, DREQSent)
		m.ask(c, Message{Kind: DREQ}, now)
	})
}

// onDREQ agrees to the end of a connection.
func (m *Manager) onDREQ(c *communication, now units.Time) {
	if c.state == REPSent { // the RTU was lost
		m.establish(c, nil, now)
	}
	switch c.state {
	case Established:
		m.command(now, func(units.Time) { m.do(c, ToERR) })
		m.end(c, now)
	case Leaving, DREQSent: // both want it
		m.end(c, now)
	case Timewait:
		m.counted.Again++
	default:
		return // what has not begun does not end; it will be asked again
	}
	m.send(c, Message{Kind: DREP})
}

// onDREP ends a connection to whose end the other side has agreed.
func (m *Manager) onDREP(c *communication, now units.Time) {
	if c.state != DREQSent {
		m.counted.Again++
		return
	}
	m.end(c, now)
}

// end tells the program that a connection is over.
func (m *Manager) end(c *communication, now units.Time) {
	c.unanswered = nil
	m.counted.Ended++
	m.do(c, TellDisconnected)
	m.rest(c, now)
}

// rest has the number of a queue pair rest, and destroys the queue pair meanwhile.
func (m *Manager) rest(c *communication, now units.Time) {
	m.move(c, Timewait)
	end := now
	if !c.restless {
		end += m.p.Timewait
	}
	m.at(end, func(units.Time) { m.unlink(c) })
	m.command(now, func(now units.Time) {
		m.at(max(now, end), func(units.Time) {
			m.do(c, Release)
			m.forget(c)
		})
	})
}
