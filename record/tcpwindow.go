package record

import (
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/results/plots"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// windowTable is the series of the windows of TCP.
func (r *Run) windowTable() *results.Table {
	t := results.NewTable("series/tcp_window.csv", "one row a change of the congestion window of a connection of TCP from one sample to the next")
	at, node := t.Time("time_us", "instant of the sample"), t.String("node", "sending host")
	number := t.Int("connection", "", "number of the connection at the host")
	window := t.Bytes("window_bytes", "payload that congestion control lets be in flight")
	threshold := t.Bytes("threshold_bytes", "slow start threshold; empty before the first loss or mark")
	flight := t.Bytes("in_flight_bytes", "payload in flight")
	rtt := t.Time("srtt_us", "smoothed round trip; empty before the first")
	for i, h := range r.Cluster.Hosts {
		for _, s := range h.WindowSamples() {
			at.Append(s.At)
			node.Append(r.hostName(i))
			number.Append(int64(s.Socket))
			window.Append(s.Window)
			if s.Threshold == congestion.Unbounded {
				threshold.AppendMissing()
			} else {
				threshold.Append(s.Threshold)
			}
			flight.Append(s.InFlight)
			if s.SRTT == 0 {
				rtt.AppendMissing()
			} else {
				rtt.Append(s.SRTT)
			}
		}
	}
	return t
}

func (r *Run) drawWindows(o plots.Options) (*plots.Figure, error) {
	var all []plots.Series
	for i, h := range r.Cluster.Hosts {
		own := map[int]int{}
		for _, s := range h.WindowSamples() {
			at, known := own[s.Socket]
			if !known {
				at = len(all)
				own[s.Socket] = at
				all = append(all, plots.Series{Name: r.hostName(i) + " connection " + itoa(s.Socket), T: []units.Time{}, V: []float64{}})
			}
			all[at].T = append(all[at].T, s.At)
			all[at].V = append(all[at].V, float64(s.Window))
		}
	}
	return plots.Windows(all, o)
}
