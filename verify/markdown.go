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

// Place is where in a page a table stands: after a line that says how it was made, up to the next line that ends one.
type Place string

// The places of the tables.
const (
	// OfRules is that of all checks.
	OfRules Place = "<!-- table: made by rdmasim verify --full --into docs/validation.md, never by hand -->"
	// OfSimulators is that of the comparisons with other simulators.
	OfSimulators Place = "<!-- table: made by rdmasim verify --golden DIR --full --into docs/validation.md, never by hand -->"

	end = "<!-- end of table -->"
)

// Insert returns a page with the table put in a place.
func Insert(page string, at Place, all []Result) (string, error) {
	begin := string(at)
	before, rest, found := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("it has no place for the table: want the lines\n%s\n%s", begin, end)
	}
	var table strings.Builder
	if err := WriteMarkdown(&table, all); err != nil {
		return "", err
	}
	return before + begin + "\n\n" + table.String() + "\n" + end + after, nil
}
