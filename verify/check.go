package verify

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/scenarios"
)

// Check is one thing that rdmasim is held against.
type Check struct {
	Name string // lower-case-with-dashes; what patterns match
	Full bool   // takes long: only among all checks
	// Run returns the rows of the check, at least one. It may use so many cores. An error is a check that could not be
	// made; [Unended] one of a run that did not end as told.
	Run func(ctx context.Context, workers int) ([]Row, error)
}

// Row is one rule and how close the simulation came to it: one line of the table. All texts are for people.
type Row struct {
	Rule      string `json:"rule"`      // in words
	Source    string `json:"source"`    // of the rule: formula, standard, paper or simulator
	Expected  string `json:"expected"`  // with its unit
	Found     string `json:"found"`     // with its unit, or why nothing was found
	Deviation string `json:"deviation"` // found less expected; empty if there is no such thing
	Band      string `json:"band"`      // by how much found may differ
	Because   string `json:"because"`   // why the band is as wide as it is, in a sentence
	Met       bool   `json:"met"`       // whether found lies in the band
	// Told is set where nothing is judged: a figure to know, or why there is none.
	Told bool `json:"told,omitempty"`
}

// Checks are those written in Go; see [All] for those that are scenarios too.
var Checks = []Check{
	{"collective-bandwidth", false, collectiveBandwidth},
	{"collective-formulas", false, collectiveFormulas},
	{"collective-mesh", false, collectiveMesh},
	{"collective-straggler", false, collectiveStraggler},
	{"collective-tiers", false, collectiveTiers},
	{"collective-time", false, collectiveTime},
	{"dcqcn-fluid-model", false, fluidModel},
	{"dcqcn-traces", false, dcqcnTraces},
	{"ecmp-spread", false, ecmpSpread},
	{"ecmp-uniform", false, ecmpUniform},
	{"lossy-roce-cliff-messages", false, lossyCliff(true, 10)},
	{"lossy-roce-cliff-messages-long", true, lossyCliff(true, 40)},
	{"lossy-roce-cliff-stream", false, lossyCliff(false, 10)},
	{"lossy-roce-cliff-stream-long", true, lossyCliff(false, 40)},
	{"md1-waits", false, waits(quickArrivals)},
	{"md1-waits-long", true, waits(manyArrivals)},
	{"standards", false, standards},
	{"tcp-dctcp-sawtooth", false, tcpDCTCP},
	{"tcp-incast-collapse", false, tcpIncast},
	{"tcp-latency", false, tcpLatency},
	{"tcp-loss", false, tcpLoss(200)},
	{"tcp-loss-long", true, tcpLoss(1000)},
	{"tcp-processor", false, tcpProcessor},
	{"tcp-slow-start", false, tcpSlowStart},
	{"tcp-timeouts", false, tcpTimeouts},
}

// All returns all checks, in the order of their names.
func All() []Check {
	all := slices.Clone(Checks)
	for _, name := range scenarios.Verifications() {
		all = append(all, Check{
			Name: path.Base(name), Full: strings.Contains(name, "/full/"),
			Run: func(ctx context.Context, workers int) ([]Row, error) { return runScenario(ctx, name, workers) },
		})
	}
	slices.SortStableFunc(all, func(a, b Check) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Select returns the checks whose names match a pattern: one with * or ?, or a part of the name; empty matches all. Those
// that take long are left out unless full, or unless one is named exactly.
func Select(pattern string, full bool) []Check { return From(All(), pattern, full) }

// From returns those of some checks that match, as [Select] does.
func From(checks []Check, pattern string, full bool) (selected []Check) {
	for _, c := range checks {
		if matches(pattern, c.Name) && (full || !c.Full || pattern == c.Name) {
			selected = append(selected, c)
		}
	}
	return selected
}

func matches(pattern, name string) bool {
	if strings.ContainsAny(pattern, "*?[") {
		fit, err := path.Match(pattern, name)
		return err == nil && fit
	}
	return strings.Contains(name, pattern)
}
