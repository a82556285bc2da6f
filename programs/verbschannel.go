package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// wireKind is what a message between the two ends of a channel is.
type wireKind uint8

const (
	wireMessage wireKind = iota // of the program
	wireRequest                 // a longer one will follow: is there room (RTS)
	wireReady                   // there is (CTS)
	wireCredits                 // nothing but credits
	wireData                    // the longer one: a WRITE with immediate
	wirePut
	wireGet
	wireTold // a WRITE with immediate that no message goes before
)

// Words of a header, as far as it goes. The first has the tag in its upper half, then 24 bits of
// credits and 8 of the kind.
const (
	headerWord   = 0
	firstContent = 8
	otherContent = 16
	lengthWord   = 24
)

// outgoing is something that one end has to post.
type outgoing struct {
	kind wireKind
	host.Message
}

// incoming is a message that has been announced, and perhaps has come.
type incoming struct {
	host.Message
	whole bool
	wrote bool // of PutTelling
}

// verbsChannel is one end of a channel over a reliable connection.
//
// Messages of up to [ChannelOptions.Eager] are SENDs out of a ring of slots into receives
// that are posted ahead, one for each credit; credits come back with what is sent the
// other way, or by themselves when half of them are owed. A longer message is announced,
// and written with immediate when the other end has said that it is ready: a credit
// covers both.
type verbsChannel struct {
	box      *Mailbox
	peer     string
	number   int
	options  *ChannelOptions
	qp       *rnic.VerbsQP
	space    *memory.Space
	sending  *memory.Region // slots
	taking   *memory.Region // slots
	own      *memory.Region // what the other end reaches
	far      *memory.Region // what this one reaches there
	depth    int            // of the send queue
	free     int            // places in it
	unheard  int            // requests posted since the last that completes
	posted   int
	given    int                // of these, those that are no mere credits
	copied   units.Bytes        // by its processor
	list     []rnic.SendRequest // under the doorbell that is rung next
	credits  int
	owed     int
	waiting  queue[outgoing] // of the program
	urgent   queue[outgoing] // of the channel itself
	asked    queue[outgoing] // longer messages that the other end has not answered yet
	incoming queue[incoming] // behind a longer message that has not come
}

// openVerbs opens a channel over a queue pair.
func openVerbs(a, b *Mailbox, ends host.Ends, o ChannelOptions, err error) (OneSided, OneSided, error) {
	if err != nil {
		return nil, nil, err
	}
	here, err := a.admit(ends.A, b.at, &o)
	if err != nil {
		return nil, nil, err
	}
	there, err := b.admit(ends.B, a.at, &o)
	if err != nil {
		return nil, nil, err
	}
	here.far, there.far = there.own, here.own
	cfg := a.cluster.NIC
	err = connect(here.qp, there.qp, settings{
		mtu: cfg.MTU, timeout: cfg.Timeout, retries: cfg.Retries, minRNR: minRNRTimer, rnrRetries: rnic.Infinite, baseRTT: ends.BaseRTT,
	})
	for _, c := range [...]*verbsChannel{here, there} {
		for slot := 0; slot < c.receives() && err == nil; slot++ {
			err = c.qp.PostRecv(c.receive(slot), 0)
		}
	}
	return here, there, err
}

// channelMemory is where buffers of channels lie, each queue pair's in a part of its own.
const (
	channelMemory = 1 << 58
	channelPart   = 1 << 36
)

