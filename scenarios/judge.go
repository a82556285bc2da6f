package scenarios

import (
	"fmt"
	"strconv"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Judge compares the expectation with the summary of a run. A metric that was not measured breaks any promise about it.
func (e *Expectation) Judge(summary *results.Summary) results.Expectation {
	verdict := results.Expectation{Text: e.String()}
	if e.Outcome != nil {
		verdict.Measured = string(summary.Outcome)
		verdict.Met = verdict.Measured == *e.Outcome
		return verdict
	}
	metric, _ := findMetric(*e.Metric)
	value, measured := metric.Of(summary)
	if !measured {
		verdict.Measured = "not measured"
		return verdict
	}
	verdict.Measured = metric.Unit.format(value)
	verdict.Met = e.holds(value)
	return verdict
}

// holds tells whether a value in the base unit of the metric keeps the promise.
func (e *Expectation) holds(value float64) bool {
	switch {
	case e.Equals != nil:
		return value == e.Equals.Value
	case e.Below != nil:
		return value < e.Below.Value
	case e.Above != nil:
		return value > e.Above.Value
	}
	b := *e.Between
	return b[0].Value <= value && value <= b[1].Value
}

// String returns the promise as a sentence, such as "flow.fct.p99 below 2ms".
func (e *Expectation) String() string {
	switch {
	case e.Outcome != nil:
		return "outcome " + *e.Outcome
	case e.Equals != nil:
		return *e.Metric + " equals " + e.Equals.Text
	case e.Below != nil:
		return *e.Metric + " below " + e.Below.Text
	case e.Above != nil:
		return *e.Metric + " above " + e.Above.Text
	}
	b := *e.Between
	return fmt.Sprintf("%s between %s and %s", *e.Metric, b[0].Text, b[1].Text)
}

// format writes a value in the base unit as a person would.
func (u Unit) format(value float64) string {
	switch u {
	case Time:
		return units.Time(value).String()
	case Rate:
		return units.Rate(value).String()
	case Bytes:
		return units.Bytes(value).String()
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}
