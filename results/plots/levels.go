package plots

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// nearLevel is how many times the largest value a level may be to be drawn.
const nearLevel = 4

// keepNear returns the levels that can be drawn without flattening the data, and mentions the others in the note.
func (f *Figure) keepNear(levels []Level, largest float64, q quantity) []Level {
	var near []Level
	var far []string
	for _, l := range levels {
		if l.Value <= nearLevel*largest {
			near = append(near, l)
		} else {
			far = append(far, fmt.Sprintf("%s (%s)", l.Name, spaced(q.text(l.Value))))
		}
	}
	if far != nil {
		f.note += "; far above and not drawn: " + strings.Join(far, ", ")
	}
	return near
}

func highest(levels []Level) float64 {
	m := 0.0
	for _, l := range levels {
		m = max(m, l.Value)
	}
	return m
}

// addLevels draws the levels as dashed lines across the figure, labelled at its right edge.
func (f *Figure) addLevels(levels []Level, unit scale, value func(float64) string) {
	style := draw.LineStyle{Color: darkGrey(), Width: 1.2, Dashes: []vg.Length{5, 4}}
	labels := edgeLabels{style: f.textStyle(textSize, darkGrey())}
	for _, l := range levels {
		y := l.Value / unit.size
		f.plot.Add(&plotter.Line{
			XYs:       plotter.XYs{{X: f.plot.X.Min, Y: y}, {X: f.plot.X.Max, Y: y}},
			LineStyle: style,
		})
		labels.add(y, fmt.Sprintf("%s %s", l.Name, spaced(value(l.Value))))
	}
	f.plot.Add(&labels)
}

// edgeLabels writes texts at the right of the data, each at a height on the vertical axis, moved apart where they would
// overlap.
type edgeLabels struct {
	style   text.Style
	heights []float64
	texts   []string
}

// The distances of labels from the data and from each other.
const (
	edgeGap  = vg.Length(6)
	edgeLine = textSize * vg.Length(1.15)
)

func (e *edgeLabels) add(height float64, text string) {
	at, _ := slices.BinarySearch(e.heights, height)
	e.heights = slices.Insert(e.heights, at, height)
	e.texts = slices.Insert(e.texts, at, text)
}

// Plot implements plot.Plotter.
func (e *edgeLabels) Plot(c draw.Canvas, p *plot.Plot) {
	style := e.style
	style.YAlign = draw.YCenter
	wanted := make([]vg.Length, len(e.heights))
	for i, height := range e.heights {
		wanted[i] = c.Y(p.Y.Norm(height))
	}
	for i, y := range apart(wanted, c.Max.Y) {
		c.FillText(style, vg.Point{X: c.Max.X + edgeGap, Y: y + style.FontExtents().Descent}, e.texts[i])
	}
}

// apart returns heights near the wanted ones, which ascend, so that lines of text at them do not overlap and none is above
// the top.
func apart(wanted []vg.Length, top vg.Length) []vg.Length {
	heights := slices.Clone(wanted)
	for i := 1; i < len(heights); i++ {
		heights[i] = max(heights[i], heights[i-1]+edgeLine)
	}
	for i := len(heights) - 1; i >= 0; i-- {
		heights[i] = min(heights[i], top)
		top = heights[i] - edgeLine
	}
	return heights
}

// GlyphBoxes implements plot.GlyphBoxer: it keeps room for the labels at the right.
func (e *edgeLabels) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for i, height := range e.heights {
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: p.Y.Norm(height), Rectangle: vg.Rectangle{
			Max: vg.Point{X: edgeGap + e.style.Width(e.texts[i])}}})
	}
	return boxes
}
