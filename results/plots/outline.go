package plots

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// outlined is an SVG canvas that draws letters as outlines rather than as text. A viewer without our font would put in a
// wider one, and labels that fit would run into each other. What is written stands in the description of the file as
// text, for search and for screen readers.
type outlined struct {
	*vgsvg.Canvas
	texts []string
}

// FillString implements vg.Canvas.
func (o *outlined) FillString(face font.Face, at vg.Point, s string) {
	s = strings.ToValidUTF8(s, "?")
	o.texts = append(o.texts, s)
	var path vg.Path
	for i, letter := range s {
		end := i + utf8.RuneLen(letter)
		kerned := face.Width(s[:end]) - face.Width(s[i:end])
		appendLetter(&path, face, letter, vg.Point{X: at.X + kerned, Y: at.Y})
	}
	o.Fill(path)
}

// appendLetter appends the outline of a letter that begins at the point. A font that lacks it has an outline for that too.
func appendLetter(path *vg.Path, face font.Face, letter rune, at vg.Point) {
	var buffer sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm()) // at this size the outlines are in the units of the font
	index, err := face.Face.GlyphIndex(&buffer, letter)
	if err != nil {
		panic(fmt.Sprintf("plots: font %s: %v", face.Name(), err))
	}
	outline, err := face.Face.LoadGlyph(&buffer, index, em, nil)
	if err != nil {
		panic(fmt.Sprintf("plots: font %s: letter %q: %v", face.Name(), letter, err))
	}
	unit := face.Font.Size / vg.Length(em)
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length(p.X)*unit, Y: at.Y - vg.Length(p.Y)*unit}
	}
	for _, s := range outline {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			path.Move(point(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(point(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(point(s.Args[0]), point(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
		}
	}
}

// writeTo writes the document, with the title and all that is written on the figure at its beginning.
func (o *outlined) writeTo(w io.Writer, title string) error {
	var svg bytes.Buffer
	if _, err := o.WriteTo(&svg); err != nil {
		return err
	}
	head, body, _ := bytes.Cut(svg.Bytes(), []byte("\n<g "))
	_, err := fmt.Fprintf(w, "%s\n<title>%s</title>\n<desc>%s</desc>\n<g %s", head,
		html.EscapeString(strings.ToValidUTF8(title, "?")), html.EscapeString(strings.Join(o.texts, "\n")), body)
	return err
}
