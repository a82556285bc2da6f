package record

import (
	"math/bits"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// cause is what a flow's life can be bound by, as its user reads it.
type cause uint8

const (
	byLink cause = iota
	byPause
	byReceiver
	byPacing
	byWindow
	byNetwork
	byRoundTrip
	byRecovery
	byHost
	byQueuePair
	causes = iota
)

// causeTexts say what each cause is: its name in files, what it means there, and how
// it is called in sentences.
func causeTexts() [causes]struct{ name, doc, said string } {
	return [causes]struct{ name, doc, said string }{
		byLink:      {"link", "its turn at the port of its NIC, whose link was busy", "the link of the NIC"},
		byPause:     {"pause", "its priority was paused at its NIC, on account of a link further on; on InfiniBand, its lane was without credits there", "pauses"},
		byReceiver:  {"receiver", "its priority was paused at its NIC, on account of a host that asked for it", "pauses that a receiver asked for"},
		byPacing:    {"pacing", "the rate that congestion control allowed", "congestion control's rate"},
		byWindow:    {"window", "the unacknowledged payload it may have", "the window"},
		byNetwork:   {"network", "everything was sent, and the last of it waited in queues on its way", "queues on the way of the last packets"},
		byRoundTrip: {"round_trip", "everything was sent, and the last of it made its round trip", "the round trip of the last packet"},
		byRecovery:  {"recovery", "the repair of loss: a retransmission timer ran out, or packets were sent again", "the repair of loss"},
		byHost:      {"host", "its host had stopped, or the host or its adapter was not ready", "the sending host or its adapter"},
		byQueuePair: {"queue_pair", "earlier flows on its queue pair", "earlier flows on the same queue pair"},
	}
}

// life is the life of a flow, divided by what bound it.
type life struct {
	spent [causes]units.Time
	// paused is the root of most of the pauses at its NIC, -1 if there was none.
	paused int
	// victim is the root, on no port of the flow's, whose pauses held it longest at one
	// port; -1 if there was none.
	victim   int
	victimAt topology.Step
	held     units.Time
}

// whole is the length of the life.
func (l *life) whole() (sum units.Time) {
	for _, t := range l.spent {
		sum += t
	}
	return sum
}

// most is the cause that bound it longest.
func (l *life) most() (longest cause) {
	for c := range l.spent {
		if l.spent[c] > l.spent[longest] {
			longest = cause(c)
		}
	}
	return longest
}

// flowLives divides the lives of all flows, once.
func (r *Run) flowLives() []life {
	if r.lives == nil {
		held := r.heldBy()
		for flow := range r.Cluster.Flows {
			r.lives = append(r.lives, r.divide(flow, held))
		}
	}
	return r.lives
}

func (r *Run) divide(flow int, held map[asker][]held) life {
	bounds := r.Cluster.Bounds(flow, r.Report.Now)
	l := life{paused: -1, victim: -1}
	l.spent[byLink], l.spent[byPacing] = bounds[rnic.ByLink], bounds[rnic.ByPacing]
	l.spent[byWindow], l.spent[byRecovery] = bounds[rnic.ByWindow], bounds[rnic.ByRecovery]
	l.spent[byHost] = bounds[rnic.ByHost]
	l.spent[byQueuePair] = bounds[rnic.ByEarlier]
	l.spent[byRoundTrip] = min(bounds[rnic.ByAck], r.Cluster.LastRoundTrip(flow))
	l.spent[byNetwork] = bounds[rnic.ByAck] - l.spent[byRoundTrip]
	r.dividePause(flow, bounds[rnic.ByPause], &l, held)
	r.findVictim(flow, &l, held)
	return l
}

// dividePause divides the time a flow was paused at its NIC among the roots of the
// pauses there, by the time these lasted during its life.
func (r *Run) dividePause(flow int, paused units.Time, l *life, held map[asker][]held) {
	l.spent[byPause] = paused
	way := r.leaves(flow)
	if paused == 0 || len(way) == 0 {
		return
	}
	from, to := r.flowSpan(flow)
	first := r.beyond(way[0], r.Cluster.Flows[flow].Data.Priority)
	var all, ofHosts, most units.Time
	for _, h := range held[first] {
		t := h.within(from, to)
		all += t
		if r.pauseChains().roots[h.root].kind == atHost {
			ofHosts += t
		}
		if t > most {
			most, l.paused = t, h.root
		}
	}
	if r.Cluster.Net.Switch(first.node) == nil {
		all, ofHosts = 1, 1 // a cable from NIC to NIC
	}
	l.spent[byReceiver] = portion(paused, ofHosts, all)
	l.spent[byPause] -= l.spent[byReceiver]
}

// portion is so many parts of a whole of a time, rounded down.
func portion(t, parts, whole units.Time) units.Time {
	if whole == 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(t), uint64(parts))
	q, _ := bits.Div64(high, low, uint64(whole))
	return units.Time(q)
}

// uses tells whether a port is on a way of a flow's, be it after a change of routes.
func (r *Run) uses(flow int, port topology.Step) bool {
	return slices.Contains(r.leaves(flow), port) ||
		slices.ContainsFunc(r.Cluster.Detours(flow), func(way []topology.Step) bool { return slices.Contains(way, port) })
}

// findVictim finds the root that is not on a flow's way and yet held it longest.
func (r *Run) findVictim(flow int, l *life, held map[asker][]held) {
	way := r.leaves(flow)
	from, to := r.flowSpan(flow)
	priority := r.Cluster.Flows[flow].Data.Priority
	for _, step := range way {
		for _, h := range held[r.beyond(step, priority)] {
			if t := h.within(from, to); t > l.held && !r.uses(flow, r.pauseChains().roots[h.root].Step) {
				l.held, l.victim, l.victimAt = t, h.root, step
			}
		}
	}
}
