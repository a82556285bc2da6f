package fabric

import (
	"cmp"
	"math/bits"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Schedule says in which order a switch's ports serve their queues. The zero value
// is strict priority, the highest first, without bounds.
type Schedule struct {
	// Weights of the priorities that share what the strict ones leave, in proportion
	// (deficit weighted round robin, as 802.1Qaz asks for ETS); 0 makes a priority
	// strict.
	Weights [pfc.Priorities]int
	// Quantum is what a priority may send in its turn for each unit of its weight, and a
	// flow of PerFlow in its own, in L2 bytes; 0 is the largest frame.
	Quantum units.Bytes
	// PerFlow is the set of priorities (bit = priority) of which each flow has a queue of
	// its own; these share what the priority gets, a quantum each in turn.
	PerFlow uint8
	// Shapers bound priorities, Port bounds a port as a whole, pause frames aside.
	Shapers [pfc.Priorities]Shaper
	Port    Shaper
}

// plain tells whether ports choose among priorities as the zero value does.
func (s *Schedule) plain() bool {
	return s.Weights == [pfc.Priorities]int{} && s.Shapers == [pfc.Priorities]Shaper{} && s.Port.Rate == 0
}

// schedulingRules are a Schedule as a scheduler uses it.
type schedulingRules struct {
	sharing uint8 // priorities that share by weight
	shaped  uint8 // priorities with a shaper
	port    bool  // whether the port has one
	quantum [pfc.Priorities]units.Bytes
}

func (s *Schedule) rules(largest units.Bytes) *schedulingRules {
	r := &schedulingRules{port: s.Port.Rate > 0}
	unit := cmp.Or(s.Quantum, largest)
	common := 0
	for _, w := range s.Weights {
		common = gcd(common, w)
	}
	for p, w := range s.Weights {
		if w > 0 {
			r.sharing |= 1 << p
			r.quantum[p] = units.Bytes(w/common) * unit
		}
		if s.Shapers[p].Rate > 0 {
			r.shaped |= 1 << p
		}
	}
	return r
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// scheduler chooses for one port among the queues that wait: first those of strict
// priority, then by deficit weighted round robin (Shreedhar and Varghese 1995). A
// queue that is paused leaves the round and keeps what it has of its turn. The
// deficit of a queue never exceeds its quantum and a frame.
type scheduler struct {
	rules   *schedulingRules
	turn    int8  // priority whose turn it is
	begun   uint8 // priorities that have had the quantum of their present turn
	deficit [pfc.Priorities]units.Bytes
	buckets [pfc.Priorities]bucket
	port    bucket
}

func newScheduler(s *Schedule, rules *schedulingRules) scheduler {
	sched := scheduler{rules: rules, port: newBucket(s.Port)}
	for p := range s.Shapers {
		sched.buckets[p] = newBucket(s.Shapers[p])
	}
	return sched
}

// next chooses among the priorities that are ready, with the sizes of their first
// frames. If shapers hold them all it gives -1, and when the first lets go. It
// chooses the same again until it is told what was sent.
func (s *scheduler) next(ready uint8, heads *[pfc.Priorities]units.Bytes, now units.Time) (priority int, at units.Time) {
	ready, at = s.unshaped(ready, heads, now)
	switch strict := ready &^ s.rules.sharing; {
	case ready == 0:
		return -1, at
	case strict != 0:
		priority = bits.Len8(strict) - 1
	default:
		priority = s.round(ready, heads)
	}
	if s.rules.port {
		if at := s.port.conformsAt(heads[priority]); at > now {
			return -1, at
		}
	}
	return priority, units.Never
}

// unshaped are the priorities that their shapers let go now; at is when the first
// of the others goes.
func (s *scheduler) unshaped(ready uint8, heads *[pfc.Priorities]units.Bytes, now units.Time) (free uint8, at units.Time) {
	at = units.Never
	for set := ready & s.rules.shaped; set != 0; set &= set - 1 {
		p := bits.TrailingZeros8(set)
		if t := s.buckets[p].conformsAt(heads[p]); t > now {
			ready &^= 1 << p
			at = min(at, t)
		}
	}
	return ready, at
}

// round is the priority whose turn it is: it keeps the turn while its deficit lasts.
func (s *scheduler) round(ready uint8, heads *[pfc.Priorities]units.Bytes) int {
	for {
		p, bit := s.turn, uint8(1)<<s.turn
		if ready&bit != 0 {
			if s.begun&bit == 0 {
				s.begun |= bit
				s.deficit[p] += s.rules.quantum[p]
			}
			if heads[p] <= s.deficit[p] {
				return int(p)
			}
			s.begun &^= bit
		}
		s.turn = (p + 1) & (pfc.Priorities - 1)
	}
}

// sent accounts for the first frame of a priority, which is sent now; empty tells
// that no other waits behind it.
func (s *scheduler) sent(priority int, size units.Bytes, empty bool, now units.Time) {
	bit := uint8(1) << priority
	if s.rules.sharing&bit != 0 {
		s.deficit[priority] -= size
		if empty {
			s.leave(priority)
		}
	}
	if s.rules.shaped&bit != 0 {
		s.buckets[priority].take(size, now)
	}
	if s.rules.port {
		s.port.take(size, now)
	}
}

// leave takes a queue that has run empty out of the round. Should it fill again, it
// waits for its next turn.
func (s *scheduler) leave(priority int) {
	s.deficit[priority] = 0
	s.begun &^= 1 << priority
	if int(s.turn) == priority {
		s.turn = (s.turn + 1) & (pfc.Priorities - 1)
	}
}

// conforms tells whether the shapers let a frame of a priority go now.
func (s *scheduler) conforms(priority int, size units.Bytes, now units.Time) bool {
	if s.rules.shaped&(1<<priority) != 0 && s.buckets[priority].conformsAt(size) > now {
		return false
	}
	return !s.rules.port || s.port.conformsAt(size) <= now
}
