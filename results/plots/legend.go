package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is a line of a legend.
type entry struct {
	name string
	icon func(c *draw.Canvas) // fills the canvas it is given
}

// The measures of a legend.
const (
	iconWidth  = vg.Length(26)
	iconGap    = vg.Length(6)
	columnGap  = vg.Length(18)
	lineHeight = vg.Length(16)
)

// drawLegend draws the legend at the bottom of c, in as many columns of equal width as fit, and returns the height it takes.
func (f *Figure) drawLegend(c draw.Canvas) vg.Length {
	if len(f.legend) == 0 {
		return 0
	}
	style := f.textStyle(textSize, color.Black)
	var widest vg.Length
	for _, e := range f.legend {
		widest = max(widest, style.Width(e.name))
	}
	columnWidth := iconWidth + iconGap + widest + columnGap
	columns := max(1, int((c.Max.X-c.Min.X+columnGap)/columnWidth))
	rows := (len(f.legend) + columns - 1) / columns
	for i, e := range f.legend {
		x := c.Min.X + vg.Length(i%columns)*columnWidth
		y := c.Min.Y + vg.Length(rows-1-i/columns)*lineHeight
		icon := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + iconWidth, Y: y + textSize*0.7}}}
		e.icon(&icon)
		c.FillText(style, vg.Point{X: x + iconWidth + iconGap, Y: y}, e.name)
	}
	return vg.Length(rows)*lineHeight + margin/2
}

// lineIcon is the icon of a line.
func lineIcon(style draw.LineStyle) func(*draw.Canvas) {
	return func(c *draw.Canvas) { c.StrokeLine2(style, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y) }
}

// glyphIcon is the icon of a marker.
func glyphIcon(style draw.GlyphStyle) func(*draw.Canvas) {
	return func(c *draw.Canvas) { c.DrawGlyphNoClip(style, c.Center()) }
}

// shortened returns the name with its middle left out if it is longer than so many letters: the ends of names of ports
// tell them apart.
func shortened(name string, letters int) string {
	runes := []rune(name)
	if len(runes) <= letters {
		return name
	}
	head := (letters - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(letters-1-head):])
}
