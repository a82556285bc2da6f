package rnic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Service is the transport service of a queue pair (IBTA volume 1, 9.2).
type Service uint8

// The services: reliable connection, unreliable connection, unreliable datagram.
const (
	RC Service = iota
	UC
	UD
)

// String is the name of the verbs interface.
func (s Service) String() string { return [...]string{"RC", "UC", "UD"}[s] }

// carries tells whether a service has an operation (IBTA volume 1, table "Supported
// Operations"): all of them, SEND and WRITE, SEND.
func (s Service) carries(v Verb) bool {
	switch s {
	case UC:
		return v.isSend() && v != SendInv || v == Write || v == WriteImm
	case UD:
		return v == Send || v == SendImm
	}
	return v <= FetchAdd
}

// State is the state of a queue pair (IBTA volume 1, 10.3.1).
type State uint8

// The states.
const (
	Reset State = iota
	Init        // receives may be posted, nothing is processed
	RTR         // ready to receive: takes in requests and answers them
	RTS         // ready to send
	SQD         // send queue drained: no new request is begun
	SQE         // send queue error: what comes is still received (UC and UD)
	Err         // all requests are flushed, what comes is dropped
)

// String is the name of the verbs interface.
func (s State) String() string {
	return [...]string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}[s]
}

// QPInit is what a queue pair is made with (ibv_qp_init_attr).
type QPInit struct {
	Service        Service
	PD             memory.PD
	SendCQ, RecvCQ *CQ
	SRQ            *SRQ // receive requests come from here, if not nil
	SendDepth      int  // requests the send queue holds
	RecvDepth      int  // likewise; unused with an SRQ
	MaxInline      int  // bytes of payload that a request may carry itself
	// Recovery is how lost packets are repaired, at both ends alike; nil as the NIC is
	// configured. Of the two ways that go back, that to the first packet of a message is not
	// for programs: theirs goes back to the packet that is missing.
	Recovery     *Recovery
	AllSignalled bool // every request completes, whether it asks or not
	Data         Class
}

// Attr is a set of attributes of a queue pair (ibv_qp_attr_mask).
type Attr uint32

// The attributes that [VerbsQP.Modify] may be given.
const (
	AttrPKey Attr = 1 << iota
	AttrPort
	AttrAccess
	AttrQKey
	AttrAddress // the other end's: address vector, queue pair number and first PSN
	AttrMTU
	AttrReadsAccepted // max_dest_rd_atomic
	AttrMinRNR
	AttrSendPSN
	AttrReadsIssued // max_rd_atomic
	AttrRetries
	AttrRNRRetries
	AttrTimeout
	AttrBaseRTT
)

// names spells the attributes as the verbs interface does.
var attrNames = []string{"pkey_index", "port_num", "qp_access_flags", "qkey", "ah_attr and dest_qp_num and rq_psn", "path_mtu",
	"max_dest_rd_atomic", "min_rnr_timer", "sq_psn", "max_rd_atomic", "retry_cnt", "rnr_retry", "timeout", "base RTT"}

