package results

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Parameter is a value of the scenario that is shown with the results: one of those that decide about them.
type Parameter struct {
	Key   string `json:"key" doc:"key of the scenario"`
	Value string `json:"value" doc:"its value, as a scenario writes it; empty if it is not given and has no default"`
	From  string `json:"from" doc:"where the value comes from: the place where it was given, the preset or profile, or default with its source"`
}

// writeParameters shows the parameters before all else, each with its value and where that comes from.
func (s *Summary) writeParameters(p *page) {
	if len(s.Parameters) == 0 {
		return
	}
	p.block("parameters")
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	widths := [2]int{}
	for _, one := range s.Parameters {
		widths[0], widths[1] = max(widths[0], len(one.Key)), max(widths[1], len(one.Value))
	}
	for _, one := range s.Parameters {
		t.AppendRow(table.Row{"  " + one.Key + "  ", one.value() + "  ", one.From})
	}
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1}, {Number: 2}, {Number: 3, WidthMax: max(24, p.columns-min(widths[0], 40)-min(widths[1], 24)-6), WidthMaxEnforcer: text.WrapSoft}})
	p.block(t.Render())
	p.block("")
}

// value is the value, or that there is none.
func (a *Parameter) value() string {
	if a.Value == "" {
		return "none"
	}
	return a.Value
}
