package programs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Outcome is how a job ended.
type Outcome uint8

// The outcomes.
const (
	// Unfinished: the run ended before the job did.
	Unfinished Outcome = iota
	Finished
	// Slowed: it took longer by a tenth or more than computing and the alpha-beta model say.
	Slowed
	// Aborted: a rank gave up, and all others with it.
	Aborted
)

// Outcomes are the words for them.
var Outcomes = []string{"unfinished", "finished", "slowed", "aborted"}

// String is the word.
func (o Outcome) String() string { return Outcomes[o] }

// slowed is the slowdown from which on a job counts as slowed.
const slowed = 1.1

// JobResult is what became of a job. A step is once through the schedule, of all ranks; times are those of the steps that count.
type JobResult struct {
	Outcome Outcome
	Steps   int // that all ranks have done, beside those to warm up
	// Step is the mean time of a step, from when the last rank has ended the one before until the last has ended it; Longest is
	// that of the longest.
	Step, Longest units.Time
	// Compute is how long a rank computes in a step, of the rank that does so longest, in the mean of the steps.
	Compute units.Time
	// Exchange is how long a rank is in collectives in a step, in the mean of ranks; Exposed is what a step takes beyond
	// computing, and Share its share of the step.
	Exchange, Exposed units.Time
	Share             float64
	// Theory is what a step takes by the alpha-beta model; Slowdown how many times as long it took.
	Theory   units.Time
	Slowdown float64
	// Sent is what all ranks have sent each other in messages of the schedule itself, in how many.
	Sent     units.Bytes
	Messages int64
	// Busy is how many cores of a host the threads worked on in the mean, and Kept how many they
	// kept from others.
	Busy, Kept float64
	// Rank gave up first with Cause, a message of status Status; empty if none has.
	Rank, Cause, Status string
}

// Own is what a schedule sends itself under a label.
type Own struct {
	Label    string // empty if it has none
	Messages int64
	Bytes    units.Bytes
}

// Sent is what ranks have sent each other in messages of the schedule itself, those to warm up among them, by label in the order of the labels.
func (j *Job) Sent() (all []Own) {
	var sums []labelled
	for _, rank := range j.ranks {
		for label, sent := range rank.bytes {
			for label >= len(sums) {
				sums = append(sums, labelled{})
			}
			sums[label].messages += sent.messages
			sums[label].bytes += sent.bytes
		}
	}
	for label, sum := range sums {
		if sum.messages > 0 {
			all = append(all, Own{j.labelOf(&schedule.Op{Label: uint16(label)}), sum.messages, sum.bytes})
		}
	}
	return all
}

// Result is what became of the job.
func (j *Job) Result() JobResult {
	r := JobResult{Steps: j.rounds() - j.Schedule.Warmup}
	for _, rank := range j.ranks {
		r.Steps = min(r.Steps, max(0, len(rank.rounds)-j.Schedule.Warmup))
		for _, l := range rank.bytes {
			r.Messages += l.messages
			r.Sent += l.bytes
		}
	}
	if r.Steps > 0 {
		j.measureSteps(&r)
	}
	if j.Bound > 0 {
		r.Theory = j.Bound
		r.Slowdown = float64(r.Step) / float64(r.Theory)
	}
	switch rank, err := j.aborted(); {
	case err != nil:
		r.Outcome, r.Rank, r.Cause = Aborted, rank, err.Error()
		var failed *ChannelError
		if errors.As(err, &failed) {
			r.Status = failed.Status
		}
	case r.Steps < j.rounds()-j.Schedule.Warmup:
		r.Outcome = Unfinished
	case r.Slowdown >= slowed:
		r.Outcome = Slowed
	default:
		r.Outcome = Finished
	}
	return r
}

// measureSteps works out the times of the steps that are done.
func (j *Job) measureSteps(r *JobResult) {
	first := j.Schedule.Warmup
	ended := j.Start
	if first > 0 {
		ended = j.lastEnd(first - 1)
	}
	begun := ended
	var most []units.Time
	for s := range r.Steps {
		end := j.lastEnd(first + s)
		r.Longest = max(r.Longest, end-ended)
		ended = end
		var compute units.Time
		for _, rank := range j.ranks {
			compute = max(compute, rank.rounds[first+s].Compute)
		}
		most = append(most, compute)
	}
	n := units.Time(r.Steps)
	r.Step = (ended - begun) / n
	for _, c := range most {
		r.Compute += c / n
	}
	var exchange units.Time
	for _, rank := range j.ranks {
		exchange += rank.exchanging(begun, ended)
	}
	r.Exchange = exchange / n / units.Time(len(j.ranks))
	r.Exposed = max(0, r.Step-r.Compute)
	if r.Step > 0 {
		r.Share = float64(r.Exposed) / float64(r.Step)
	}
	for _, node := range j.nodes {
		r.Busy += float64(node.busy()) / float64(max(1, ended-j.Start)) / float64(len(j.nodes))
	}
	r.Kept = j.kept(r.Busy)
}

