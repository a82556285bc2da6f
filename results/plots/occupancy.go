package plots

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Bounded is a series with a bound that moves: Bound[i] was it at T[i].
type Bounded struct {
	Series
	Bound []float64
}

// shownBounded is the number of pairs of lines a reader can tell apart.
const shownBounded = 4

// Occupancy draws what priority groups hold over time, in bytes, and for each as a thin line of the same colour the
// threshold at which it asks for a pause. If there are too many, those with the highest peaks are shown.
func Occupancy(groups []Bounded, o Options) (*Figure, error) {
	lines := make([]Series, len(groups))
	for i, g := range groups {
		if len(g.Bound) != len(g.T) {
			return nil, fmt.Errorf("series %s has %d times for %d bounds", g.Name, len(g.T), len(g.Bound))
		}
		lines[i] = g.Series
	}
	lines, err := withData(lines, "priority group")
	if err != nil {
		return nil, err
	}
	f := newFigure(o.Title)
	f.note = countOf(len(lines), "priority group") + "; thin: its threshold"
	if more := len(lines) - shownBounded; more > 0 {
		f.note = fmt.Sprintf("%d of %s, those with the highest peaks; thin: their thresholds", shownBounded, countOf(len(lines), "priority group"))
	}
	shown := bounded(groups, highestPeaks(lines, shownBounded))
	top := 0.0
	for _, g := range shown {
		top = max(top, slices.Max(g.V), min(slices.Max(g.Bound), nearLevel*slices.Max(g.V)))
	}
	unit := byteScale(top)
	time := f.setTimeAxis(o.Start, cmp.Or(o.End, latest(lines)))
	f.plot.Y.Label.Text = fmt.Sprintf("held by the group (%s)", unit.name)
	f.plot.Y.Tick.Marker = linearTicks(6)
	f.plot.Y.Min, f.plot.Y.Max = 0, 1.05*top/unit.size
	f.addGrid()
	for i, g := range slices.Backward(shown) {
		f.addBounded(i, g, time, unit)
	}
	for i, g := range shown {
		f.legend = append(f.legend, entry{shortened(g.Name, 40), lineIcon(lineStyle(i))})
	}
	return f, nil
}

// bounded finds the groups of some series by their names.
func bounded(groups []Bounded, series []Series) (found []Bounded) {
	for _, s := range series {
		i := slices.IndexFunc(groups, func(g Bounded) bool { return g.Name == s.Name })
		found = append(found, groups[i])
	}
	return found
}

// addBounded draws a series and its bound, which is cut off at the top of the figure.
func (f *Figure) addBounded(i int, g Bounded, time, unit scale) {
	f.plot.Add(&plotter.Line{XYs: thinned(g.Series, time.size, unit.size), LineStyle: lineStyle(i)})
	bound := Series{T: g.T, V: slices.Clone(g.Bound)}
	for k, v := range bound.V {
		bound.V[k] = min(v, f.plot.Y.Max*unit.size)
	}
	style := lineStyle(i)
	style.Dashes, style.Width = []vg.Length{4, 3}, style.Width/2
	f.plot.Add(&plotter.Line{XYs: thinned(bound, time.size, unit.size), LineStyle: style})
}