// admit makes an end of a channel at a NIC.
func (m *Mailbox) admit(n *rnic.NIC, peer int, o *ChannelOptions) (*verbsChannel, error) {
	c := &verbsChannel{
		box: m, peer: nameOf(m.cluster, peer), number: len(m.channels), options: o, space: n.Memory(), credits: o.Credits, depth: 2*o.Credits + 16,
	}
	c.free = c.depth
	var at *mailboxNIC
	for _, known := range m.nics {
		if known.nic == n {
			at = known
		}
	}
	if at == nil {
		const mostCompletions = 1 << 22 // what adapters allow
		at = &mailboxNIC{nic: n, cq: n.CreateCQ(mostCompletions, m.thread), ends: map[uint32]*verbsChannel{}}
		m.nics = append(m.nics, at)
	}
	pd := c.space.AllocPD()
	start := uint64(channelMemory + channelPart*(len(n.QueuePairs())+1))
	const access = memory.LocalWrite | memory.RemoteWrite | memory.RemoteRead
	for _, part := range [...]struct {
		to     **memory.Region
		length units.Bytes
	}{
		{&c.sending, c.slot() * units.Bytes(c.depth+1)},
		{&c.taking, c.slot() * units.Bytes(c.receives())},
		{&c.own, max(o.Memory, 1)},
	} {
		region, err := c.space.Register(pd, start, part.length, access)
		if err != nil {
			return nil, err
		}
		*part.to = region
		start += uint64(part.length+memory.SmallPage) &^ uint64(memory.SmallPage-1)
	}
	c.qp = n.CreateQP(rnic.QPInit{
		Service: rnic.RC, PD: pd, SendCQ: at.cq, RecvCQ: at.cq, SendDepth: c.depth, RecvDepth: c.receives(), MaxInline: inlineSend, Data: o.Data,
	})
	at.ends[c.qp.QPN()] = c
	m.channels = append(m.channels, c)
	return c, nil
}

// slot is the room of a message in a ring, in whole lines of a cache.
func (c *verbsChannel) slot() units.Bytes {
	const line = 64
	return (c.options.Header + c.options.Eager + line - 1) &^ (line - 1)
}

// receives is how many are posted: one for each message that the other end has credits for, one for
// each answer to an announcement, and those for messages of credits, of which half the
// credits have to be used up for the next.
func (c *verbsChannel) receives() int { return 2*c.options.Credits + 4 }

func (c *verbsChannel) receive(slot int) rnic.RecvRequest {
	return rnic.RecvRequest{ID: uint64(slot), Local: rnic.Slice{
		Addr: c.taking.Start + uint64(slot)*uint64(c.slot()), Length: c.slot(), Key: c.taking.LKey,
	}}
}

// Peer implements [Channel].
func (c *verbsChannel) Peer() string { return c.peer }

// Waits implements [Channel].
func (c *verbsChannel) Waits() string {
	switch {
	case c.waiting.len() > 0 && c.credits == 0:
		return "the other end to take what has been sent"
	case c.asked.len() > 0:
		return "the other end to be ready for a message of " + c.asked.at(0).Size.String()
	}
	return c.qp.Cause()
}

// Send implements [Channel].
func (c *verbsChannel) Send(t *host.Thread, m host.Message) error {
	o := c.options
	kind := wireMessage
	switch {
	case m.Size > o.Eager && (m.Size > o.Memory || o.Header == 0):
		return fmt.Errorf("a message of %v is longer than the channel to %s was made for", m.Size, c.peer)
	case m.Size > o.Eager && o.Sure:
		kind = wireData
	case m.Size > o.Eager:
		kind = wireRequest
	case o.Header == 0 && (m.Size < LeastMessage || m.B != 0 && m.Size < lengthWord):
		return fmt.Errorf("a message of %v has no room for its contents", m.Size)
	default:
		c.copy(t, m.Size)
	}
	t.Work(o.Overhead)
	c.put(&c.waiting, outgoing{kind, m})
	return c.flush(t)
}

// copy has the processor copy a message, if it does.
func (c *verbsChannel) copy(t *host.Thread, size units.Bytes) {
	if c.options.Copy > 0 {
		c.copied += size
		t.Work(c.options.copyTime(size))
	}
}

// Given implements [OneSided].
func (c *verbsChannel) Given() int { return c.given }

// Copied implements [OneSided].
func (c *verbsChannel) Copied() units.Bytes { return c.copied }

// put puts something into one of the channel's queues.
func (c *verbsChannel) put(in *queue[outgoing], out outgoing) {
	in.push(out)
	c.box.unsent++
}

// Put implements [OneSided].
func (c *verbsChannel) Put(size units.Bytes) error {
	return c.reach(wirePut, host.Message{Size: size})
}

