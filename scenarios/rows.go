package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// condition is one on the rows of a table: a column has a value.
type condition struct{ column, value string }

// checkRows checks the conditions, and what is to be made of the rows, against the columns there are.
func (s *Selection) checkRows(what subject, columns *results.Table) error {
	var faults []error
	for _, c := range s.where() {
		faults = append(faults, c.check(what.table, columns))
	}
	return errors.Join(append(faults, s.checkTake(what), s.checkSpan(what.table))...)
}

// check finds a column that does not exist, and a value that it cannot have.
func (c condition) check(table string, columns *results.Table) error {
	key := "where." + c.column
	column := columns.Column(c.column)
	if column == nil {
		return units.Field(key, c.column, "no such column", DidYouMean(c.column, columnNames(columns)))
	}
	if column.IsWords() {
		return c.checkWord(key, record.Words(table, c.column))
	}
	var q Quantity
	if err := q.UnmarshalText([]byte(c.value)); err != nil {
		return units.Field(key, c.value, "not a number", fmt.Sprintf("%s is a %s", c.column, unitOf(column)))
	}
	return q.mustBe(key, c.column, unitOf(column))
}

// checkWord refuses a word that the column never holds: counted, it would be 0 whatever happens.
func (c condition) checkWord(key string, words []string) error {
	if words == nil || slices.ContainsFunc(words, func(w string) bool { return fits(c.value, w) }) {
		return nil
	}
	return units.Field(key, c.value, "no "+c.column+" is like that", hostlist.DidYouMean(c.value, words))
}

// mustBe refuses a quantity of another unit than what it is compared with.
func (q Quantity) mustBe(key, what string, unit Unit) error {
	if q.Unit == unit || q.Text == "0" {
		return nil
	}
	return units.Field(key, q.Text, fmt.Sprintf("is a %s", q.Unit), fmt.Sprintf("%s is a %s", what, unit))
}

// checkTake refuses what cannot be made of the rows of a column.
func (s *Selection) checkTake(what subject) error {
	take := s.take()
	switch steps := what.steps(); {
	case take == "count":
	case what.column.IsWords():
		return &units.FieldError{Key: "take", Problem: what.column.Name + " holds words", Want: "take: count, with the words in where"}
	case steps == noSteps:
	case s.Take == nil:
		return &units.FieldError{Key: "metric", Value: *s.Metric, Problem: "a series has many values", Want: "add take: first, last, min, max, mean, count or a percentile such as p99"}
	case take == "only" || take == "sum":
		return units.Field("take", take, "means nothing of a series, whose values hold until the next row", "want first, last, min, max, mean, count or a percentile such as p99")
	}
	return nil
}

// checkSpan refuses times where there are none, and those that run backwards.
func (s *Selection) checkSpan(table string) error {
	switch {
	case s.From == nil && s.To == nil:
		return nil
	case !strings.HasPrefix(table, record.SeriesFolder):
		key := "from"
		if s.From == nil {
			key = "to"
		}
		return &units.FieldError{Key: key, Problem: table + " is not a series: its values are those of the whole run", Want: "leave it out, or use measure.warmup and measure.window"}
	case s.From != nil && s.To != nil && *s.From > *s.To:
		return units.Field("to", s.To, "comes before from", "more than "+s.From.String())
	}
	return nil
}

// How the values of a column go on between rows.
type stepping int

const (
	noSteps   stepping = iota // each row is a fact of its own
	fromZero                  // a value holds until the next row, and is 0 before the first
	fromKnown                 // a value holds until the next row, and is unknown before the first
)

// steps tells how the values of the column go on between rows.
func (s subject) steps() stepping {
	if s.column == nil {
		return noSteps
	}
	series, _ := record.StepsOf(s.table)
	switch {
	case slices.Contains(series.Values, s.column.Name):
		return fromZero
	case slices.Contains(series.Known, s.column.Name):
		return fromKnown
	}
	return noSteps
}

// nearest suggests a spelling.
func nearest(word string, candidates []string) string { return strictyaml.Nearest(word, candidates) }

// pick returns the rows of a table that fulfil the conditions, whose columns exist.
func pick(t *results.Table, conditions []condition) (rows []int) {
	n, err := t.Rows()
	if err != nil {
		panic(err) // the tables are our own
	}
	fits := make([]func(row int) bool, len(conditions))
	for i, c := range conditions {
		fits[i] = c.on(t.Column(c.column))
	}
	for row := range n {
		if !slices.ContainsFunc(fits, func(fit func(int) bool) bool { return !fit(row) }) {
			rows = append(rows, row)
		}
	}
	return rows
}

// on returns the condition as a test of a row.
func (c condition) on(column *results.Column) func(row int) bool {
	if column.IsWords() {
		return func(row int) bool { return c.value == column.Cell(row) || fits(c.value, column.Cell(row)) }
	}
	var q Quantity
	if err := q.UnmarshalText([]byte(c.value)); err != nil {
		panic(err) // checked before
	}
	return func(row int) bool {
		value, ok := column.Number(row)
		return ok && value == q.Value
	}
}
