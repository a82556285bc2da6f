package explain

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rdmasim/rdmasim/sim/units"
)

// table is a CSV file with its columns by name.
type table struct {
	file    string
	columns map[string]int
	rows    [][]string
}

// readTable reads a CSV file that must have the columns named.
func readTable(dir, name string, needed ...string) (*table, error) {
	file := filepath.Join(dir, name)
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	head, err := r.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s is empty", file)
	}
	t := &table{file: file, columns: map[string]int{}}
	for i, column := range head {
		t.columns[column] = i
	}
	if err == nil {
		t.rows, err = r.ReadAll()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, column := range needed {
		if _, is := t.columns[column]; !is {
			return nil, fmt.Errorf("%s has no column %s: it was written by another version of rdmasim", file, column)
		}
	}
	return t, nil
}

// row is a row of a table. The first value that cannot be read stays in err.
type row struct {
	*table
	cells []string
	err   *error
}

func (r row) text(column string) string { return r.cells[r.columns[column]] }

// refuse keeps the first fault.
func (r row) refuse(column string, err error) {
	if err != nil && *r.err == nil {
		*r.err = fmt.Errorf("%s: column %s: %w", r.file, column, err)
	}
}

// time is a column of microseconds; an empty cell is units.Never.
func (r row) time(column string) units.Time {
	text := r.text(column)
	if text == "" {
		return units.Never
	}
	t, err := units.ParseTime(text + "us")
	r.refuse(column, err)
	return t
}

func (r row) count(column string) int64 {
	n, err := strconv.ParseInt(r.text(column), 10, 64)
	r.refuse(column, err)
	return n
}

// number is a column of numbers; an empty cell is 0.
func (r row) number(column string) float64 {
	text := r.text(column)
	if text == "" {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	r.refuse(column, err)
	return x
}
