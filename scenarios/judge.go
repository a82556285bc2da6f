package scenarios

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// judge compares the expectation with runs that have ended, by their names. What was not measured breaks any promise
// about it.
func (e *Expectation) judge(runs map[string]*measured, sweeps []results.Sweep) results.Expectation {
	verdict := results.Expectation{
		Text: e.String(), Expected: e.expected(), Band: e.band(),
		Rule: orNothing(e.Rule), Source: orNothing(e.Source), Because: orNothing(e.Because),
	}
	if e.Outcome != nil {
		verdict.Measured = string(runs[e.run()].summary.Outcome)
		verdict.Met = verdict.Measured == *e.Outcome
		return verdict
	}
	if e.Crossed != nil {
		crossing, _ := e.crossingOf(sweeps)
		verdict.Measured, verdict.Met = crossing.Text, crossing.Crossed == *e.Crossed
		return verdict
	}
	value, unit, err := e.find(runs)
	if e.Crossing != nil {
		value, unit, err = e.findCrossing(sweeps)
	}
	if err != nil {
		verdict.Measured = "not measured"
		if why := err.Error(); why != "" {
			verdict.Measured += ": " + why
		}
		return verdict
	}
	verdict.Measured = e.comparisons()[0].values[0].like(value, unit)
	verdict.Met = e.holds(value)
	verdict.Deviation = e.deviation(value, unit)
	return verdict
}

func orNothing(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// find returns what is compared, be it a ratio.
func (e *Quotient) find(runs map[string]*measured) (float64, Unit, error) {
	if e.Metric == nil {
		return 0, Number, unknown("")
	}
	value, err := e.Selection.find(runs[e.run()])
	if err != nil {
		return 0, Number, err
	}
	what, _ := e.Selection.subject()
	d := e.divisor()
	if d == nil {
		return value, what.unit, nil
	}
	other, err := d.find(runs[d.run()])
	if err != nil {
		return 0, Number, unknown(strings.TrimSuffix(d.String()+": "+err.Error(), ": "))
	}
	if other == 0 {
		return 0, Number, unknown(d.String() + " is 0")
	}
	return value / other, Number, nil
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
	case e.Within != nil:
		return math.Abs(value-e.Of.Value) <= e.Within.Float()*math.Abs(e.Of.Value)
	}
	b := *e.Between
	return b[0].Value <= value && value <= b[1].Value
}

// against is the value that deviations are told from; of a band, the bound that was passed. False if none was.
func (e *Expectation) against(value float64) (float64, bool) {
	switch {
	case e.Equals != nil:
		return e.Equals.Value, true
	case e.Below != nil:
		return e.Below.Value, true
	case e.Above != nil:
		return e.Above.Value, true
	case e.Within != nil:
		return e.Of.Value, true
	}
	b := *e.Between
	switch {
	case value < b[0].Value:
		return b[0].Value, true
	case value > b[1].Value:
		return b[1].Value, true
	}
	return 0, false
}

// deviation says by how much a value differs from what was expected: in its unit and in parts of that.
func (e *Expectation) deviation(value float64, unit Unit) string {
	limit, any := e.against(value)
	switch off := value - limit; {
	case !any:
		return "inside"
	case off == 0:
		return "0"
	case limit == 0:
		return signed(off, unit)
	default:
		return signed(off, unit) + " (" + percent(off/math.Abs(limit)) + ")"
	}
}

// signed writes a difference with its sign, to three digits unless it is a count.
func signed(off float64, unit Unit) string {
	text := unit.human(math.Abs(off))
	if unit == Number && off != math.Trunc(off) {
		text = strconv.FormatFloat(math.Abs(off), 'g', 3, 64)
	}
	if off < 0 {
		return "-" + text
	}
	return "+" + text
}

// percent writes a share with its sign and two digits that say something, or more before the point.
func percent(share float64) string {
	p, decimals := 100*share, 0
	for limit := 10.0; math.Abs(p) < limit && decimals < 6; limit /= 10 {
		decimals++
	}
	return fmt.Sprintf("%+.*f%%", decimals, p)
}

