package fabric

import (
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Faults are what is wrong with the cables of a network in the course of a run.
// All of it is known before the run begins, so that each end of a cable can do by
// itself, at the right time, what a fault asks of it.
type Faults struct {
	Losses       []Loss
	Outages      []Outage
	Degradations []Degradation
}

// Span is the time from From on and before To.
type Span struct{ From, To units.Time }

// holds tells whether an instant lies in the span.
func (s Span) holds(at units.Time) bool { return s.From <= at && at < s.To }

// Address is where a packet goes: a NIC, as switches know it, and a queue pair there.
type Address struct {
	topology.Dest
	QPN uint32
}

// Loss is frames that one end of a cable sends and the other does not get. It
// loses each frame with a probability of its own, drawn from a random stream of
// this fault and this end, or picks frames by counting them.
type Loss struct {
	Node, Port int // the end that sends
	Span
	Frames FrameSet
	// To, if not empty, limits the fault to packets for one of these queue pairs.
	To []Address
	// Corrupts says that the frame arrives with a wrong checksum and is thrown away
	// there, rather than being lost on the way.
	Corrupts bool
	// Name tells the random streams of several faults at one end apart.
	Name string
	// Chance is the probability that a frame is lost.
	Chance units.Ratio
	// BitErrors is the probability that a bit is wrong, independent of all others,
	// in place of Chance.
	BitErrors float64
	// Pick, if not nil, stands in place of both.
	Pick *Pick
}

// Pick chooses frames by counting those that a [Loss] is about, from 1.
type Pick struct {
	First int64 // the first one lost, at least 1
	Every int64 // after that every so many, at least 1
	Count int64 // how many at most; 0 for no bound
	// ID, if not nil, is the low byte of the IP identification that a packet must
	// have to count.
	ID *uint8
}

// Outage is a time in which a cable carries nothing, either way. Frames that are
// sent into it or are on the cable when it begins are lost, and both ends forget
// what pauses they asked for and obey. Switches route round the cable, and later
// over it again, each time Convergence after the change ([units.Never]: not at all).
type Outage struct {
	Link int // index into [topology.Graph.Links]
	Span
	Convergence units.Time
}

// Degradation is a time in which a cable is slower or longer than it was built.
type Degradation struct {
	Link int
	Span
	Rate  units.Rate // at most that of the cable; 0 leaves it
	Delay units.Time // added to that of the cable; not negative
}

// Reason tells why a frame did not arrive.
type Reason uint8

// The reasons.
const (
	Random    Reason = iota // lost on the way by chance, or by a [Fault]
	Picked                  // lost on the way because a rule chose it
	Corrupted               // arrived with a wrong checksum
	LinkDown                // the cable was down
	// Reasons is how many there are.
	Reasons
)

// String is the reason as results write it.
func (r Reason) String() string {
	return [...]string{"lost on a cable", "lost by rule", "corrupted on a cable (FCS error)", "sent onto a dead link"}[r]
}
