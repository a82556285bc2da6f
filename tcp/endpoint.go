package tcp

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// Endpoint is one end of a connection. Times of calls should not decrease; one that does, as the
// clocks of two cores of one host may differ by microseconds, counts as the latest before it.
//
// After any call but the ones that only read, whoever runs the endpoint asks [Endpoint.Next] for
// segments until there is none, as far as it can send them, and sees to it that
// [Endpoint.OnTimer] is called at [Endpoint.Deadline].
type Endpoint struct {
	cfg     *Config
	control congestion.Control
	restart congestion.Restarter // nil if the control is none
	state   State
	failed  error
	clock   units.Time

	// What was agreed on.
	mss            int64
	shift          uint8 // of windows that this end offers
	capacity       int64 // largest of them
	sack           bool
	maxSacks       int
	stamps         bool
	ecn            bool // packets are ECN-capable, marks are echoed
	exact          bool // marks are echoed as they come
	offered        Options
	nagle          bool
	passive        bool // has been in LISTEN
	synSent        bool // before
	synRetries     int
	synAt          units.Time
	synRetransmits bool

	// Sending. All positions are offsets in the stream: 0 is the first byte of data, -1 the SYN; the
	// FIN follows the last byte.
	isn       uint32
	una, nxt  int64 // first that is not acknowledged, first that has not been sent
	written   int64
	closing   bool  // the application has closed: a FIN follows what is written
	edge      int64 // right edge of the peer's window
	maxWindow int64 // largest window that the peer has ever offered
	zero      bool  // the peer's window was closed when last heard of
	smallEnd  int64 // end of the last packet that was not full (Minshall)
	board     scoreboard
	waits     wait // why nothing more was sent when asked last
	pace      pacer
	rate      sampler
	rtt       estimator
	phase     phase
	recover   int64 // end of what was sent when recovery, or a timeout, began
	prr       prr
	rack      rack
	probe     probe
	told      [4]span // by the selective acknowledgements that came last
	dups      int     // duplicate acknowledgements in a row (without SACK)
	inflation int64   // what they say has left the network (without SACK)
	mustSend  bool    // one packet is sent again whatever the window says
	limited   int64   // what is acknowledged up to here was sent when the window was full
	mostOut   int64   // most in flight since una passed mostUntil
	mostUntil int64
	reduced   int64       // no second reaction to marks before this is acknowledged
	cwr       bool        // the next new data tell that the window has been reduced
	lastSent  units.Time  // of data
	lostTold  units.Bytes // of what counts as lost, what the control has been told

	// Timers; units.Never if not running.
	rtoAt     units.Time
	probeAt   units.Time
	reorderAt units.Time
	delackAt  units.Time
	persistAt units.Time
	endAt     units.Time // of TIME-WAIT
	retries   int        // timeouts in a row
	persists  int        // window probes in a row
	unheard   int        // of these, the ones since anything of the peer has come
	persisted bool       // the window probe is due; or data that the window has room for go whatever their size

	// Receiving.
	irs      uint32
	in       reassembly
	consumed int64
	offerEnd int64 // right edge of the window offered last
	finAt    int64 // offset of the peer's FIN; -1 while it is not known
	synDue   bool
	rstDue   bool
	rst      Segment // that is due
	ackDue   bool
	ackedAt  int64      // rcv_nxt told last
	quick    int        // segments still acknowledged at once
	heardAt  units.Time // when new data came last; units.Never before any
	earlier  earlierAck
	echo     bool       // marks are to be echoed
	answerAt units.Time // no answer to old acknowledgements before

	counters Counters
	ack      congestion.Ack // what the control is told; here because it would be on the heap elsewhere
}

// earlierAck is an acknowledgement for what came before the latest segment, because that came
// with another mark (RFC 8257, section 3.2).
type earlierAck struct {
	due  bool
	upTo int64
	echo bool
}

