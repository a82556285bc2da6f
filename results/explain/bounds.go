package explain

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// bound is something that can bound a flow, and the column with its times.
type bound struct{ name, column string }

// boundsIn finds the columns bound_…_us of a table, in their order.
func boundsIn(t *table) (all []bound) {
	for column := range t.columns {
		name, isBound := strings.CutPrefix(column, "bound_")
		if name, isTime := strings.CutSuffix(name, "_us"); isBound && isTime {
			all = append(all, bound{name, column})
		}
	}
	slices.SortFunc(all, func(a, b bound) int { return cmp.Compare(t.columns[a.column], t.columns[b.column]) })
	return all
}

// share is the time of one cause in the lives of flows.
type share struct {
	cause int
	time  units.Time
	flows int // which it bound longest
}

// shares sums up what bound some flows, the longest first, and the sum of their lives.
func (r *Run) shares(flows []flow) (all []share, lives units.Time) {
	sums := make([]share, len(r.causes))
	for i := range flows {
		for c, t := range flows[i].bounds {
			sums[c].time += t
			lives += t
			if r.causes[c].name == flows[i].boundBy {
				sums[c].flows++
			}
		}
	}
	for c := range sums {
		sums[c].cause = c
		if sums[c].time > 0 {
			all = append(all, sums[c])
		}
	}
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.time, a.time) })
	return all, lives
}

// known is what is known of a cause: the letter that stands for it in a bar, and what it means.
type known struct {
	cause  string
	letter string
	text   string
}

// knownAs finds what is known of a cause; an unknown one stands for itself.
func knownAs(cause string) known {
	for _, k := range [...]known{
		{"link", "-", "its turn at the port of its NIC, whose link was busy"},
		{"pause", "#", "its priority was paused at its NIC, or without credits, for a link further on"},
		{"receiver", "@", "its priority was paused at its NIC, for a host that asked for it"},
		{"pacing", "~", "the rate that congestion control allowed"},
		{"window", "w", "the unacknowledged payload it may have"},
		{"network", "n", "all was sent, and the last of it waited in queues"},
		{"round_trip", ".", "all was sent, and the last of it made its round trip"},
		{"recovery", "!", "the repair of loss"},
		{"host", "x", "its host had stopped or was not ready"},
		{"queue_pair", "q", "earlier flows on its queue pair"},
	} {
		if k.cause == cause {
			return k
		}
	}
	return known{cause, "?", cause}
}

// measurements are the tables of programs that the run has left.
func (r *Run) measurements() (names []string) {
	for _, name := range [...]string{"perftest.csv", "rpc.csv", "short_connections.csv", "distributed_lock.csv", "mpi.csv", "key_value.csv", "fan_out.csv", "media.csv", "storage.csv",
		"all_reduce_perf.csv", "training.csv"} {
		if _, err := os.Stat(filepath.Join(r.dir, name)); err == nil {
			names = append(names, filepath.Join(r.dir, name))
		}
	}
	return names
}

// writeBounds says what bound the flows, all together.
func (r *Run) writeBounds(p *page) {
	shares, lives := r.shares(r.flows)
	if lives == 0 && r.summary.Flows.Total == 0 && r.summary.Programs != nil {
		p.section("What the programs measured")
		p.line("  There are no flows: see " + strings.Join(r.measurements(), ", ") + ", whose columns schema.json explains.")
		return
	}
	if lives == 0 {
		p.section("What bound the flows")
		p.line("No flow has started.")
		return
	}
	p.section("What bound the flows (shares of all their lives together)")
	for _, s := range shares {
		name := r.causes[s.cause].name
		p.line(fmt.Sprintf("  %-11s %6s  %-12s %s", name, results.Percent(float64(s.time)/float64(lives)),
			longest(s.flows), knownAs(name).text))
	}
	p.line("  The third column counts the flows for which this was the longest part of their lives.")
}

// longest counts flows in a narrow column.
func longest(flows int) string {
	if flows == 0 {
		return "-"
	}
	return results.Plural(int64(flows), "flow")
}
