package record

import (
	"errors"
	"io"

	"github.com/rdmasim/rdmasim/results/plots"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Plots draws what there is to draw and hands each file to write. It returns, for
// each figure that there is nothing for, a sentence that says why.
func (r *Run) Plots(title string, write func(name string, content func(io.Writer) error) error) (missing []string, err error) {
	work := r.underWay()
	for _, p := range []struct {
		name  string
		asked bool
		draw  func(o plots.Options) (*plots.Figure, error)
	}{
		{"fct_cdf", len(r.Cluster.Flows) > 0 || len(r.Cluster.Threads) == 0, r.drawFCT},
		{"slowdown_by_size", r.sizesDiffer(), r.drawBySize},
		{QueueDepth, r.Series[QueueDepth], r.drawQueues},
		{PGOccupancy, r.Series[PGOccupancy], r.drawOccupancy},
		{QPRate, r.Series[QPRate], r.drawRates},
		{QPAlpha, r.Series[QPAlpha], r.drawAlpha},
		{TCPWindow, r.Series[TCPWindow], r.drawWindows},
		{LinkUtilisation, r.Series[LinkUtilisation], r.drawUsage},
		{Pause, r.Series[Pause], r.drawPauses},
	} {
		if !p.asked {
			continue
		}
		figure, err := p.draw(plots.Options{Title: title, Start: work.from, End: work.to})
		var none *plots.NoDataError
		if errors.As(err, &none) {
			missing = append(missing, "no plot "+p.name+": "+none.Reason)
			continue
		}
		if err == nil {
			err = figure.Save("plots/"+p.name, write)
		}
		if err != nil {
			return missing, err
		}
	}
	return missing, nil
}

func (r *Run) drawFCT(o plots.Options) (*plots.Figure, error) {
	return plots.FCTCDF(r.FCTs(), o)
}

// drawQueues draws the queues with the thresholds of the port that was fullest.
func (r *Run) drawQueues(o plots.Options) (*plots.Figure, error) {
	var levels []plots.Level
	if p, ok := r.fullestQueue(); ok {
		if r.marksIn(p.port, p.priority) {
			kmin, kmax := r.thresholds(p.port, p.priority)
			levels = append(levels,
				plots.Level{Name: p.port.full() + " Kmin", Value: float64(kmin)},
				plots.Level{Name: p.port.full() + " Kmax", Value: float64(kmax)})
		}
		if x := r.Cluster.Net.ConfigOf(p.port.node).PFC.XOFF; x > 0 && r.pauses() {
			levels = append(levels, plots.Level{Name: "XOFF, one ingress", Value: float64(x)})
		} else if g, ok := r.nearestGroup(); ok {
			levels = append(levels, plots.Level{Name: "XOFF, one ingress", Value: float64(g.report.Limit)})
		}
	}
	return plots.QueueDepth(r.queueSeries(), levels, o)
}

func (r *Run) drawRates(o plots.Options) (*plots.Figure, error) {
	var fastest units.Rate
	r.eachPort(func(p port) {
		if p.sw == nil {
			fastest = max(fastest, p.Rate())
		}
	})
	return plots.Rates(r.rateSeries(), []plots.Level{{Name: "line rate", Value: float64(fastest)}}, o)
}

func (r *Run) drawPauses(o plots.Options) (*plots.Figure, error) {
	return plots.PauseTimeline(r.pauseIntervals(), o)
}
