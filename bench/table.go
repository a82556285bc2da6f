package bench

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Style is how tables are written.
type Style int

// The styles.
const (
	Text     Style = iota // aligned, for a terminal
	Markdown              // for a page
)

// table is a heading, names of columns, and rows of as many cells. The first column is text,
// the others are numbers.
type table struct {
	title   string
	columns []string
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table with a blank line after it.
func (t *table) write(w io.Writer, style Style) error {
	if len(t.rows) == 0 {
		return nil
	}
	var out strings.Builder
	out.WriteString(t.title + "\n")
	if style == Markdown {
		out.WriteString("\n")
	}
	widths := t.widths()
	t.line(&out, style, widths, t.columns)
	if style == Markdown {
		out.WriteString("|---|" + strings.Repeat("---:|", len(t.columns)-1) + "\n")
	}
	for _, row := range t.rows {
		t.line(&out, style, widths, row)
	}
	out.WriteString("\n")
	_, err := io.WriteString(w, out.String())
	return err
}

func (t *table) line(out *strings.Builder, style Style, widths []int, cells []string) {
	if style == Markdown {
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		return
	}
	var line strings.Builder
	for i, cell := range cells {
		gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			line.WriteString("  " + cell + gap)
		} else {
			line.WriteString("  " + gap + cell)
		}
	}
	out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for _, row := range append([][]string{t.columns}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}
