package programs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// LockOptions are those of a test of a lock.
type LockOptions struct {
	Clients      []int // hosts; several of one host are threads of it
	Server       int   // the host whose memory has the lock; nothing runs there
	Acquisitions int   // of each client
	// ReadWrite has a client that holds the lock increase the counter by READ and WRITE; else it
	// does so by fetch-and-add.
	ReadWrite bool
	// Swap has it release the lock by compare-and-swap; else by WRITE.
	Swap bool
	// Hold is how long a client computes while it has the lock, Rest for how long before it
	// wants it again.
	Hold, Rest units.Time
	// Backoff is the time before a client tries again that has not got the lock. It doubles
	// with each attempt up to MaxBackoff.
	Backoff, MaxBackoff units.Time
	// Guard has each client that holds the lock put its name into a second word, and take it
	// out again, and stop if another's is there. It costs two atomics.
	Guard bool
	Start units.Time
	Data  rnic.Class
	// Transport is how requests travel. Over TCP a thread of the server does what its adapter
	// does over RDMA: each atomic, READ and WRITE is a message to it and its answer.
	Transport Transport
}

// Check finds options that cannot be. Errors are *[units.FieldError] with keys as scenarios
// spell them.
func (o *LockOptions) Check() error {
	switch {
	case o.Acquisitions < 1:
		return units.Field("acquisitions", o.Acquisitions, "nothing to do", "at least 1")
	case o.MaxBackoff < o.Backoff:
		return units.Field("max_backoff", o.MaxBackoff, "less than backoff", "at least "+o.Backoff.String())
	}
	return nil
}

// Lock is clients that take a lock in the memory of a server, count up a counter there while
// they have it, and give it back. The server's processor has no part in it, but over TCP.
type Lock struct {
	LockOptions
	names   []string
	server  string
	clients []*locker
	space   *memory.Space // the server's
	shared  *memory.Region
	keeper  *lockKeeper // over TCP, in place of both
}

// The server's words, in lines of their own.
const (
	lockWord    = 0
	counterWord = 64
	guardWord   = 128
	sharedBytes = 192
)

// A client's words: what an atomic found, the counter as it was read, and a 0 to write.
const (
	foundWord  = 0
	valueWord  = 8
	zeroWord   = 16
	localBytes = 24
)

// NewLock makes a test of a lock on a cluster, over reliable connections that stand before
// it runs. It is an error if the hosts cannot reach each other, or if options are such as
// [LockOptions.Check] refuses.
func NewLock(c *host.Cluster, o LockOptions) (*Lock, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	l := &Lock{LockOptions: o, server: nameOf(c, o.Server)}
	if o.Transport == TCP {
		return l, l.makeOverTCP(c)
	}
	const access = memory.LocalWrite | memory.RemoteWrite | memory.RemoteRead | memory.RemoteAtomic
	var nic *rnic.NIC
	var pd memory.PD
	for i, at := range o.Clients {
		ends, err := c.Ends(at, o.Server, 0)
		if err != nil {
			return nil, err
		}
		base := uint64(len(c.Threads)+1) << 36
		if nic == nil {
			nic, l.space = ends.B, ends.B.Memory()
			pd = l.space.AllocPD()
			if l.shared, err = l.space.Register(pd, base|1<<35, sharedBytes, access); err != nil {
				return nil, err
			}
		} else if nic != ends.B {
			return nil, fmt.Errorf("%s reaches %s at another adapter than the clients before it: atomics of different adapters are not atomic to each other",
				nameOf(c, at), l.server)
		}
		k := &locker{test: l, id: uint64(i + 1), space: ends.A.Memory()}
		k.thread = c.AddThread(at, k, host.ThreadOptions{Name: "distributed-lock client", Start: o.Start})
		if err := k.connect(c, ends, base, pd); err != nil {
			return nil, err
		}
		l.clients, l.names = append(l.clients, k), append(l.names, nameOf(c, at))
	}
	return l, nil
}

