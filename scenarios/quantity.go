package scenarios

import (
	"math"
	"slices"
	"strconv"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Unit is what a [Quantity] or a [Metric] counts.
type Unit string

// The units of quantities. Values are in the base unit of sim/units: picoseconds, bits per second, bytes.
const (
	Number Unit = "number" // a count, a factor, or a share of 1
	Time   Unit = "time"
	Rate   Unit = "rate"
	Bytes  Unit = "size"
)

// Quantity is a value whose unit its writer chose: "3", "20%", "2ms", "40Gbps", "1MB".
type Quantity struct {
	Text  string // as it was written
	Unit  Unit
	Value float64 // in the base unit
}

// outcomes are the values of the key outcome of an expectation.
var outcomes = []string{string(results.Done), string(results.Stalled), string(results.TimeLimit), string(results.Failed)}

// String returns the quantity as it was written.
func (q Quantity) String() string { return q.Text }

// MarshalText returns the quantity as it was written; it never fails.
func (q Quantity) MarshalText() ([]byte, error) { return []byte(q.Text), nil }

// UnmarshalText reads a number, a ratio, a time, a rate or a size. Its error is a *units.FieldError.
func (q *Quantity) UnmarshalText(text []byte) error {
	s := string(text)
	if x, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
		*q = Quantity{s, Number, x}
		return nil
	}
	if r, err := units.ParseRatio(s); err == nil {
		*q = Quantity{s, Number, r.Float()}
		return nil
	}
	if t, err := units.ParseTime(s); err == nil {
		*q = Quantity{s, Time, float64(t)}
		return nil
	}
	if r, err := units.ParseRate(s); err == nil {
		*q = Quantity{s, Rate, float64(r)}
		return nil
	}
	if b, err := units.ParseBytes(s); err == nil {
		*q = Quantity{s, Bytes, float64(b)}
		return nil
	}
	if slices.Contains(outcomes, s) {
		return &units.FieldError{Value: s, Problem: "how a run ends, and no quantity", Want: "write {outcome: " + s + "}, an entry of its own"}
	}
	return &units.FieldError{Value: s, Problem: "neither a number nor a quantity", Want: "such as 0, 20%, 2ms, 40Gbps or 1MB"}
}
