package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// hold is a value that held for a time.
type hold struct{ value, length float64 }

// overTime makes one value of a series whose values hold from a row until the next one of the same thing.
func (s *Selection) overTime(what subject, t *results.Table, rows []int, m *measured) (float64, error) {
	take := s.take()
	if take == "count" {
		return float64(len(within(t, rows, s.From, s.To))), nil
	}
	from, to, err := s.span(m)
	if err != nil {
		return 0, err
	}
	series, _ := record.StepsOf(what.table)
	names, things := byThing(t, series.Of, rows)
	if len(things) == 0 {
		if what.steps() == fromKnown || m.matched || slices.Contains(series.Of, "qpn") {
			return 0, unknown("no row fits")
		}
		return 0, nil // it never changed from what it was at the beginning
	}
	if len(things) > 1 && take != "max" { // things that never changed are not among them
		return 0, unknown(fmt.Sprintf("%d series fit, want one: %s", len(things), strings.Join(names[:min(3, len(names))], ", ")))
	}
	var holds []hold
	for _, own := range things {
		instants, values := t.Column(series.At), t.Column(what.column.Name)
		holds = append(holds, steps(instants, values, s.before(instants, own, from), what.steps() == fromZero, float64(from), float64(to))...)
	}
	if len(holds) == 0 {
		return 0, unknown("not known before " + to.String())
	}
	return foldHolds(take, holds), nil
}

// before leaves out what comes at to or later, but what holds at the instant of from.
func (s *Selection) before(instants *results.Column, rows []int, from units.Time) []int {
	if s.To == nil {
		return rows
	}
	late := slices.IndexFunc(rows, func(row int) bool {
		instant, _ := instants.Number(row)
		return instant >= float64(*s.To) && instant > float64(from)
	})
	if late < 0 {
		return rows
	}
	return rows[:late]
}

// span is the time that counts.
func (s *Selection) span(m *measured) (from, to units.Time, err error) {
	end := units.Time(m.summary.SimulatedTime)
	to = end
	if s.From != nil {
		from = *s.From
	}
	if s.To != nil {
		to = *s.To
	}
	if max(from, to) > end {
		return 0, 0, unknown(fmt.Sprintf("the run ended at %v, before %v", end, max(from, to)))
	}
	return from, to, nil
}

// byThing divides rows by what they are about, which some columns name.
func byThing(t *results.Table, of []string, rows []int) (names []string, things [][]int) {
	at := map[string]int{}
	for _, row := range rows {
		var parts []string
		for _, column := range of {
			parts = append(parts, column+" "+t.Column(column).Cell(row))
		}
		name := strings.Join(parts, " ")
		i, known := at[name]
		if !known {
			i = len(things)
			at[name] = i
			names, things = append(names, name), append(things, nil)
		}
		things[i] = append(things[i], row)
	}
	return names, things
}

// steps are the values of one thing over a span of time, in the order of time; no row is later. The last one may have no
// length, if it came at the end.
func steps(at, value *results.Column, rows []int, zero bool, from, to float64) (holds []hold) {
	held, known := 0.0, zero
	since := from
	keep := func(until float64) {
		if known {
			holds = append(holds, hold{held, until - since})
		}
		since = until
	}
	for _, row := range rows {
		instant, _ := at.Number(row)
		if instant > since {
			keep(instant)
		}
		held, known = value.Number(row)
	}
	keep(to)
	return holds
}

// foldHolds makes one value of those that held for some time.
func foldHolds(take string, holds []hold) float64 {
	switch take {
	case "first":
		return holds[0].value
	case "last":
		return holds[len(holds)-1].value
	case "mean":
		return meanHold(holds)
	}
	sorted := slices.SortedFunc(slices.Values(holds), func(a, b hold) int { return cmp.Compare(a.value, b.value) })
	switch take {
	case "min":
		return sorted[0].value
	case "max":
		return sorted[len(sorted)-1].value
	}
	share, whole, sum := percentile(take), 0.0, 0.0
	for _, h := range sorted {
		whole += h.length
	}
	for _, h := range sorted {
		if sum += h.length; sum*float64(share.Den) >= whole*float64(share.Num) {
			return h.value
		}
	}
	return sorted[len(sorted)-1].value
}

// meanHold is the mean over time.
func meanHold(holds []hold) float64 {
	area, whole := 0.0, 0.0
	for _, h := range holds {
		area += float64(h.value * h.length)
		whole += h.length
	}
	if whole == 0 {
		return holds[len(holds)-1].value
	}
	return area / whole
}
