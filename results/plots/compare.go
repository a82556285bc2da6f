package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Sample is the completion times of one of several runs.
type Sample struct {
	Name string
	FCTs []units.Time
}

// FCTCDFs draws the distributions of flow completion times of several runs, a step function each. The axis of times is
// logarithmic if they differ more than twentyfold. Of more than eight runs those with the first eight are drawn.
func FCTCDFs(samples []Sample, o Options) (*Figure, error) {
	var filled []Sample
	for _, s := range samples {
		if len(s.FCTs) > 0 {
			filled = append(filled, s)
		}
	}
	if len(filled) < 2 {
		return nil, &NoDataError{"fewer than two of the runs have a flow that is done"}
	}
	f := newFigure(o.Title)
	f.note = countOf(len(filled), "run")
	if len(filled) > shownSeries {
		f.note = fmt.Sprintf("the first %d of %s", shownSeries, f.note)
		filled = filled[:shownSeries]
	}
	f.plot.Y.Label.Text, f.plot.Y.Tick.Marker = "fraction of flows", linearTicks(5)
	f.plot.Y.Min, f.plot.Y.Max = 0, 1
	var all []units.Time
	for _, s := range filled {
		all = append(all, s.FCTs...)
	}
	whole := cdf{Distribution: results.NewDistribution(all)}
	whole.unit = timeScale(float64(whole.Max()))
	whole.log = whole.At(1) > 0 && float64(whole.Max()) > logFrom*float64(whole.At(1))
	f.setCDFTimes(whole)
	f.addGrid()
	for i, s := range filled {
		own := cdf{results.NewDistribution(s.FCTs), whole.unit, whole.log}
		line := own.line(f.plot.X.Min)
		line.LineStyle = lineStyle(i)
		line.XYs = append(line.XYs, plotter.XY{X: f.plot.X.Max, Y: 1})
		f.plot.Add(line)
		f.legend = append(f.legend, entry{fmt.Sprintf("%s: p50 %s, p99 %s", shortened(s.Name, 32), spaced(own.Percentile(units.Ratio{Num: 1, Den: 2}).Human()),
			spaced(own.Percentile(units.Ratio{Num: 99, Den: 100}).Human())), lineIcon(lineStyle(i))})
	}
	return f, nil
}

// Stack is a bar with what it is made of, from the bottom.
type Stack struct {
	Name  string
	Parts []float64 // as many as the figure has names of parts; none negative
}

// Stacks draws a bar for each run, each made of parts. kind says what values count: time, rate, size (ps, bit/s, bytes) or
// number. With a single part bars have one colour and no legend.
func Stacks(label, kind string, parts []string, bars []Stack, o Options) (*Figure, error) {
	top := 0.0
	for _, b := range bars {
		if len(b.Parts) != len(parts) {
			return nil, fmt.Errorf("bar %s has %d parts, want %d", b.Name, len(b.Parts), len(parts))
		}
		sum := 0.0
		for _, v := range b.Parts {
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("bar %s has a part that is negative or not a number", b.Name)
			}
			sum += v
		}
		top = max(top, sum)
	}
	if top == 0 {
		return nil, &NoDataError{label + " is 0 in all runs"}
	}
	f := newFigure(o.Title)
	f.note = countOf(len(bars), "run")
	unit := scale{"", 1}
	switch kind {
	case "time":
		unit = timeScale(top)
	case "rate":
		unit = rateScale(top)
	case "size":
		unit = byteScale(top)
	}
	f.plot.Y.Label.Text = label
	if unit.name != "" {
		f.plot.Y.Label.Text += " (" + unit.name + ")"
	}
	f.plot.Y.Tick.Marker, f.plot.Y.Min, f.plot.Y.Max = linearTicks(6), 0, 1.12*top/unit.size
	f.plot.X.Min, f.plot.X.Max = 0.4, float64(len(bars))+0.6
	var names []plot.Tick
	letters := max(6, axisLetters*3/2/len(bars))
	for i, b := range bars {
		names = append(names, plot.Tick{Value: float64(i + 1), Label: shortened(b.Name, letters)})
	}
	f.plot.X.Tick.Marker = plot.ConstantTicks(names)
	f.plot.X.Tick.Length = 0
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = lightGrey(), nil
	grid.Horizontal.Width = vg.Length(0.7)
	f.plot.Add(grid, &stackedBars{bars: bars, unit: unit.size, text: func(v float64) string { return inUnit(kind, v) }, style: f.textStyle(textSize, color.Black)})
	if len(parts) > 1 {
		for i, name := range parts {
			if anyPart(bars, i) {
				f.legend = append(f.legend, entry{name, boxIcon(lineStyle(i).Color)})
			}
		}
	}
	return f, nil
}

