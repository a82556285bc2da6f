package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Expectation is a promise about the run: either how it ends, or a bound on something measured.
type Expectation struct {
	Outcome  *string `key:"outcome" oneof:"done|stalled|time-limit|failed" unless:"metric" doc:"how the run ends; a run that is meant to fail and does exits 0"`
	Quotient `key:",inline"`

	Crossing *string      `key:"crossing" doc:"in place of a metric, where a sweep crosses a level: the name of the sweep; what is compared is the value of its first key there"`
	Level    *Quantity    `key:"level" doc:"with crossing, the level, one of those of the sweep; left out: its only one"`
	Crossed  *bool        `key:"crossed" doc:"with crossing, and in place of a comparison: whether the level is crossed at all"`
	Equals   *Quantity    `key:"equals" doc:"the metric has this value"`
	Below    *Quantity    `key:"below" doc:"the metric is less than this"`
	Above    *Quantity    `key:"above" doc:"the metric is more than this"`
	Between  *[]Quantity  `key:"between" doc:"[low, high]: the metric lies between, both included"`
	Within   *units.Ratio `key:"within" doc:"the metric differs from of by no more than this part of it"`
	Of       *Quantity    `key:"of" doc:"what within is about"`
	Rule     *string      `key:"rule" doc:"the rule that this holds the simulation against, in words; rdmasim verify shows it"`
	Source   *string      `key:"source" doc:"where the rule comes from: formula, standard, paper or simulator"`
	Because  *string      `key:"because" doc:"why the band is as wide as it is"`
}

// Quotient is something measured, or its ratio to something else.
type Quotient struct {
	Selection `key:",inline"`

	RatioTo *RatioTo `key:"ratio_to" alone:"metric" doc:"what is compared is the ratio of the metric to this one: the name of another metric, or {run: NAME} for the same in another run"`
}

// RatioTo is what a metric is divided by. What it leaves out is as in the expectation; with a metric of its own, that goes
// for the run alone.
type RatioTo struct {
	Selection `key:",inline"`
}

// choices lists the metrics and the columns of tables.
func (Selection) choices(key string) []string {
	if key == "metric" {
		return append(metricNames(), allColumns()...)
	}
	return nil
}

// comparison is one of the ways to compare, with the quantities it was given.
type comparison struct {
	key    string
	values []Quantity
}

// comparisons returns those that the user gave.
func (e *Expectation) comparisons() []comparison {
	var given []comparison
	add := func(key string, q *Quantity) {
		if q != nil {
			given = append(given, comparison{key, []Quantity{*q}})
		}
	}
	add("equals", e.Equals)
	add("below", e.Below)
	add("above", e.Above)
	if e.Between != nil {
		given = append(given, comparison{"between", *e.Between})
	}
	add("of", e.Of)
	return given
}

// Validate checks that the expectation says one thing, completely.
func (e *Expectation) Validate() error {
	const ways = "equals, below, above, between or within and of"
	given := e.comparisons()
	switch {
	case e.Outcome != nil:
		return e.validateOutcome(given)
	case e.Crossing != nil && e.Metric != nil:
		return units.Field("crossing", *e.Crossing, "a metric is given as well", "give each an entry of its own")
	case e.Crossing == nil && (e.Level != nil || e.Crossed != nil):
		key := "level"
		if e.Level == nil {
			key = "crossed"
		}
		return &units.FieldError{Key: key, Problem: "of no crossing", Want: "add crossing, the name of a sweep"}
	case e.Crossed != nil && len(given) > 0:
		return &units.FieldError{Key: given[0].key, Problem: "a comparison beside crossed", Want: "leave crossed out: what is compared is where the level is crossed"}
	case e.Crossed != nil:
		return nil
	case e.Metric == nil && e.Crossing == nil:
		return &units.FieldError{Problem: "expects nothing", Want: "want {outcome: …}, or {metric: …} or {crossing: …} with " + ways}
	case e.Within != nil && e.Of == nil:
		return units.Field("within", e.Within, "of nothing", "add of, the value that the metric is near")
	case e.Within == nil && e.Of != nil:
		return units.Field("of", e.Of, "without within", "add within, such as 2%")
	case len(given) == 0 && e.Metric == nil:
		return units.Field("crossing", *e.Crossing, "not compared with anything", "add "+ways+", or crossed: false")
	case len(given) == 0:
		return units.Field("metric", *e.Metric, "not compared with anything", "add "+ways)
	case len(given) > 1:
		return &units.FieldError{Key: given[1].key, Problem: "a second comparison beside " + given[0].key, Want: "give each comparison an entry of its own"}
	case e.Of != nil && e.Of.Value == 0:
		return units.Field("of", e.Of, "has no parts", "use equals or between")
	}
	return e.validateBetween()
}

