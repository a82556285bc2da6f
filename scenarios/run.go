package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Session is one run of a scenario with its results.
type Session struct {
	Spec *Spec
	// Out is the directory for results.
	Out string
	// Workers share the nodes; 0 chooses.
	Workers int
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

// Run builds the scenario, runs it and writes the results. What the user can
// mend comes as an [InputError]; another error is a fault of the program, and
// then nothing was written.
func (s *Session) Run(ctx context.Context) (*results.Summary, error) {
	run, err := s.Spec.Build()
	if err != nil {
		return nil, &InputError{err}
	}
	dir, err := results.Prepare(s.Out, "flows.csv", "ports.csv", "pfc.csv", "counters.csv", "summary.json", "schema.json", "scenario.yaml")
	if err != nil {
		return nil, &InputError{err}
	}
	started := time.Now()
	if err := s.simulate(ctx, run); err != nil {
		return nil, s.explain(run, err)
	}
	summary := s.summarise(run, time.Since(started))
	return summary, s.write(dir, run, summary)
}

// InputError is an error that the user can mend.
type InputError struct{ Err error }

// Error tells what is wrong.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *InputError) Unwrap() error { return e.Err }

func (s *Session) simulate(ctx context.Context, run *record.Run) error {
	var progress host.Progress
	total := int64(0)
	for _, f := range run.Cluster.Flows {
		total += int64(f.Payload())
	}
	bar := results.ShowProgress(s.Terminal, func() results.Snapshot {
		return results.Snapshot{
			Now:       units.Time(progress.Now.Load()),
			FlowsDone: progress.FlowsDone.Load(), FlowsTotal: int64(len(run.Cluster.Flows)),
			BytesDone: progress.BytesDone.Load(), BytesTotal: total,
			PacketHops: progress.Hops.Load(),
		}
	})
	defer bar.Stop()
	var err error
	run.Report, err = run.Cluster.Run(ctx, host.RunOptions{
		Limit: s.Spec.Stop.Limit, UntilDone: s.Spec.Stop.When == untilDone, NoProgress: s.Spec.Stop.NoProgress.Else(0), Workers: s.Workers, Progress: &progress,
	})
	return err
}

// explain adds to a fault of the model where it is and what reproduces it.
func (s *Session) explain(run *record.Run, err error) error {
	where, stack := "", ""
	var fault *sim.Fault
	if errors.As(err, &fault) {
		where = fmt.Sprintf(" Node %d is %s.", fault.Node, run.Cluster.Net.Graph.Nodes[fault.Node].Name)
		stack = "\n" + fault.Stack
	}
	return fmt.Errorf("%w\nThis is an error of rdmasim, not of the scenario.%s To reproduce it: %s%s", err, where, s.Command, stack)
}

func (s *Session) summarise(run *record.Run, took time.Duration) *results.Summary {
	summary := run.Summary()
	summary.Scenario, summary.Seed, summary.Warnings = s.Spec.Name, s.Spec.Seed, slices.Concat(s.Spec.Warnings, run.Warnings)
	summary.Cost = results.Cost{WallTime: took, Workers: run.Report.Workers}
	for i := range s.Spec.Expect {
		summary.Expectations = append(summary.Expectations, s.Spec.Expect[i].Judge(summary))
	}
	return summary
}

// write writes all files of the run, the manifest last.
func (s *Session) write(dir *results.Dir, run *record.Run, summary *results.Summary) error {
	schema := results.NewSchema()
	tables := append([]*results.Table{run.Flows(), run.SlowdownBySize(), run.Tiers(), run.QPs(), run.Ports(), run.PFC(), run.PauseCauses(), run.Counters()}, run.SeriesTables()...)
	for _, t := range tables {
		schema.AddTable(t)
		if err := dir.Write(t.Name(), t.WriteCSV); err != nil {
			return err
		}
	}
	missing, err := run.Plots(s.Spec.Name, dir.Write)
	if err != nil {
		return err
	}
	summary.Notes = append(summary.Notes, missing...)
	schema.AddDocument("summary.json", "the run in figures and sentences", results.SummaryDocument{})
	schema.AddDocument(results.ManifestName, "what this directory holds", results.Manifest{})
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"summary.json", summary.WriteJSON},
		{"schema.json", schema.WriteJSON},
		{"scenario.yaml", func(w io.Writer) error { _, err := w.Write(s.Spec.Resolved()); return err }},
	} {
		if err := dir.Write(f.name, f.write); err != nil {
			return err
		}
	}
	return dir.WriteManifest(results.Manifest{
		Version: s.Version, Scenario: s.Spec.Name, ScenarioHash: s.Spec.Hash(), Seed: s.Spec.Seed,
		Digest: summary.Digest, Outcome: summary.Outcome,
		Execution: results.ThisMachine(s.Command, summary.Cost.WallTime, summary.Cost.Workers),
	})
}

// ExitCode is what a run's summary means to whoever called it: 0 only if all that
// the scenario asked for happened. An outcome that the scenario expects is such a
// thing; so is a loss in a lossless priority if it expects one. Of a run that is
// incomplete against expectation nothing else is judged.
func (s *Spec) ExitCode(summary *results.Summary) int {
	asked := func(e *Expectation) bool { return e.Outcome != nil && *e.Outcome == string(summary.Outcome) }
	if !summary.Outcome.Complete() && !s.expects(asked) {
		return ExitIncomplete
	}
	for _, e := range summary.Expectations {
		if !e.Met {
			return ExitBroken
		}
	}
	lost := drops(summary, true) > 0
	if lost && !s.expects(func(e *Expectation) bool { return e.Metric != nil && *e.Metric == "lossless_drops" }) {
		return ExitBroken
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
