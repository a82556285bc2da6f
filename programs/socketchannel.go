package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Headers of what goes over a socket beside messages: as long as those of NVMe over TCP, for data and
// for R2T, which asks for it.
const (
	dataHeader  units.Bytes = 24
	fetchHeader units.Bytes = 24
)

// socketChannel is one end of a channel over a connection of sockets. What it says beside the
// message stands in its last word: 8 bits of its kind, then the bytes that were put before.
type socketChannel struct {
	box     *Mailbox
	peer    string
	number  int
	options *ChannelOptions
	socket  *host.Socket
	before  units.Bytes // put, to go with the next message
	given   int
}

// openSocket opens a channel over a connection that stands from the start.
func openSocket(a, b *Mailbox, near, far *host.Socket, o ChannelOptions, err error) (OneSided, OneSided, error) {
	if err != nil {
		return nil, nil, err
	}
	return a.add(near, b.at, &o), b.add(far, a.at, &o), nil
}

// add makes an end of a channel.
func (m *Mailbox) add(s *host.Socket, peer int, o *ChannelOptions) *socketChannel {
	c := &socketChannel{box: m, peer: nameOf(m.cluster, peer), number: len(m.channels), options: o, socket: s}
	if m.sockets == nil {
		m.sockets = map[*host.Socket]*socketChannel{}
	}
	m.sockets[s] = c
	m.channels = append(m.channels, c)
	return c
}

// Peer implements [Channel].
func (c *socketChannel) Peer() string { return c.peer }

// Waits implements [Channel].
func (c *socketChannel) Waits() string {
	if why := c.socket.Endpoint().Cause(); c.socket.Unsent() > 0 && why != "" {
		return why
	}
	return ""
}

// Send implements [Channel].
func (c *socketChannel) Send(t *host.Thread, m host.Message) error {
	t.Work(c.options.Overhead)
	if c.options.Tell && m.Size > c.options.Eager || c.options.TellAll {
		c.box.arrived.push(Arrival{From: c.number, Sent: true})
	}
	return c.send(t, wireMessage, c.options.Header+m.Size, m)
}

// send sends so many bytes, with what is to go before them.
func (c *socketChannel) send(t *host.Thread, kind wireKind, size units.Bytes, m host.Message) error {
	if err := c.socket.Failed(); err != nil {
		return c.failed(err)
	}
	m.Size, m.C = max(1, size+c.before), uint64(kind)|uint64(c.before)<<8
	c.before = 0
	if size > 0 {
		c.given++
	}
	t.Send(c.socket, m)
	return nil
}

func (c *socketChannel) failed(err error) error {
	return &ChannelError{Peer: c.peer, Channel: c.number, What: "the connection", Status: err.Error()}
}

// Put implements [OneSided].
func (c *socketChannel) Put(size units.Bytes) error {
	framed, pieces := c.options.Framing.DataSize(false, size)
	c.before += framed
	c.given += pieces
	return nil
}

// Get implements [OneSided].
func (c *socketChannel) Get(t *host.Thread, size units.Bytes, tag uint32) error {
	return c.send(t, wireGet, c.options.Framing.AskSize(), host.Message{Tag: tag, A: uint64(size)})
}

// PutTelling implements [OneSided].
func (c *socketChannel) PutTelling(t *host.Thread, size units.Bytes, tag uint32) error {
	if tag > MostTold {
		return fmt.Errorf("the tag %#x is more than an immediate can have", tag)
	}
	t.Work(c.options.Overhead)
	return c.send(t, wireTold, dataHeader+size, host.Message{Tag: tag})
}

// Given implements [OneSided].
func (c *socketChannel) Given() int { return c.given }

// Copied implements [OneSided].
func (c *socketChannel) Copied() units.Bytes { return c.socket.Copied() }

// handle takes the next message, if it has come whole.
func (c *socketChannel) handle(t *host.Thread) error {
	if err := c.socket.Failed(); err != nil {
		return c.failed(err)
	}
	m, ok := t.Recv(c.socket)
	if !ok {
		if c.socket.Ended() {
			return c.failed(fmt.Errorf("the end of the stream"))
		}
		return nil
	}
	switch wireKind(m.C) {
	case wireGet:
		framed, pieces := c.options.Framing.DataSize(true, units.Bytes(m.A))
		c.given += max(0, pieces-1)
		return c.send(t, wireData, framed, host.Message{Tag: m.Tag})
	case wireData:
		c.box.arrived.push(Arrival{From: c.number, Message: host.Message{Tag: m.Tag}, Got: true})
	case wireTold:
		t.Work(c.options.Overhead)
		m.Size -= units.Bytes(m.C>>8) + dataHeader
		c.box.arrived.push(Arrival{From: c.number, Message: m, Wrote: true})
	default:
		t.Work(c.options.Overhead)
		m.Size -= units.Bytes(m.C>>8) + c.options.Header
		c.box.arrived.push(Arrival{From: c.number, Message: m})
	}
	return nil
}
