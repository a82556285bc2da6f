package record

import (
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/results/plots"
)

func (r *Run) usageTable() *results.Table {
	t := results.NewTable("series/link_utilisation.csv", "one row a bucket of time in which a port was busy for longer or shorter than in the one before; buckets between two rows are like the first of them, those before the first row idle")
	from, length := t.Time("from_us", "start of the bucket"), t.Time("bucket_us", "its length; the last one of a run may be short")
	node, number := t.String("node", "host or switch"), t.Int("port", "", "number of the port at its node")
	busy := t.Time("busy_us", "time for which the transmitter was busy in it; a frame that spans two buckets counts in each with what it took of it")
	use := t.Float("utilisation", "", "busy_us as a share of bucket_us, preambles and gaps included")
	r.eachPort(func(p port) {
		for _, s := range p.Usage() {
			from.Append(s.From)
			length.Append(s.Length)
			node.Append(p.name)
			number.Append(int64(p.index))
			busy.Append(s.Busy)
			use.Append(float64(s.Busy) / float64(s.Length))
		}
	})
	return t
}

// usageSeries are the buckets as series for a plot, idle at first, up to the end.
func (r *Run) usageSeries() (all []plots.Series) {
	r.eachPort(func(p port) {
		samples := p.Usage()
		if len(samples) == 0 {
			return
		}
		own := plots.Series{Name: r.cable(p.node, p.index)}
		if samples[0].From > 0 {
			own.T, own.V = append(own.T, 0), append(own.V, 0)
		}
		for _, s := range samples {
			own.T, own.V = append(own.T, s.From), append(own.V, float64(s.Busy)/float64(s.Length))
		}
		own.T, own.V = append(own.T, r.Report.Now), append(own.V, own.V[len(own.V)-1])
		all = append(all, own)
	})
	return all
}

func (r *Run) drawUsage(o plots.Options) (*plots.Figure, error) {
	return plots.Utilisation(r.usageSeries(), o)
}
