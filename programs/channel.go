package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Channel carries messages between the threads of two programs, in order. It is made by
// [Open], and what comes over it is found in the [Mailbox] of its thread.
type Channel interface {
	// Send sends a message. What there is no room for at the other end, or in the queue to
	// it, follows by itself when its thread looks into its mailbox.
	Send(t *host.Thread, m host.Message) error
	// Peer is the name of the host at the other end.
	Peer() string
	// Waits says what keeps it from sending; empty if nothing does.
	Waits() string
}

// OneSided is a channel over which a program reaches the memory of the other end. By RDMA the
// processor there has no part in it; over sockets the thread at the other end does what is
// to be done when it looks into its mailbox, without its program.
type OneSided interface {
	Channel
	// Put writes so many bytes into the other end's buffer, before what is sent next, with
	// which it is posted.
	Put(size units.Bytes) error
	// Get reads so many bytes from there. When they are here, the mailbox has an [Arrival] with
	// the tag.
	Get(t *host.Thread, size units.Bytes, tag uint32) error
	// PutTelling writes so many bytes there and tells the program, which finds an [Arrival] that is
	// Wrote, with the tag, at most [MostTold]: a WRITE with immediate.
	PutTelling(t *host.Thread, size units.Bytes, tag uint32) error
	// Given is how many messages this end has sent so far: over sockets those of the protocol, each piece of
	// data one; by RDMA SENDs, WRITEs and READs, without those that only give credits back.
	Given() int
	// Copied is what processors have copied of what has come and gone here, message for message and byte for byte.
	Copied() units.Bytes
}

// MostTold is the greatest tag of [OneSided] PutTelling.
const MostTold = 1<<32 - 2

// ChannelOptions are those of a channel. Over sockets there are no credits, and nobody asks
// before he sends: the buffers of TCP are bound by its window.
type ChannelOptions struct {
	Transport Transport
	// Header is what travels in front of each message: its length, its tag, credits. Without
	// one, messages are as long as they say, at least [LeastMessage], and have no more contents
	// than fit there: the tag, then A, then B.
	Header units.Bytes
	// Eager is the longest message that is sent without asking; longer ones are written to
	// where they belong when the other end has answered that it is ready.
	Eager units.Bytes
	// Credits is how many messages each end may have sent that the other has not taken, at
	// least 2.
	Credits int
	// Copy is the rate at which the processor copies a message of at most Eager between the
	// channel's buffer and where it belongs, at both ends; 0 if it is used in place. What kernels
	// copy over sockets is theirs.
	Copy units.Rate
	// Overhead is what the library takes for each message at either end, beside verbs or
	// system calls.
	Overhead units.Time
	// Tell has the mailbox told when a message longer than Eager has been delivered ([Arrival.Sent]), in the order in which
	// they were sent; over sockets, when it has been handed to the kernel.
	Tell bool
	// Sure has a message longer than Eager be written at once, without its contents, where RDMA carries it: the programs
	// make sure that the other end is ready ([Arrival.Direct]).
	Sure bool
	// TellAll has the mailbox told likewise of messages up to Eager.
	TellAll bool
	// Memory is the size of the buffer of either end that the other reaches by [OneSided].
	Memory units.Bytes
	// Framing says how long what is put and got is over sockets; nil for data after one header of 24 bytes, asked for by 24 more.
	Framing Framing
	Data    rnic.Class
}

// Framing is how a protocol has data travel over a stream.
type Framing interface {
	// AskSize is the length of what asks for data.
	AskSize() units.Bytes
	// DataSize is the length of so much data with the headers of its pieces, and how many these are: of data that is put, or
	// that answers who asks for it.
	DataSize(asked bool, data units.Bytes) (size units.Bytes, pieces int)
}

// oneHeader is the usual [Framing].
type oneHeader struct{}

// AskSize implements [Framing].
func (oneHeader) AskSize() units.Bytes { return fetchHeader }

