package results

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Compared is a run that is set beside others.
type Compared struct {
	Name    string
	Summary *Summary
	// FCTs are the completion times of the flows that count and are done.
	FCTs []units.Time
}

// Comparison is several runs side by side: what was measured in each, and its ratio to the first.
type Comparison struct {
	Runs   []ComparedRun   `json:"runs" doc:"the runs, the one that ratios are to first"`
	Keys   []ComparedKey   `json:"parameters" doc:"parameters that a scenario shows, with their values in each run"`
	Rows   []ComparedRow   `json:"rows" doc:"what was measured"`
	Bills  []*Bill         `json:"cost" doc:"what each run cost at the prices of its scenario; null if it has none"`
	Notes  []string        `json:"notes" doc:"what a reader should know"`
	source []Compared      // for figures
	hidden map[string]bool // rows that only the files have
}

// ComparedRun is a run of a comparison.
type ComparedRun struct {
	Name     string  `json:"name" doc:"name of the run"`
	Scenario string  `json:"scenario" doc:"name of its scenario"`
	Outcome  Outcome `json:"outcome" doc:"how it ended; the figures of one that is not done cover a part"`
	Digest   string  `json:"digest" doc:"digest of the event streams of all its nodes"`
	Seed     uint64  `json:"seed" doc:"seed of all its random streams"`
}

// ComparedKey is a parameter with its values.
type ComparedKey struct {
	Key    string   `json:"key" doc:"key of the scenario"`
	Values []string `json:"values" doc:"its value in each run; empty where it is not shown or not given"`
}

// ComparedRow is something measured.
type ComparedRow struct {
	Group  string     `json:"group" doc:"what it is about"`
	Name   string     `json:"name" doc:"the metric, as scenarios name it, or what a program measured"`
	Unit   string     `json:"unit" doc:"us, Gbit/s, bytes, or empty for a plain number"`
	Values []*float64 `json:"values" doc:"what was measured in each run, in this unit; null if nothing was"`
	Ratios []*float64 `json:"ratios" doc:"each value over that of the first run; null where one of them was not measured or the first is 0"`
}

// NewComparison sets runs side by side, without any rows yet.
func NewComparison(runs []Compared) *Comparison {
	c := &Comparison{source: runs, hidden: map[string]bool{}}
	for _, r := range runs {
		c.Runs = append(c.Runs, ComparedRun{r.Name, r.Summary.Scenario, r.Summary.Outcome, r.Summary.Digest, r.Summary.Seed})
		c.Bills = append(c.Bills, r.Summary.Bill)
	}
	for i, r := range runs {
		for _, p := range r.Summary.Parameters {
			k := slices.IndexFunc(c.Keys, func(k ComparedKey) bool { return k.Key == p.Key })
			if k < 0 {
				k = len(c.Keys)
				c.Keys = append(c.Keys, ComparedKey{p.Key, make([]string, len(runs))})
			}
			c.Keys[k].Values[i] = p.Value
		}
	}
	return c
}

// Add adds a row with a value for each run, nil where nothing was measured; none if nothing was measured in any. Values are in
// ps, bit/s, bytes or as they are, as kind says: time, rate, size or number.
func (c *Comparison) Add(group, name, kind string, values []*float64) {
	measured := func(v *float64) bool { return v != nil }
	if !slices.ContainsFunc(values, measured) {
		return
	}
	row := ComparedRow{Group: group, Name: name, Values: make([]*float64, len(values)), Ratios: make([]*float64, len(values))}
	size := 1.0
	row.Unit, size = unitOfKind(kind)
	for i, v := range values {
		if v == nil {
			continue
		}
		in := *v / size
		row.Values[i] = &in
		if first := values[0]; first != nil && *first != 0 {
			ratio := *v / *first
			row.Ratios[i] = &ratio
		}
	}
	c.Rows = append(c.Rows, row)
}

// Hide leaves the row that was added last out of the text: it is 0 everywhere, say.
func (c *Comparison) Hide() { c.hidden[c.Rows[len(c.Rows)-1].Name] = true }

