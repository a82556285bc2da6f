package scenarios

import (
	"context"
	"os"
	"slices"

	"github.com/rdmasim/rdmasim/results"
)

// Session is the runs of a scenario, its own and those of its variants, with their results.
type Session struct {
	Spec *Spec
	// Out is the directory for results; empty leaves none.
	Out string
	// Workers share the nodes of each run. 0 chooses; of several runs, which go side by side, each has one.
	Workers int
	// Cores is how many cores the runs may use together; 0 is all.
	Cores int
	// Version and Command go into the manifest.
	Version, Command string
	// Terminal gets the progress, if it is one.
	Terminal *os.File
}

// untilDone is the value of stop.when that ends a run when its flows are done.
const untilDone = "flows-done"

// Exit codes of a run (DESIGN: contract 2).
const (
	ExitDone       = 0
	ExitFault      = 1
	ExitBadInput   = 2
	ExitIncomplete = 3
	ExitBroken     = 4
)

// Run builds the scenario and its variants, runs them side by side and writes the results, those of variants into folders
// of their own. It returns the summary of the scenario's own run, with those of the variants in it. What the user can mend
// comes as an [InputError]; another error is a fault of the program, and then nothing was written.
func (s *Session) Run(ctx context.Context) (*results.Summary, error) {
	attempts, err := s.build()
	if err != nil {
		return nil, &InputError{err}
	}
	var dir *results.Dir
	if s.Out != "" {
		ours := []string{"flows.csv", "ports.csv", "pfc.csv", "counters.csv", "summary.json", "schema.json", "scenario.yaml"}
		if len(s.Spec.Variants) > 0 {
			ours = append(ours, "variants", "compare.csv", "compare.json")
		}
		if len(s.Spec.Sweeps) > 0 {
			ours = append(ours, results.SweepFolder)
		}
		dir, err = results.Prepare(s.Out, ours...)
		if err != nil {
			return nil, &InputError{err}
		}
	}
	if err := s.simulate(ctx, attempts); err != nil {
		return nil, err
	}
	summary := s.judge(attempts)
	if dir == nil {
		return summary, nil
	}
	return summary, s.write(dir, attempts)
}

// InputError is an error that the user can mend.
type InputError struct{ Err error }

// Error tells what is wrong.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *InputError) Unwrap() error { return e.Err }

// ExitCode is what a run's summary means to whoever called it: 0 only if all that
// the scenario asked for happened, in all of its runs. An outcome that the scenario expects is such a
// thing; so is a loss in a lossless priority if it expects one. Of runs of which one is
// incomplete against expectation nothing else is judged.
func (s *Spec) ExitCode(summary *results.Summary) int {
	names, _ := s.runs()
	all := []*results.Summary{summary}
	for _, v := range slices.Concat(summary.Variants, summary.Swept) {
		all = append(all, v.Summary)
	}
	for i, run := range all {
		asked := func(e *Expectation) bool {
			return e.run() == names[i] && e.Outcome != nil && *e.Outcome == string(run.Outcome)
		}
		if !run.Outcome.Complete() && !s.expects(asked) {
			return ExitIncomplete
		}
	}
	for _, e := range summary.Expectations {
		if !e.Met {
			return ExitBroken
		}
	}
	for i, run := range all {
		asked := func(e *Expectation) bool {
			return e.run() == names[i] && e.Metric != nil && *e.Metric == "lossless_drops"
		}
		if drops(run, true) > 0 && !s.expects(asked) {
			return ExitBroken
		}
	}
	return ExitDone
}

func (s *Spec) expects(is func(*Expectation) bool) bool {
	for i := range s.Expect {
		if is(&s.Expect[i]) {
			return true
		}
	}
	return false
}
