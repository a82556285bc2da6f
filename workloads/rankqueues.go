package workloads

import (
	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
)

// mostCounted is from how many queue pairs on nobody wants to know how many more there are.
const mostCounted = 8 * MaxConnections

// Queues implements [Task]: the queue pairs between ranks of different hosts that send something to each other, by the plan of a collective or
// as the schedule says, and the receive requests that wait in them. Counting ends somewhere beyond what is allowed.
func (j *RankJob) Queues() Queues {
	c := pairCounter{job: j, known: map[rankPair]bool{}, own: map[rankPair]bool{}}
	type planned struct {
		group int32
		kind  collective.Kind
		root  int32
	}
	plans := map[planned]bool{}
	var last *schedule.Graph // ranks that do the same have the same one
	for rank, g := range j.Schedule.Ranks {
		var before *schedule.Op
		for i := range g.Ops() {
			if c.queues.Pairs > mostCounted {
				break
			}
			op := g.Op(i)
			switch {
			case op.Kind == schedule.Send:
				if before == nil || before.Peer != op.Peer || before.NIC != op.NIC {
					c.send(int32(rank), op)
				}
				before = op
			case op.Kind == schedule.Collective && g != last:
				if key := (planned{op.Group, op.What, op.Root}); !plans[key] {
					plans[key] = true
					c.collect(op)
				}
			}
		}
		last = g
	}
	c.queues.Fewer = "fewer channels, queue pairs of each, or ranks: over one channel all of 512 can send to each other"
	return c.queues
}

// rankPair is what queue pairs are opened for once: two ranks in a communicator, and whether their messages go by the channel's own rail; or two
// ranks of a schedule and the rail it has their messages go by.
type rankPair struct {
	a, b, group int32
	rail        uint8
}

// pairCounter counts queue pairs as the executor of a job opens them.
type pairCounter struct {
	job        *RankJob
	known, own map[rankPair]bool
	queues     Queues
}

// open counts what a pair needs: receive requests are for all credits and as many answers, and a few more, at both ends.
func (c *pairCounter) open(pairs, credits int) {
	c.queues.Pairs += pairs
	c.queues.Receives += 2 * pairs * (2*credits + 4)
}

// nic is that which is near a rank.
func (c *pairCounter) nic(rank int32) int {
	return c.job.Places[rank].Slot * c.job.nics / max(1, c.job.PerHost)
}

// rails is how many rails are near the ranks of a group.
func (c *pairCounter) rails(group []int32) (n int) {
	near := make([]bool, c.job.nics)
	for _, rank := range group {
		for i := range max(1, c.job.nics/max(1, c.job.PerHost)) {
			if rail := &near[(c.nic(rank)+i)%c.job.nics]; !*rail {
				*rail = true
				n++
			}
		}
	}
	return n
}

// changesRails tells whether a message from one rank to another is to change rails within the host, so that there and back are two ways.
func (c *pairCounter) changesRails(a, b int32) bool { return c.job.PXN && c.nic(a) != c.nic(b) }

// send counts what a message of the schedule needs.
func (c *pairCounter) send(from int32, op *schedule.Op) {
	if c.job.Places[from].Host == c.job.Places[op.Peer].Host {
		return
	}
	key := rankPair{a: min(from, op.Peer), b: max(from, op.Peer), rail: op.NIC}
	if c.own[key] {
		return
	}
	c.own[key] = true
	ways := 1
	if op.NIC == 0 && c.changesRails(from, op.Peer) {
		ways = 2
	}
	c.open(ways, c.job.Credits)
}

// collect counts what a collective needs. Where theory is to choose how it is done, it is counted for the usual way: those of all-to-alls, which need
// most, are alike in that.
func (c *pairCounter) collect(op *schedule.Op) {
	j := c.job
	group, a := j.Schedule.Groups[op.Group], j.Algorithms[op.What]
	if a == nil {
		a = collective.Default(op.What)
	}
	host := func(position int) int { return j.Places[group[position]].Host }
	shape := collective.ShapeOf(len(group), host)
	if a.Fits(op.What, shape) != nil {
		return // whoever runs the job says so
	}
	lanes, railed := j.Channels, uint8(0)
	if a.Railed {
		lanes, railed = lanes*c.rails(group), 1
	}
	for from := range group {
		plan := a.Plan(op.What, shape, from, int(op.Root), 1)
		for s := range plan.Strands {
			for i := range plan.Strands[s].Sends {
				to := plan.Strands[s].Sends[i].Peer
				if host(from) == host(int(to)) {
					continue
				}
				key := rankPair{a: int32(from), b: to, group: op.Group, rail: railed}
				if !a.Railed { // both directions share what there is
					key.a, key.b = min(key.a, key.b), max(key.a, key.b)
				}
				if c.known[key] {
					continue
				}
				c.known[key] = true
				ways := lanes * j.QPs
				if !a.Railed && c.changesRails(group[from], group[to]) {
					ways *= 2
				}
				if c.open(ways, j.Window); c.queues.Pairs > mostCounted {
					return
				}
			}
		}
	}
}
