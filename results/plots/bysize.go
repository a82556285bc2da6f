package plots

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// SlowdownBySize draws percentiles of the slowdown over the size of flows, a point for each group at its largest flow. The
// axis of sizes is logarithmic, that of slowdowns if they differ more than twentyfold.
func SlowdownBySize(groups []results.SizeGroup, o Options) (*Figure, error) {
	if len(groups) == 0 {
		return nil, &NoDataError{"no flow is done, so there is no slowdown"}
	}
	if groups[0].Largest == groups[len(groups)-1].Largest {
		return nil, &NoDataError{"all flows are of one size"}
	}
	f := newFigure(o.Title)
	flows, most := 0, 1.0
	for _, g := range groups {
		flows += g.Slowdown.Samples
		most = max(most, g.Slowdown.P99)
	}
	f.note = fmt.Sprintf("%s in %s of equal count; nearest-rank percentiles, at the largest flow of each group",
		countOf(flows, "flow"), countOf(len(groups), "group"))
	f.plot.X.Label.Text, f.plot.X.Tick.Marker = "flow size, log scale", sizeTicks{}
	f.plot.X.Min, f.plot.X.Max = decade(groups[0].Largest)-0.1, decade(groups[len(groups)-1].Largest)+0.1
	y := f.setSlowdowns(most)
	f.addGrid()
	for i, p := range [...]struct {
		name  string
		of    func(s results.Percentiles[float64]) float64
		shape draw.GlyphDrawer
	}{
		{"p99", func(s results.Percentiles[float64]) float64 { return s.P99 }, draw.PyramidGlyph{}},
		{"p95", func(s results.Percentiles[float64]) float64 { return s.P95 }, draw.BoxGlyph{}},
		{"p50", func(s results.Percentiles[float64]) float64 { return s.P50 }, draw.CircleGlyph{}},
	} {
		points := make(plotter.XYs, len(groups))
		for k, g := range groups {
			points[k] = plotter.XY{X: decade(g.Largest), Y: y(p.of(g.Slowdown))}
		}
		style := lineStyle(i)
		glyph := draw.GlyphStyle{Color: style.Color, Radius: 3.5, Shape: p.shape}
		f.plot.Add(&plotter.Line{XYs: points, LineStyle: style}, &plotter.Scatter{XYs: points, GlyphStyle: glyph})
		f.legend = append(f.legend, entry{p.name, glyphIcon(glyph)})
	}
	return f, nil
}

// decade returns where a size is on an axis that counts decades; nothing is smaller than a byte.
func decade(size units.Bytes) float64 { return math.Log10(float64(max(size, 1))) }

// setSlowdowns chooses the axis of slowdowns and returns where on it a slowdown is. A logarithmic one begins at 1, the
// slowdown of a flow alone.
func (f *Figure) setSlowdowns(most float64) (y func(slowdown float64) float64) {
	axis := &f.plot.Y
	if most > logFrom {
		axis.Label.Text, axis.Tick.Marker = "slowdown, log scale", logTicks{}
		axis.Min, axis.Max = 0, math.Log10(most)+0.05
		return math.Log10
	}
	axis.Label.Text, axis.Tick.Marker = "slowdown", linearTicks(6)
	axis.Min, axis.Max = 0, 1.05*most
	return func(slowdown float64) float64 { return slowdown }
}

// sizeTicks are the ticks of an axis of sizes that counts decades.
type sizeTicks struct{}

// Ticks implements plot.Ticker.
func (sizeTicks) Ticks(low, high float64) []plot.Tick {
	ticks := logTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label == "" {
			continue
		}
		size, _ := strconv.ParseFloat(ticks[i].Label, 64)
		ticks[i].Label = spaced(units.Bytes(size).Human())
	}
	return ticks
}
