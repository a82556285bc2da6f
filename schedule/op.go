package schedule

import (
	"fmt"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Kind is what an operation does.
type Kind uint8

// The kinds of operations.
const (
	Calc       Kind = iota // computes for Op.Time
	Send                   // sends Op.Size bytes to Op.Peer under Op.Tag; finished when the buffer may be used again
	Recv                   // receives Op.Size bytes from Op.Peer under Op.Tag; started when it is posted, finished when the message is there
	Collective             // takes part in the collective Op.What of Op.Group
)

// String returns the word for it: calc, send, recv or collective.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

var kindNames = [...]string{"calc", "send", "recv", "collective"}

// Wildcards of a receive.
const (
	Any    int32  = -1        // as Op.Peer: from whomever
	AnyTag uint32 = 1<<32 - 1 // as Op.Tag: whatever its tag
)

// Op is an operation of a rank.
type Op struct {
	Kind Kind
	// Stream is what operations of a rank take turns on, in the order in which they become ready, at the same time in that of
	// their indices: a processor, or a stream of a GPU. Messages and collectives take it only as long as they cost it time.
	Stream uint8
	NIC    uint8           // the rail that messages go by, counted from 1; 0: the rank's own
	What   collective.Kind // of a Collective
	Root   int32           // of a Collective that has one: its place in the group
	Group  int32           // of a Collective: index into Job.Groups
	Peer   int32           // of a Send or Recv: the other rank; Any of a Recv
	Tag    uint32          // of a Send or Recv; AnyTag of a Recv
	Label  uint16          // what it is counted under in results: index into Job.Labels; 0: its kind
	Size   units.Bytes     // of the message, or of the collective as nccl-tests counts it; 0 of a Calc
	Time   units.Time      // that a Calc takes
}

// String says what the operation is, in one line without its label.
func (op *Op) String() string {
	switch op.Kind {
	case Calc:
		return "calc of " + op.Time.String()
	case Send:
		return fmt.Sprintf("send of %d bytes to rank %d, tag %d", op.Size, op.Peer, op.Tag)
	case Recv:
		peer, tag := fmt.Sprintf("rank %d", op.Peer), fmt.Sprintf("tag %d", op.Tag)
		if op.Peer == Any {
			peer = "any rank"
		}
		if op.Tag == AnyTag {
			tag = "any tag"
		}
		return fmt.Sprintf("recv of %d bytes from %s, %s", op.Size, peer, tag)
	case Collective:
		return fmt.Sprintf("%v of %d bytes in group %d", op.What, op.Size, op.Group)
	}
	return op.Kind.String()
}