// NewEndpoint returns a closed endpoint whose first sequence number is isn. The control is its
// own; cfg may be shared.
func NewEndpoint(cfg *Config, control congestion.Control, isn uint32) *Endpoint {
	e := &Endpoint{
		cfg: cfg, control: control, isn: isn, una: -1, nxt: -1, finAt: -1,
		mss: int64(cfg.MSS()), nagle: cfg.Nagle, quick: cfg.QuickAcks, smallEnd: -1,
		rtoAt: units.Never, probeAt: units.Never, reorderAt: units.Never, delackAt: units.Never,
		persistAt: units.Never, endAt: units.Never, heardAt: units.Never, reduced: -1, limited: -1, mostUntil: -1,
	}
	e.restart, _ = control.(congestion.Restarter)
	if c, ok := control.(congestion.ExactMarks); ok {
		e.exact = c.WantsExactMarks()
	}
	e.rtt = estimator{rto: cfg.InitialRTO}
	e.rack.init()
	e.rate.appLimited = -1
	e.counters.RTO = cfg.InitialRTO
	return e
}

// Connect opens the connection: a SYN is due.
func (e *Endpoint) Connect(now units.Time) {
	e.tick(now)
	if e.state == Closed && e.failed == nil {
		e.state, e.synDue = SynSent, true
	}
}

// Listen waits for a SYN.
func (e *Endpoint) Listen() {
	if e.state == Closed && e.failed == nil {
		e.state, e.passive = Listen, true
	}
}

// Establish makes both ends established from the start, without a handshake.
func (e *Endpoint) Establish(peer *Endpoint) {
	offerE, offerP := e.offer(), peer.offer()
	e.irs, peer.irs = peer.isn, e.isn
	e.agree(peer.cfg.MTU-headers, offerP)
	peer.agree(e.cfg.MTU-headers, offerE)
	ecn := e.wantsECN() && peer.wantsECN()
	for _, end := range [...]*Endpoint{e, peer} {
		end.ecn = ecn
		end.una, end.nxt = 0, 0
		end.offerEnd = end.capacity >> end.shift << end.shift
	}
	e.edge, peer.edge = peer.offerEnd, e.offerEnd
	e.maxWindow, peer.maxWindow = e.edge, peer.edge
	e.establish()
	peer.establish()
}

// offer returns what a SYN of e offers.
func (e *Endpoint) offer() Options {
	o := Offered
	if e.cfg.SACK {
		o |= PermitSACK
	}
	if e.cfg.WindowScaling {
		o |= WindowScale
	}
	if e.cfg.Timestamps {
		o |= Timestamps
	}
	return o
}

// ECN tells whether both ends have agreed on ECN, so that packets with data are sent as ECN-capable.
func (e *Endpoint) ECN() bool { return e.ecn }

func (e *Endpoint) wantsECN() bool { return e.cfg.ECN || e.exact }

// agree takes what both ends can do of what the peer offers; mss is the largest payload that it takes
// of a packet without options (RFC 6691).
func (e *Endpoint) agree(mss units.Bytes, theirs Options) {
	both := e.offer() & theirs
	own := e.cfg.MTU - headers
	if theirs&Offered == 0 {
		both, mss = e.offer(), own
	}
	e.mss = int64(min(mss, own))
	e.sack = both&PermitSACK != 0
	e.maxSacks = 4
	if both&Timestamps != 0 {
		e.stamps = true
		e.mss -= timestamp
		e.maxSacks = 3 // what the option leaves room for (RFC 2018, section 3)
	}
	e.mss = max(e.mss, 1)
	if both&WindowScale != 0 {
		e.shift = e.cfg.Shift()
	}
	e.capacity = min(e.cfg.capacity(), 65535<<e.shift)
}

// establish is the entry into ESTABLISHED.
func (e *Endpoint) establish() {
	e.state = Established
	e.synDue = false
	e.rtoAt = units.Never
	e.retries = 0
	initial := e.cfg.InitialWindow
	if e.synRetransmits {
		initial = 1                                                   // RFC 5681, section 3.1
		e.rtt.rto = max(e.rtt.rto, min(3*units.Second, e.cfg.MaxRTO)) // RFC 6298 (5.7)
		e.counters.RTO = e.rtt.rto
	}
	e.control.Init(units.Bytes(e.mss), units.Bytes(int64(initial)*e.mss), e.clock)
	if e.rtt.srtt > 0 {
		e.control.OnAck(&congestion.Ack{RTT: e.rtt.srtt}, e.clock)
	}
	if e.closing {
		e.state = FinWait1
	}
}

