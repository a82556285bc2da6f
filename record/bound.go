package record

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// The sentences about what bound the run as a whole: the busiest wire, what holds
// the flows that have not ended, and what the slowest flow met.

// boundShare is the share of the time for which a link must be busy to count as
// what bound the run.
const boundShare = 0.9

// whyBound names the busiest wire.
func (r *Run) whyBound() string {
	var busiest port
	var most units.Time
	r.eachActivePort(func(p port) {
		if b := r.busy(p); b > most {
			busiest, most = p, b
		}
	})
	if most == 0 {
		return "Nothing was sent."
	}
	use, where := r.underWay().share(most), r.cable(busiest.node, busiest.index)
	if use >= boundShare {
		return fmt.Sprintf("The link %s bound the run: it was busy for %.1f%% of the time %s were under way.", where, 100*use, r.moved())
	}
	return fmt.Sprintf("No link was busy throughout: the busiest, %s, was so for %.1f%% of the time %s were under way.", where, 100*use, r.moved())
}

// moved is what moved what was moved: flows, unless there are programs only.
func (r *Run) moved() string {
	if len(r.Cluster.Flows) == 0 && len(r.Cluster.Threads) > 0 {
		return "programs"
	}
	return "flows"
}

// whyUnfinished names the cause that most of the flows wait for which have not
// ended, if several share one.
func (r *Run) whyUnfinished() string {
	open, most := 0, ""
	share := map[string]int{}
	for _, w := range r.Cluster.Waits(r.Report.Now) {
		if w.Failed {
			continue
		}
		open++
		if share[w.Cause]++; share[w.Cause] > share[most] {
			most = w.Cause
		}
	}
	if share[most] < 2 {
		return ""
	}
	return fmt.Sprintf("%d of the %d unfinished flows wait for %s.", share[most], open, most)
}

// whyFailed speaks of the flows whose queue pairs gave up.
func (r *Run) whyFailed(s *results.Summary) string {
	if s.Flows.Failed == 0 {
		return ""
	}
	nic := r.Cluster.NIC
	return fmt.Sprintf("%s failed: a queue pair gives up when a packet is still unacknowledged after %s (host.retries), here of %s each.",
		results.Plural(int64(s.Flows.Failed), "flow"), results.Plural(int64(nic.Retries), "retransmission"), nic.RetransmitAfter().Human())
}

// slowed is the slowdown from which a flow counts as slowed by something.
const slowed = 1.1

// whySlowest says whom the slowest flow had to share its way with.
func (r *Run) whySlowest() string {
	slowest, slowdown := r.slowestFlow()
	if slowdown < slowed {
		return ""
	}
	name := fmt.Sprintf("The slowest, %s, took %.1f times as long as it would alone", r.flowName(slowest), slowdown)
	if where, others := r.narrowest(slowest); others > 0 {
		return fmt.Sprintf("%s: it shared %s with %s.%s", name, where, results.Plural(int64(others), "other"), r.boundText(slowest))
	}
	return name + ", though it met no other." + r.boundText(slowest)
}

// slowestFlow is the flow with the greatest slowdown of those that count and
// succeeded.
func (r *Run) slowestFlow() (slowest int, slowdown float64) {
	for i := range r.Cluster.Flows {
		if x, ok := r.slowdown(i); ok && r.counts(i) && x > slowdown {
			slowest, slowdown = i, x
		}
	}
	return slowest, slowdown
}

// narrowest is the link on a flow's way that needed longest for what it had to
// carry of the flows that were under way together with this one, and how many
// others those were.
func (r *Run) narrowest(flow int) (where string, others int) {
	way := r.leaves(flow)
	load, flows := make([]units.Bytes, len(way)), make([]int, len(way))
	from, to := r.flowSpan(flow)
	for other, f := range r.Cluster.Flows {
		if start, end := r.flowSpan(other); start >= to || end <= from {
			continue
		}
		for _, step := range r.leaves(other) {
			if i := slices.Index(way, step); i >= 0 {
				load[i] += f.Payload()
				flows[i]++
			}
		}
	}
	most, at := 0.0, 0
	for i, step := range way {
		if needs := float64(load[i]) / float64(r.Cluster.Net.Ports(step.Node)[step.Port].Rate()); needs > most {
			most, at = needs, i
		}
	}
	return r.cable(way[at].Node, way[at].Port), flows[at] - 1
}

// leaves are the ports by which a flow's packets leave nodes on their way.
func (r *Run) leaves(flow int) []topology.Step {
	path := r.Cluster.Path(flow)
	return path[:len(path)-1]
}