// Get implements [OneSided].
func (c *verbsChannel) Get(t *host.Thread, size units.Bytes, tag uint32) error {
	if err := c.reach(wireGet, host.Message{Size: size, Tag: tag}); err != nil {
		return err
	}
	return c.flush(t)
}

// PutTelling implements [OneSided].
func (c *verbsChannel) PutTelling(t *host.Thread, size units.Bytes, tag uint32) error {
	if tag > MostTold {
		return fmt.Errorf("the tag %#x is more than an immediate can have", tag)
	}
	t.Work(c.options.Overhead)
	if err := c.reach(wireTold, host.Message{Size: size, Tag: tag}); err != nil {
		return err
	}
	return c.flush(t)
}

func (c *verbsChannel) reach(kind wireKind, m host.Message) error {
	if m.Size > c.options.Memory {
		return fmt.Errorf("%v are more than the memory of the channel to %s", m.Size, c.peer)
	}
	c.put(&c.waiting, outgoing{kind, m})
	return nil
}

// flush posts what can be posted, under one doorbell.
func (c *verbsChannel) flush(t *host.Thread) error {
	c.list = c.list[:0]
	for c.free > 0 {
		from := &c.urgent
		if from.len() == 0 {
			from = &c.waiting
		}
		if from.len() == 0 {
			break
		}
		kind := from.at(0).kind
		takes := kind == wireMessage || kind == wireRequest || kind == wireTold || kind == wireData && c.options.Sure
		if takes && c.credits == 0 {
			break
		}
		if takes {
			c.credits--
		}
		out, _ := from.pop()
		c.box.unsent--
		c.list = append(c.list, c.request(&out))
		if c.list[len(c.list)-1].Inline {
			// The next one that is inline is made in the same place.
			if err := t.PostAll(c.qp, c.list); err != nil {
				return err
			}
			c.list = c.list[:0]
		}
	}
	return t.PostAll(c.qp, c.list)
}

// toldSend marks SENDs of whose delivery the mailbox is told.
const toldSend = 1 << 63

// request is the work request for a message.
func (c *verbsChannel) request(out *outgoing) rnic.SendRequest {
	c.posted++
	c.free--
	c.unheard++
	if out.kind != wireCredits {
		c.given++
	}
	r := rnic.SendRequest{ID: uint64(c.unheard), Verb: rnic.Send}
	switch out.kind {
	case wireData, wirePut, wireGet, wireTold:
		r.Verb = [...]rnic.Verb{rnic.WriteImm, rnic.Write, rnic.Read, rnic.WriteImm}[out.kind-wireData]
		r.Local = rnic.Slice{Addr: c.own.Start, Length: out.Size, Key: c.own.LKey}
		r.Remote, r.RKey = c.far.Start, c.far.RKey
		r.ID |= uint64(out.Tag) << 32
		if out.kind == wireTold {
			r.Imm = out.Tag + 1 // that of a message which was announced is 0
		}
	default:
		length := c.options.Header
		if out.kind == wireMessage {
			length += out.Size
		}
		slot := c.posted % c.depth
		if length <= inlineSend {
			slot, r.Inline = c.depth, true // which is free again at once
		}
		r.Local = rnic.Slice{
			Addr: c.sending.Start + uint64(slot)*uint64(c.slot()), Length: max(length, LeastMessage), Key: c.sending.LKey,
		}
		c.fill(r.Local.Addr, r.Local.Length, out)
	}
	if out.kind == wireMessage && c.options.TellAll {
		r.ID |= toldSend
	}
	r.Signalled = r.Verb == rnic.Read || r.Verb == rnic.WriteImm && c.options.Tell || r.ID&toldSend != 0 || c.unheard >= c.depth/4
	if r.Signalled {
		c.unheard = 0
	}
	if out.kind == wireRequest {
		c.put(&c.asked, *out)
	}
	return r
}

// fill writes the header and the contents of a message, as far as it goes.
func (c *verbsChannel) fill(slot uint64, length units.Bytes, out *outgoing) {
	words := [...]uint64{
		headerWord / 8:   uint64(out.Tag)<<32 | uint64(c.owed)<<8 | uint64(out.kind),
		firstContent / 8: out.A, otherContent / 8: out.B, lengthWord / 8: uint64(out.Size),
	}
	for i, w := range words {
		if units.Bytes(8*(i+1)) <= length {
			c.space.Store(slot+uint64(8*i), w)
		}
	}
	c.owed = 0
}