// kept is how many cores of a host threads keep from others that work on so many.
func (j *Job) kept(busy float64) float64 {
	if t := j.nodes[0].threads; !t[0].thread.Sleeps() {
		return float64(len(t))
	}
	return busy
}

// lastEnd is when the last rank ended a round.
func (j *Job) lastEnd(round int) (end units.Time) {
	for _, r := range j.ranks {
		end = max(end, r.rounds[round].Ended)
	}
	return end
}

// exchanging is for how long of a time a rank was in collectives.
func (r *jobRank) exchanging(from, to units.Time) (sum units.Time) {
	var spans []partSpan
	for _, m := range r.members {
		spans = append(spans, m.spans...)
	}
	slices.SortFunc(spans, func(a, b partSpan) int { return cmp.Compare(a.from, b.from) })
	for _, s := range spans {
		if begin := max(s.from, from); s.to > begin && begin < to {
			sum += min(s.to, to) - begin
			from = s.to
		}
	}
	return sum
}

// Part is a collective that a schedule has, as often as it does: those of one label, kind and size, in groups as large as each other.
type Part struct {
	Label     string // empty if it has none
	Kind      collective.Kind
	Algorithm *collective.Algorithm
	Size      units.Bytes
	Ranks     int
	Count     int // of those that all ranks have ended
	// Mean, Shortest and Longest are times from when the first rank begins it until the last has ended it.
	Mean, Shortest, Longest units.Time
	// Rank is the mean time that a rank is in it, of the rank for which that is longest: what nccl-tests divides sizes by.
	Rank units.Time
	// Algbw and Busbw are by the definitions of nccl-tests; Most is what the rails of a host, or its NIC, carry of payload.
	Algbw, Busbw, Most units.Rate
	Theory             units.Time
	// Busy is how many cores of a host the threads worked on from the first to the last, Kept how many they kept from others.
	Busy, Kept float64
}

// partKey tells parts apart.
type partKey struct {
	label uint16
	kind  collective.Kind
	size  units.Bytes
	ranks int
}

// Parts are all collectives of the steps that count, in the order in which the schedule first has them.
func (j *Job) Parts() (all []Part) {
	places := map[partKey]int{}
	var sums []partSum
	for g, comm := range j.comms {
		members := j.membersOf(int32(g))
		if len(members) == 0 {
			continue
		}
		done := j.doneBy(members)
		first := members[0]
		for k := j.Schedule.Warmup * len(first.ops); k < done; k++ {
			op := first.rank.graph.Op(int(first.spans[k].op))
			key := partKey{op.Label, op.What, op.Size, len(comm.members)}
			at, known := places[key]
			if !known {
				at = len(all)
				places[key] = at
				plans := comm.plans[j.keyOf(comm, op)]
				p := Part{
					Label: j.labelOf(op), Kind: op.What, Algorithm: plans.algorithm, Size: op.Size, Ranks: len(comm.members),
					Shortest: units.Never, Theory: j.theoryOf(comm, op), Most: j.nicRate,
				}
				switch {
				case plans.algorithm.Railed && !j.crossed:
					p.Most = j.rate / units.Rate(j.Rails) * units.Rate(len(comm.rails))
				case !plans.algorithm.Railed && j.crossed || comm.shape.PerNode > 1:
					p.Most = j.rate
				}
				all, sums = append(all, p), append(sums, partSum{from: units.Never, ranks: make([]units.Time, len(comm.members))})
			}
			p, sum := &all[at], &sums[at]
			begun, ended := span(members, k)
			for i, m := range members {
				sum.ranks[i] += m.spans[k].to - m.spans[k].from
			}
			p.Count++
			took := ended - begun
			sum.total += took
			p.Shortest, p.Longest = min(p.Shortest, took), max(p.Longest, took)
			sum.add(begun, ended, members, k)
		}
	}
	for i := range all {
		all[i].finish(j, &sums[i])
	}
	return all
}

// partSum is what is counted for a part.
type partSum struct {
	total      units.Time
	ranks      []units.Time // by position: in the part
	from, to   units.Time
	busy, then units.Time // work of hosts' threads at from and at to
	hosts      int
}