// String lists the attributes.
func (a Attr) String() string {
	var names []string
	for i, name := range attrNames {
		if a&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Attributes are attributes of a queue pair, of which those count that are Given
// (ibv_qp_attr).
type Attributes struct {
	Given Attr
	// Access is what the other end may do to this one's memory over this queue pair.
	Access memory.Access
	QKey   uint32
	// Remote is the other end; what [VerbsQP.Handle] gives there.
	Remote Handle
	// MTU is the path MTU, in bytes; it must be that of the run.
	MTU int
	// ReadsAccepted is how many READs and atomics this end answers at a time, ReadsIssued how
	// many it has under way.
	ReadsAccepted, ReadsIssued int
	// MinRNR is the code of the timer in the RNR NAKs that this end sends, 0 to 31; see
	// [wire.RNRTimer].
	MinRNR int
	// SendPSN is the sequence number of its first packet, 24 bits.
	SendPSN wire.PSN
	// Retries are rounds of retransmission without progress, 0 to 7; RNRRetries likewise for
	// RNR NAKs, where 7 is without end.
	Retries, RNRRetries int
	// Timeout is the exponent t of the retransmission timer 4.096 us * 2^t, 0 to 31; 0 is none.
	Timeout int
	// BaseRTT is the round trip of a full packet through the empty network, for congestion
	// controls that want to know it.
	BaseRTT units.Time
}

// Infinite is the number of RNR retries that never runs out.
const Infinite = 7

// Handle is what the ends of a connection tell each other before they are connected.
type Handle struct {
	Endpoint int32
	Dest     topology.Dest
	QPN      uint32
	PSN      wire.PSN // of the first packet that the end sends
	beside   *besides // where the headers of its packets will be found
	life     uint8    // of its queue pair
}

// AddressHandle is where a datagram goes.
type AddressHandle struct {
	Remote Handle
	QKey   uint32
	flow   uint32
}

// besides are the beginnings of what an end writes beside its packets.
type besides struct {
	requests, responses *headerBlock
	stream              streamPages // with iWARP
}

// VerbsQP is a queue pair in the hands of a program: the work queues and the transport
// service around the sender and receiver of [QP].
type VerbsQP struct {
	nic   *NIC
	index int
	init  QPInit
	state State
	attr  Attributes
	life  uint8 // changes with each reset; see [wire.Flags.Life]

	// The send queue.
	used     int  // slots taken
	unfreed  int  // of requests that are done, but freed by the next signalled one only
	reads    int  // READs and atomics under way
	rnrLeft  int  // RNR NAKs that may still come
	rnrWait  bool // for the timer of an RNR NAK
	rnrUntil units.Time
	gap      bool // a response is missing and has been asked for again
	missing  bool // with selective repeat: it has yet to be asked for
	ringing  fabric.Queue[bell]
	requests headerWriter
	headed   fabric.Queue[int64] // packets not acknowledged that something travels beside

	// The receive queue.
	receives  receiveQueue
	message   inbound // the message in progress
	behind    headerReader
	silent    bool // after an RNR NAK nothing is said about what follows
	refusing  bool // it has failed over a request that it refused, and says so
	resources fabric.Queue[resource]
	answers   fabric.Queue[answer]
	answersAt units.Time // for which a timer was set last to go on with them
	responses headerWriter
	answered  headerReader
	staged    int                   // answers between scheduler and wire, in an adapter
	held      map[int64]wire.Packet // those behind a gap (selective repeat), by number
	inline    bool                  // the packet being sent has come with its work request
	// terminating is what the requests end with at the other end for which the connection is to end
	// (iWARP); Success if it is not to.
	terminating Status
	leaving     bool // its connection comes to an end that the manager has arranged (iWARP)
	Counted     VerbsCounters
	unheard     *Connection // that is to be told of the first packet; nil for none
}

// VerbsCounters are the books of a queue pair beyond those of every sender and receiver.
type VerbsCounters struct {
	RNRNaksSent, RNRNaks       uint64 // receiver not ready: said, and heard
	Responses, ResponsePayload uint64 // packets that answer READs, sent
	Answers, AnswerPayload     uint64 // received and taken
	StaleAnswers               uint64 // received otherwise
	Discarded                  uint64 // data packets that came and were dropped in silence
	Reads, Atomics             uint64 // requests executed here
	DuplicateReads             uint64 // answered again
	ReplayedAtomics            uint64 // answered again without another execution
	Unreceived                 uint64 // iWARP: messages for which there was no receive request
	Terminated                 uint64 // iWARP: times that the other end could not take a message
}

// objects are what verbs programs have made on a NIC.
type objects struct {
	memory     memory.Space
	cqs        []*CQ
	qps        []*VerbsQP // by index of their queue pair; nil for others
	posted     fabric.Queue[posted]
	lastPosted units.Time
	bells      int // doorbells on their way
	waits      int // queue pairs that wait after an RNR NAK
	operations int // timers for atomic operations whose outcome is not known yet
	watches    []watch
	management *management // of connections made during the run; nil without any
	landed     units.Time  // when the payload that came last can be seen in memory
}

// useVerbs makes the NIC ready for verbs.
func (n *NIC) useVerbs() *objects {
	if n.objects == nil {
		n.objects = new(objects)
		n.objects.memory.UsePages(n.cfg.Page)
	}
	return n.objects
}

// Memory is the memory of the host as the NIC knows it.
func (n *NIC) Memory() *memory.Space { return &n.useVerbs().memory }

// CreateQP makes a queue pair in state RESET. It needs a queue for either sort of
// completion, and depths of at least 1 (RecvDepth unless it has an SRQ).
func (n *NIC) CreateQP(init QPInit) *VerbsQP {
	o := n.useVerbs()
	if n.sendQueues == nil {
		n.sendQueues = new(sendQueues)
	}
	q := &VerbsQP{nic: n, index: len(n.qps), init: init}
	q.receives = receiveQueue{depth: init.RecvDepth}
	n.qps = append(n.qps, QP{data: init.Data, verbs: q, requester: blankRequester(0)})
	q.writeBeside()
	n.Recover(q.index, q.recovery())
	for len(o.qps) < len(n.qps)-1 {
		o.qps = append(o.qps, nil)
	}
	o.qps = append(o.qps, q)
	for _, cq := range []*CQ{init.SendCQ, init.RecvCQ} {
		if !slices.Contains(cq.users, q) {
			cq.users = append(cq.users, q)
		}
	}
	return q
}

// writeBeside begins the lists of what travels beside its packets, or its stream.
func (q *VerbsQP) writeBeside() {
	q.requests, q.responses = headerWriter{}, headerWriter{}
	q.qp().stream = nil
	if q.init.Data.IWARP {
		q.qp().stream = q.nic.newStream(q.index, q.init.Data)
		return
	}
	q.requests, q.responses = newHeaderWriter(), newHeaderWriter()
}

// recovery is how it repairs the loss of packets.
func (q *VerbsQP) recovery() Recovery {
	r := q.nic.cfg.Recovery
	if q.init.Recovery != nil {
		r = *q.init.Recovery
	}
	if r == GoBackZero || r == Selective && q.init.Service != RC {
		r = GoBackN
	}
	return r
}

// qp is its sender and receiver.
func (q *VerbsQP) qp() *QP { return &q.nic.qps[q.index] }

// Index is its place among the NIC's queue pairs.
func (q *VerbsQP) Index() int { return q.index }

// QPN is its number.
func (q *VerbsQP) QPN() uint32 { return QPN(q.index) }

// State is its state.
func (q *VerbsQP) State() State { return q.state }

// Handle is what the other end needs to know. PSN is the first that this end will send:
// it must be the SendPSN of the change to RTS.
func (q *VerbsQP) Handle(psn wire.PSN) Handle {
	return Handle{
		Endpoint: q.nic.endpoint, Dest: q.nic.address, QPN: q.QPN(), PSN: psn,
		beside: q.besides(), life: q.life,
	}
}

func (q *VerbsQP) besides() *besides {
	if s := q.qp().stream; s != nil {
		return &besides{stream: s.pages()}
	}
	return &besides{requests: q.requests.block, responses: q.responses.block}
}

// CreateAH makes the address of another end, for datagrams of this NIC.
func (n *NIC) CreateAH(remote Handle, qkey uint32) *AddressHandle {
	return &AddressHandle{Remote: remote, QKey: qkey}
}

// transition is a change of state, and what it must be given, by service.
type transition struct {
	from, to State
	required [3]Attr
}

const (
	rcReceive = AttrAddress | AttrMTU | AttrReadsAccepted | AttrMinRNR
	rcSend    = AttrSendPSN | AttrReadsIssued | AttrRetries | AttrRNRRetries | AttrTimeout
)

// transitions are those beside the ones to RESET and ERR, which any state has (IBTA
// volume 1, 10.3.1; the attributes as in the manual of ibv_modify_qp).
var transitions = []transition{
	{Reset, Init, [3]Attr{AttrPKey | AttrPort | AttrAccess, AttrPKey | AttrPort | AttrAccess, AttrPKey | AttrPort | AttrQKey}},
	{Init, Init, [3]Attr{}},
	{Init, RTR, [3]Attr{rcReceive, AttrAddress | AttrMTU, 0}},
	{RTR, RTS, [3]Attr{rcSend, AttrSendPSN, AttrSendPSN}},
	{RTS, RTS, [3]Attr{}},
	{RTS, SQD, [3]Attr{}},
	{SQD, RTS, [3]Attr{}},
	{SQD, SQD, [3]Attr{}},
	{SQE, RTS, [3]Attr{}},
}

// Modify changes the state of a queue pair and the attributes that are given. What the
// state it is in does not allow, or what is missing for the change, is an error, and then
// nothing is changed.
func (q *VerbsQP) Modify(to State, a Attributes, now units.Time) error {
	switch to {
	case Reset:
		q.reset(now)
		return nil
	case Err:
		q.fail(notOfOwn, now)
		return nil
	}
	i := slices.IndexFunc(transitions, func(t transition) bool { return t.from == q.state && t.to == to })
	if i < 0 || q.init.Service == RC && q.state == SQE {
		return fmt.Errorf("a queue pair cannot go from %v to %v", q.state, to)
	}
	if missing := transitions[i].required[q.init.Service] &^ a.Given; missing != 0 {
		return fmt.Errorf("to go from %v to %v a queue pair of service %v needs %v", q.state, to, q.init.Service, missing)
	}
	if err := q.check(&a); err != nil {
		return err
	}
	if q.init.Data.IWARP && q.init.Service != RC {
		return fmt.Errorf("a queue pair of service %v over iWARP, which has reliable connections only: want RC", q.init.Service)
	}
	q.take(&a)
	q.enter(to, now)
	return nil
}

// check finds attributes that cannot be.
func (q *VerbsQP) check(a *Attributes) error {
	var faults []error
	within := func(attr Attr, name string, value, least, most int) {
		if a.Given&attr != 0 && (value < least || value > most) {
			faults = append(faults, fmt.Errorf("%s %d: want %d to %d", name, value, least, most))
		}
	}
	within(AttrMTU, "path_mtu", a.MTU, q.nic.cfg.MTU, q.nic.cfg.MTU)
	within(AttrReadsAccepted, "max_dest_rd_atomic", a.ReadsAccepted, 0, MostReads)
	within(AttrReadsIssued, "max_rd_atomic", a.ReadsIssued, 0, MostReads)
	within(AttrMinRNR, "min_rnr_timer", a.MinRNR, 0, 31)
	within(AttrRetries, "retry_cnt", a.Retries, 0, 7)
	within(AttrRNRRetries, "rnr_retry", a.RNRRetries, 0, 7)
	within(AttrTimeout, "timeout", a.Timeout, 0, 31)
	return errors.Join(faults...)
}

// MostReads is how many READs and atomics a queue pair can have under way or answer at
// most.
const MostReads = 128

// take takes over the attributes that are given.
func (q *VerbsQP) take(a *Attributes) {
	t := &q.attr
	set := func(attr Attr, change func()) {
		if a.Given&attr != 0 {
			change()
		}
	}
	set(AttrAccess, func() { t.Access = a.Access })
	set(AttrQKey, func() { t.QKey = a.QKey })
	set(AttrAddress, func() { t.Remote = a.Remote })
	set(AttrReadsAccepted, func() { t.ReadsAccepted = a.ReadsAccepted })
	set(AttrMinRNR, func() { t.MinRNR = a.MinRNR })
	set(AttrSendPSN, func() { t.SendPSN = a.SendPSN })
	set(AttrReadsIssued, func() { t.ReadsIssued = a.ReadsIssued })
	set(AttrRetries, func() { t.Retries = a.Retries })
	set(AttrRNRRetries, func() { t.RNRRetries = a.RNRRetries })
	set(AttrTimeout, func() { t.Timeout = a.Timeout })
	set(AttrBaseRTT, func() { t.BaseRTT = a.BaseRTT })
}

// enter goes into a state.
func (q *VerbsQP) enter(to State, now units.Time) {
	from := q.state
	q.state = to
	qp := q.qp()
	switch {
	case from == Init && to == RTR:
		q.meet(qp)
	case from == RTR && to == RTS:
		qp.renew(blankRequester(int64(q.attr.SendPSN)))
		q.nic.Recover(q.index, q.recovery())
		q.rnrLeft = q.attr.RNRRetries
		qp.controller = q.nic.controllerOf(qp, q.attr.BaseRTT)
		qp.pace = qp.controller.Start(now)
		q.nic.open(qp, now)
	case to == SQD:
		q.drained(now)
	case from > RTS && to == RTS:
		q.nic.timer(bellTimer, now, q.index) // so that the port looks for what may go on
		return
	}
	q.nic.enrol(q.index, now)
}

// meet learns who is at the other end.
func (q *VerbsQP) meet(qp *QP) {
	if q.init.Service == UD {
		return
	}
	r := &q.attr.Remote
	port := SourcePort(q.QPN(), r.QPN)
	qp.Peer, qp.PeerQPN, qp.dest, qp.SourcePort = r.Endpoint, r.QPN, r.Dest, port
	qp.flow = TupleHash(q.nic.endpoint, r.Endpoint, port)
	qp.expected, qp.reached, qp.first = int64(r.PSN), int64(r.PSN), int64(r.PSN)
	q.behind, q.answered = headerReader{block: r.beside.requests}, headerReader{block: r.beside.responses}
	if qp.stream != nil {
		q.meetStream(qp)
	}
	*r.beside = besides{} // so that what has been read is kept by nobody
}

// renew begins anew with sending, but for the books and for what the scheduler and the
// timers know of the queue pair.
func (r *requester) renew(blank requester) {
	blank.place, blank.pacedAt, blank.deadlineAt, blank.controlAt = r.place, r.pacedAt, r.deadlineAt, r.controlAt
	blank.counted, blank.feedback, blank.ledger = r.counted, r.feedback, r.ledger
	*r = blank
}

// drained says that nothing is under way any more, if the queue pair is to drain: no packet,
// and no request that has been begun.
func (q *VerbsQP) drained(now units.Time) {
	qp := q.qp()
	if q.state == SQD && qp.una == qp.highest && (qp.queue.Len() == 0 || !qp.queue.Front().work.begun) {
		q.nic.tell(q.init.SendCQ.listener, AsyncEvent{Kind: SQDrained, QPN: q.QPN()}, now)
	}
}

// reset forgets everything; requests are dropped without completion. The handle that it
// gave before is worth nothing any more.
func (q *VerbsQP) reset(now units.Time) {
	qp := q.qp()
	q.nic.boundBy(qp, ByNothing, now)
	q.dropHeld()
	q.nic.objects.bells -= q.ringing.Len()
	qp.renew(blankRequester(0))
	qp.responder = responder{received: qp.received}
	*q = VerbsQP{
		nic: q.nic, index: q.index, init: q.init, receives: receiveQueue{depth: q.init.RecvDepth},
		Counted: q.Counted, life: (q.life + 1) % wire.Lives,
	}
	if qp.stream != nil {
		qp.stream.leave()
	}
	q.writeBeside()
	q.forgetWork(0)
}

// forgetWork has the adapter forget the work requests that it knows of or has asked for. The
// next one begins with a packet.
func (q *VerbsQP) forgetWork(next int64) {
	if a := q.nic.adapter; a != nil {
		w := a.queue(q.index)
		w.rings = fabric.Queue[doorbell]{}
		w.have, w.coming, w.within = next, next, false
	}
}

// pending tells whether anything is on its way between a program and its adapter, or will
// go on by itself.
func (o *objects) pending() bool {
	return o != nil && (o.bells > 0 || o.posted.Len() > 0 || o.waits > 0 || o.operations > 0)
}
