package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/scenarios"
)

// Unended is the error of a check with a run that did not end as it was to.
type Unended struct{ Reason string }

// Error says how it ended.
func (u *Unended) Error() string { return u.Reason }

// runScenario runs a built-in scenario; each of its expectations is a row.
func runScenario(ctx context.Context, name string, workers int) ([]Row, error) {
	spec, err := scenarios.Load(name)
	if err != nil {
		return nil, err
	}
	session := scenarios.Session{Spec: spec, Workers: workers, Cores: workers, Command: "rdmasim run " + name}
	summary, err := session.Run(ctx)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, e := range summary.Expectations {
		rows = append(rows, rowOf(e))
	}
	if spec.ExitCode(summary) == scenarios.ExitIncomplete {
		return rows, &Unended{unended(summary)}
	}
	return rows, nil
}

// rowOf makes a row of a judged expectation; one without a rule in words is its own rule.
func rowOf(e results.Expectation) Row {
	rule := e.Rule
	if rule == "" {
		rule = e.Text
	}
	return Row{
		Rule: rule, Source: e.Source, Expected: e.Expected, Found: e.Measured, Deviation: e.Deviation, Band: e.Band,
		Because: e.Because, Met: e.Met,
	}
}

// unended says how the runs ended.
func unended(s *results.Summary) string {
	ends := []string{fmt.Sprintf("the run ended as %s", s.Outcome)}
	for _, v := range s.Variants {
		ends = append(ends, fmt.Sprintf("that of %s as %s", v.Name, v.Outcome))
	}
	return strings.Join(ends, ", ")
}
