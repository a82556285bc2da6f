package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

// runFlags are the flags of run.
type runFlags struct {
	seed    uint64
	out     string
	workers int
	sets    []string
	json    bool
}

func newRun() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run NAME|FILE.yaml",
		Short: "Run a built-in scenario or a file, print the answer, leave tables and plots",
		Example: `  rdmasim run incast
  rdmasim run my.yaml --seed 7 --out results/seven
  rdmasim run incast --set switch.ecn.kmin=200KB`,
		Args: usage(cobra.ExactArgs(1)), ValidArgsFunction: scenarioNames,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().Uint64Var(&f.seed, "seed", 0, "seed of all random streams, in place of the scenario's")
	c.Flags().StringVarP(&f.out, "out", "o", "", "directory for results (default out/NAME)")
	c.Flags().IntVar(&f.workers, "workers", 0, "cores to use; 0: all, or one where the work is too small to share")
	addSet(c, &f.sets, "override a key of the scenario, as in switch.ecn.kmin=200KB (repeatable)")
	c.Flags().BoolVar(&f.json, "json", false, "print summary.json instead of the text")
	return c
}

func (f *runFlags) run(c *cobra.Command, name string) error {
	if f.workers < 0 {
		return &scenarios.InputError{Err: fmt.Errorf("--workers: %d: negative; 0 for all cores, or a number of them", f.workers)}
	}
	if c.Flags().Changed("seed") {
		f.sets = append(f.sets, fmt.Sprintf("seed=%d", f.seed))
	}
	spec, err := scenarios.Load(name, f.sets...)
	if err != nil {
		return &scenarios.InputError{Err: err}
	}
	if f.out == "" {
		f.out = filepath.Join("out", spec.Name)
	}
	if f.workers > 1 && spec.OneWorker() {
		fmt.Fprintf(c.ErrOrStderr(), "--workers %d: profile %s has one order of events, and runs on one worker\n", f.workers, spec.Profile)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the first signal ends the run with partial results, a second one the program
	session := scenarios.Session{
		Spec: spec, Out: f.out, Workers: f.workers, Version: version(), Command: strings.Join(os.Args, " "), Terminal: os.Stderr,
	}
	summary, err := session.Run(ctx)
	if err != nil {
		return err
	}
	if err := f.print(c, summary); err != nil {
		return err
	}
	if code := spec.ExitCode(summary); code != scenarios.ExitDone {
		return &exitError{code}
	}
	return nil
}

func (f *runFlags) print(c *cobra.Command, summary *results.Summary) error {
	if f.json {
		return summary.WriteJSON(c.OutOrStdout())
	}
	if err := summary.WriteText(c.OutOrStdout(), results.Columns(os.Stdout)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "Results are in %s: summary.json, flows.csv and more, listed in manifest.json; schema.json explains every column.\n", f.out)
	return err
}
