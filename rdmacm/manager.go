package rdmacm

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ID names a communication at one manager, from 1 on; none is used twice.
type ID uint32

// State is where a communication stands.
type State uint8

// States of a communication.
const (
	Over        State = iota // is not there, or not any more
	Resolving                // active: the address of the other side is asked for
	Creating                 // active: the queue pair is being made
	REQSent                  // active: waits for REP or REJ
	Preparing                // active: a REP has come; the queue pair is moved to RTR and RTS
	Asked                    // passive: the program has been asked
	Accepting                // passive: the queue pair is being made and moved to RTR and RTS
	REPSent                  // passive: waits for RTU
	Established              // both sides may send, as far as this one knows
	Leaving                  // the queue pair is moved to ERR
	DREQSent                 // waits for DREP
	Timewait                 // is over, but late messages of it may come
)

// String is what a person reads about the state.
func (s State) String() string {
	names := [...]string{"over", "resolving the address", "creating the queue pair", "waiting for REP", "preparing the queue pair",
		"waiting for the program", "accepting", "waiting for RTU", "established", "leaving", "waiting for DREP", "in timewait"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// rests tells whether nothing happens in the state unless somebody wants it to.
func (s State) rests() bool { return s == Over || s == Asked || s == Established || s == Timewait }

// communication is a connection to be, one that is, or one that was.
type communication struct {
	id, remote   ID // remote is 0 as long as it is not known
	peer         int32
	state        State
	passive      bool
	service      uint64
	mine, theirs Offer
	private      []byte // to go with the REQ or REP
	ready        bool   // the queue pair is at hand: no command is needed to make it
	exists       bool   // the queue pair has been made
	leave        bool   // once it stands, end it
	restless     bool   // its number need not rest

	unanswered *Message // REQ, REP or DREQ; nil if there is none
	tries      int      // how many times it may still be sent again
	deadline   units.Time
}

// remoteKey names a communication as the other side does: by its ID or by its queue pair.
type remoteKey struct {
	peer int32
	name uint32
}

// Manager manages the connections of one port of an adapter. [New] makes one.
type Manager struct {
	p        *Params
	byID     map[ID]*communication
	byRemote map[remoteKey]*communication // by the other side's ID
	byQP     map[remoteKey]*communication // by its queue pair
	services map[uint64]bool
	address  map[int32]*resolution
	lastID   ID
	pending  int

	firmware units.Time // when it is through with what it has to do
	worker   units.Time // likewise the thread that handles messages
	agenda   sim.Timers // keys count up, so that of equal times the first is first
	tasks    map[uint64]func(now units.Time)
	lastTask uint64
	out      []Action // to be done now
	counted  Counters
}

// Counters are the books of a manager.
type Counters struct {
	Sent     uint64 // messages, ARP frames among them
	Repeated uint64 // of these, ones that had not been answered in time
	Again    uint64 // messages that had come before
	Opened   uint64 // connections
	Refused  uint64 // communications that were rejected, or got no answer
	Ended    uint64 // connections
}

// New makes a manager without connections.
func New(p *Params) *Manager {
	return &Manager{
		p: p, byID: map[ID]*communication{}, byRemote: map[remoteKey]*communication{}, byQP: map[remoteKey]*communication{},
		services: map[uint64]bool{}, address: map[int32]*resolution{}, tasks: map[uint64]func(units.Time){},
	}
}

// Counted are the books of the manager.
func (m *Manager) Counted() Counters { return m.counted }

// State is where a communication stands.
func (m *Manager) State(id ID) State {
	if c := m.byID[id]; c != nil {
		return c.state
	}
	return Over
}

// Pending is how many communications are under way to a connection or to its end.
func (m *Manager) Pending() int { return m.pending }

// Next is when the manager has to do something next, or [units.Never].
func (m *Manager) Next() units.Time {
	if len(m.out) > 0 {
		return 0
	}
	return m.agenda.Next()
}

// Step returns the next thing to be done now, and whether there is one. Its owner calls it
// whenever [Manager.Next] is due, and after every other call, until there is none. Time
// does not go back.
func (m *Manager) Step(now units.Time) (Action, bool) {
	for len(m.out) == 0 {
		if m.agenda.Next() > now {
			return Action{}, false
		}
		t := m.agenda.Pop()
		f := m.tasks[t.Key]
		delete(m.tasks, t.Key)
		f(t.At)
	}
	a := m.out[0]
	if m.out = m.out[1:]; len(m.out) == 0 {
		m.out = nil
	}
	return a, true
}

// at has something done at a time.
func (m *Manager) at(t units.Time, f func(now units.Time)) {
	m.lastTask++
	m.agenda.Add(t, m.lastTask)
	m.tasks[m.lastTask] = f
}

// command has something done when the firmware has executed a command.
func (m *Manager) command(now units.Time, f func(now units.Time)) {
	m.firmware = max(m.firmware, now) + m.p.Command
	m.at(m.firmware, f)
}

// Do is what an action does.
type Do uint8

// What a manager has its owner do.
const (
	// Send puts a message in line for the wire.
	Send Do = iota
	// Create makes a queue pair in the state INIT, or takes one that is ready, and tells
	// the manager by [Manager.Created] before the next step.
	Create
	// ToRTR, ToRTS and ToERR move it to another state. The first two come with the offers of
	// both sides.
	ToRTR
	ToRTS
	ToERR
	// Release gives the queue pair back: its number may be used again.
	Release
	// TellRequest asks the program that listens on a service whether it accepts: it calls
	// [Manager.Accept] or [Manager.Reject], now or later.
	TellRequest
	// TellEstablished tells the program that it may send. On the passive side the queue pair may
	// have received before.
	TellEstablished
	// TellRefused tells it that there will be no connection, and why. If a queue pair was
	// made, Release has come before, or comes when its number, which the other side holds for
	// that of an earlier connection, has rested.
	TellRefused
	// TellUnreachable tells it the same where the other side does not answer.
	TellUnreachable
	// TellDisconnected tells it that the connection is over, whoever ended it.
	TellDisconnected
)

// String names what is done.
func (d Do) String() string {
	names := [...]string{"send", "create", "RTR", "RTS", "ERR", "release", "request", "established", "refused", "unreachable", "disconnected"}
	if int(d) < len(names) {
		return names[d]
	}
	return fmt.Sprintf("action %d", uint8(d))
}

// Action is a thing to be done now.
type Action struct {
	Do      Do
	ID      ID
	Peer    int32    // endpoint at the other side
	Remote  ID       // the other side's name of the communication; 0 while it is not known
	Message *Message // to be sent
	// Ready: the queue pair to be made was said to be at hand.
	Ready        bool
	Mine, Theirs Offer // as they were agreed on, with ToRTR and ToRTS
	Service      uint64
	Private      []byte // from the program at the other side
	Reason       Reason // of a refusal
}

// do has the owner do something for a communication.
func (m *Manager) do(c *communication, what Do) *Action {
	m.out = append(m.out, Action{Do: what, ID: c.id, Peer: c.peer, Remote: c.remote, Service: c.service, Mine: c.mine, Theirs: c.theirs, Ready: c.ready})
	return &m.out[len(m.out)-1]
}

// move brings a communication to another state.
func (m *Manager) move(c *communication, to State) {
	if !c.state.rests() {
		m.pending--
	}
	if !to.rests() {
		m.pending++
	}
	c.state = to
}

// open makes a communication.
func (m *Manager) open(peer int32, service uint64) *communication {
	m.lastID++
	c := &communication{id: m.lastID, peer: peer, service: service, deadline: units.Never}
	m.byID[c.id] = c
	return c
}

// forget ends all knowledge of a communication.
func (m *Manager) forget(c *communication) {
	m.move(c, Over)
	c.unanswered = nil
	delete(m.byID, c.id)
	m.unlink(c)
}

// unlink forgets what the other side calls a communication: its names may be used again.
func (m *Manager) unlink(c *communication) {
	if c.remote == 0 {
		return
	}
	if key := (remoteKey{c.peer, uint32(c.remote)}); m.byRemote[key] == c {
		delete(m.byRemote, key)
	}
	if key := (remoteKey{c.peer, c.theirs.QPN}); m.byQP[key] == c {
		delete(m.byQP, key)
	}
}

// meet notes what the other side calls a communication, and its queue pair.
func (m *Manager) meet(c *communication, remote ID, offer Offer) {
	c.remote, c.theirs = remote, offer
	m.byRemote[remoteKey{c.peer, uint32(remote)}] = c
	m.byQP[remoteKey{c.peer, offer.QPN}] = c
}

// agree settles how many READs each side may have outstanding: as many as it would like to,
// and as the other one serves.
func (c *communication) agree() {
	c.mine.Reads, c.theirs.Reads = min(c.mine.Reads, c.theirs.Serves), min(c.theirs.Reads, c.mine.Serves)
}

// send sends a message of a communication that nobody answers.
func (m *Manager) send(c *communication, message Message) *Message {
	message.From, message.To = c.id, c.remote
	m.counted.Sent++
	m.do(c, Send).Message = &message
	return &message
}

// ask sends a message that is to be answered, and will be sent again if it is not.
func (m *Manager) ask(c *communication, message Message, now units.Time) {
	c.unanswered = m.send(c, message)
	c.tries = m.p.Retries
	m.wait(c, now)
}

// wait waits for the answer to a message.
func (m *Manager) wait(c *communication, now units.Time) {
	deadline := now + m.p.Timeout
	c.deadline = deadline
	m.at(deadline, func(now units.Time) {
		if c.unanswered != nil && c.deadline == deadline {
			m.askAgain(c, now)
		}
	})
}

// askAgain sends a message once more that has not been answered in time, or gives up.
func (m *Manager) askAgain(c *communication, now units.Time) {
	if c.tries == 0 {
		m.giveUp(c, now)
		return
	}
	c.tries--
	m.repeat(c)
	m.wait(c, now)
}

// repeat sends the unanswered message once more.
func (m *Manager) repeat(c *communication) {
	m.counted.Sent++
	m.counted.Repeated++
	m.do(c, Send).Message = c.unanswered
}

// giveUp ends a communication whose other side does not answer.
func (m *Manager) giveUp(c *communication, now units.Time) {
	c.unanswered = nil
	switch c.state {
	case DREQSent:
		m.do(c, TellDisconnected)
		m.rest(c, now)
	case REPSent: // the other side may believe in the connection
		m.send(c, Message{Kind: REJ, Reason: GaveUp})
		m.refuse(c, TellUnreachable, GaveUp, nil, now)
	default:
		m.refuse(c, TellUnreachable, GaveUp, nil, now)
	}
}

// refuse ends a communication that has not become a connection.
func (m *Manager) refuse(c *communication, how Do, why Reason, private []byte, now units.Time) {
	m.counted.Refused++
	stale := c.exists && how == TellRefused && why == Stale
	if c.exists && !stale {
		m.do(c, Release)
	}
	a := m.do(c, how)
	a.Reason, a.Private = why, private
	if stale {
		m.rest(c, now)
		return
	}
	m.forget(c)
}

// establish makes a connection of a communication.
func (m *Manager) establish(c *communication, private []byte, now units.Time) {
	c.unanswered = nil
	m.move(c, Established)
	m.counted.Opened++
	m.do(c, TellEstablished).Private = private
	if c.leave {
		m.leave(c, now)
	}
}
