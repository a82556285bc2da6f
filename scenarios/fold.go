package scenarios

import (
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// measured is a run that has ended, with its tables as far as they were asked for.
type measured struct {
	summary *results.Summary
	run     *record.Run
	matched bool // whether series are recorded of some ports only
	tables  map[string]*results.Table
}

// table makes a table of the run, once.
func (m *measured) table(name string) *results.Table {
	if m.tables[name] == nil {
		if m.tables == nil {
			m.tables = map[string]*results.Table{}
		}
		m.tables[name] = m.run.Table(name)
	}
	return m.tables[name]
}

// unknown is why something was not measured.
type unknown string

// Error is the reason.
func (u unknown) Error() string { return string(u) }

// find returns what the selection comes to in a run, in the base unit. The error says why it comes to nothing.
func (s *Selection) find(m *measured) (float64, error) {
	what, err := s.subject()
	if err != nil {
		return 0, err
	}
	value, err := s.valueOf(what, m)
	if err == nil && (math.IsNaN(value) || math.IsInf(value, 0)) {
		return 0, unknown("not a number")
	}
	return value, err
}

func (s *Selection) valueOf(what subject, m *measured) (float64, error) {
	if what.metric != nil {
		value, ok := what.metric.Of(m.summary)
		if !ok {
			return 0, unknown("")
		}
		return value, nil
	}
	table := m.table(what.table)
	rows := pick(table, s.where())
	if what.steps() != noSteps {
		return s.overTime(what, table, rows, m)
	}
	return s.fold(table.Column(what.column.Name), within(table, rows, s.From, s.To))
}

// within returns the rows of a series that begin in a span of time.
func within(t *results.Table, rows []int, from, to *units.Time) (in []int) {
	if from == nil && to == nil {
		return rows
	}
	at := t.Column("time_us")
	if at == nil {
		at = t.Column("from_us")
	}
	for _, row := range rows {
		value, _ := at.Number(row)
		if (from == nil || value >= float64(*from)) && (to == nil || value < float64(*to)) {
			in = append(in, row)
		}
	}
	return in
}

// fold makes one value of those of a column in some rows.
func (s *Selection) fold(column *results.Column, rows []int) (float64, error) {
	take := s.take()
	switch {
	case take == "count":
		return float64(len(rows)), nil
	case len(rows) == 0:
		return 0, unknown("no row fits")
	case take == "only" && len(rows) > 1:
		return 0, unknown(fmt.Sprintf("%d rows fit, want one", len(rows)))
	case take == "first":
		rows = rows[:1]
	case take == "last":
		rows = rows[len(rows)-1:]
	}
	var values []float64
	for _, row := range rows {
		if value, ok := column.Number(row); ok {
			values = append(values, value)
		}
	}
	switch missing := len(rows) - len(values); {
	case missing > 0 && len(rows) == 1:
		return 0, unknown(column.Name + " is empty")
	case missing > 0:
		return 0, unknown(fmt.Sprintf("%s is empty in %d of %d rows", column.Name, missing, len(rows)))
	}
	return foldValues(take, values), nil
}

// foldValues makes one value of some, of which there is at least one.
func foldValues(take string, values []float64) float64 {
	d := results.NewDistribution(values)
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	switch take {
	case "only", "first", "last":
		return values[0]
	case "min":
		return d.At(1)
	case "max":
		return d.Max()
	case "sum":
		return sum
	case "mean":
		return sum / float64(len(values))
	}
	return d.Percentile(percentile(take))
}

// percentile is the share that p50 or p999 means.
func percentile(take string) units.Ratio {
	switch take {
	case "p50":
		return units.Ratio{Num: 1, Den: 2}
	case "p90":
		return units.Ratio{Num: 9, Den: 10}
	case "p95":
		return units.Ratio{Num: 19, Den: 20}
	case "p99":
		return units.Ratio{Num: 99, Den: 100}
	}
	return units.Ratio{Num: 999, Den: 1000}
}