// String returns the promise as a sentence, such as "flow.fct.p99 below 2ms".
func (e *Expectation) String() string {
	if e.Outcome != nil {
		text := "outcome " + *e.Outcome
		if e.Run != nil {
			text += " in " + *e.Run
		}
		return text
	}
	text := e.subjectText()
	switch {
	case e.Crossed != nil && *e.Crossed:
		return text + " is crossed"
	case e.Crossed != nil:
		return text + " is not crossed"
	case e.Equals != nil:
		return text + " equals " + e.Equals.Text
	case e.Below != nil:
		return text + " below " + e.Below.Text
	case e.Above != nil:
		return text + " above " + e.Above.Text
	case e.Within != nil:
		return text + " within " + e.Within.String() + " of " + e.Of.Text
	}
	b := *e.Between
	return fmt.Sprintf("%s between %s and %s", text, b[0].Text, b[1].Text)
}

// subjectText is what the promise is about.
func (e *Expectation) subjectText() string {
	if e.Crossing == nil {
		return e.Quotient.String()
	}
	text := "crossing " + *e.Crossing
	if e.Level != nil {
		text += " of " + e.Level.Text
	}
	return text
}

// String describes what is measured, such as "goodput / goodput in no-cc".
func (e *Quotient) String() string {
	text := e.Selection.String()
	if d := e.divisor(); d != nil {
		text += " / " + d.String()
	}
	return text
}

// expected is the value that is expected, without its band.
func (e *Expectation) expected() string {
	switch {
	case e.Outcome != nil:
		return *e.Outcome
	case e.Crossed != nil:
		return map[bool]string{true: "crossed", false: "not crossed"}[*e.Crossed]
	case e.Equals != nil:
		return e.Equals.Text
	case e.Below != nil:
		return "< " + e.Below.Text
	case e.Above != nil:
		return "> " + e.Above.Text
	case e.Within != nil:
		return e.Of.Text
	}
	return (*e.Between)[0].Text + " to " + (*e.Between)[1].Text
}

// band is how far from that a value may lie.
func (e *Expectation) band() string {
	switch {
	case e.Outcome != nil, e.Equals != nil, e.Crossed != nil:
		return "exact"
	case e.Within != nil:
		return "±" + e.Within.String()
	case e.Between != nil:
		return "between"
	}
	return "bound"
}

// like writes a value in the unit in which the quantity was written, so that the two can be compared at a glance: 1451.07us
// beside 1450us. It is exact as format is.
func (q Quantity) like(value float64, unit Unit) string {
	symbol := strings.TrimLeft(q.Text, "0123456789.")
	var one Quantity
	if unit == Number || value == 0 || value != math.Round(value) || one.UnmarshalText([]byte("1"+symbol)) != nil || one.Unit != unit {
		return unit.format(value)
	}
	text := strconv.FormatFloat(value/one.Value, 'f', -1, 64)
	if len(text) > 16 {
		return unit.format(value)
	}
	return text + symbol
}

// format writes a value in the base unit, exact to the picosecond, the bit per second or the byte.
func (u Unit) format(value float64) string {
	switch rounded := math.Round(value); {
	case u == Time && rounded != 0:
		return units.Time(rounded).String()
	case u == Rate && rounded != 0:
		return units.Rate(rounded).String()
	case u == Bytes && rounded != 0:
		return units.Bytes(rounded).String()
	}
	return u.human(value)
}

// human writes a value in the base unit as a person would.
func (u Unit) human(value float64) string {
	switch rounded := math.Round(value); {
	case u == Time && rounded != 0:
		return units.Time(rounded).Human()
	case u == Rate && rounded != 0:
		return units.Rate(rounded).Human()
	case u == Bytes && rounded != 0:
		return units.Bytes(rounded).Human()
	}
	text := strconv.FormatFloat(value, 'g', -1, 64)
	if len(text) > 9 {
		text = strconv.FormatFloat(value, 'g', 7, 64)
	}
	return text + map[Unit]string{Time: "ps", Rate: "bps", Bytes: "B"}[u]
}