// Took tells an endpoint that stands on an established connection the round trip that its handshake
// took, which no one has measured: without it a loss of all that is sent first would cost the
// initial timeout.
func (e *Endpoint) Took(rtt units.Time) {
	e.rtt.sample(rtt, e.clock, e.cfg)
	e.counters.RTO = e.rtt.rto
	e.control.OnAck(&congestion.Ack{RTT: e.rtt.srtt}, e.clock)
}

// tick moves the endpoint's clock and returns it.
func (e *Endpoint) tick(now units.Time) units.Time {
	e.clock = max(e.clock, now)
	return e.clock
}

// Write takes as much of n bytes as the send buffer has room for, and returns how much that is.
// A connection that is closing or has failed takes nothing.
func (e *Endpoint) Write(n units.Bytes) units.Bytes {
	n = max(min(n, e.Room()), 0)
	e.written += int64(n)
	return n
}

// Room is the free space of the send buffer; 0 if nothing may be written any more.
func (e *Endpoint) Room() units.Bytes {
	if e.closing || e.failed != nil || e.state == TimeWait {
		return 0
	}
	return e.cfg.SendBuffer - units.Bytes(e.written-max(e.una, 0))
}

// Readable is how many bytes have come in order and have not been read.
func (e *Endpoint) Readable() units.Bytes { return units.Bytes(e.received() - e.consumed) }

// received is the offset up to which data have come in order, the FIN not counted.
func (e *Endpoint) received() int64 {
	if e.finAt >= 0 && e.in.next > e.finAt {
		return e.finAt
	}
	return e.in.next
}

// Ended reports whether the peer has closed its direction and all it sent has been read.
func (e *Endpoint) Ended() bool { return e.finAt >= 0 && e.in.next > e.finAt && e.consumed == e.finAt }

// Read takes up to n bytes out of the receive buffer and returns how many. It may make it due to
// tell the peer that its window has opened.
func (e *Endpoint) Read(now units.Time, n units.Bytes) units.Bytes {
	e.tick(now)
	n = max(min(n, e.Readable()), 0)
	if n == 0 {
		return 0
	}
	e.consumed += int64(n)
	// A window that has shrunk to half and can double is told at once (RFC 9293, section 3.8.6.2.2; Linux: tcp_cleanup_rbuf).
	open := e.offerEnd - e.in.next
	if e.state.takes() && 2*open <= e.capacity && e.newEdge()-e.in.next >= max(2*open, 1) {
		e.ackDue = true
	}
	return n
}

// newEdge is the right edge of the window that e would offer now: it does not move by less than a
// packet or half the buffer when it is small (RFC 9293, section 3.8.6.2.2), and never back.
func (e *Endpoint) newEdge() int64 {
	edge := e.consumed + e.capacity
	if edge-e.offerEnd < min(e.mss, e.capacity/2) {
		return e.offerEnd
	}
	return max(edge, e.offerEnd)
}

// Close sends a FIN after all that is written. What the peer sends may still be read.
func (e *Endpoint) Close(now units.Time) {
	e.tick(now)
	if e.closing {
		return
	}
	switch e.state {
	case Closed, Listen, SynSent:
		e.end(nil)
	case SynReceived:
		e.closing = true
	case Established:
		e.closing, e.state = true, FinWait1
	case CloseWait:
		e.closing, e.state = true, LastAck
	}
}

// Abort ends the connection at once; the peer is sent RST if it knows of it.
func (e *Endpoint) Abort(now units.Time) {
	e.tick(now)
	if e.state == Closed {
		return
	}
	known := e.state.Synchronised() && e.state != TimeWait || e.state == SynReceived
	e.end(ErrAborted)
	if known {
		e.resetPeer(Segment{Seq: e.number(e.nxt), Ack: e.peerNumber(e.in.next), Flags: RST | ACK})
	}
}

// resetPeer has a segment with RST sent.
func (e *Endpoint) resetPeer(s Segment) {
	s.Packets = 1
	e.rst, e.rstDue = s, true
}

// end closes the connection and stops all.
func (e *Endpoint) end(why error) {
	e.state = Closed
	if e.failed == nil {
		e.failed = why
	}
	e.rtoAt, e.probeAt, e.reorderAt, e.delackAt = units.Never, units.Never, units.Never, units.Never
	e.persistAt, e.endAt = units.Never, units.Never
	e.synDue, e.ackDue, e.mustSend, e.probe.due, e.persisted = false, false, false, false, false
	e.earlier = earlierAck{}
	e.waits = forNothing
}