// connect brings a client's queue pair into state RTS.
func (k *locker) connect(c *host.Cluster, ends host.Ends, base uint64, theirs memory.PD) (err error) {
	pd := k.space.AllocPD()
	if k.local, err = k.space.Register(pd, base, localBytes, memory.LocalWrite); err != nil {
		return err
	}
	const depth = 8
	k.cq = ends.A.CreateCQ(depth, k.thread)
	k.qp = ends.A.CreateQP(rnic.QPInit{
		Service: rnic.RC, PD: pd, SendCQ: k.cq, RecvCQ: k.cq, SendDepth: depth, RecvDepth: 1, Data: k.test.Data,
	})
	cq := ends.B.CreateCQ(1, nil)
	passive := ends.B.CreateQP(rnic.QPInit{
		Service: rnic.RC, PD: theirs, SendCQ: cq, RecvCQ: cq, SendDepth: 1, RecvDepth: 1, Data: k.test.Data,
	})
	return connect(k.qp, passive, settings{mtu: c.NIC.MTU, timeout: c.NIC.Timeout, retries: c.NIC.Retries, baseRTT: ends.BaseRTT})
}

// Server is the name of the server.
func (l *Lock) Server() string { return l.server }

// Client is the name of the host of a client.
func (l *Lock) Client(i int) string { return l.names[i] }

// Counter is what the counter has come to; Wanted what it should if nobody is at it any more:
// one for each acquisition.
func (l *Lock) Counter() uint64 { return l.word(counterWord) }

// word is a word of the server.
func (l *Lock) word(at uint64) uint64 {
	if l.keeper != nil {
		return l.keeper.words[at]
	}
	return l.space.Load(l.shared.Start + at)
}

// Wanted is the sum of the acquisitions of all clients.
func (l *Lock) Wanted() (n uint64) {
	for _, k := range l.clients {
		n += uint64(len(k.acquired))
	}
	return n
}

// Held is which client has the lock, from 1 on; 0 if nobody has.
func (l *Lock) Held() uint64 { return l.word(lockWord) }

// Acquisition is how a client got the lock once.
type Acquisition struct {
	Begun    units.Time // it wanted the lock
	Got      units.Time // it knew that it had it
	Left     units.Time // it posted what gives it back
	Released units.Time // it knew that it had given it back
	Attempts int
}

// AcquisitionsOf a client are those that are over.
func (l *Lock) AcquisitionsOf(client int) []Acquisition { return l.clients[client].acquired }

// Overlaps counts the acquisitions during which another client had the lock as well, as far
// as clients know: from when they have got it to when they begin to give it back. It is 0 unless
// the lock is broken.
func (l *Lock) Overlaps() (n int) {
	var all []Acquisition
	for _, k := range l.clients {
		all = append(all, k.acquired...)
	}
	slices.SortFunc(all, func(a, b Acquisition) int { return cmp.Compare(a.Got, b.Got) })
	var left units.Time
	for _, a := range all {
		if a.Got < left {
			n++
		}
		left = max(left, a.Left)
	}
	return n
}

// lockerStage is the request whose completion a client waits for, or what it does in between.
type lockerStage uint8

const (
	lockRest lockerStage = iota
	lockTry
	lockBackoff
	lockGuardIn
	lockCount // the fetch-and-add, or the READ
	lockHold
	lockGuardOut
	lockRelease
)

// locker is a client of a lock.
type locker struct {
	test     *Lock
	id       uint64
	thread   *host.Thread
	space    *memory.Space
	local    *memory.Region
	cq       *rnic.CQ
	qp       *rnic.VerbsQP
	socket   *host.Socket // over TCP, in place of what is above
	value    uint64       // likewise: the counter as it was read
	closed   bool
	stage    lockerStage
	due      units.Time // when it goes on after a rest
	backoff  units.Time
	present  Acquisition
	acquired []Acquisition
	err      error
}

// Done implements [host.Program].
func (k *locker) Done() bool { return k.err != nil || len(k.acquired) == k.test.Acquisitions }

// Failed implements [host.Program].
func (k *locker) Failed() error { return k.err }

// Waits implements [host.Program].
func (k *locker) Waits() string {
	what := "the answer of " + k.test.server
	if k.stage == lockBackoff {
		what = "another attempt"
	}
	if k.socket != nil {
		what += socketCause([]*host.Socket{k.socket})
	}
	return fmt.Sprintf("waits for %s; %d of %d acquisitions done", what, len(k.acquired), k.test.Acquisitions)
}

// Step implements [host.Program].
func (k *locker) Step(t *host.Thread) {
	for !k.Done() && !t.Working() {
		switch k.stage {
		case lockRest, lockBackoff:
			if t.Now() < k.due {
				return
			}
			if k.stage == lockRest {
				k.present, k.backoff = Acquisition{Begun: t.Now()}, k.test.Backoff
			}
			k.present.Attempts++
			k.atomic(t, lockTry, lockWord, rnic.CompareSwap, 0, k.id)
		case lockHold:
			k.leave(t)
		default:
			old, ok := k.answer(t)
			if !ok {
				return
			}
			k.goOn(t, old)
		}
	}
	if k.socket != nil && k.Done() && !k.closed {
		k.closed = true
		t.Shut(k.socket)
	}
}

