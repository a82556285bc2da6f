package programs

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// MPIAlgorithm is how ranks do a collective operation.
type MPIAlgorithm uint8

// The algorithms, as Thakur, Rabenseifner and Gropp describe them (Optimization of Collective
// Communication Operations in MPICH, 2005).
const (
	// RecursiveDoubling exchanges everything with ranks at distances 1, 2, 4 … Ranks beyond a
	// power of two hand theirs to another before, and get the result after.
	RecursiveDoubling MPIAlgorithm = iota
	// Ring passes pieces of 1/n around, n-1 times to sum them up and n-1 times to spread them.
	Ring
	// Dissemination is a barrier: in round k each rank tells the one 2^k after it.
	Dissemination
)

// MPIAlgorithms are the words for them in scenarios, in their order.
var MPIAlgorithms = []string{"recursive-doubling", "ring", "dissemination"}

// String is the word.
func (a MPIAlgorithm) String() string { return MPIAlgorithms[a] }

// MPIOptions are those of ranks that do one collective operation again and again.
type MPIOptions struct {
	// Ranks are the hosts, each different from the others: rank i is at the i-th. There are at
	// least 2.
	Ranks     []int
	Algorithm MPIAlgorithm
	// Size is what each rank contributes to an allreduce; unused by a barrier.
	Size units.Bytes
	// Iterations are measured, at least 1; Warmup go before them, at least 1, during the first of
	// which rank 0 is still at what it measures beforehand.
	Iterations, Warmup int
	// Compute is what each rank's processor does before each operation.
	Compute units.Time
	// Noise comes in between while it does.
	Noise Noise
	// Reduce is the rate at which a processor sums up what has come; 0 if that takes no time.
	Reduce  units.Rate
	Events  bool // threads sleep until something has come
	Start   units.Time
	Channel ChannelOptions
	// Random makes the streams from which ranks draw; it may be nil without Noise.
	Random Streams
}

// MPI is ranks that do a collective operation again and again: messages are all that they
// know of each other.
type MPI struct {
	MPIOptions
	ranks  []*mpiRank
	shares uint64 // sum of what ranks contribute to piece 0 of operation 0
}

// pings is how often a message goes to and fro between two programs before they begin, so that
// what it takes in the empty network is known. Rank 0 does so with all to whom it sends in an
// operation.
const pings = 16

// mpiPing is the tag of such a message.
const mpiPing = ^uint32(0)

