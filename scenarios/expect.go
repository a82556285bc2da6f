package scenarios

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Expectation is a promise about the run: either how it ends, or a bound on something measured.
type Expectation struct {
	Outcome *string     `key:"outcome" oneof:"done|stalled|time-limit|failed" unless:"metric" doc:"how the run ends; a run that is meant to fail and does exits 0"`
	Metric  *string     `key:"metric" doc:"something measured"`
	Equals  *Quantity   `key:"equals" doc:"the metric has this value"`
	Below   *Quantity   `key:"below" doc:"the metric is less than this"`
	Above   *Quantity   `key:"above" doc:"the metric is more than this"`
	Between *[]Quantity `key:"between" doc:"[low, high]: the metric lies between, both included"`
}

// choices lists the metrics.
func (Expectation) choices(key string) []string {
	if key == "metric" {
		return metricNames()
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
	return given
}

// Validate checks that the expectation says one thing, completely.
func (e *Expectation) Validate() error {
	const ways = "equals, below, above or between"
	given := e.comparisons()
	switch {
	case e.Outcome != nil && len(given) > 0:
		return &units.FieldError{Key: given[0].key, Problem: "an outcome is not compared", Want: "leave it out"}
	case e.Outcome != nil:
		return nil
	case e.Metric == nil:
		return &units.FieldError{Problem: "expects nothing", Want: "want {outcome: …}, or {metric: …} with " + ways}
	case len(given) == 0:
		return units.Field("metric", *e.Metric, "not compared with anything", "add "+ways)
	case len(given) > 1:
		return &units.FieldError{Key: given[1].key, Problem: "a second comparison beside " + given[0].key, Want: "give each comparison an entry of its own"}
	}
	return e.validateBetween()
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

// checkMetric checks that the metric exists and is compared with quantities of its unit.
func (e *Expectation) checkMetric() error {
	if e.Metric == nil {
		return nil
	}
	metric, ok := findMetric(*e.Metric)
	if !ok {
		return units.Field("metric", *e.Metric, "no such metric", didYouMean(*e.Metric, metricNames()))
	}
	var faults []error
	for _, c := range e.comparisons() {
		for _, q := range c.values {
			if q.Unit != metric.Unit && !(q.Text == "0") {
				faults = append(faults, units.Field(c.key, q.Text, fmt.Sprintf("is a %s", q.Unit), fmt.Sprintf("%s is a %s", metric.Name, metric.Unit)))
			}
		}
	}
	return errors.Join(faults...)
}

// didYouMean suggests the nearest of the candidates, or lists them.
func didYouMean(word string, candidates []string) string {
	if near := strictyaml.Nearest(word, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "want one of " + commas(candidates)
}
