package results

import (
	"math"
	"strconv"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Column describes one column of a table: what the schema document says about it.
type Column struct {
	Name string // in snake_case, with its unit as suffix if it is a time, a rate or a size
	Type string // integer, number or string
	Unit string // us, Gbit/s, bytes or whatever was given; empty if the value has none
	Doc  string // one sentence: what is measured, where, and from when to when

	words   func(row int) string                   // nil for numbers
	numbers func(row int) (value float64, ok bool) // nil for words
	write   func(dst []byte, row int) []byte       // appends the content of a row
	rows    func() int
	clear   func() // forgets all rows
}

// Cell returns the content of a row as it stands in the file: empty for a missing value.
func (c *Column) Cell(row int) string {
	if c.words != nil {
		return c.words(row)
	}
	return string(c.write(nil, row))
}

// Number returns the value of a row in the base unit of sim/units (picoseconds, bits per second, bytes) or as it is; false
// for a missing value and for a word.
func (c *Column) Number(row int) (value float64, ok bool) {
	if c.numbers == nil {
		return 0, false
	}
	return c.numbers(row)
}

// IsWords tells whether the column holds names and words.
func (c *Column) IsWords() bool { return c.numbers == nil }

// Values is the content of a column, one value a row.
type Values[T any] struct {
	values  []T
	missing []uint64 // a bit for each row without a value, as far as there are any
}

// Append adds rows at the end.
func (v *Values[T]) Append(values ...T) { v.values = append(v.values, values...) }

// AppendMissing adds a row that has no value, because what is measured did not happen or does not apply. Its cell is empty.
func (v *Values[T]) AppendMissing() {
	row := len(v.values)
	for len(v.missing) <= row/64 {
		v.missing = append(v.missing, 0)
	}
	v.missing[row/64] |= 1 << (row % 64)
	var none T
	v.values = append(v.values, none)
}

func (v *Values[T]) isMissing(row int) bool {
	return row/64 < len(v.missing) && v.missing[row/64]&(1<<(row%64)) != 0
}

// clear forgets all rows, and keeps their room.
func (v *Values[T]) clear() { v.values, v.missing = v.values[:0], v.missing[:0] }

// Len returns the number of rows.
func (v *Values[T]) Len() int { return len(v.values) }

// Int adds a column of whole numbers; unit says what is counted ("packets"), empty if nothing is (a port number).
func (t *Table) Int(name, unit, doc string) *Values[int64] {
	return addColumn(t, Column{Name: name, Type: "integer", Unit: unit, Doc: doc},
		func(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }, number)
}

// Float adds a column of numbers such as ratios, in the shortest decimal that reads back as the same float64. NaN is a
// missing value.
func (t *Table) Float(name, unit, doc string) *Values[float64] {
	return addColumn(t, Column{Name: name, Type: "number", Unit: unit, Doc: doc}, func(dst []byte, v float64) []byte {
		if math.IsNaN(v) {
			return dst
		}
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	}, func(v float64) (float64, bool) { return v, !math.IsNaN(v) })
}

// String adds a column of names and words.
func (t *Table) String(name, doc string) *Values[string] {
	values := addColumn(t, Column{Name: name, Type: "string", Doc: doc}, appendWords, nil)
	t.columns[len(t.columns)-1].words = func(row int) string { return values.values[row] }
	return values
}

// Time adds a column of instants or durations, written in microseconds to the picosecond. The name must end in _us.
// [units.Never] is a missing value.
func (t *Table) Time(name, doc string) *Values[units.Time] {
	return addColumn(t, Column{Name: name, Type: "number", Unit: t.unitOf(name, "us"), Doc: doc}, func(dst []byte, v units.Time) []byte {
		if v == units.Never {
			return dst
		}
		return appendDecimal(dst, int64(v), microsecondDecimals)
	}, func(v units.Time) (float64, bool) { return float64(v), v != units.Never })
}

// Rate adds a column of data rates, written in Gbit/s to the bit. The name must end in _gbps.
func (t *Table) Rate(name, doc string) *Values[units.Rate] {
	return addColumn(t, Column{Name: name, Type: "number", Unit: t.unitOf(name, "gbps"), Doc: doc},
		func(dst []byte, v units.Rate) []byte { return appendDecimal(dst, int64(v), gigabitDecimals) }, number)
}

// Bytes adds a column of sizes, written as whole numbers of bytes. The name must end in _bytes.
func (t *Table) Bytes(name, doc string) *Values[units.Bytes] {
	return addColumn(t, Column{Name: name, Type: "integer", Unit: t.unitOf(name, "bytes"), Doc: doc},
		func(dst []byte, v units.Bytes) []byte { return strconv.AppendInt(dst, int64(v), 10) }, number)
}

// number is a value that is never missing.
func number[T ~int64](v T) (float64, bool) { return float64(v), true }

// addColumn is a function because methods cannot have type parameters of their own.
func addColumn[T any](t *Table, c Column, text func(dst []byte, v T) []byte, value func(T) (float64, bool)) *Values[T] {
	t.mustBeNew(c.Name)
	values := &Values[T]{}
	c.rows, c.clear = values.Len, values.clear
	c.write = func(dst []byte, row int) []byte {
		if values.isMissing(row) {
			return dst
		}
		return text(dst, values.values[row])
	}
	if value != nil {
		c.numbers = func(row int) (float64, bool) {
			if values.isMissing(row) {
				return 0, false
			}
			return value(values.values[row])
		}
	}
	t.columns = append(t.columns, c)
	return values
}