// unitOfKind is the unit in which files have what is counted in a base unit, and how many of that it is.
func unitOfKind(kind string) (unit string, size float64) {
	switch kind {
	case "time":
		return "us", float64(units.Microsecond)
	case "rate":
		return "Gbit/s", float64(units.Gbps)
	case "size":
		return "bytes", 1
	}
	return "", 1
}

// KindOfUnit is the inverse: what a value with a unit of our files counts, and how many base units that unit is.
func KindOfUnit(unit string) (kind string, size float64) {
	for _, kind := range [...]string{"time", "rate", "size"} {
		if name, size := unitOfKind(kind); name == unit {
			return kind, size
		}
	}
	return "number", 1
}

// text writes a value of a row as a person would.
func (r *ComparedRow) text(v *float64) string {
	if v == nil {
		return "-"
	}
	kind, size := KindOfUnit(r.Unit)
	return HumanIn(kind, float64(*v*size))
}

// times writes a ratio.
func times(ratio *float64) string {
	if ratio == nil {
		return ""
	}
	if *ratio != 0 && (*ratio < 0.001 || *ratio >= 1e6) {
		return fmt.Sprintf("%.2g x", *ratio)
	}
	return fmt.Sprintf("%.3g x", *ratio)
}

// WriteText writes the comparison for a person to read, in lines of at most so many columns. Where not all runs fit beside
// each other, the first stands in each block. The error is that of w.
func (c *Comparison) WriteText(w io.Writer, columns int) error {
	p := newPage(columns, coloured(w))
	c.write(p)
	return p.writeTo(w)
}

// most is how many letters a name of a row may have.
const mostLabel = 38

