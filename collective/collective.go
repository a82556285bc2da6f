package collective

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Kind is what an operation is for.
type Kind uint8

// The kinds of operation, as MPI and NCCL define them.
const (
	// AllReduce sums up what all ranks have, for all of them.
	AllReduce Kind = iota
	// ReduceScatter sums up what all ranks have; rank r gets the r-th part of the sum.
	ReduceScatter
	// AllGather gives all ranks what each of them has.
	AllGather
	// Broadcast gives all ranks what the root has.
	Broadcast
	// Reduce sums up what all ranks have, for the root.
	Reduce
	// AllToAll gives rank d the d-th part of what each rank has.
	AllToAll
	// Barrier moves no data; no rank leaves it before all have entered it.
	Barrier
)

// kinds are the words for them, in their order.
var kinds = [...]string{"all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "all-to-all", "barrier"}

// String is the word for it in scenarios: all-reduce, reduce-scatter, all-gather, broadcast, reduce, all-to-all or barrier.
func (k Kind) String() string { return kinds[k] }

// Named returns the kind that a word stands for, and whether there is one.
func Named(word string) (Kind, bool) {
	for i, w := range kinds {
		if w == word {
			return Kind(i), true
		}
	}
	return 0, false
}

// Rooted tells whether one rank, the root, has another part in it than the others.
func (k Kind) Rooted() bool { return k == Broadcast || k == Reduce }

// Shape is where the ranks are: rank r is on node r/PerNode, where NVLink or the like joins it to the other ranks of the
// node. With PerNode 1 each rank is on a node of its own.
type Shape struct {
	Ranks   int // at least 1
	PerNode int // divides Ranks; at least 1
}

// ShapeOf is the shape of a number of ranks, of each of which it is known on which node it is. Where each node has the same number of them, one after
// the other, these are together; else ranks are taken as one on each node.
func ShapeOf(ranks int, node func(rank int) int) Shape {
	run := 1
	for run < ranks && node(run) == node(0) {
		run++
	}
	apart := Shape{Ranks: ranks, PerNode: 1}
	if ranks%run > 0 {
		return apart
	}
	seen := map[int]bool{}
	for first := 0; first < ranks; first += run {
		if seen[node(first)] {
			return apart
		}
		seen[node(first)] = true
		for r := first; r < first+run; r++ {
			if node(r) != node(first) {
				return apart
			}
		}
	}
	return Shape{Ranks: ranks, PerNode: run}
}

// Nodes is how many nodes there are.
func (s Shape) Nodes() int { return s.Ranks / s.PerNode }

// Joined tells whether two ranks are on the same node.
func (s Shape) Joined(a, b int) bool { return a/s.PerNode == b/s.PerNode }

// Send is a message that a rank sends: its chunks First to First+Count-1. With Count 0 it is a message without contents,
// as a barrier has them.
type Send struct {
	Peer         int32 // the rank that it is for
	First, Count int32
	// The message goes when the first After receives of strand Strand of this rank are complete, and the sends before
	// it in its own strand have been posted.
	After  int32
	Strand int8
}

// Receive is a message that a rank receives: chunks First to First+Count-1.
type Receive struct {
	Peer         int32 // the rank that it comes from
	First, Count int32
	// Reduce has what comes added to what the rank has there; else it takes its place.
	Reduce bool
}

// Strand is a sequence of sends and one of receives. Messages of strand i are received by strand i of the other rank: the
// k-th message that a rank sends from a strand to a peer is the k-th Receive of the peer's strand of the same number that
// names the rank. Receives take effect in their order: a message that has come waits until those before it in the strand are
// complete. All chunks of a message have the contributions of the same ranks.
//
// Plans go through however few messages a strand may have under way to another rank, if at least one. Few are better than
// any number: where a tree is given all its pieces at once, ports are full of what goes up when results could come down.
type Strand struct {
	Sends    []Send
	Receives []Receive
	// InTurn has each message go only when the one before it has been delivered, as a process that waits for what it has sent.
	// Else they share the rank's NIC.
	InTurn bool
}

// Plan is what a rank does in an operation. Its strands go on independently of each other, but for what the sends say. A
// rank is done when all its sends and receives are complete.
type Plan struct {
	Chunks  int32 // into how many the data is cut; 0 if there is none
	Strands []Strand
	// Apart says that what is received lies in a buffer of its own, where chunk s comes from rank s, while chunk d of the
	// buffer that is sent is for rank d (all-to-all). The rank's own chunk is there from the beginning.
	Apart bool
}

// Bytes is how long chunks first to first+count-1 of data of a size are together. All chunks are as long as each other;
// of what cannot be divided, the first ones have a byte more each.
func (p *Plan) Bytes(size units.Bytes, first, count int32) units.Bytes {
	if count == 0 {
		return 0
	}
	n := units.Bytes(p.Chunks)
	longer := min(units.Bytes(first+count), size%n) - min(units.Bytes(first), size%n)
	return size/n*units.Bytes(count) + longer
}

// Messages is how many messages the rank sends.
func (p *Plan) Messages() (n int) {
	for i := range p.Strands {
		n += len(p.Strands[i].Sends)
	}
	return n
}

// Cost is what messages cost by the alpha-beta model of Hockney (The communication challenge for MPP, 1994): one of b
// bytes arrives Alpha + b/Rate after it has been sent, and keeps its sender and its receiver busy for b/Rate.
type Cost struct {
	Alpha units.Time // between ranks of different nodes
	Rate  units.Rate // of payload, between nodes, at each rank
	// LocalAlpha and LocalRate are those between ranks of one node; unused if no node has two.
	LocalAlpha units.Time
	LocalRate  units.Rate
	// Message says for how long a message between nodes keeps a rank busy, and after what time it has arrived, where packets
	// and headers make that no straight line; nil: by Alpha and Rate.
	Message func(b units.Bytes) (busy, arrives units.Time)
}

// between is what a message between nodes keeps a rank busy for, and after what time it has arrived.
func (c Cost) between(b units.Bytes) (busy, arrives units.Time) {
	if c.Message != nil {
		return c.Message(b)
	}
	busy = c.Rate.Serialise(int(b))
	return busy, busy + c.Alpha
}

// within is the same of a message within a node.
func (c Cost) within(b units.Bytes) (busy, arrives units.Time) {
	busy = c.LocalRate.Serialise(int(b))
	return busy, busy + c.LocalAlpha
}

// of is the same of a message between two ranks.
func (c Cost) of(s Shape, a, b int, size units.Bytes) (busy, arrives units.Time) {
	if s.Joined(a, b) {
		return c.within(size)
	}
	return c.between(size)
}

// part is how long one of n parts of a size is, the longest of them.
func part(size units.Bytes, n int) units.Bytes { return (size + units.Bytes(n) - 1) / units.Bytes(n) }

// Algorithm is a way to do operations of some kinds.
type Algorithm struct {
	Name  string // in scenarios
	Doc   string // what it is, in a sentence, and whose
	Kinds []Kind // what it does
	// Railed says how messages go between nodes that have several NICs: all of a channel by the channel's own rail at
	// both ends, as in a flat ring or tree; else each by the NICs of its two ranks.
	Railed bool
	// Whole says that nothing is cut into pieces: Plan and Theory do not depend on their number.
	Whole bool
	// Exceeds says that busbw can come out above the rate of a rank's NIC when several ranks are on a node, for then less
	// goes between nodes than the factor of busbw reckons with. With one rank on each node no algorithm can.
	Exceeds bool
	// Fits is nil if the algorithm can do operations of a kind of its Kinds among ranks of a shape, or says why not.
	Fits func(k Kind, s Shape) error
	// Plan is what a rank does in an operation. The root is one of a kind that is [Kind.Rooted], else unused. Pieces, at
	// least 1, are into how many the algorithm cuts what it handles at a time, so that they follow each other in a
	// pipeline; its Doc says of what. With one rank there is nothing to send.
	Plan func(k Kind, s Shape, rank, root, pieces int) Plan
	// Theory is the time that it takes by the alpha-beta model, from when all ranks begin until the last one is done:
	// for data of a size, as nccl-tests counts it (for an all-gather all that is gathered, for a reduce-scatter all that
	// is summed up), one channel and the same pieces.
	Theory func(k Kind, s Shape, size units.Bytes, pieces int, c Cost) units.Time
}

// Algorithms are all of them. The first that does a kind is its default.
var Algorithms = []Algorithm{
	ring,
	doubleTree,
	halvingDoubling,
	recursiveDoubling,
	hierarchical,
	tree,
	chain,
	binomial,
	direct,
	pairwise,
	dissemination,
}

// Does tells whether the algorithm does operations of a kind.
func (a *Algorithm) Does(k Kind) bool {
	for _, own := range a.Kinds {
		if own == k {
			return true
		}
	}
	return false
}

// Default is the algorithm for a kind if none is named. It does with any number of ranks.
func Default(k Kind) *Algorithm {
	for i := range Algorithms {
		if Algorithms[i].Does(k) {
			return &Algorithms[i]
		}
	}
	panic("collective: a kind without an algorithm")
}

// ByName returns the algorithm of a name, and whether there is one.
func ByName(name string) (*Algorithm, bool) {
	for i := range Algorithms {
		if Algorithms[i].Name == name {
			return &Algorithms[i], true
		}
	}
	return nil, false
}

// Names are those of the algorithms that do a kind, its default first.
func Names(k Kind) (names []string) {
	for i := range Algorithms {
		if Algorithms[i].Does(k) {
			names = append(names, Algorithms[i].Name)
		}
	}
	return names
}

// owner is the rank whose part of the data a chunk belongs to in a reduce-scatter or an all-gather: rank r has the r-th of
// as many parts as there are ranks.
func owner(s Shape, chunk, chunks int32) int { return int(chunk) / (int(chunks) / s.Ranks) }

// Begins tells whether a rank has a contribution to a chunk at the beginning: in an all-gather only to its own part, in a
// broadcast only the root; in an all-to-all only to the chunk that it keeps itself, in the buffer of what is received.
func Begins(k Kind, s Shape, rank, root int, chunk, chunks int32) bool {
	switch k {
	case AllGather, AllToAll:
		return owner(s, chunk, chunks) == rank
	case Broadcast:
		return rank == root
	}
	return true
}

// Wants tells whether a rank must end with a chunk whole: with all contributions that there are to it. What it has there
// else does not matter.
func Wants(k Kind, s Shape, rank, root int, chunk, chunks int32) bool {
	switch k {
	case ReduceScatter:
		return owner(s, chunk, chunks) == rank
	case Reduce:
		return rank == root
	}
	return true
}

// Contributors are the ranks whose contributions a whole chunk has, each once: count of them from first on. They are all
// ranks, or one. Of an all-to-all it is told for the buffer of what is received.
func Contributors(k Kind, s Shape, root int, chunk, chunks int32) (first, count int) {
	switch k {
	case AllGather, AllToAll:
		return owner(s, chunk, chunks), 1
	case Broadcast:
		return root, 1
	}
	return 0, s.Ranks
}

// BusFactor is the fraction num/den by which nccl-tests multiplies algbw, which is size by time, to get busbw for a number
// of ranks (doc/PERFORMANCE.md of NVIDIA/nccl-tests): 2(n-1)/n for an all-reduce, (n-1)/n for a reduce-scatter, an
// all-gather and an all-to-all, 1 for a broadcast and a reduce. A barrier moves nothing: 0.
func BusFactor(k Kind, n int) (num, den int) {
	switch k {
	case AllReduce:
		return 2 * (n - 1), n
	case ReduceScatter, AllGather, AllToAll:
		return n - 1, n
	case Barrier:
		return 0, 1
	}
	return 1, 1
}

// anyShape is Fits of an algorithm that can do with any number of ranks.
func anyShape(Kind, Shape) error { return nil }

// powerOfTwo is an error that says what the number of ranks must be.
func powerOfTwo(name string, k Kind, s Shape) error {
	if s.Ranks&(s.Ranks-1) == 0 {
		return nil
	}
	return fmt.Errorf("%s does a %s among a power of two of ranks, not %d; ring can with any number", name, k, s.Ranks)
}
