package schedule

// Graph is the operations of one rank and what follows what. It may be shared by ranks that do the same.
type Graph struct {
	chunks  [][]Op // all of chunkOps operations but the last one
	ops     int
	needs   []uint32    // of each operation: how many others it waits for
	follows []Successor // sorted by whom they follow
	first   []uint32    // of each operation: where its successors begin in follows; one more at the end
}

// Operations are kept in pieces, so that a graph grows without being copied.
const (
	chunkBits = 12
	chunkOps  = 1 << chunkBits
)

// MaxOps is how many operations a graph can have.
const MaxOps = 1<<31 - 1

// Successor is an operation that waits for another one.
type Successor uint32

const onStart = 1 << 31

// Op returns the index of the operation that waits.
func (s Successor) Op() int { return int(s &^ onStart) }

// OnStart reports whether it waits for the other one to start only, not to finish.
func (s Successor) OnStart() bool { return s&onStart != 0 }

// Ops returns how many operations there are.
func (g *Graph) Ops() int { return g.ops }

// Op returns operation i, counted from 0 in the order in which they were added.
func (g *Graph) Op(i int) *Op { return &g.chunks[i>>chunkBits][i&(chunkOps-1)] }

// Needs returns for how many others operation i waits: to finish, or to start. One that it waits for in both ways, or
// that was named twice, counts twice, and has i twice among its successors. It may be a successor of more than it needs
// ([Builder.Suffices]): those that finish when it has begun are nothing to it.
func (g *Graph) Needs(i int) int { return int(g.needs[i]) }

// Successors returns what waits for operation i, in the order in which it was told. It is not to be changed.
func (g *Graph) Successors(i int) []Successor { return g.follows[g.first[i]:g.first[i+1]] }

// Dependencies returns how many pairs there are of an operation and one that it waits for.
func (g *Graph) Dependencies() int { return len(g.follows) }
