package results

import (
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
	parts     int // still to be made by fill
	fill      func(part int) (tells bool)
	silent    []span // rows in memory that tell nothing, ascending
}

// span is rows from one on to before another.
type span struct{ from, to int }

// NewTable returns a table without columns, for the file of that name in the output directory ("flows.csv",
// "series/queue_depth.csv"). The doc says in a sentence what a row is.
func NewTable(name, doc string) *Table { return &Table{name: name, doc: doc} }

// InParts says that the rows of a table whose columns are declared are those that fill appends for part 0, 1 … parts-1, so
// that a table of very many rows can be written without all of them in memory. Who asks for rows or columns has all of them
// made first. Where fill says that a part tells nothing, as the counters of a port at which nothing happened, its rows are
// left out of the file.
func (t *Table) InParts(parts int, fill func(part int) (tells bool)) { t.parts, t.fill = parts, fill }

// complete makes the rows that have not been made.
func (t *Table) complete() {
	parts := t.parts
	t.parts = 0
	for part := range parts {
		from := t.columns[0].rows()
		if !t.fill(part) {
			t.silent = append(t.silent, span{from, t.columns[0].rows()})
		}
	}
}

// Name returns the name of the file.
func (t *Table) Name() string { return t.name }

// Columns returns the descriptions of the columns, in order.
func (t *Table) Columns() []Column {
	t.complete()
	return slices.Clone(t.columns)
}

// Column returns the column of a name, or nil.
func (t *Table) Column(name string) *Column {
	t.complete()
	for i := range t.columns {
		if t.columns[i].Name == name {
			return &t.columns[i]
		}
	}
	return nil
}

// Rows returns the number of rows, and an error if the columns differ in it.
func (t *Table) Rows() (int, error) {
	t.complete()
	return t.made()
}

// made is how many rows have been made and are in memory.
func (t *Table) made() (int, error) {
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
	rows, err := t.made()
	if err != nil {
		return err
	}
	lines := lines{to: w}
	lines.add(len(t.columns), func(dst []byte, i int) []byte { return appendWords(dst, t.columns[i].Name) })
	from := 0
	for _, s := range t.silent {
		t.writeRows(&lines, span{from, s.from})
		from = s.to
	}
	t.writeRows(&lines, span{from, rows})
	for part := range t.parts {
		t.clear()
		tells := t.fill(part)
		if rows, err = t.made(); err != nil {
			return err
		}
		if tells {
			t.writeRows(&lines, span{0, rows})
		}
	}
	if t.parts > 0 {
		t.clear()
	}
	return lines.flush()
}

func (t *Table) writeRows(lines *lines, rows span) {
	for row := rows.from; row < rows.to; row++ {
		lines.add(len(t.columns), func(dst []byte, i int) []byte { return t.columns[i].write(dst, row) })
	}
}

// clear forgets all rows.
func (t *Table) clear() {
	for _, c := range t.columns {
		c.clear()
	}
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