// DataSize implements [Framing].
func (oneHeader) DataSize(_ bool, data units.Bytes) (units.Bytes, int) { return dataHeader + data, 1 }

// MessageHeader is the usual header of a message.
const MessageHeader units.Bytes = 32

// LeastMessage is the shortest message of a channel without headers.
const LeastMessage units.Bytes = 16

// DefaultChannel are the usual options of message passing: 8 KiB are sent at once, as by
// MVAPICH2 and Open MPI over InfiniBand, 64 messages ahead.
func DefaultChannel() ChannelOptions {
	return ChannelOptions{Header: MessageHeader, Eager: 8 * units.KiB, Credits: 64}
}

// Check finds options that cannot be. Errors are *[units.FieldError].
func (o *ChannelOptions) Check() error {
	switch {
	case o.Transport == TCP:
	case o.Header != 0 && o.Header < MessageHeader:
		return units.Field("header", o.Header, "the length, the tag and the contents of a message do not fit", "0 or at least "+MessageHeader.String())
	case o.Header == 0 && o.Eager < LeastMessage:
		return units.Field("eager", o.Eager, "less than the shortest message", "at least "+LeastMessage.String())
	case o.Credits < 2:
		return units.Field("credits", o.Credits, "too few to give any back", "at least 2")
	}
	return nil
}

// copyTime is what the processor takes to copy a message.
func (o *ChannelOptions) copyTime(size units.Bytes) units.Time {
	if o.Copy == 0 {
		return 0
	}
	return o.Copy.Serialise(int(size))
}

// ChannelError is the end of a channel.
type ChannelError struct {
	Peer    string // host at the other end
	Channel int    // its number at the mailbox
	// What ended, such as "a SEND", and how: the completion status, or the error of the socket.
	What, Status string
}

// Error tells which request ended how.
func (e *ChannelError) Error() string {
	return fmt.Sprintf("%s between it and %s ended with %s", e.What, e.Peer, e.Status)
}

// Arrival is what a thread finds in its mailbox.
type Arrival struct {
	// From is the number of the channel at the mailbox, in the order in which they were opened.
	From int
	host.Message
	// Got tells that it is not a message but the answer to a [OneSided] Get, Sent that it is a message of one's own that
	// has been delivered, and Wrote that it is what the other end's PutTelling has written.
	Got, Sent, Wrote bool
	// Direct tells that it is a message that has been written where it belongs, without contents beside its size.
	Direct bool
}

// Mailbox is where a thread finds what comes over all its channels.
type Mailbox struct {
	cluster  *host.Cluster
	thread   *host.Thread
	at       int // host
	channels []OneSided
	nics     []*mailboxNIC
	sockets  map[*host.Socket]*socketChannel
	arrived  queue[Arrival]
	unsent   int // messages in queues of channels
}

// mailboxNIC is what a mailbox has at a NIC.
type mailboxNIC struct {
	nic  *rnic.NIC
	cq   *rnic.CQ
	ends map[uint32]*verbsChannel // by queue pair number
}

// NewMailbox makes the mailbox of a thread of a host, before the run.
func NewMailbox(c *host.Cluster, at int, t *host.Thread) *Mailbox {
	return &Mailbox{cluster: c, thread: t, at: at}
}

// Channels is how many channels have been opened.
func (m *Mailbox) Channels() int { return len(m.channels) }

// Channel is one of them, by its number.
func (m *Mailbox) Channel(i int) OneSided { return m.channels[i] }

// Open opens a channel between two threads of different hosts, before the run. Of hosts with
// several NICs, each turn takes others. It has the next number at both mailboxes.
func Open(a, b *Mailbox, turn int, o ChannelOptions) (OneSided, OneSided, error) {
	if err := o.Check(); err != nil {
		return nil, nil, err
	}
	if o.Framing == nil {
		o.Framing = oneHeader{}
	}
	if o.Transport == TCP {
		near, far, err := a.cluster.Pair(a.thread, b.thread, host.SocketOptions{Class: o.Data, Turn: turn})
		return openSocket(a, b, near, far, o, err)
	}
	ends, err := a.cluster.Ends(a.at, b.at, turn)
	return openVerbs(a, b, ends, o, err)
}

