package explain

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// page is the text under way.
type page struct {
	strings.Builder
	columns int
}

// section begins a section.
func (p *page) section(title string) {
	if p.Len() > 0 {
		p.WriteString("\n")
	}
	p.WriteString(title + "\n")
}

// line adds a line, or several, without the blanks at their ends.
func (p *page) line(s string) {
	for line := range strings.SplitSeq(s, "\n") {
		p.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// paragraph adds a text, indented; its further lines are indented more.
func (p *page) paragraph(indent, s string) {
	wrapped := text.WrapSoft(s, p.columns-len(indent)-2)
	p.line(indent + strings.ReplaceAll(wrapped, "\n", "\n"+indent+"  "))
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.String())
	return err
}
