package chakra

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Node is one operation of a rank.
type Node struct {
	ID   uint64
	Name string
	Type Type
	// Control and Data are the nodes that it depends on.
	Control, Data []uint64
	Start         units.Time // when it began where it was recorded
	Duration      units.Time // and what it took; whole microseconds
	Values        string     // of its inputs
	CPU           bool       // is_cpu_op
	// Thread is its tid, a thread of the processor or a stream of the GPU; HasThread tells whether it has one.
	Thread    int64
	HasThread bool
	// Comm is the kind of collective, HasComm whether there is one.
	Comm    Comm
	HasComm bool
	// Size, Source, Destination and Tag are comm_size in bytes, comm_src, comm_dst and comm_tag, Root the root_rank of a
	// collective that has one; ranks, or -1 where there is none.
	Size                      units.Bytes
	Source, Destination, Root int64
	Tag                       uint32
	Group                     string      // pg_name; empty for all ranks
	Operations                uint64      // num_ops
	TensorSize                units.Bytes // tensor_size
	// Partly tells that involved_dim leaves out dimensions of a network of several.
	Partly bool
}

// Type is what a node is.
type Type uint8

// The types that have a meaning here, by their numbers in the schema.
const (
	Invalid Type = iota
	Metadata
	MemLoad
	MemStore
	Comp
	Send
	Recv
	Coll
	typeCount
)

var typeNames = [typeCount]string{"INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV", "COMM_COLL"}

// String is its name in the schema.
func (t Type) String() string {
	if t < typeCount {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Comm is a kind of collective, by its number in the schema.
type Comm uint8

// The kinds of collectives.
const (
	AllReduce Comm = iota
	Reduce
	AllGather
	Gather
	Scatter
	Broadcast
	AllToAll
	ReduceScatter
	ReduceScatterBlock
	Barrier
	commCount
)

var commNames = [commCount]string{"ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"}

// String is its name in the schema.
func (c Comm) String() string { return commNames[c] }

// nobody is the rank of a node that names none.
const nobody = -1