// inUnit writes a value of what kind says as print does.
func inUnit(kind string, v float64) string {
	if kind == "" || kind == "number" {
		return results.HumanIn(kind, v)
	}
	return spaced(results.HumanIn(kind, v))
}

func anyPart(bars []Stack, part int) bool {
	for _, b := range bars {
		if b.Parts[part] > 0 {
			return true
		}
	}
	return false
}

// boxIcon is the icon of an area.
func boxIcon(c color.Color) func(*draw.Canvas) {
	return func(canvas *draw.Canvas) {
		r := canvas.Rectangle
		canvas.FillPolygon(c, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
	}
}

// stackedBars draws bars with their sums over them.
type stackedBars struct {
	bars  []Stack
	unit  float64
	text  func(float64) string
	style draw.TextStyle
}

// Plot implements plot.Plotter.
func (s *stackedBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := s.style
	style.XAlign = draw.XCenter
	for i, b := range s.bars {
		sum, left, right := 0.0, x(float64(i+1)-0.32), x(float64(i+1)+0.32)
		for k, v := range b.Parts {
			low, high := y(sum/s.unit), y((sum+v)/s.unit)
			sum += v
			if v > 0 {
				c.FillPolygon(lineStyle(k).Color, []vg.Point{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}})
			}
		}
		c.FillText(style, vg.Point{X: (left + right) / 2, Y: y(sum/s.unit) + 3}, s.text(sum))
	}
}

// SweepCurve draws what a sweep has measured over the values of its key, with the levels that were asked for as labelled
// lines and a mark where the first crossing of each is. Values that are words stand at even distances.
func SweepCurve(s *results.Sweep, o Options) (*Figure, error) {
	f := newFigure(o.Title)
	kind := s.Columns[0].Unit
	var points plotter.XYs
	var names []plot.Tick
	x, setAxis := f.sweepAxis(s)
	top, low := 0.0, 0.0
	for i, p := range s.Points {
		names = append(names, plot.Tick{Value: float64(i + 1), Label: shortened(p.Values[0], max(6, axisLetters/len(s.Points)))})
		if p.Found[0] != nil {
			points = append(points, plotter.XY{X: x(i), Y: *p.Found[0]})
			top, low = max(top, *p.Found[0]), min(low, *p.Found[0])
		}
	}
	if len(points) == 0 {
		return nil, &NoDataError{"nothing was measured in any run of sweep " + s.Name}
	}
	unit := scale{"", 1}
	q := quantity{text: func(v float64) string { return results.HumanIn(kind, v) }}
	var levels []Level
	for _, c := range s.Levels {
		levels = append(levels, Level{"level", c.Value})
	}
	f.note = "sweep " + s.Name
	levels = f.keepNear(levels, top, q)
	top = max(top, highest(levels))
	switch kind {
	case "time":
		unit = timeScale(top)
	case "rate":
		unit = rateScale(top)
	case "size":
		unit = byteScale(top)
	}
	for i := range points {
		points[i].Y /= unit.size
	}
	f.plot.Y.Label.Text = shortened(s.Columns[0].Name, 60)
	if unit.name != "" {
		f.plot.Y.Label.Text += " (" + unit.name + ")"
	}
	f.plot.Y.Tick.Marker = linearTicks(6)
	f.plot.Y.Min, f.plot.Y.Max = 1.05*low/unit.size, 1.05*max(top, -low, 1e-12)/unit.size
	setAxis(names)
	f.addGrid()
	glyph := draw.GlyphStyle{Color: lineStyle(0).Color, Radius: 3.5, Shape: draw.CircleGlyph{}}
	f.plot.Add(&plotter.Line{XYs: f.straight(s, points), LineStyle: lineStyle(0)}, &plotter.Scatter{XYs: points, GlyphStyle: glyph})
	f.addLevels(levels, unit, q.text)
	mark := draw.GlyphStyle{Color: lineStyle(1).Color, Radius: 6, Shape: draw.RingGlyph{}}
	for _, c := range s.Levels {
		if c.At == nil || s.Points[0].At == nil {
			continue
		}
		f.plot.Add(&plotter.Scatter{XYs: plotter.XYs{{X: f.axisValue(s, *c.At), Y: c.Value / unit.size}}, GlyphStyle: mark})
		f.legend = append(f.legend, entry{fmt.Sprintf("crosses %s at %s", inUnit(kind, c.Value), inUnit(s.Unit, *c.At)), glyphIcon(mark)})
	}
	return f, nil
}

