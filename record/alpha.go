package record

import (
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/results/plots"
	"github.com/rdmasim/rdmasim/rnic"
)

func (r *Run) alphaTable() *results.Table {
	t := results.NewTable("series/qp_alpha.csv", "one row a change of the congestion that a queue pair reckons with from one sample to the next; it starts at 0 and stands while there is nothing to send")
	at, node := t.Time("time_us", "instant of the sample"), t.String("node", "sending host")
	qpn := t.Int("qpn", "", "queue pair")
	alpha := t.Float("alpha", "", "congestion control's estimate of congestion, 0 to 1 (DCQCN: alpha)")
	r.eachNIC(func(name string, nic *rnic.NIC) {
		for _, s := range nic.AlphaSamples() {
			at.Append(s.At)
			node.Append(name)
			qpn.Append(int64(rnic.QPN(s.QP)))
			alpha.Append(s.Alpha)
		}
	})
	return t
}

func (r *Run) alphaSeries() (all []plots.Series) {
	r.eachNIC(func(name string, nic *rnic.NIC) {
		own := make([]plots.Series, len(nic.QueuePairs()))
		for i := range own {
			own[i].Name = qpName(name, i)
		}
		for _, s := range nic.AlphaSamples() {
			own[s.QP].T = append(own[s.QP].T, s.At)
			own[s.QP].V = append(own[s.QP].V, s.Alpha)
		}
		for _, s := range own {
			if len(s.T) > 0 {
				all = append(all, s)
			}
		}
	})
	return all
}

// qpName names a queue pair of a host.
func qpName(host string, i int) string { return host + " QP " + itoa(int(rnic.QPN(i))) }

func (r *Run) drawAlpha(o plots.Options) (*plots.Figure, error) {
	return plots.Alpha(r.alphaSeries(), o)
}