// answer takes the completion of a request, or its answer, with what an atomic found.
func (k *locker) answer(t *host.Thread) (old uint64, ok bool) {
	if k.socket != nil {
		return k.answerOverTCP(t)
	}
	c, ok := t.Poll(k.cq)
	if ok && c.Status != rnic.Success {
		k.err, ok = failed(c), false
	}
	return c.Old, ok
}

// goOn goes on after a request, with what it found if it was an atomic.
func (k *locker) goOn(t *host.Thread, old uint64) {
	switch k.stage {
	case lockTry:
		if old != 0 {
			k.stage, k.due = lockBackoff, t.Now()+k.backoff
			k.backoff = min(2*k.backoff, k.test.MaxBackoff)
			t.CallAt(k.due)
			return
		}
		k.present.Got = t.Now()
		if k.test.Guard {
			k.atomic(t, lockGuardIn, guardWord, rnic.CompareSwap, 0, k.id)
			return
		}
		k.count(t)
	case lockGuardIn:
		k.expect(old, 0, "had the lock, and so had client %d")
		k.count(t)
	case lockCount:
		k.value = old
		t.Work(k.test.Hold)
		k.stage = lockHold
	case lockGuardOut:
		k.expect(old, k.id, "had the lock, and client %d got it")
		k.release(t)
	case lockRelease:
		if k.test.Swap {
			k.expect(old, k.id, "released a lock that client %d had")
		}
		k.present.Released = t.Now()
		k.acquired = append(k.acquired, k.present)
		k.stage, k.due = lockRest, t.Now()+k.test.Rest
		t.CallAt(k.due)
	}
}

// expect stops a client that finds another at what is its own.
func (k *locker) expect(found, want uint64, problem string) {
	if found != want && k.err == nil {
		k.err = fmt.Errorf("client %d "+problem, k.id, found)
	}
}

// count begins to count up.
func (k *locker) count(t *host.Thread) {
	if !k.test.ReadWrite {
		k.atomic(t, lockCount, counterWord, rnic.FetchAdd, 1, 0)
		return
	}
	k.post(t, lockCount, valueWord, counterWord, rnic.SendRequest{Verb: rnic.Read, Signalled: true})
}

// leave writes the counter if it was read, and gives the lock back.
func (k *locker) leave(t *host.Thread) {
	if k.test.ReadWrite {
		if k.socket == nil {
			at := k.local.Start + valueWord
			k.space.Store(at, k.space.Load(at)+1)
		}
		k.value++
		k.post(t, lockRelease, valueWord, counterWord, rnic.SendRequest{Verb: rnic.Write})
	}
	if k.test.Guard {
		k.atomic(t, lockGuardOut, guardWord, rnic.CompareSwap, k.id, 0)
		return
	}
	k.release(t)
}

// release gives the lock back. Requests of a queue pair take effect in their order, so the
// counter is written before.
func (k *locker) release(t *host.Thread) {
	k.present.Left = t.Now()
	if k.test.Swap {
		k.atomic(t, lockRelease, lockWord, rnic.CompareSwap, k.id, 0)
		return
	}
	k.post(t, lockRelease, zeroWord, lockWord, rnic.SendRequest{Verb: rnic.Write, Signalled: true})
}

// atomic posts an atomic on a word of the server.
func (k *locker) atomic(t *host.Thread, next lockerStage, word uint64, v rnic.Verb, compareAdd, swap uint64) {
	k.post(t, next, foundWord, word, rnic.SendRequest{Verb: v, CompareAdd: compareAdd, Swap: swap, Signalled: true})
}

// post posts a request between a word of the client and one of the server.
func (k *locker) post(t *host.Thread, next lockerStage, local, remote uint64, r rnic.SendRequest) {
	if k.socket != nil {
		k.askOverTCP(t, local, remote, &r)
		k.stage = next
		return
	}
	const word = 8
	r.Local = rnic.Slice{Addr: k.local.Start + local, Length: word, Key: k.local.LKey}
	r.Remote, r.RKey = k.test.shared.Start+remote, k.test.shared.RKey
	if err := t.Post(k.qp, r); err != nil && k.err == nil {
		k.err = err
	}
	k.stage = next
}
