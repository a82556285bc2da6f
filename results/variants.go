package results

import (
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Variant is another run of a scenario, beside the one that a summary is about.
type Variant struct {
	Name    string   `json:"name" doc:"name of the variant"`
	Doc     string   `json:"doc" doc:"what is different; may be empty"`
	Folder  string   `json:"folder" doc:"where its results are, below this directory"`
	Outcome Outcome  `json:"outcome" doc:"how its run ended"`
	Summary *Summary `json:"-"` // stands in its folder
}

// VariantFolder is where the results of a variant stand below those of its scenario.
func VariantFolder(name string) string { return "variants/" + name }

// besideEachOther is how many runs are shown with all that was measured; of more, one below the other, there is less, and the
// rest stands in compare.csv.
const besideEachOther = 5

// writeVariants sets the runs of the scenario side by side.
func (s *Summary) writeVariants(p *page) {
	if len(s.Variants) == 0 {
		return
	}
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	rows := []table.Row{{"  run", "outcome", "FCT p50", "p99", "goodput", "drops", "XOFF", "cuts"}, s.besides("base")}
	programs := s.onlyPrograms()
	for _, v := range s.Variants {
		rows = append(rows, v.Summary.besides(v.Name))
		programs = programs && v.Summary.onlyPrograms()
	}
	if programs { // there is no flow to tell of
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 2, 5)
		}
	}
	t.AppendHeader(rows[0])
	t.AppendRows(rows[1:])
	t.SetColumnConfigs(apart(rows))
	if s.Beside != nil && len(s.Beside.Runs) <= besideEachOther {
		s.Beside.write(p)
	} else {
		p.block("")
		p.block(t.Render())
	}
	p.list("base", s.gists())
	for _, v := range s.Variants {
		s.writeVariant(p, v)
	}
	if s.Beside != nil && p.rows.Length() > 0 {
		p.block("")
	}
	p.flush()
}

// apart sets the widths of the columns of runs such that no two of them touch: names and outcomes to the left,
// figures to the right.
func apart(rows []table.Row) (columns []table.ColumnConfig) {
	least := []int{labelColumns, 4}
	for i := range rows[0] {
		c := table.ColumnConfig{Number: i + 1, WidthMin: 9}
		if i < len(least) {
			c.WidthMin = least[i]
		} else {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		for _, row := range rows {
			width := len(fmt.Sprint(row[i]))
			if i != 1 { // what comes after an outcome keeps its distance by itself
				width++
			}
			c.WidthMin = max(c.WidthMin, width)
		}
		columns = append(columns, c)
	}
	return columns
}

// writeVariant says what a variant is about, and why it is not complete if so.
func (s *Summary) writeVariant(p *page, v Variant) {
	var lines []string
	if v.Doc != "" {
		lines = append(lines, v.Doc)
	}
	lines = append(lines, v.Summary.gists()...)
	if !v.Outcome.Complete() {
		lines = append(lines, "INCOMPLETE ("+string(v.Outcome)+" at "+units.Time(v.Summary.SimulatedTime).Human()+"): "+v.Summary.undone())
	}
	for _, warning := range v.Summary.Warnings {
		if !slices.Contains(s.Warnings, warning) {
			lines = append(lines, "warning: "+warning)
		}
	}
	p.list(v.Name, lines)
}

// gists are what the programs of the run came to, each in a line.
func (s *Summary) gists() (lines []string) {
	for _, o := range s.Outputs {
		if o.Gist != "" {
			lines = append(lines, o.Name+": "+o.Gist)
		}
	}
	return lines
}

// besides is the run in a line.
func (s *Summary) besides(name string) table.Row {
	row := table.Row{"  " + name, string(s.Outcome), "-", "-", units.Rate(s.Goodput.Rate).Human(), s.dropped(), "-", Count(s.CongestionControl.RateCuts)}
	if s.FCT != nil {
		row[2], row[3] = units.Time(s.FCT.P50).Human(), units.Time(s.FCT.P99).Human()
	}
	if s.Pause != nil {
		row[6] = Count(s.Pause.XOFF)
	}
	return row
}

// dropped is how many packets were dropped, for any reason.
func (s *Summary) dropped() string {
	var packets int64
	for _, d := range s.Drops {
		packets += d.Packets
	}
	return Count(packets)
}

// writeExpectations tells of each promise what was expected and what was found, the broken ones first.
func (s *Summary) writeExpectations(p *page) {
	if len(s.Expectations) == 0 {
		return
	}
	var kept, broken []string
	for _, e := range s.Expectations {
		if e.Met {
			kept = append(kept, e.Line())
		} else {
			broken = append(broken, e.Line())
		}
	}
	p.flush()
	p.block("")
	p.list("expected", append(broken, kept...))
}

// Line tells whether the promise was kept, what was found, and by how much that differs.
func (e *Expectation) Line() string {
	line := "NOT MET: "
	if e.Met {
		line = "met: "
	}
	line += e.Text + "; found " + e.Measured
	if e.Deviation != "" && e.Deviation != "0" && e.Deviation != "inside" {
		line += ", " + e.Deviation
	}
	return line
}