// SetNagle turns Nagle's rule on or off, in place of what the configuration says.
func (e *Endpoint) SetNagle(on bool) { e.nagle = on }

// State returns the state of the connection.
func (e *Endpoint) State() State { return e.state }

// Failed returns why the connection has failed; nil if it has not.
func (e *Endpoint) Failed() error { return e.failed }

// MSS is the largest payload of a packet that this end sends.
func (e *Endpoint) MSS() units.Bytes { return units.Bytes(e.mss) }

// Shift is by how many bits windows that this end advertises are scaled on the wire.
func (e *Endpoint) Shift() uint8 { return e.shift }

// Control returns the congestion control of this end.
func (e *Endpoint) Control() congestion.Control { return e.control }

// Written is how much the application has written.
func (e *Endpoint) Written() units.Bytes { return units.Bytes(e.written) }

// Acked is how much of it the peer has acknowledged.
func (e *Endpoint) Acked() units.Bytes { return units.Bytes(min(max(e.una, 0), e.written)) }

// Delivered is how much has been received in order.
func (e *Endpoint) Delivered() units.Bytes { return units.Bytes(e.received()) }

// Consumed is how much of it has been read.
func (e *Endpoint) Consumed() units.Bytes { return units.Bytes(e.consumed) }

// Counters returns what the endpoint has counted, its estimates brought up to date. It is the
// endpoint's own and changes with it.
func (e *Endpoint) Counters() *Counters {
	c := &e.counters
	c.SRTT, c.RTTVar, c.MinRTT, c.RTO = e.rtt.srtt, e.rtt.rttvar, e.rtt.min, e.rtt.rto
	c.InFlight = units.Bytes(e.inFlight())
	c.BytesHeld = units.Bytes(e.in.held)
	if e.state.Synchronised() {
		c.Window, c.Threshold = e.control.Window(), e.control.Threshold()
	}
	return c
}

// number is the sequence number of an offset of what e sends.
func (e *Endpoint) number(offset int64) uint32 { return e.isn + 1 + uint32(offset) }

// sentOffset is the offset of what e sends that is nearest to una and has the sequence number n.
func (e *Endpoint) sentOffset(n uint32) int64 { return e.una + int64(int32(n-e.number(e.una))) }

// peerNumber is the sequence number of an offset of what e receives.
func (e *Endpoint) peerNumber(offset int64) uint32 { return e.irs + 1 + uint32(offset) }

// peerOffset is the offset of what e receives that is nearest to what comes next.
func (e *Endpoint) peerOffset(n uint32) int64 {
	return e.in.next + int64(int32(n-e.peerNumber(e.in.next)))
}

// Cause says what the endpoint waits for, in words for reports.
func (e *Endpoint) Cause() string {
	switch e.state {
	case Closed:
		if e.failed != nil {
			return "nothing: " + e.failed.Error()
		}
		return "nothing: the connection is closed"
	case Listen:
		return "a SYN"
	case SynSent:
		return fmt.Sprintf("the answer to its SYN; it is sent again at %v", e.rtoAt)
	case SynReceived:
		return fmt.Sprintf("the acknowledgement of its SYN-ACK; it is sent again at %v", e.rtoAt)
	case TimeWait:
		return fmt.Sprintf("the end of TIME-WAIT at %v", e.endAt)
	}
	switch {
	case e.una < e.nxt && e.waits == forPeer:
		return fmt.Sprintf("its peer's window, and an acknowledgement; the retransmission timer runs until %v", e.rtoAt)
	case e.una < e.nxt:
		return fmt.Sprintf("an acknowledgement of byte %d; the retransmission timer runs until %v", e.una, min(e.rtoAt, e.probeAt))
	case e.waits == forPeer:
		return fmt.Sprintf("its peer's window to open; it is asked at %v", e.persistAt)
	case e.waits == forPace:
		return fmt.Sprintf("its pace; it sends at %v", e.pace.next)
	case e.waits == forLimit:
		return "its host, to take what is to be sent"
	case e.state == FinWait2:
		return "its peer to close"
	case e.state == CloseWait:
		return "its program to close"
	}
	return "its program to write, or its peer to send"
}