// validateOutcome refuses what has no meaning for an outcome.
func (e *Expectation) validateOutcome(given []comparison) error {
	keys := []string{}
	for _, c := range given {
		keys = append(keys, c.key)
	}
	for _, k := range [...]struct {
		key   string
		given bool
	}{
		{"within", e.Within != nil}, {"ratio_to", e.RatioTo != nil}, {"where", e.Where != nil}, {"take", e.Take != nil},
		{"from", e.From != nil}, {"to", e.To != nil}, {"crossing", e.Crossing != nil}, {"level", e.Level != nil}, {"crossed", e.Crossed != nil},
	} {
		if k.given {
			keys = append(keys, k.key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return &units.FieldError{Key: keys[0], Problem: "an outcome is not compared", Want: "leave it out"}
}

func (e *Expectation) validateBetween() error {
	if e.Between == nil {
		return nil
	}
	b := *e.Between
	switch {
	case len(b) != 2:
		return &units.FieldError{Key: "between", Problem: "not two values", Want: "want [low, high]"}
	case b[0].Unit == b[1].Unit && b[0].Value > b[1].Value:
		return units.Field("between", b[0].Text+" to "+b[1].Text, "runs downwards", "want the lower value first")
	}
	return nil
}

// divisor is the selection that the metric is divided by, complete; nil if there is none.
func (e *Quotient) divisor() *Selection {
	if e.RatioTo == nil {
		return nil
	}
	d := e.RatioTo.Selection
	if d.Run == nil {
		d.Run = e.Run
	}
	if d.Metric != nil {
		return &d
	}
	d.Metric = e.Metric
	if d.Where == nil {
		d.Where = e.Where
	}
	if d.Take == nil {
		d.Take = e.Take
	}
	if d.From == nil {
		d.From = e.From
	}
	if d.To == nil {
		d.To = e.To
	}
	return &d
}

// parts are the selections of a quotient, each with the key under which it stands.
func (e *Quotient) parts() (keys []string, selections []*Selection) {
	if e.Metric == nil {
		return nil, nil
	}
	keys, selections = []string{""}, []*Selection{&e.Selection}
	if d := e.divisor(); d != nil {
		keys, selections = append(keys, "ratio_to"), append(selections, d)
	}
	return keys, selections
}

// check checks that what is measured exists, that it is measured in a run of the scenario, and that it is compared with
// quantities of its unit.
func (e *Expectation) check(s *Spec, runs []string) error {
	if e.Crossing != nil {
		return e.checkCrossing(s)
	}
	name, unit, err := e.Quotient.check(runs)
	if err != nil || name == "" {
		return err
	}
	return e.mustCompare(name, unit)
}

// mustCompare checks that quantities to compare with are of a unit, that of what has a name.
func (e *Expectation) mustCompare(name string, unit Unit) error {
	var faults []error
	for _, c := range e.comparisons() {
		for _, q := range c.values {
			faults = append(faults, q.mustBe(c.key, name, unit))
		}
	}
	return errors.Join(faults...)
}

// check checks that what is measured exists, and that it is measured in a run of the scenario. It returns what is compared,
// and its unit; no name if nothing is.
func (e *Quotient) check(runs []string) (name string, unit Unit, err error) {
	faults := []error{checkRun("run", e.Run, runs)}
	if e.RatioTo != nil {
		faults = append(faults, checkRun("ratio_to.run", e.RatioTo.Run, runs), e.checkRatio())
	}
	keys, selections := e.parts()
	var subjects []subject
	for i, s := range selections {
		what, err := s.subject()
		if err != nil {
			return "", Number, errors.Join(append(faults, under(keys[i], err))...)
		}
		subjects = append(subjects, what)
	}
	if len(subjects) == 0 {
		return "", Number, errors.Join(faults...)
	}
	name, unit = *e.Metric, subjects[0].unit
	if len(subjects) == 2 {
		if other := subjects[1].unit; other != unit {
			faults = append(faults, units.Field("ratio_to", *selections[1].Metric, fmt.Sprintf("is a %s", other), fmt.Sprintf("%s is a %s", name, unit)))
		}
		name, unit = "a ratio", Number
	}
	return name, unit, errors.Join(faults...)
}

// checkRatio refuses a ratio of something to itself.
func (e *Quotient) checkRatio() error {
	if e.Metric != nil && e.divisor().key() == e.Selection.key() {
		return &units.FieldError{Key: "ratio_to", Problem: "the ratio of a metric to itself", Want: "name another metric, other rows, or another run"}
	}
	return nil
}

// key is the same for two selections if they are about the same.
func (s *Selection) key() string {
	whole := *s
	run := s.run()
	whole.Run = &run
	return whole.String()
}

// checkRun refuses a run that the scenario does not have.
func checkRun(key string, name *string, runs []string) error {
	if name == nil || slices.Contains(runs, *name) {
		return nil
	}
	return units.Field(key, *name, "no such run", DidYouMean(*name, runs))
}

// under puts errors, whose keys are relative to a block, under the key of the block.
func under(key string, err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range several.Unwrap() {
			all = append(all, under(key, e))
		}
		return errors.Join(all...)
	}
	var field *units.FieldError
	if key == "" || !errors.As(err, &field) {
		return err
	}
	moved := *field
	moved.Key = key + "." + field.Key
	return &moved
}

// DidYouMean suggests the nearest of the candidates to what was meant by a word, or lists them.
func DidYouMean(word string, candidates []string) string {
	if near := strictyaml.Nearest(word, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "want one of " + commas(candidates)
}
