package results

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rdmasim/rdmasim/sim/units"
)

// writePercentiles adds the table of completion times and slowdowns.
func (s *Summary) writePercentiles(p *page) {
	if s.FCT == nil && s.onlyPrograms() {
		return
	}
	if s.FCT == nil {
		p.row("FCT", "no flow is done, so there is none")
		return
	}
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	t.AppendHeader(percentileRow("", "p50", "p95", "p99", "p99.9", "max"))
	t.AppendRow(percentileCells("FCT", s.FCT, func(m Micros) string { return units.Time(m).Human() }))
	if s.Slowdown != nil {
		t.AppendRow(percentileCells("slowdown", s.Slowdown, ratio))
	}
	t.SetColumnConfigs(percentileColumns())
	p.block(t.Render())
	p.paragraph(strings.Repeat(" ", labelColumns), s.percentileNote())
	p.block("")
}

// ratio writes a slowdown: to the third decimal where it is near 1, since exactly 1 means something.
func ratio(x float64) string {
	decimals := 1
	if x < 10 {
		decimals = 3
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

func (s *Summary) percentileNote() string {
	note := "nearest rank of " + Plural(int64(s.FCT.Samples), "flow")
	if w := s.Window; w != nil {
		note += " that start " + w.span()
	}
	if s.FCT.P999 == nil {
		note += fmt.Sprintf("; p99.9 needs %s", Count(SamplesForP999))
	}
	if s.FCTEnd != "" {
		note += "; FCT to " + s.FCTEnd
	}
	return note
}

// span says when the flows start that count.
func (w *Window) span() string {
	from := units.Time(w.From).Human()
	if units.Time(w.To) == units.Never {
		return "from " + from + " on"
	}
	return "from " + from + " to " + units.Time(w.To).Human()
}

func percentileRow(cells ...any) table.Row {
	cells[0] = fmt.Sprintf("  %v", cells[0])
	return cells
}

func percentileCells[T any](label string, p *Percentiles[T], text func(T) string) table.Row {
	p999 := "-"
	if p.P999 != nil {
		p999 = text(*p.P999)
	}
	return percentileRow(label, text(p.P50), text(p.P95), text(p.P99), p999, text(p.Max))
}

func percentileColumns() []table.ColumnConfig {
	columns := []table.ColumnConfig{{Number: 1, WidthMin: labelColumns}}
	for i := range 5 {
		columns = append(columns, table.ColumnConfig{
			Number: i + 2, WidthMin: 10, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return columns
}
