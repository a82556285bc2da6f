package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table is a set of typed columns with one value a row, to be written as a CSV file. A caller declares the columns once,
// in the order in which they are to stand, and then appends to each:
//
//	flows := results.NewTable("flows.csv", "one row a flow")
//	size := flows.Bytes("size_bytes", "payload the flow carries")
//	size.Append(1 * units.MB)
//
// Declaring a column whose name does not end in its unit, or twice, is an error of the program and panics.
type Table struct {
	name, doc string
	columns   []Column
}

// NewTable returns a table without columns, for the file of that name in the output directory ("flows.csv",
// "series/queue_depth.csv"). The doc says in a sentence what a row is.
func NewTable(name, doc string) *Table { return &Table{name: name, doc: doc} }

// Name returns the name of the file.
func (t *Table) Name() string { return t.name }

// Columns returns the descriptions of the columns, in order.
func (t *Table) Columns() []Column { return slices.Clone(t.columns) }

// Column returns the column of a name, or nil.
func (t *Table) Column(name string) *Column {
	for i := range t.columns {
		if t.columns[i].Name == name {
			return &t.columns[i]
		}
	}
	return nil
}

// Rows returns the number of rows, and an error if the columns differ in it.
func (t *Table) Rows() (int, error) {
	if len(t.columns) == 0 {
		return 0, nil
	}
	rows := t.columns[0].rows()
	for _, c := range t.columns[1:] {
		if n := c.rows(); n != rows {
			return 0, fmt.Errorf("table %s: column %s has %d rows, %s has %d", t.name, t.columns[0].Name, rows, c.Name, n)
		}
	}
	return rows, nil
}

// WriteCSV writes a line of column names and a line a row (RFC 4180, lines ended by LF alone). Equal tables give equal
// bytes. A missing value is an empty cell.
func (t *Table) WriteCSV(w io.Writer) error {
	rows, err := t.Rows()
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	record := make([]string, len(t.columns))
	for i, c := range t.columns {
		record[i] = c.Name
	}
	_ = out.Write(record) // the error stays in out until Flush
	for row := range rows {
		for i, c := range t.columns {
			record[i] = c.cells(row)
		}
		_ = out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// unitOf returns the unit that the suffix of a column name means.
func (t *Table) unitOf(name, suffix string) string {
	if !strings.HasSuffix(name, "_"+suffix) {
		panic(fmt.Sprintf("results: table %s: the name of column %s must end in _%s", t.name, name, suffix))
	}
	return unitBySuffix(name)
}

func (t *Table) mustBeNew(name string) {
	if slices.ContainsFunc(t.columns, func(c Column) bool { return c.Name == name }) {
		panic(fmt.Sprintf("results: table %s: column %s declared twice", t.name, name))
	}
}
