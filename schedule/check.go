package schedule

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Check tells the first thing that keeps the job from ever finishing, or that cannot be meant: a rank or group that
// there is not, a message to oneself, a rank in a collective of others; a group whose ranks do not all have the same
// collectives; sends that nobody receives, receives that nobody sends to, and a message larger than any receive for it.
// It is a [*OpError] if it is about an operation.
//
// Where wildcards leave open which receive a message meets, only numbers are compared: a rank receives as many messages
// as are sent to it, and as many of a sender and tag that it names as it waits for, or more.
func (j *Job) Check() error {
	if len(j.Ranks) == 0 {
		return fmt.Errorf("a job without ranks")
	}
	if j.Repeat < 0 || j.Warmup < 0 || j.Warmup > 0 && j.Warmup >= j.Repeat {
		return fmt.Errorf("%d of %d repetitions to warm up: there must be one more at least", j.Warmup, max(1, j.Repeat))
	}
	groups, err := j.checkGroups()
	if err != nil {
		return err
	}
	sends := 0
	for rank, g := range j.Ranks {
		for i := range g.Ops() {
			if err := j.checkOp(rank, i, groups); err != nil {
				return err
			}
			if g.Op(i).Kind == Send {
				sends++
			}
		}
	}
	if err := j.checkCollectives(); err != nil {
		return err
	}
	return j.checkMessages(sends)
}

// checkGroups returns the members of each group, sorted.
func (j *Job) checkGroups() ([][]int32, error) {
	sorted := make([][]int32, len(j.Groups))
	for i, group := range j.Groups {
		sorted[i] = slices.Sorted(slices.Values(group))
		for k, member := range sorted[i] {
			if member < 0 || int(member) >= len(j.Ranks) {
				return nil, fmt.Errorf("group %d has rank %d: there are ranks 0 to %d", i, member, len(j.Ranks)-1)
			}
			if k > 0 && member == sorted[i][k-1] {
				return nil, fmt.Errorf("group %d has rank %d twice", i, member)
			}
		}
	}
	return sorted, nil
}

// checkOp looks at what an operation says itself.
func (j *Job) checkOp(rank, i int, groups [][]int32) error {
	op := j.Ranks[rank].Op(i)
	switch {
	case op.Size < 0:
		return j.wrong(rank, i, "a negative size")
	case op.Time < 0:
		return j.wrong(rank, i, "a negative time")
	case op.Label > 0 && int(op.Label) >= len(j.Labels):
		return j.wrong(rank, i, "label %d of %d", op.Label, len(j.Labels))
	}
	switch op.Kind {
	case Calc:
	case Send, Recv:
		switch {
		case op.Kind == Recv && op.Peer == Any:
		case op.Peer < 0 || int(op.Peer) >= len(j.Ranks):
			return j.wrong(rank, i, "there is no rank %d; there are ranks 0 to %d", op.Peer, len(j.Ranks)-1)
		case int(op.Peer) == rank:
			return j.wrong(rank, i, "a message of a rank to itself")
		}
		if op.Kind == Send && op.Tag == AnyTag {
			return j.wrong(rank, i, "a message needs a tag below %d", AnyTag)
		}
	case Collective:
		if op.Group < 0 || int(op.Group) >= len(groups) {
			return j.wrong(rank, i, "there is no group %d; there are %d", op.Group, len(groups))
		}
		members := groups[op.Group]
		if _, is := slices.BinarySearch(members, int32(rank)); !is {
			return j.wrong(rank, i, "the rank is not in group %d", op.Group)
		}
		if op.What > collective.Barrier {
			return j.wrong(rank, i, "no such collective")
		}
		if hasRoot := op.What == collective.Broadcast || op.What == collective.Reduce; hasRoot && (op.Root < 0 || int(op.Root) >= len(members)) {
			return j.wrong(rank, i, "the root is place %d of a group of %d", op.Root, len(members))
		}
	default:
		return j.wrong(rank, i, "no such operation")
	}
	return nil
}

// collectively is a collective as its ranks have to agree on it.
type collectively struct {
	group int32
	what  collective.Kind
	root  int32
	size  units.Bytes
	op    int // not compared
}

func (c collectively) compare(d collectively) int {
	return cmp.Or(cmp.Compare(c.group, d.group), cmp.Compare(c.what, d.what), cmp.Compare(c.root, d.root), cmp.Compare(c.size, d.size))
}

