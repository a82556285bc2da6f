package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lineStyle returns the style of the i-th line of a figure. Colours are those of Okabe and Ito (Color Universal Design,
// 2008) without the yellow, which is too pale on white. The dashes change with each line, so that they can be told apart
// in grey as well.
func lineStyle(i int) draw.LineStyle {
	colours := [...]color.RGBA{
		{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, // blue
		{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, // vermillion
		{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, // bluish green
		{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, // reddish purple
		{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, // sky blue
		{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, // orange
		{R: 0x00, G: 0x00, B: 0x00, A: 0xff}, // black
	}
	dashes := [...][]vg.Length{nil, {7, 3}, {2, 2}, {9, 3, 2, 3}}
	return draw.LineStyle{Color: colours[i%len(colours)], Width: 1.6, Dashes: dashes[i%len(dashes)]}
}

func darkGrey() color.Color  { return color.Gray{Y: 0x50} }
func lightGrey() color.Color { return color.Gray{Y: 0xe2} }

// diamond is a filled rhombus, a marker.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius * 1.3
	c.FillPolygon(style.Color, []vg.Point{
		{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}