// handle goes on after a completion.
func (c *verbsChannel) handle(t *host.Thread, w *rnic.Completion) error {
	if w.Status != rnic.Success {
		return &ChannelError{Peer: c.peer, Channel: c.number, What: fmt.Sprintf("a %v", w.Verb), Status: w.Status.String()}
	}
	switch w.Verb {
	case rnic.Recv, rnic.RecvWithImm:
		if err := c.take(t, w); err != nil {
			return err
		}
	default:
		c.free += int(uint32(w.ID))
		switch {
		case w.Verb == rnic.Read:
			c.box.arrived.push(Arrival{From: c.number, Message: host.Message{Tag: uint32(w.ID >> 32)}, Got: true})
		case w.Verb == rnic.WriteImm && c.options.Tell, w.Verb == rnic.Send && w.ID&toldSend != 0:
			c.box.arrived.push(Arrival{From: c.number, Sent: true})
		}
	}
	return c.flush(t)
}

// take takes what has come, and posts its receive again.
func (c *verbsChannel) take(t *host.Thread, w *rnic.Completion) error {
	slot := int(w.ID)
	if w.Verb == rnic.RecvWithImm && w.Imm != 0 {
		c.incoming.push(incoming{Message: host.Message{Size: w.Bytes, Tag: w.Imm - 1}, whole: true, wrote: true})
		c.took()
		c.deliver(t)
		return t.Receive(c.qp, c.receive(slot))
	}
	if w.Verb == rnic.RecvWithImm && c.options.Sure {
		t.Work(c.options.Overhead)
		c.box.arrived.push(Arrival{From: c.number, Message: host.Message{Size: w.Bytes}, Direct: true})
		c.took()
		return t.Receive(c.qp, c.receive(slot))
	}
	if w.Verb == rnic.RecvWithImm {
		for i := range c.incoming.len() {
			if in := c.incoming.at(i); !in.whole {
				in.whole = true
				break
			}
		}
		c.took()
		c.deliver(t)
		return t.Receive(c.qp, c.receive(slot))
	}
	at := c.taking.Start + uint64(slot)*uint64(c.slot())
	load := func(word uint64) uint64 {
		if units.Bytes(word)+8 > w.Bytes {
			return 0
		}
		v := c.space.Load(at + word)
		c.space.Store(at+word, 0)
		return v
	}
	header := load(headerWord)
	c.credits += int(header >> 8 & 0xffffff)
	m := host.Message{Size: w.Bytes - c.options.Header, Tag: uint32(header >> 32), A: load(firstContent), B: load(otherContent)}
	longer := units.Bytes(load(lengthWord))
	switch wireKind(header) {
	case wireMessage:
		c.copy(t, m.Size)
		c.incoming.push(incoming{Message: m, whole: true})
		c.took()
		c.deliver(t)
	case wireRequest:
		m.Size = longer
		c.incoming.push(incoming{Message: m})
		c.put(&c.urgent, outgoing{kind: wireReady})
	case wireReady:
		asked, _ := c.asked.pop()
		c.box.unsent--
		asked.kind = wireData
		c.put(&c.urgent, asked)
	}
	return t.Receive(c.qp, c.receive(slot))
}

// took counts a message that has been taken: the other end gets its credit back.
func (c *verbsChannel) took() {
	if c.owed++; c.owed == c.options.Credits/2 {
		c.put(&c.urgent, outgoing{kind: wireCredits})
	}
}

// deliver hands on the messages that have come and before which no other is missing.
func (c *verbsChannel) deliver(t *host.Thread) {
	for c.incoming.len() > 0 && c.incoming.at(0).whole {
		in, _ := c.incoming.pop()
		t.Work(c.options.Overhead)
		c.box.arrived.push(Arrival{From: c.number, Message: in.Message, Wrote: in.wrote})
	}
}
