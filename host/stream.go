package host

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/wire"
)

// stream is one end of a connection that carries flows, one after the other in the order of
// their starts. A thread at either end does nothing but to write them or to read them, as iperf
// does.
type stream struct {
	cluster *Cluster
	socket  *Socket
	sends   bool
	flows   []streamed
	begun   int // flows that have started
	closed  int // of them, those that are over at this end
	written units.Bytes
	err     error

	bound  rnic.Bound
	booked units.Time
	bounds rnic.Bounds // from its first start on, by what bound it
}

// streamed is a flow as an end of its stream has it.
type streamed struct {
	flow  int
	start units.Time
	end   units.Bytes // where it ends in the stream
	state rnic.Transfer
	at    rnic.Bounds // what had bound the stream when the flow started; once it is over, what bound it since
	over  units.Time  // when this end was through with it: all acknowledged, or all read
}

// streamEnds are the two ends of the connection of flows over TCP.
type streamEnds struct{ from, to *stream }

// openStream makes a connection for flows.
func (c *Cluster) openStream(f Flow) (Conn, error) {
	src, dst, err := c.pair(f)
	if err != nil {
		return Conn{}, err
	}
	c.sends[f.Src]++
	c.receives[f.Dst]++
	a, b := &stream{cluster: c, sends: true}, &stream{cluster: c}
	ta := c.addThread(c.Hosts[f.Src], a, ThreadOptions{Name: "writer", Events: true})
	tb := c.addThread(c.Hosts[f.Dst], b, ThreadOptions{Name: "reader", Events: true})
	if a.socket, b.socket, err = c.join(ta, tb, src, dst, f.Data, uint16(f.SourcePort)); err != nil {
		return Conn{}, err
	}
	a.socket.stream, b.socket.stream = a, b
	ends := c.Net.Routes.Endpoints
	conn := Conn{From: ta.host.nics[ends[src].Port], To: tb.host.nics[ends[dst].Port], Src: src, Dst: dst, FromQP: -1, ToQP: -1, stream: &streamEnds{a, b}}
	if f.Path != nil {
		c.pin(&conn, f)
	}
	return conn, nil
}

// idealOfStream is how long a flow over TCP would take alone on the best of some ways, with
// windows that bound nothing and hosts that cost nothing: to the last byte. A flow ends with
// that, since an acknowledgement may be put off.
func (c *Cluster) idealOfStream(size units.Bytes, ways, back [][]topology.Hop) (lastByte, lastAck units.Time) {
	frames := c.streamFrames(size)
	lastByte = units.Never
	for _, way := range ways {
		lastByte = min(lastByte, rnic.Pipelined(frames, c.legs(way)))
	}
	if size == 0 {
		lastByte = units.Never
		for _, way := range back {
			lastByte = min(lastByte, rnic.Pipelined([]rnic.Frames{{Count: 1, Wire: c.segmentOnWire(0)}}, c.legs(way)))
		}
	}
	return lastByte, lastByte
}

// streamFrames are those of a flow over TCP.
func (c *Cluster) streamFrames(size units.Bytes) []rnic.Frames {
	mss := c.tcp.MSS()
	packets := int64((size + mss - 1) / mss)
	return []rnic.Frames{{Count: packets - 1, Wire: c.segmentOnWire(mss)}, {Count: 1, Wire: c.segmentOnWire(size - units.Bytes(packets-1)*mss)}}
}

// StreamOnWire is how many bytes of a wire a byte of a socket takes at the least: in segments of the MSS, with what is between frames.
func (c *Cluster) StreamOnWire() float64 {
	mss := c.tcp.MSS()
	return float64(c.segmentOnWire(mss)) / float64(mss)
}

// segmentOnWire is the size of a segment with so much payload on the wire.
func (c *Cluster) segmentOnWire(payload units.Bytes) int {
	options, tag := 0, 0
	if c.tcp.Timestamps {
		options = wire.TCPTimestamps
	}
	if c.tcp.Tagged {
		tag = wire.VLANTag
	}
	return wire.TCPFrame(int(payload), options) + tag + wire.Interframe
}