// NewMPI makes ranks on hosts of a cluster. It is an error if hosts cannot reach each other.
func NewMPI(c *host.Cluster, o MPIOptions) (*MPI, error) {
	m := &MPI{MPIOptions: o}
	m.Channel.Tell = true
	if o.Algorithm != Dissemination {
		m.Channel.Memory = max(m.Channel.Memory, o.Size)
	}
	for i, at := range o.Ranks {
		r := &mpiRank{mpi: m, number: i, channels: map[int]int{}}
		t := c.AddThread(at, r, mailboxThread(c, &o.Channel, fmt.Sprintf("MPI rank %d", i), o.Start, o.Events))
		r.thread, r.box = t, NewMailbox(c, at, t)
		r.script = m.script(i)
		r.noise = newNoisy(&m.Noise, func() Random { return o.Random(fmt.Sprintf("noise/%s/%d", nameOf(c, at), i)) })
		m.ranks = append(m.ranks, r)
		m.shares += contribution(i, 0, 0)
	}
	for i, r := range m.ranks {
		for _, a := range r.script {
			for _, peer := range [...]int{a.to, a.from} {
				if _, known := r.channels[peer]; known || peer < 0 {
					continue
				}
				other := m.ranks[peer]
				r.channels[peer], other.channels[i] = r.box.Channels(), other.box.Channels()
				if _, _, err := Open(r.box, other.box, 0, m.Channel); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, r := range m.ranks {
		r.inbox = make([]queue[host.Message], r.box.Channels())
		r.values = make([]uint64, m.pieces())
	}
	first := m.ranks[0]
	for _, a := range first.script {
		if a.to >= 0 && !slices.Contains(first.peers, a.to) {
			first.peers = append(first.peers, a.to)
		}
	}
	first.half = make([][]units.Time, len(first.peers))
	return m, nil
}

// pieces is in how many an algorithm cuts what is summed up.
func (m *MPI) pieces() int {
	if m.Algorithm == Ring {
		return len(m.Ranks)
	}
	return 1
}

// pieceSize is the size of one of them, of which the first may be a byte longer.
func (m *MPI) pieceSize(piece int) units.Bytes {
	switch m.Algorithm {
	case Dissemination:
		return 0
	case Ring:
		n := units.Bytes(len(m.Ranks))
		size := m.Size / n
		if units.Bytes(piece) < m.Size%n {
			size++
		}
		return size
	}
	return m.Size
}

// mpiAction is a step of a rank in an operation: a message that it sends, if to is not
// negative, and then one that it waits for, if from is not.
type mpiAction struct {
	to, from    int // ranks
	sent, taken int // pieces
	sum         bool
}

// script is what a rank does in each operation.
func (m *MPI) script(rank int) (all []mpiAction) {
	n := len(m.Ranks)
	switch m.Algorithm {
	case Dissemination:
		for d := 1; d < n; d *= 2 {
			all = append(all, mpiAction{to: (rank + d) % n, from: (rank - d + n) % n})
		}
	case Ring:
		for step := range 2 * (n - 1) {
			sent := ((rank-step)%n + 2*n) % n
			if step >= n-1 {
				sent = ((rank+1-(step-(n-1)))%n + 2*n) % n
			}
			all = append(all, mpiAction{to: (rank + 1) % n, from: (rank - 1 + n) % n, sent: sent, taken: (sent - 1 + n) % n, sum: step < n-1})
		}
	default:
		power := 1 << (bits.Len(uint(n)) - 1)
		surplus := n - power
		// Of the first 2·surplus ranks the even ones hand theirs to the odd ones.
		if rank < 2*surplus && rank%2 == 0 {
			return []mpiAction{{to: rank + 1, from: -1}, {to: -1, from: rank + 1}}
		}
		own := rank - surplus
		if rank < 2*surplus {
			all = append(all, mpiAction{to: -1, from: rank - 1, sum: true})
			own = rank / 2
		}
		for d := 1; d < power; d *= 2 {
			peer := own ^ d
			if peer < surplus {
				peer = 2*peer + 1
			} else {
				peer += surplus
			}
			all = append(all, mpiAction{to: peer, from: peer, sum: true})
		}
		if rank < 2*surplus {
			all = append(all, mpiAction{to: rank - 1, from: -1})
		}
	}
	return all
}

// Steps is how many messages follow each other in an operation, each because of the one
// before.
func (m *MPI) Steps() int {
	n := len(m.Ranks)
	rounds := bits.Len(uint(n - 1))
	switch m.Algorithm {
	case Ring:
		return 2 * (n - 1)
	case RecursiveDoubling:
		if power := 1 << (bits.Len(uint(n)) - 1); power != n {
			return rounds - 1 + 2
		}
	}
	return rounds
}

// contribution is what a rank adds to a piece in an operation.
func contribution(rank, piece, operation int) uint64 {
	return mixed(uint64(rank))*uint64(2*piece+1) + uint64(operation)
}

// mpiStage is where in an operation a rank is.
type mpiStage uint8

const (
	atCompute mpiStage = iota
	atSend
	atReceive
)

// mpiRank is the program of a rank.
type mpiRank struct {
	mpi      *MPI
	number   int
	thread   *host.Thread
	box      *Mailbox
	channels map[int]int // by rank
	inbox    []queue[host.Message]
	script   []mpiAction

	peers   []int // to be pinged
	pinging int   // the one that is
	waiting bool  // for its answer
	pinged  units.Time
	half    [][]units.Time // of round trips, by peer

	noise     *noisy // nil if there is none
	at        mpiStage
	sending   int // messages of which it is not known whether they have been delivered
	action    int
	operation int
	values    []uint64
	entered   []units.Time
	left      []units.Time
	warm      units.Time // when it left the last operation before those
	busy      units.Time // of the thread before the first measured operation, and for computing since
	worked    units.Time // for operations
	err       error
}

// Done implements [host.Program].
func (r *mpiRank) Done() bool {
	return r.err != nil || r.operation == r.mpi.Warmup+r.mpi.Iterations && r.box.Idle()
}

// Failed implements [host.Program].
func (r *mpiRank) Failed() error { return r.err }

// Waits implements [host.Program].
func (r *mpiRank) Waits() string {
	text := fmt.Sprintf("waits for a message; %d of %d operations done", r.operation, r.mpi.Warmup+r.mpi.Iterations)
	if a := r.script[r.action]; r.at == atReceive {
		text = fmt.Sprintf("waits for a message of rank %d; %d of %d operations done", a.from, r.operation, r.mpi.Warmup+r.mpi.Iterations)
	}
	if why := r.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (r *mpiRank) Step(t *host.Thread) {
	for !r.Done() && !t.Working() {
		if r.goOn(t) {
			continue
		}
		a, ok, err := r.box.Next(t)
		if err != nil {
			r.err = fmt.Errorf("%w; %d of %d operations done", err, r.operation, r.mpi.Warmup+r.mpi.Iterations)
			return
		}
		if !ok {
			return
		}
		if a.Sent {
			r.sending--
			continue
		}
		if a.Tag == mpiPing {
			r.pong(t, &a)
			continue
		}
		r.inbox[a.From].push(a.Message)
	}
}

// goOn goes on as far as it can without another message; it tells whether it could.
func (r *mpiRank) goOn(t *host.Thread) bool {
	switch {
	case r.pinging < len(r.peers):
		return r.ping(t)
	case r.operation == r.mpi.Warmup+r.mpi.Iterations:
		return false
	}
	a := &r.script[r.action]
	switch r.at {
	case atCompute:
		compute := r.mpi.Compute
		if r.noise != nil && r.operation > 0 {
			more := r.noise.takes(t.Now(), compute)
			compute += more
			if r.operation >= r.mpi.Warmup {
				r.noise.taken = append(r.noise.taken, more)
			}
		}
		if r.operation > 0 { // before the first nobody is to keep rank 0 waiting
			t.Work(compute)
		}
		if r.operation > r.mpi.Warmup {
			r.busy += compute // which is not the operation's
		}
		r.at = atSend
	case atSend:
		if r.action == 0 {
			r.enter(t)
		}
		if a.to >= 0 {
			r.send(t, a.to, r.tag(), a.sent)
		}
		r.at = atReceive
	case atReceive:
		// A step is over when what was sent is there, as MPI_Sendrecv has it. Its buffer is free then.
		if r.sending > 0 || a.from >= 0 && !r.take(t, a) {
			return false
		}
		r.at = atSend
		if r.action++; r.action == len(r.script) {
			r.leave(t)
		}
	}
	return true
}

// ping sends a message that is to come back, if none is under way.
func (r *mpiRank) ping(t *host.Thread) bool {
	if r.waiting {
		return false
	}
	r.waiting, r.pinged = true, t.Now()
	r.send(t, r.peers[r.pinging], mpiPing, 0)
	return true
}

// pong sends it back, or takes it.
func (r *mpiRank) pong(t *host.Thread, a *Arrival) {
	if r.number != 0 {
		r.hand(t, a.From, host.Message{Size: a.Size, Tag: mpiPing})
		return
	}
	r.waiting = false
	half := &r.half[r.pinging]
	if *half = append(*half, (t.Now()-r.pinged)/2); len(*half) == pings {
		r.pinging++
	}
}

// tag is that of the messages of a step.
func (r *mpiRank) tag() uint32 { return uint32(r.operation*len(r.script) + r.action) }

// enter begins an operation.
func (r *mpiRank) enter(t *host.Thread) {
	for i := range r.values {
		r.values[i] = contribution(r.number, i, r.operation)
	}
	if r.operation == r.mpi.Warmup {
		r.busy = r.box.Busy()
	}
	if r.operation >= r.mpi.Warmup {
		r.entered = append(r.entered, t.Now())
	}
}

// leave ends an operation: all that every rank has contributed must be there.
func (r *mpiRank) leave(t *host.Thread) {
	if r.mpi.Algorithm != Dissemination {
		for i, v := range r.values {
			if want := r.mpi.sum(i, r.operation); v != want {
				r.err = fmt.Errorf("operation %d: piece %d does not have the contribution of every rank once", r.operation, i)
			}
		}
	}
	if r.operation >= r.mpi.Warmup {
		r.left = append(r.left, t.Now())
		r.worked = r.box.Busy() - r.busy
	} else {
		r.warm = t.Now()
	}
	r.operation++
	r.action, r.at = 0, atCompute
}

// sum is what a piece comes to.
func (m *MPI) sum(piece, operation int) uint64 {
	return m.shares*uint64(2*piece+1) + uint64(len(m.Ranks))*uint64(operation)
}

// send sends a piece.
func (r *mpiRank) send(t *host.Thread, to int, tag uint32, piece int) {
	r.hand(t, r.channels[to], host.Message{Size: r.mpi.pieceSize(piece), Tag: tag, A: r.values[piece]})
}

// hand hands a message to a channel, which tells of the delivery of a longer one.
func (r *mpiRank) hand(t *host.Thread, channel int, m host.Message) {
	if m.Size > r.mpi.Channel.Eager {
		r.sending++
	}
	if err := r.box.Channel(channel).Send(t, m); err != nil && r.err == nil {
		r.err = err
	}
}

// take takes the message of a step, if it has come.
func (r *mpiRank) take(t *host.Thread, a *mpiAction) bool {
	m, ok := r.inbox[r.channels[a.from]].pop()
	if !ok {
		return false
	}
	if r.mpi.Algorithm == Dissemination && m.Tag != r.tag() {
		r.err = fmt.Errorf("rank %d is at step %d, not at %d", a.from, m.Tag, r.tag())
	}
	if a.sum {
		if r.mpi.Reduce > 0 {
			t.Work(r.mpi.Reduce.Serialise(int(m.Size)))
		}
		m.A += r.values[a.taken]
	}
	r.values[a.taken] = m.A
	return true
}

// MPIResult is what ranks have measured.
type MPIResult struct {
	Operations int // that all ranks have done, of those that are measured
	// Step is half the round trip in the empty network of a message as long as those of the operation,
	// between rank 0 and those to whom it sends, in the mean. Bound is what theory gives for
	// the operation: as many of these as follow each other. Never if it is not known.
	Step, Bound units.Time
	// Own is the mean over ranks and operations of how long an operation took the rank, as
	// osu_allreduce reports it.
	Own units.Time
	// Min to Max are from when the last rank entered an operation until the last left it, so that
	// they have nothing of what ranks come too late for.
	Min, Mean, Median, P99, Max units.Time
	// Period is the mean over ranks and operations of the time from the end of an operation to the end of the next.
	Period units.Time
	// Lost is the share of it that is not computing.
	Lost float64
	// Processor is what an operation took of a rank's processor, in the mean, beside computing.
	Processor units.Time
	// Noise is by how much longer a rank computed before an operation in the mean, and Slowest by how
	// much longer the slowest one did, for whom all others waited, in the mean over operations; NoiseTheory and
	// SlowestTheory are what is to be expected (see [Noise.Expected]).
	Noise, Slowest, NoiseTheory, SlowestTheory units.Time
	// PeriodBound is what theory gives for Period at the most: computing, the slowest rank's noise, and the operation. It is less
	// where the slowest was not the last to leave the operation before.
	PeriodBound units.Time
}

// Amplification is how many times as long as its noise in the mean a rank waits because of the noise of all; 0 without any.
func (r *MPIResult) Amplification() float64 {
	if r.Noise == 0 {
		return 0
	}
	return float64(r.Slowest) / float64(r.Noise)
}

// step is half a round trip between a rank and those to whom it sends.
func (r *mpiRank) step() (mean units.Time, known bool) {
	if len(r.peers) == 0 || r.pinging < len(r.peers) {
		return 0, false
	}
	var sum, n units.Time
	for _, a := range r.script {
		if i := slices.Index(r.peers, a.to); i >= 0 {
			half := slices.Sorted(slices.Values(r.half[i]))
			sum += half[len(half)/2]
			n++
		}
	}
	return sum / n, true
}

// Result is what the ranks have measured.
func (m *MPI) Result() MPIResult {
	r := MPIResult{Operations: m.Iterations, Step: units.Never, Bound: units.Never, PeriodBound: units.Never}
	r.NoiseTheory, r.SlowestTheory = m.Noise.Expected(len(m.ranks), m.Compute)
	for _, k := range m.ranks {
		r.Operations = min(r.Operations, len(k.left))
	}
	if step, known := m.ranks[0].step(); known {
		r.Step, r.Bound = step, step*units.Time(m.Steps())
		r.PeriodBound = m.Compute + r.SlowestTheory + r.Bound
	}
	if r.Operations == 0 {
		return r
	}
	n := units.Time(r.Operations)
	var took []units.Time
	var own, worked units.Time
	for i := range r.Operations {
		var entered, left, slowest units.Time
		for _, k := range m.ranks {
			if k.noise != nil {
				slowest = max(slowest, k.noise.taken[i])
				r.Noise += k.noise.taken[i]
			}
			entered, left = max(entered, k.entered[i]), max(left, k.left[i])
			own += (k.left[i] - k.entered[i]) / n
		}
		took = append(took, left-entered)
		r.Slowest += slowest
	}
	r.Slowest /= n
	r.Noise /= n * units.Time(len(m.ranks))
	var passed units.Time
	for _, k := range m.ranks {
		worked += k.worked / n
		passed += (k.left[r.Operations-1] - k.warm) / n
	}
	ranks := units.Time(len(m.ranks))
	r.Own, r.Processor, r.Period = own/ranks, worked/ranks, passed/ranks
	if r.Period > 0 {
		r.Lost = 1 - float64(m.Compute)/float64(r.Period)
	}
	slices.Sort(took)
	var sum units.Time
	for _, t := range took {
		sum += t
	}
	r.Min, r.Mean, r.Median, r.P99, r.Max = took[0], sum/n, took[(len(took)-1)/2], took[(len(took)*99+99)/100-1], took[len(took)-1]
	return r
}
