package results

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// labelColumns is the width of the labels at the left of a summary, the gap included.
const labelColumns = 17

// page collects the text of a summary.
type page struct {
	text     strings.Builder
	columns  int
	coloured bool
	rows     table.Writer // labelled values since the last flush
}

func newPage(columns int, coloured bool) *page {
	p := &page{columns: min(max(columns, minColumns), maxColumns), coloured: coloured}
	p.rows = p.newRows()
	return p
}

// newRows returns an empty table of labels and values, in which long values are wrapped and stay beside their label.
func (p *page) newRows() table.Writer {
	rows := table.NewWriter()
	rows.SetStyle(plainStyle())
	rows.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMin: labelColumns, WidthMax: labelColumns},
		{Number: 2, WidthMax: p.columns - labelColumns, WidthMaxEnforcer: text.WrapSoft},
	})
	return rows
}

// plainStyle has neither lines nor capitals, and two blanks between columns.
func plainStyle() table.Style {
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", ""
	style.Format.Header = text.FormatDefault
	return style
}

// row adds a labelled value.
func (p *page) row(label, format string, args ...any) {
	value := fmt.Sprintf(format, args...)
	if len(label) > labelColumns-3 { // too long to stand beside its value
		p.rows.AppendRow(table.Row{"  " + label, ""})
		label = ""
	}
	p.rows.AppendRow(table.Row{"  " + label, value})
}

// list adds values one below the other, the first beside the label; nothing if there is none.
func (p *page) list(label string, values []string) {
	for _, value := range values {
		p.row(label, "%s", value)
		label = ""
	}
}

// flush ends a block of labelled values.
func (p *page) flush() {
	if p.rows.Length() > 0 {
		p.block(p.rows.Render())
		p.rows = p.newRows()
	}
}

// block adds lines, without the blanks at their ends.
func (p *page) block(lines string) {
	for line := range strings.SplitSeq(lines, "\n") {
		p.text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// paragraph adds wrapped text, indented.
func (p *page) paragraph(indent, s string) {
	wrapped := text.WrapSoft(s, p.columns-len(indent))
	p.block(indent + strings.ReplaceAll(wrapped, "\n", "\n"+indent))
}

// headline adds a line that must not be missed: red if something is wrong, green if all is well.
func (p *page) headline(well bool, s string) {
	s = text.WrapSoft(s, p.columns)
	if p.coloured {
		colour := text.FgRed
		if well {
			colour = text.FgGreen
		}
		s = text.Bold.EscapeSeq() + colour.EscapeSeq() + s + text.Reset.EscapeSeq()
	}
	p.block(s)
}

func (p *page) writeTo(w io.Writer) error {
	p.flush()
	_, err := io.WriteString(w, p.text.String())
	return err
}
