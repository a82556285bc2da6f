package verify

import (
	"fmt"
	"io"
	"strings"
)

// heads are the columns of the table in Markdown.
var heads = []string{"check", "rule", "source", "expected", "found", "deviation", "band", "because", "verdict"}

// WriteMarkdown writes the table in Markdown.
func WriteMarkdown(w io.Writer, all []Result) error {
	var out strings.Builder
	row := func(cells ...string) {
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
		}
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	row(append([]string(nil), heads...)...)
	out.WriteString("|" + strings.Repeat(" --- |", len(heads)) + "\n")
	for _, r := range all {
		for _, x := range r.Rows {
			row("`"+r.Check+"`", x.Rule, x.Source, x.Expected, x.Found, x.Deviation, x.Band, x.Because, x.verdict())
		}
		if r.Err != nil {
			row("`"+r.Check+"`", "runs to its end", "", "", oneLine(r.Err), "", "", "", notRun)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// The lines between which a page holds the table.
const (
	begin = "<!-- table: made by rdmasim verify --full --into docs/validation.md, never by hand -->"
	end   = "<!-- end of table -->"
)

// Insert returns a page with the table put between its two markers.
func Insert(page string, all []Result) (string, error) {
	before, _, found := strings.Cut(page, begin)
	_, after, ended := strings.Cut(page, end)
	if !found || !ended {
		return "", fmt.Errorf("it has no place for the table: want the lines\n%s\n%s", begin, end)
	}
	var table strings.Builder
	if err := WriteMarkdown(&table, all); err != nil {
		return "", err
	}
	return before + begin + "\n\n" + table.String() + "\n" + end + after, nil
}
