package plots

import (
	"image/color"
	"io"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/rdmasim/rdmasim/sim/units"
)

// The size of a figure, and the resolution of its PNG form. A timeline of few rows is less high.
const (
	width  = 10 * vg.Inch
	height = 6 * vg.Inch
	dpi    = 150
)

// The sizes of text, in points.
const (
	titleSize = 18
	labelSize = 14
	textSize  = 12
)

// margin is the white border of a figure.
const margin = vg.Length(14)

// Options are what a figure shows beside its data.
type Options struct {
	Title string     // empty for none
	Start units.Time // left end of a time axis, usually the start of the first flow
	End   units.Time // right end of a time axis, usually the end of the run; 0 means that of the data
}

// Figure is a finished drawing.
type Figure struct {
	title, note string
	height      vg.Length
	plot        *plot.Plot
	legend      []entry
}

// NoDataError says why there is no figure.
type NoDataError struct{ Reason string }

// Error gives the reason.
func (e *NoDataError) Error() string { return "nothing to draw: " + e.Reason }

// newFigure returns a figure with styled, empty axes.
func newFigure(title string) *Figure {
	p := plot.New()
	p.Title.Text = "" // ours stands at the left, over a note
	for _, axis := range [...]*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle = retyped(axis.Label.TextStyle, labelSize)
		axis.Label.Padding = 4
		axis.Tick.Label = retyped(axis.Tick.Label, textSize)
		axis.Tick.Length = 5
		axis.Tick.Color, axis.LineStyle.Color = darkGrey(), darkGrey()
		axis.Padding = 0
	}
	return &Figure{title: title, height: height, plot: p}
}

// retyped returns the style in our typeface.
func retyped(style text.Style, size vg.Length) text.Style {
	style.Font.Variant, style.Font.Size = "Sans", size
	return style
}

// textStyle returns a style for text that is placed by its left baseline.
func (f *Figure) textStyle(size vg.Length, colour color.Color) text.Style {
	style := retyped(f.plot.X.Label.TextStyle, size)
	style.Color, style.XAlign, style.YAlign = colour, draw.XLeft, draw.YBottom
	return style
}

// draw lays the figure out: title, note, data, legend, from top to bottom.
func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	c.Max.Y -= f.drawHeading(c)
	c.Min.Y += f.drawLegend(c)
	f.plot.BackgroundColor = nil
	f.plot.Draw(c)
}

// drawHeading draws the title and the note and returns the height they take.
func (f *Figure) drawHeading(c draw.Canvas) vg.Length {
	var used vg.Length
	for _, line := range [...]struct {
		text   string
		size   vg.Length
		weight font.Weight
		colour color.Color
	}{{f.title, titleSize, font.WeightBold, color.Black}, {f.note, textSize, font.WeightNormal, darkGrey()}} {
		if line.text == "" {
			continue
		}
		style := f.textStyle(line.size, line.colour)
		style.Font.Weight = line.weight
		used += line.size
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y - used}, fitted(line.text, style, c.Max.X-c.Min.X))
		used += line.size * 0.6
	}
	return used
}

// fitted returns the line, cut off where it would leave the width.
func fitted(line string, style text.Style, width vg.Length) string {
	runes := []rune(line)
	for len(runes) > 0 && style.Width(line) > width {
		runes = runes[:len(runes)-1]
		line = string(runes) + "…"
	}
	return line
}

// WriteSVG writes the figure as SVG. The error is that of w.
func (f *Figure) WriteSVG(w io.Writer) error {
	canvas := &outlined{Canvas: vgsvg.New(width, f.height)}
	f.draw(draw.New(canvas))
	return canvas.writeTo(w, f.title)
}

// WritePNG writes the figure as PNG, 150 pixels an inch. The error is that of w.
func (f *Figure) WritePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(width, f.height), vgimg.UseDPI(dpi))
	f.draw(draw.New(canvas))
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// Save writes the figure as name.svg and name.png through write, which makes a file of the given name with the content
// that the function it is given writes, as results.Dir.Write does.
func (f *Figure) Save(name string, write func(name string, content func(io.Writer) error) error) error {
	if err := write(name+".svg", f.WriteSVG); err != nil {
		return err
	}
	return write(name+".png", f.WritePNG)
}
