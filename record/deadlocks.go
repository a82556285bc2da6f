package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// deadlockSummary are the deadlocks of a run.
func (r *Run) deadlockSummary() (all []results.Deadlock) {
	for _, d := range r.Report.Deadlocks {
		all = append(all, results.Deadlock{
			Priority: d.Cycle[0].Priority, Since: results.Micros(d.Since), Over: d.Until != units.Never, Circle: r.circle(d),
		})
	}
	return all
}

// circle says who holds whom.
func (r *Run) circle(d host.Deadlock) string {
	g := r.Cluster.Net.Graph
	var parts []string
	why := "paused by"
	if r.onCredits() {
		why = "without credits from"
	}
	for _, h := range d.Cycle {
		parts = append(parts, fmt.Sprintf("%s holds %s from %s that wait at %s, %s %s", g.Nodes[h.Node].Name, h.Bytes.Human(),
			g.Nodes[g.Ports(h.Node)[h.Port].Peer].Name, g.PortName(h.Node, h.Out), why, g.Nodes[g.Ports(h.Node)[h.Out].Peer].Name))
	}
	return strings.Join(parts, "; ")
}

// lastingDeadlocks are the sentences of a stall report about deadlocks.
func (r *Run) lastingDeadlocks() (sentences []string) {
	for _, d := range r.Report.Deadlocks {
		if d.Until == units.Never {
			sentences = append(sentences, fmt.Sprintf("deadlock in priority %d since %s: %s", d.Cycle[0].Priority, d.Since.Human(), r.circle(d)))
		}
	}
	return sentences
}

// whyDeadlock says what a deadlock means.
func (r *Run) whyDeadlock() string {
	switch n := len(r.Report.Deadlocks); {
	case n == 0:
		return ""
	case r.Report.Deadlocks[n-1].Until == units.Never:
		d := r.Report.Deadlocks[n-1]
		if r.onCredits() {
			return fmt.Sprintf("The run ended in a deadlock of credits in VL %d: %s, each waiting for the next to make room and the last for the first. "+
				"Nothing ends one but other routes.", d.Cycle[0].Priority, results.Plural(int64(len(d.Cycle)), "port"))
		}
		return fmt.Sprintf("The run ended in a deadlock of pauses in priority %d: %s, each paused by the next and the last by the first. "+
			"Nothing but a PFC watchdog could end it.", d.Cycle[0].Priority, results.Plural(int64(len(d.Cycle)), "port"))
	default:
		d := r.Report.Deadlocks[0]
		return fmt.Sprintf("Pauses in priority %d were in a deadlock of %s, seen at %s and broken up by %s (%s in all).", d.Cycle[0].Priority,
			results.Plural(int64(len(d.Cycle)), "port"), d.Since.Human(), d.Until.Human(), results.Plural(int64(n), "deadlock"))
	}
}
