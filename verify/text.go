package verify

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rdmasim/rdmasim/results"
)

// Widths of the columns of the table on a terminal; the rule has what is left.
const (
	verdictWidth   = 3
	expectedWidth  = 12
	foundWidth     = 16
	deviationWidth = 11
	bandWidth      = 7
	gaps           = 6
)

// WriteText writes the table for a terminal of so many columns: a line or more for each rule, its source below it.
func WriteText(w io.Writer, all []Result, columns int) error {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", " "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(table.Row{"", "rule", "expected", "found", "deviation", "band"})
	rule := max(16, columns-verdictWidth-expectedWidth-foundWidth-deviationWidth-bandWidth-gaps)
	widths := []int{verdictWidth, rule, expectedWidth, foundWidth, deviationWidth, bandWidth}
	var configs []table.ColumnConfig
	for i, width := range widths {
		configs = append(configs, table.ColumnConfig{Number: i + 1, WidthMin: width, WidthMax: width, WidthMaxEnforcer: wrap})
	}
	t.SetColumnConfigs(configs)
	for _, r := range all {
		t.AppendRow(table.Row{"", r.Check})
		for _, row := range r.Rows {
			t.AppendRow(table.Row{row.verdict(), row.about(), row.Expected, row.Found, row.Deviation, row.Band})
		}
		if r.Err != nil {
			t.AppendRow(table.Row{notRun, oneLine(r.Err)})
		}
	}
	var out strings.Builder
	for line := range strings.SplitSeq(t.Render(), "\n") {
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	met, rules := count(all)
	fmt.Fprintf(&out, "\n%d of %s met, in %s.\n", met, results.Plural(int64(rules), "rule"), results.Plural(int64(len(all)), "check"))
	_, err := io.WriteString(w, out.String())
	return err
}

// notRun is the verdict on a check that came to no end.
const notRun = "NOT RUN"

// wrap breaks text between words, and within those that are too long.
func wrap(s string, width int) string { return text.WrapSoft(s, width) }

func (r *Row) verdict() string {
	switch {
	case r.Told:
		return "-"
	case r.Met:
		return "met"
	}
	return "NOT MET"
}

// about is the rule with its source.
func (r *Row) about() string {
	if r.Source == "" {
		return r.Rule
	}
	return r.Rule + " [" + r.Source + "]"
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// WriteJSON writes all rows as a JSON document: {"met": 7, "rules": 8, "checks": [{"name", "rows", "error"}]}.
func WriteJSON(w io.Writer, all []Result) error {
	type check struct {
		Name  string `json:"name"`
		Rows  []Row  `json:"rows"`
		Error string `json:"error,omitempty"`
	}
	var document struct {
		Met    int     `json:"met"`
		Rules  int     `json:"rules"`
		Checks []check `json:"checks"`
	}
	document.Met, document.Rules = count(all)
	document.Checks = []check{}
	for _, r := range all {
		c := check{Name: r.Check, Rows: append([]Row{}, r.Rows...)}
		if r.Err != nil {
			c.Error = oneLine(r.Err)
		}
		document.Checks = append(document.Checks, c)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}
