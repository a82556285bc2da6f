package record

import (
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/results/plots"
	"github.com/rdmasim/rdmasim/sim/units"
)

// sizeGroups are the slowdowns of the flows that count and succeeded, by their payload.
func (r *Run) sizeGroups() []results.SizeGroup {
	var sizes []units.Bytes
	var slowdowns []float64
	for i, f := range r.Cluster.Flows {
		if x, ok := r.slowdown(i); ok && r.counts(i) {
			sizes, slowdowns = append(sizes, f.Payload()), append(slowdowns, x)
		}
	}
	return results.GroupBySize(sizes, slowdowns)
}

// SlowdownBySize is the table of slowdowns by size.
func (r *Run) SlowdownBySize() *results.Table {
	t := results.NewTable("slowdown_by_size.csv", "one row for each twentieth of the flows that are done and count, in the order of their sizes")
	percent := t.Int("percent", "%", "how much of the flows have come, with this row")
	largest := t.Bytes("largest_bytes", "payload of the largest flow of the row")
	flows := t.Int("flows", "flows", "flows of the row")
	p50, p95 := t.Float("slowdown_p50", "", "median of their slowdowns"), t.Float("slowdown_p95", "", "95th percentile of their slowdowns")
	p99, most := t.Float("slowdown_p99", "", "99th percentile of their slowdowns"), t.Float("slowdown_max", "", "greatest of their slowdowns")
	for _, g := range r.sizeGroups() {
		percent.Append(int64(g.Percent))
		largest.Append(g.Largest)
		flows.Append(int64(g.Slowdown.Samples))
		p50.Append(g.Slowdown.P50)
		p95.Append(g.Slowdown.P95)
		p99.Append(g.Slowdown.P99)
		most.Append(g.Slowdown.Max)
	}
	return t
}

// sizesDiffer tells whether there is anything to draw over the size of flows.
func (r *Run) sizesDiffer() bool {
	groups := r.sizeGroups()
	return len(groups) > 1 && groups[0].Largest < groups[len(groups)-1].Largest
}

func (r *Run) drawBySize(o plots.Options) (*plots.Figure, error) {
	return plots.SlowdownBySize(r.sizeGroups(), o)
}