func (c *Comparison) write(p *page) {
	all := c.cells()
	widths := make([]int, len(all[0]))
	for i := range widths {
		for _, row := range all {
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
		widths[i] += 2
		if i > 1 && i%2 == 1 {
			widths[i]-- // a ratio stands nearer to its value
		}
	}
	for from := 1; ; {
		used := widths[0] + widths[1]
		shown := []int{0, 1}
		next := from
		for ; next < len(c.Runs); next++ { // each run but the first has two columns
			more := widths[2*next] + widths[2*next+1]
			if used+more > p.columns && next > from {
				break
			}
			used += more
			shown = append(shown, 2*next, 2*next+1)
		}
		if p.text.Len() > 0 {
			p.block("")
		}
		p.block(layOut(all, shown, widths))
		if from = next; next >= len(c.Runs) {
			break
		}
	}
	c.writeBills(p)
	p.list("note", c.Notes)
	p.flush()
}

// cells are the table: a label, a value of the first run, and for each other run a value and its ratio. Column 2k is the
// value of run k, column 2k+1 its ratio; the label has column 0 and the first run column 1.
func (c *Comparison) cells() [][]string {
	line := func(label string, value func(i int) string, ratio func(i int) string) []string {
		cells := []string{"  " + label, value(0)}
		for i := 1; i < len(c.Runs); i++ {
			cells = append(cells, value(i), ratio(i))
		}
		return cells
	}
	none := func(int) string { return "" }
	all := [][]string{
		line("", func(i int) string { return c.Runs[i].Name }, none),
		line("outcome", func(i int) string { return string(c.Runs[i].Outcome) }, none),
	}
	for _, k := range c.Keys {
		if len(slices.Compact(slices.Clone(k.Values))) == 1 {
			continue // it tells no run from another
		}
		all = append(all, line(shorter(k.Key), func(i int) string { return cut(k.Values[i], 22) }, none))
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		if c.hidden[r.Name] {
			continue
		}
		all = append(all, line(shorter(r.Name), func(i int) string { return r.text(r.Values[i]) }, func(i int) string { return times(r.Ratios[i]) }))
	}
	return all
}

// shorter leaves the beginning of a long name out.
func shorter(name string) string {
	runes := []rune(name)
	if len(runes) <= mostLabel {
		return name
	}
	return ".." + string(runes[len(runes)-mostLabel+2:])
}

// cut leaves the end of a long value out.
func cut(value string, most int) string {
	runes := []rune(value)
	if len(runes) <= most {
		return value
	}
	return string(runes[:most-2]) + ".."
}

// layOut writes some columns of a table beside each other: the first to the left, the others to the right.
func layOut(all [][]string, shown, widths []int) string {
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	var columns []table.ColumnConfig
	for k, i := range shown {
		c := table.ColumnConfig{Number: k + 1, WidthMin: widths[i]}
		if k > 0 {
			c.Align = text.AlignRight
		}
		columns = append(columns, c)
	}
	t.SetColumnConfigs(columns)
	for k, row := range all {
		if k > 0 && !slices.ContainsFunc(shown[1:], func(i int) bool { return row[i] != "" && row[i] != "-" }) {
			continue // none of these runs has it
		}
		var cells table.Row
		for _, i := range shown {
			cells = append(cells, row[i])
		}
		t.AppendRow(cells)
	}
	return t.Render()
}

// writeBills says by which prices the costs came about, once for all runs that have the same.
func (c *Comparison) writeBills(p *page) {
	if !slices.ContainsFunc(c.Bills, func(b *Bill) bool { return b != nil }) {
		return
	}
	p.block("")
	var said, who []string
	for i, b := range c.Bills {
		text := "not priced: there is no cost block"
		if b != nil {
			text = b.prices()
		}
		k := slices.Index(said, text)
		if k < 0 {
			k = len(said)
			said, who = append(said, text), append(who, "")
		}
		who[k] = strings.TrimPrefix(who[k]+", "+c.Runs[i].Name, ", ")
	}
	for k := range said {
		if len(said) > 1 {
			said[k] = who[k] + ": " + said[k]
		}
	}
	p.list("prices", said)
	p.flush()
}

// Incomplete tells whether any of the runs came to no end, so that its figures cover a part.
func (c *Comparison) Incomplete() bool {
	return slices.ContainsFunc(c.Runs, func(r ComparedRun) bool { return !r.Outcome.Complete() })
}

// Table is the comparison as a table: a row for each thing measured.
func (c *Comparison) Table() *Table {
	t := NewTable("compare.csv", "one row a thing that was measured, with its value in each run and the ratio of that to the value in the first run")
	group, name := t.String("group", "what it is about"), t.String("metric", "what was measured, as expectations of scenarios name it, or as a program does")
	unit := t.String("unit", "unit of the values; empty for plain numbers")
	for i := range c.Rows {
		group.Append(c.Rows[i].Group)
		name.Append(c.Rows[i].Name)
		unit.Append(c.Rows[i].Unit)
	}
	put := func(column *Values[float64], of func(r *ComparedRow) *float64) {
		for i := range c.Rows {
			if v := of(&c.Rows[i]); v != nil {
				column.Append(*v)
			} else {
				column.AppendMissing()
			}
		}
	}
	taken := map[string]bool{}
	for i, r := range c.Runs {
		label := columnName(r.Name)
		for taken[label] {
			label += "_"
		}
		taken[label] = true
		put(t.Float("value_"+label, "", "in the run "+r.Name), func(row *ComparedRow) *float64 { return row.Values[i] })
		if i > 0 {
			put(t.Float("ratio_"+label, "", "that over the value in the run "+c.Runs[0].Name), func(row *ComparedRow) *float64 { return row.Ratios[i] })
		}
	}
	return t
}

// columnName makes a name of a column of that of a run.
func columnName(run string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '_'
	}, run)
}

// WriteJSON writes the comparison as a document. The error is that of w, or tells of a number that is not finite.
func (c *Comparison) WriteJSON(w io.Writer) error {
	document := *c
	document.Keys, document.Rows, document.Notes = orEmpty(c.Keys), orEmpty(c.Rows), orEmpty(c.Notes)
	return writeJSON(w, document)
}

// Source are the runs.
func (c *Comparison) Source() []Compared { return c.source }