// straight is the line through points of a sweep: straight between any two as crossings have it, hence curved where the axis
// counts decades.
func (f *Figure) straight(s *results.Sweep, points plotter.XYs) (line plotter.XYs) {
	if s.Points[0].At == nil || !sweepLog(s) {
		return points
	}
	const steps = 32
	for i, b := range points {
		if i == 0 {
			line = append(line, b)
			continue
		}
		a := points[i-1]
		from, to := math.Pow(10, a.X), math.Pow(10, b.X)
		for k := 1; k < steps; k++ {
			x := a.X + (b.X-a.X)*float64(k)/steps
			share := (math.Pow(10, x) - from) / (to - from)
			line = append(line, plotter.XY{X: x, Y: a.Y + share*(b.Y-a.Y)})
		}
		line = append(line, b)
	}
	return line
}

// sweepAxis chooses the horizontal axis of a sweep: one of values, which counts decades if they differ more than twentyfold and
// none is 0, or one of words. It returns where a point is, and what sets the axis.
func (f *Figure) sweepAxis(s *results.Sweep) (x func(i int) float64, set func(words []plot.Tick)) {
	axis := &f.plot.X
	label := s.Keys[0]
	if len(s.Keys) > 1 {
		label += ", with " + strings.Join(s.Keys[1:], ", ")
	}
	label = shortened(label, 70)
	if s.Points[0].At == nil {
		return func(i int) float64 { return float64(i + 1) }, func(words []plot.Tick) {
			axis.Label.Text, axis.Tick.Marker = label, plot.ConstantTicks(words)
			axis.Min, axis.Max = 0.5, float64(len(s.Points))+0.5
		}
	}
	return func(i int) float64 { return f.axisValue(s, *s.Points[i].At) }, func([]plot.Tick) {
		low, high := sweepEnds(s)
		unit := sweepScale(s)
		axis.Label.Text, axis.Tick.Marker = label, linearTicks(8)
		if unit.name != "" {
			axis.Label.Text += " (" + unit.name + ")"
		}
		if sweepLog(s) {
			axis.Label.Text, axis.Tick.Marker = axis.Label.Text+", log scale", logTicks{}
		}
		axis.Min, axis.Max = f.axisValue(s, low), f.axisValue(s, high)
		air := (axis.Max - axis.Min) / 30
		axis.Min, axis.Max = axis.Min-air, axis.Max+air
	}
}

func sweepEnds(s *results.Sweep) (low, high float64) {
	first, last := *s.Points[0].At, *s.Points[len(s.Points)-1].At
	return min(first, last), max(first, last)
}

func sweepLog(s *results.Sweep) bool {
	low, high := sweepEnds(s)
	return low > 0 && high > logFrom*low
}

func sweepScale(s *results.Sweep) scale {
	_, high := sweepEnds(s)
	switch s.Unit {
	case "time":
		return timeScale(high)
	case "rate":
		return rateScale(high)
	case "size":
		return byteScale(high)
	}
	return scale{"", 1}
}

// axisValue is where a value of the key of a sweep is on its axis.
func (f *Figure) axisValue(s *results.Sweep, at float64) float64 {
	at /= sweepScale(s).size
	if sweepLog(s) {
		return math.Log10(at)
	}
	return at
}