// OpenAt opens one between given NICs of the two hosts, by their ports.
func OpenAt(a, b *Mailbox, portA, portB int, o ChannelOptions) (OneSided, OneSided, error) {
	if err := o.Check(); err != nil {
		return nil, nil, err
	}
	if o.Transport == TCP {
		near, far, err := a.cluster.PairAt(a.thread, b.thread, portA, portB, o.Data)
		return openSocket(a, b, near, far, o, err)
	}
	ends, err := a.cluster.EndsAt(a.at, b.at, portA, portB)
	return openVerbs(a, b, ends, o, err)
}

// mailboxThread is how a thread runs that has a mailbox. Over sockets it sleeps until something has
// come, unless the kernel of its host is one that has threads look for packets.
func mailboxThread(c *host.Cluster, o *ChannelOptions, name string, start units.Time, events bool) host.ThreadOptions {
	if o.Transport == TCP {
		events = !c.SpinsOnSockets()
	}
	return host.ThreadOptions{Name: name, Start: start, Events: events}
}

// Next takes the next message, or the answer to a Get. It finds nothing while its thread is at work;
// and when it has found nothing otherwise, the thread is called when something comes. An
// error is that of a channel that has failed.
func (m *Mailbox) Next(t *host.Thread) (a Arrival, ok bool, err error) {
	for {
		if t.Working() {
			return a, false, nil
		}
		if a, ok = m.arrived.pop(); ok {
			return a, true, nil
		}
		if found, err := m.poll(t); err != nil || !found {
			return a, false, err
		}
	}
}

// poll handles the next completion of any NIC, or message of any socket.
func (m *Mailbox) poll(t *host.Thread) (found bool, err error) {
	if m.sockets != nil {
		if s, ok := t.Ready(); ok {
			return true, m.sockets[s].handle(t)
		}
	}
	for _, at := range m.nics {
		if w, ok := t.Poll(at.cq); ok {
			return true, at.ends[w.QPN].handle(t, &w)
		}
	}
	for _, at := range m.nics {
		t.Arm(at.cq)
	}
	return false, nil
}

// Idle tells whether everything that was to be sent is on its way. Only then may the thread
// of the mailbox end.
func (m *Mailbox) Idle() bool { return m.unsent == 0 }

// Busy is what processors have worked for the mailbox's thread so far: the thread itself, and the
// kernel in interrupts and softirqs for its sockets.
func (m *Mailbox) Busy() units.Time {
	busy := m.thread.Busy()
	for _, c := range m.channels {
		if s, is := c.(*socketChannel); is {
			busy += s.socket.KernelTime()
		}
	}
	return busy
}

// Waits says what keeps channels from sending; empty if nothing does.
func (m *Mailbox) Waits() string {
	for _, c := range m.channels {
		if why := c.Waits(); why != "" {
			return fmt.Sprintf("its channel to %s waits for %s", c.Peer(), why)
		}
	}
	return ""
}

// queue is a first-in-first-out queue that uses its memory again.
type queue[T any] struct {
	items []T
	head  int
}

func (q *queue[T]) len() int { return len(q.items) - q.head }

func (q *queue[T]) push(v T) {
	if q.head > 16 && q.head*2 > len(q.items) {
		q.items = q.items[:copy(q.items, q.items[q.head:])]
		q.head = 0
	}
	q.items = append(q.items, v)
}

func (q *queue[T]) pop() (v T, ok bool) {
	if q.len() == 0 {
		return v, false
	}
	v = q.items[q.head]
	q.head++
	return v, true
}

// at is the i-th item from the oldest.
func (q *queue[T]) at(i int) *T { return &q.items[q.head+i] }