// add announces a flow at both ends.
func (e *streamEnds) add(flow int, f Flow) {
	for _, s := range []*stream{e.from, e.to} {
		at := len(s.flows)
		for at > 0 && s.flows[at-1].start > f.Start {
			at--
		}
		s.flows = slices.Insert(s.flows, at, streamed{
			flow: flow, start: f.Start, over: units.Never,
			state: rnic.Transfer{ID: flow, Size: f.Size, Messages: f.Messages, Start: f.Start, Depth: f.Depth, Open: -1, Sent: units.Never},
		})
		var end units.Bytes
		for i := range s.flows {
			end += s.flows[i].state.Size * units.Bytes(s.flows[i].state.Messages)
			s.flows[i].end = end
		}
	}
	e.from.socket.thread.alarm(f.Start)
	e.from.socket.host.stack.unfinished++
	e.to.socket.host.stack.awaited++
}

// of is the state of a flow at one end.
func (s *stream) of(flow int) *streamed {
	i := slices.IndexFunc(s.flows, func(f streamed) bool { return f.flow == flow })
	return &s.flows[i]
}

// start begins the flows that are due.
func (s *stream) start(now units.Time) {
	for s.begun < len(s.flows) && s.flows[s.begun].start <= now {
		f := &s.flows[s.begun]
		s.book(now)
		f.at = s.bounds
		f.state.Open = int64(f.state.Messages)
		s.begun++
	}
}

// allowed is up to where the stream may be written now: all that has started, but for
// messages that wait for others to be acknowledged.
func (s *stream) allowed() units.Bytes {
	var to units.Bytes
	acked := s.socket.end.Acked()
	for i := range s.begun {
		f := &s.flows[i]
		to = f.end
		if t := &f.state; t.Depth > 0 {
			first := f.end - t.Size*units.Bytes(t.Messages)
			done := max(0, acked-first) / t.Size
			to = min(f.end, first+(done+units.Bytes(t.Depth))*t.Size)
			if to < f.end {
				break
			}
		}
	}
	return to
}

// canWrite tells whether its writer has something to write, and room.
func (s *stream) canWrite(at *Socket) bool {
	if !s.sends || s.err != nil {
		return false
	}
	left := s.allowed() - s.written
	return left > 0 && at.room(left) > 0
}

// Step implements [Program].
func (s *stream) Step(t *Thread) {
	if !s.sends {
		for !t.Working() {
			n := t.take(s.socket, t.host.stack.cfg.IO)
			if n == 0 {
				return
			}
			t.host.stack.taken += n
			s.read(t.clock)
		}
		return
	}
	s.start(t.now)
	for !t.Working() && s.canWrite(s.socket) {
		n := min(s.allowed()-s.written, t.host.stack.cfg.IO, s.socket.end.Room())
		s.written += t.hand(s.socket, n)
		s.note(t.now)
	}
	s.rebook(t.now)
}

// note notes the flows of which all has been written.
func (s *stream) note(now units.Time) {
	for i := s.closed; i < s.begun; i++ {
		if f := &s.flows[i]; f.end <= s.written && f.state.Sent == units.Never {
			f.state.Sent = now
		}
	}
}

// read notes what the reader has got.
func (s *stream) read(now units.Time) {
	k := s.socket.host.stack
	got := s.socket.end.Consumed()
	for s.closed < len(s.flows) && s.flows[s.closed].end <= got {
		f := &s.flows[s.closed]
		f.over = now
		f.state.Open, f.state.End, f.state.Status = 0, now, rnic.Success
		s.closed++
		k.awaited--
		k.progress++
	}
}

// look notes what acknowledgements have ended, and a connection that failed.
func (s *stream) look(at *Socket, now units.Time) {
	if !s.sends {
		return
	}
	k := at.host.stack
	s.rebook(now)
	for s.closed < s.begun && s.flows[s.closed].end <= at.end.Acked() {
		s.over(now, rnic.Success)
		k.progress++
	}
	if err := at.end.Failed(); err != nil && s.err == nil {
		s.err = err
		for s.closed < len(s.flows) {
			if s.closed >= s.begun {
				s.begun = s.closed + 1
			}
			s.over(now, rnic.ConnectionTimedOut)
			k.failed++
		}
	}
}

// over ends the first flow that is not over.
func (s *stream) over(now units.Time, status rnic.Status) {
	f := &s.flows[s.closed]
	f.over = now
	f.at = less(s.bounds, f.at)
	f.state.Open, f.state.End, f.state.Status = 0, now, status
	s.closed++
	s.socket.host.stack.unfinished--
}

// Done implements [Program]. A stream serves the flows of the run, and has no end of its own.
func (s *stream) Done() bool { return false }

// Failed implements [Program].
func (s *stream) Failed() error { return s.err }

