package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// logFrom is the ratio of the largest completion time to the smallest from which their axis is logarithmic.
const logFrom = 20

// cdfPoints bounds the points of a curve: twice the pixels of its height, so that no step is lost that could be seen.
const cdfPoints = 2000

// FCTCDF draws the distribution of flow completion times as a step function, with nearest-rank percentiles marked. The
// axis of times is logarithmic if they differ more than twentyfold.
func FCTCDF(fcts []units.Time, o Options) (*Figure, error) {
	if len(fcts) == 0 {
		return nil, &NoDataError{"no flow is done, so there is no completion time"}
	}
	f := newFigure(o.Title)
	d := results.NewDistribution(fcts)
	f.note = fmt.Sprintf("%s; nearest-rank percentiles; slowest %s", countOf(d.Len(), "flow"), spaced(d.Max().Human()))
	f.plot.Y.Label.Text, f.plot.Y.Tick.Marker = "fraction of flows", linearTicks(5)
	f.plot.Y.Min, f.plot.Y.Max = 0, 1
	curve := cdf{Distribution: d, unit: timeScale(float64(d.Max()))}
	curve.log = d.At(1) > 0 && float64(d.Max()) > logFrom*float64(d.At(1))
	f.setCDFTimes(curve)
	f.addGrid()
	f.plot.Add(curve.line(f.plot.X.Min))
	f.addPercentiles(curve)
	return f, nil
}

// cdf is a distribution on an axis.
type cdf struct {
	results.Distribution[units.Time]
	unit scale
	log  bool // whether the axis counts decades
}

// x returns where a time is on the axis.
func (d *cdf) x(t units.Time) float64 {
	x := float64(t) / d.unit.size
	if d.log {
		return math.Log10(x)
	}
	return x
}

// setCDFTimes chooses the axis of times: with some air at both ends, so that the curve is seen to begin and to end.
func (f *Figure) setCDFTimes(d cdf) {
	x := &f.plot.X
	x.Label.Text, x.Tick.Marker = fmt.Sprintf("flow completion time (%s)", d.unit.name), linearTicks(8)
	low, high := d.x(d.At(1)), d.x(d.Max())
	air := (high - low) / 20
	switch {
	case d.log:
		x.Label.Text, x.Tick.Marker = x.Label.Text+", log scale", logTicks{}
		x.Min, x.Max = low-air, high+air
	case low == high:
		x.Min, x.Max = 0, max(2*high, 1)
	default:
		x.Min, x.Max = max(0, low-air), high+air
	}
}

// line returns the curve: at each completion time it rises to the share of flows that took no longer.
func (d *cdf) line(from float64) *plotter.Line {
	points := plotter.XYs{{X: from, Y: 0}}
	for rank := 1; rank <= d.Len(); rank += max(1, d.Len()/cdfPoints) {
		points = append(points, d.point(rank))
	}
	points = append(points, d.point(d.Len()))
	return &plotter.Line{XYs: points, StepStyle: plotter.PostStep, LineStyle: lineStyle(0)}
}

func (d *cdf) point(rank int) plotter.XY {
	return plotter.XY{X: d.x(d.At(rank)), Y: float64(rank) / float64(d.Len())}
}

// addPercentiles marks percentiles where the curve crosses their height, and gives their values in the legend.
func (f *Figure) addPercentiles(d cdf) {
	for i, mark := range [...]struct {
		name     string
		perMille int64
		shape    draw.GlyphDrawer
	}{
		{"p50", 500, draw.CircleGlyph{}}, {"p95", 950, draw.BoxGlyph{}},
		{"p99", 990, draw.PyramidGlyph{}}, {"p99.9", 999, diamond{}},
	} {
		if mark.perMille == 999 && d.Len() < results.SamplesForP999 {
			continue
		}
		value := d.Percentile(units.Ratio{Num: mark.perMille, Den: 1000})
		style := draw.GlyphStyle{Color: lineStyle(i + 1).Color, Radius: 5, Shape: mark.shape}
		f.plot.Add(&plotter.Scatter{
			XYs:        plotter.XYs{{X: d.x(value), Y: float64(mark.perMille) / 1000}},
			GlyphStyle: style,
		})
		f.legend = append(f.legend, entry{mark.name + ": " + spaced(value.Human()), glyphIcon(style)})
	}
}

// countOf returns the count with its noun.
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