// add extends the time of a part by one more.
func (s *partSum) add(begun, ended units.Time, members []*jobMember, k int) {
	if begun < s.from {
		s.from, s.then, s.hosts = begun, 0, 0
		for _, m := range members {
			if m.rank.node.ranks[0] != m.rank {
				continue
			}
			s.hosts++
			if k > 0 {
				s.then += m.spans[k-1].busy
			}
		}
	}
	if ended > s.to {
		s.to, s.busy = ended, 0
		for _, m := range members {
			s.busy += m.spans[k].busy
		}
	}
}

// finish works out what follows from the sums.
func (p *Part) finish(j *Job, s *partSum) {
	p.Mean = s.total / units.Time(p.Count)
	p.Rank = slices.Max(s.ranks) / units.Time(p.Count)
	if seconds := p.Rank.Seconds(); seconds > 0 {
		num, den := collective.BusFactor(p.Kind, p.Ranks)
		p.Algbw = units.Rate(float64(p.Size) * 8 / seconds)
		p.Busbw = units.Rate(float64(p.Size) * 8 / seconds * float64(num) / float64(den))
	}
	if s.hosts > 0 && s.to > s.from {
		p.Busy = float64(s.busy-s.then) / float64(s.to-s.from) / float64(s.hosts)
	}
	p.Kept = j.kept(p.Busy)
}

// audit is an error if a collective took less than the links of its ranks allow: where each rank has a host of its own, or all ranks
// are a flat ring on several, all of what busbw reckons with must come over the links of a host between the first rank's begin and the
// last one's end.
func (j *Job) audit() error {
	var most units.Rate
	for _, n := range j.nodes {
		var rate units.Rate
		for rail := range j.Rails {
			rate += payloadRate(j.cluster, &j.Channel, j.cluster.Hosts[n.at].NIC(rail).Rate())
		}
		most = max(most, rate)
	}
	for g, comm := range j.comms {
		if !j.acrossLinks(comm) {
			continue
		}
		members := j.membersOf(int32(g))
		for k := range j.doneBy(members) {
			op := members[0].rank.graph.Op(int(members[0].spans[k].op))
			if a := j.algorithmOf(comm, op.What, op.Size); comm.shape.PerNode > 1 && (!a.Railed || a.Exceeds) {
				continue
			}
			begun, ended := span(members, k)
			num, den := collective.BusFactor(op.What, len(comm.members))
			if least := (most + 1).Serialise(int(op.Size) / den * num); least > ended-begun {
				return fmt.Errorf("%v of %v among %d ranks took %v, for which links that carry %v of payload take %v", op.What, op.Size, len(comm.members), ended-begun, most, least)
			}
		}
	}
	return nil
}

// acrossLinks tells whether each member of a communicator is on a host of its own, or as many on each of several.
func (j *Job) acrossLinks(comm *jobComm) bool {
	if comm.shape.PerNode > 1 {
		return comm.shape.Nodes() > 1
	}
	seen := map[*jobNode]bool{}
	for _, r := range comm.members {
		if seen[j.ranks[r].node] {
			return false
		}
		seen[j.ranks[r].node] = true
	}
	return true
}

// doneBy is how many collectives all members have done.
func (j *Job) doneBy(members []*jobMember) int {
	if len(members) == 0 {
		return 0
	}
	done := len(members[0].spans)
	for _, m := range members {
		done = min(done, len(m.spans))
	}
	return done
}

// span is from when the first member was in its k-th collective until the last one was.
func span(members []*jobMember, k int) (begun, ended units.Time) {
	begun = units.Never
	for _, m := range members {
		begun, ended = min(begun, m.spans[k].from), max(ended, m.spans[k].to)
	}
	return begun, ended
}

// labelOf is the label of an operation; empty if it has none.
func (j *Job) labelOf(op *schedule.Op) string {
	if int(op.Label) < len(j.Schedule.Labels) {
		return j.Schedule.Labels[op.Label]
	}
	return ""
}

// membersOf are the members of a communicator that have collectives to do, by position.
func (j *Job) membersOf(group int32) (all []*jobMember) {
	for _, rank := range j.comms[group].members {
		for _, m := range j.ranks[rank].members {
			if m.comm == j.comms[group] && len(m.ops) > 0 {
				all = append(all, m)
			}
		}
	}
	return all
}

// theoryOf is the time of a collective by the alpha-beta model, with the launch.
func (j *Job) theoryOf(comm *jobComm, op *schedule.Op) units.Time {
	key := sizedKind{op.What, op.Size}
	t, known := comm.theory[key]
	if !known {
		t = j.theoryBy(j.algorithmOf(comm, op.What, op.Size), comm, op.What, op.Size)
		comm.theory[key] = t
	}
	return j.Launch + t
}