// collectives returns those of a rank, sorted by group.
func (g *Graph) collectives() []collectively {
	var all []collectively
	for i := range g.Ops() {
		if op := g.Op(i); op.Kind == Collective {
			c := collectively{group: op.Group, what: op.What, size: op.Size, op: i}
			if op.What == collective.Broadcast || op.What == collective.Reduce {
				c.root = op.Root
			}
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, collectively.compare)
	return all
}

// checkCollectives wants each member of a group to have the collectives that its first member has.
func (j *Job) checkCollectives() error {
	firsts := make([][]collectively, len(j.Groups)) // of the first member
	of := make([][]int32, len(j.Ranks))             // the groups of each rank
	for i, group := range j.Groups {
		for _, member := range group {
			of[member] = append(of[member], int32(i))
		}
	}
	var whose *Graph
	var all []collectively
	each := func(do func(rank int, group int32, part []collectively) error) error {
		for rank, g := range j.Ranks {
			if g != whose {
				whose, all = g, g.collectives()
			}
			rest := all
			for _, group := range of[rank] {
				n := 0
				for n < len(rest) && rest[n].group == group {
					n++
				}
				if err := do(rank, group, rest[:n:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
		}
		return nil
	}
	_ = each(func(rank int, group int32, part []collectively) error {
		if int(j.Groups[group][0]) == rank {
			firsts[group] = part
		}
		return nil
	})
	return each(func(rank int, group int32, part []collectively) error {
		first, want := j.Groups[group][0], firsts[group]
		for k := range max(len(part), len(want)) {
			switch {
			case k == len(want) || k < len(part) && part[k].compare(want[k]) < 0:
				return j.wrong(rank, part[k].op, "rank %d of the same group has no such collective left for it", first)
			case k == len(part) || part[k].compare(want[k]) > 0:
				return j.wrong(int(first), want[k].op, "rank %d of the same group has no such collective left for it", rank)
			}
		}
		return nil
	})
}

// envelope is what a message or a receive of a rank is known by there.
type envelope struct {
	peer int32
	tag  uint32
	size units.Bytes
	op   uint32 // at the rank that has it
}

func (a envelope) compare(b envelope) int {
	return cmp.Or(cmp.Compare(a.peer, b.peer), cmp.Compare(a.tag, b.tag), cmp.Compare(a.size, b.size), cmp.Compare(a.op, b.op))
}

func (a envelope) key() envelope { return envelope{peer: a.peer, tag: a.tag} }

// checkMessages compares sends with receives, rank by rank.
func (j *Job) checkMessages(sends int) error {
	begin := make([]int, len(j.Ranks)+1) // where the messages to each rank begin
	for _, g := range j.Ranks {
		for i := range g.Ops() {
			if op := g.Op(i); op.Kind == Send {
				begin[op.Peer+1]++
			}
		}
	}
	for rank := range j.Ranks {
		begin[rank+1] += begin[rank]
	}
	to, next := make([]envelope, sends), slices.Clone(begin)
	for rank, g := range j.Ranks {
		for i := range g.Ops() {
			if op := g.Op(i); op.Kind == Send {
				to[next[op.Peer]] = envelope{int32(rank), op.Tag, op.Size, uint32(i)}
				next[op.Peer]++
			}
		}
	}
	var receives []envelope
	for rank, g := range j.Ranks {
		receives = receives[:0]
		for i := range g.Ops() {
			if op := g.Op(i); op.Kind == Recv {
				receives = append(receives, envelope{op.Peer, op.Tag, op.Size, uint32(i)})
			}
		}
		if err := j.match(rank, to[begin[rank]:begin[rank+1]], receives); err != nil {
			return err
		}
	}
	return nil
}

// match compares the messages sent to a rank with its receives.
func (j *Job) match(rank int, sends, receives []envelope) error {
	slices.SortFunc(sends, envelope.compare)
	slices.SortFunc(receives, envelope.compare)
	open := slices.ContainsFunc(receives, func(r envelope) bool { return r.peer == Any || r.tag == AnyTag })
	if open && len(sends) != len(receives) {
		return j.wrong(rank, int(receives[0].op), "rank %d has %d receives for the %d messages sent to it", rank, len(receives), len(sends))
	}
	for s, r := 0, 0; s < len(sends) || r < len(receives); {
		if r < len(receives) && (receives[r].peer == Any || receives[r].tag == AnyTag) {
			r++
			continue
		}
		order := 0
		switch {
		case r == len(receives):
			order = -1
		case s == len(sends):
			order = 1
		default:
			order = sends[s].key().compare(receives[r].key())
		}
		switch {
		case order > 0:
			return j.wrong(rank, int(receives[r].op), "no message of rank %d is left for it: it would wait forever", receives[r].peer)
		case order < 0 && open:
			s++ // for a receive that takes any
			continue
		case order < 0:
			return j.wrong(int(sends[s].peer), int(sends[s].op), "rank %d has no receive left for it", rank)
		case !open && sends[s].size > receives[r].size:
			return j.wrong(int(sends[s].peer), int(sends[s].op), "larger than what rank %d receives with operation %d (%v)", rank, receives[r].op, j.Ranks[rank].Op(int(receives[r].op)))
		}
		s, r = s+1, r+1
	}
	return nil
}
