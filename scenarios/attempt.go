package scenarios

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/rdmasim/rdmasim/bench/usage"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// attempt is one of the runs of a scenario.
type attempt struct {
	name     string // base, or the name of a variant or of a run of a sweep
	folder   string // of its results, below that of the scenario; empty for its own
	spec     *Spec
	run      *record.Run
	progress host.Progress
	took     time.Duration
	measured measured
}

// build makes all runs of the scenario, and finds what is expected of rows that they cannot have.
func (s *Session) build() (attempts []*attempt, err error) {
	built, err := s.Spec.buildAll()
	if err != nil {
		return nil, err
	}
	names, specs := s.Spec.runs()
	for i, run := range built {
		attempts = append(attempts, &attempt{name: names[i], folder: s.Spec.folderOf(i), spec: specs[i], run: run})
	}
	return attempts, nil
}

// buildAll builds the scenario and its variants.
func (s *Spec) buildAll() (built []*record.Run, err error) {
	names, specs := s.runs()
	for i, spec := range specs {
		run, err := spec.Build()
		if err != nil && i > 0 {
			err = fmt.Errorf("%w (in %s %s)", err, s.others()[i-1].noun(), names[i])
		}
		if err != nil {
			return nil, err
		}
		built = append(built, run)
	}
	if problems := s.checkPicked(built); len(problems) > 0 {
		return nil, problems
	}
	return built, nil
}

// simulate runs all attempts, side by side on the cores. The error of the first that fails ends the others.
func (s *Session) simulate(ctx context.Context, attempts []*attempt) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	bar := results.ShowProgress(s.Terminal, func() results.Snapshot { return snapshot(attempts) })
	defer bar.Stop()
	workers := s.Workers
	if workers == 0 && len(attempts) > 1 {
		workers = 1
	}
	cores := s.Cores
	if cores == 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	free := make(chan struct{}, max(1, cores/max(1, workers)))
	faults := make([]error, len(attempts))
	var running sync.WaitGroup
	for i, t := range attempts {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			if err := t.simulate(ctx, workers); err != nil {
				faults[i] = s.explain(t, err)
				stop()
			}
		})
	}
	running.Wait()
	return errors.Join(faults...)
}

func (t *attempt) simulate(ctx context.Context, workers int) (err error) {
	stop := &t.spec.Stop
	started := time.Now()
	t.run.Report, err = t.run.Cluster.Run(ctx, host.RunOptions{
		Limit: stop.Limit, UntilDone: stop.When == untilDone, NoProgress: stop.NoProgress.Else(0), Workers: workers, Progress: &t.progress,
	})
	t.took = time.Since(started)
	return err
}

// snapshot is how far all attempts together have come.
func snapshot(attempts []*attempt) (all results.Snapshot) {
	for _, t := range attempts {
		all.Now = max(all.Now, units.Time(t.progress.Now.Load()))
		all.FlowsDone += t.progress.FlowsDone.Load()
		all.FlowsTotal += int64(len(t.run.Cluster.Flows) + len(t.run.Cluster.Threads))
		all.BytesDone += t.progress.BytesDone.Load()
		all.PacketHops += t.progress.Hops.Load()
		for _, f := range t.run.Cluster.Flows {
			all.BytesTotal += int64(f.Payload())
		}
	}
	return all
}

// explain adds to a fault of the model where it is and what reproduces it.
func (s *Session) explain(t *attempt, err error) error {
	where, stack := "", ""
	var fault *sim.Fault
	if errors.As(err, &fault) {
		where = fmt.Sprintf(" Node %d is %s.", fault.Node, t.run.Cluster.Net.Graph.Nodes[fault.Node].Name)
		stack = "\n" + fault.Stack
	}
	return fmt.Errorf("%w\nThis is an error of rdmasim, not of the scenario.%s To reproduce it: %s%s", err, where, s.Command, stack)
}

// judge makes the summaries of all attempts, and in that of the first says what became of the expectations.
func (s *Session) judge(attempts []*attempt) *results.Summary {
	runs := map[string]*measured{}
	for _, t := range attempts {
		t.summarise()
		runs[t.name] = &t.measured
	}
	summary := attempts[0].measured.summary
	for i, v := range s.Spec.Variants {
		own := attempts[i+1].measured.summary
		summary.Variants = append(summary.Variants, results.Variant{
			Name: v.Name, Doc: v.Doc, Folder: results.VariantFolder(v.Name), Outcome: own.Outcome, Summary: own,
		})
	}
	for i, v := range s.Spec.swept {
		own := attempts[len(s.Spec.Variants)+i+1].measured.summary
		summary.Swept = append(summary.Swept, results.Variant{
			Name: v.Name, Doc: v.Doc, Folder: results.SweepRunFolder(v.Name), Outcome: own.Outcome, Summary: own,
		})
	}
	for i := range s.Spec.Sweeps {
		summary.Sweeps = append(summary.Sweeps, s.Spec.Sweeps[i].judge(s.Spec, runs))
	}
	for i := range s.Spec.Expect {
		summary.Expectations = append(summary.Expectations, s.Spec.Expect[i].judge(runs, summary.Sweeps))
	}
	if n := len(s.Spec.Variants); n > 0 {
		summary.Beside = compare(attempts[:n+1])
	}
	return summary
}

// folderOf is the folder of the results of a run, by its place among all runs.
func (s *Spec) folderOf(run int) string {
	switch variants := len(s.Variants); {
	case run == 0:
		return ""
	case run <= variants:
		return results.VariantFolder(s.Variants[run-1].Name)
	default:
		return results.SweepRunFolder(s.swept[run-1-variants].Name)
	}
}

func (t *attempt) summarise() {
	summary := t.run.Summary()
	summary.Scenario, summary.Seed, summary.Warnings = t.spec.Name, t.spec.Seed, slices.Concat(t.spec.Warnings, t.run.Warnings)
	summary.Parameters = t.spec.parameters()
	summary.Cost = results.Cost{WallTime: t.took, Workers: t.run.Report.Workers}
	summary.Cost.Memory, _ = usage.Peak()
	t.measured = measured{summary: summary, run: t.run, matched: len(t.spec.Measure.Match) > 0}
}
