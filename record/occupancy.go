package record

import (
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/results/plots"
	"github.com/rdmasim/rdmasim/sim/units"
)

func (r *Run) occupancyTable() *results.Table {
	t := results.NewTable("series/pg_occupancy.csv", "one row a change of an ingress priority group, or of its threshold while it holds anything, from one sample to the next; a group starts at 0 bytes")
	at, node := t.Time("time_us", "instant of the sample, after all events at it"), t.String("node", "switch")
	number, priority := t.Int("port", "", "ingress port"), t.Int("priority", "", "priority of the group")
	held := t.Bytes("held_bytes", "what the group holds of the buffer: minimum, shared and headroom together")
	limit := t.Bytes("threshold_bytes", "its threshold at that instant: at so much of the shared pool a lossless group asks for a pause, and a lossy one drops")
	r.eachSwitch(func(name string, n int) {
		r.Cluster.Net.Switch(n).GroupSamples(func(t units.Time, port, prio int, h, l units.Bytes) {
			at.Append(t)
			node.Append(name)
			number.Append(int64(port))
			priority.Append(int64(prio))
			held.Append(h)
			limit.Append(l)
		})
	})
	return t
}

// occupancySeries are the sampled groups with their thresholds, in the order of nodes,
// ports and priorities.
func (r *Run) occupancySeries() (all []plots.Bounded) {
	start := r.underWay().from
	r.eachSwitch(func(_ string, node int) {
		index := map[[2]int]int{}
		var own []plots.Bounded
		r.Cluster.Net.Switch(node).GroupSamples(func(at units.Time, port, priority int, held, limit units.Bytes) {
			key := [2]int{port, priority}
			i, known := index[key]
			if !known {
				i = len(own)
				index[key] = i
				name := r.Cluster.Net.Graph.PortName(node, port) + ", priority " + itoa(priority)
				own = append(own, plots.Bounded{
					Series: plots.Series{Name: name, T: []units.Time{start}, V: []float64{0}}, Bound: []float64{float64(limit)},
				})
			}
			g := &own[i]
			g.T, g.V, g.Bound = append(g.T, max(at, start)), append(g.V, float64(held)), append(g.Bound, float64(limit))
		})
		all = append(all, own...)
	})
	return all
}

func (r *Run) drawOccupancy(o plots.Options) (*plots.Figure, error) {
	return plots.Occupancy(r.occupancySeries(), o)
}