// Waits implements [Program].
func (s *stream) Waits() string { return s.socket.end.Cause() }

// book adds the time since the last change to what bound the stream.
func (s *stream) book(now units.Time) {
	if now > s.booked {
		s.bounds[s.bound] += now - s.booked
		s.booked = now
	}
}

// rebook books what bound the stream up to now, and looks what does from now on.
func (s *stream) rebook(now units.Time) {
	s.book(now)
	s.bound = s.bindingNow()
}

func (s *stream) bindingNow() rnic.Bound {
	end := s.socket.end
	switch {
	case s.closed == s.begun:
		return rnic.ByNothing
	case end.Recovering():
		return rnic.ByRecovery
	case s.socket.below > 0 && end.State() == tcp.Established && !end.WindowLimited():
		return rnic.ByLink
	case end.WindowLimited():
		return rnic.ByWindow
	case end.ReceiverLimited(), s.written < s.allowed():
		return rnic.ByHost
	case s.written == end.Acked():
		return rnic.ByHost
	}
	return rnic.ByAck
}

// boundsOf divides the life of a flow over TCP, from its start to its end, by what bound it.
// The sender's books know it up to the last acknowledgement; what the life is longer was spent at
// the hosts, and what it is shorter nobody waited for.
func (e *streamEnds) boundsOf(flow int, now units.Time) (b rnic.Bounds) {
	f, t := e.from.of(flow), e.transfer(flow)
	if t.Open < 0 {
		return b
	}
	b = f.at
	if f.over == units.Never {
		b = less(e.from.bounds, f.at)
	}
	end := now
	if t.Done() {
		end = t.End
	}
	missing := end - f.start - b.Total()
	if missing > 0 {
		b[rnic.ByHost] += missing
		return b
	}
	for _, by := range []rnic.Bound{rnic.ByAck, rnic.ByHost, rnic.ByLink, rnic.ByWindow, rnic.ByRecovery, rnic.ByNothing} {
		cut := min(-missing, b[by])
		b[by] -= cut
		missing += cut
	}
	return b
}

// less is what was added since earlier bounds.
func less(b, earlier rnic.Bounds) rnic.Bounds {
	for i := range b {
		b[i] -= earlier[i]
	}
	return b
}

// Bounds divide the life of a flow by what bound it.
func (c *Cluster) Bounds(flow int, now units.Time) rnic.Bounds {
	conn := c.Conns[flow]
	if conn.stream != nil {
		return conn.stream.boundsOf(flow, now)
	}
	return conn.From.Bounds(c.Transfer(flow), now)
}

// Over tells whether a flow goes over TCP.
func (c *Cluster) Over(flow int) bool { return c.Conns[flow].stream != nil }

// Stream are the two sockets of a flow over TCP.
func (c *Cluster) Stream(flow int) (from, to *Socket) {
	e := c.Conns[flow].stream
	return e.from.socket, e.to.socket
}

// Acknowledged is when all of a flow over TCP had been acknowledged; [units.Never] if it was not.
func (c *Cluster) Acknowledged(flow int) units.Time {
	return c.Conns[flow].stream.from.of(flow).over
}

// transfer is a flow as both its ends have it: it ends when the application that receives it
// has read its last byte, or fails with its connection.
func (e *streamEnds) transfer(flow int) *rnic.Transfer {
	from, to := e.from.of(flow), e.to.of(flow)
	t := from.state
	switch {
	case to.over != units.Never:
		t.Open, t.End, t.Status = 0, to.over, rnic.Success
	case from.over != units.Never && t.Status == rnic.Success:
		t.Open, t.End = 1, 0 // acknowledged, and not yet read
	}
	t.Retransmitted = 0
	return &t
}

// left is how much of a flow has not been acknowledged.
func (e *streamEnds) left(flow int) units.Bytes {
	f := e.from.of(flow)
	return max(0, min(f.state.Size*units.Bytes(f.state.Messages), f.end-e.from.socket.end.Acked()))
}

// cause is what a flow over TCP waits for.
func (e *streamEnds) cause(flow int) string {
	f := e.from.of(flow)
	switch {
	case f.over != units.Never && e.from.err == nil:
		return fmt.Sprintf("its receiver, which has not read %v yet", f.end-e.to.socket.end.Consumed())
	case e.from.written < f.end && e.from.socket.end.Room() > 0:
		return "its sender's processor"
	}
	return e.from.socket.end.Cause()
}
