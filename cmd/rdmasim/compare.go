package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	out     string
	workers int
	sets    []string
	json    bool
}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare A B...",
		Short: "Set runs side by side: scenarios, single variants, or directories of finished runs",
		Long: `Set runs side by side, with the ratio of each figure to that of the first run: completion
times, latencies of programs, goodput, loss, processors, memory and cost. Each argument
is a built-in scenario, a file, one run of it as NAME:VARIANT (NAME:base is the file's
own), or the directory that a run has left. One argument alone means all of its variants.
Scenarios are run side by side; of what they expect only the outcome and the loss in
lossless priorities decide about the exit code.`,
		Example: `  rdmasim compare roce-vs-ib-vs-iwarp
  rdmasim compare incast incast-fast.yaml
  rdmasim compare roce-vs-ib-vs-iwarp:base roce-vs-ib-vs-iwarp:infiniband --out out/roce-ib
  rdmasim compare out/before out/after`,
		Args: usage(cobra.MinimumNArgs(1)), ValidArgsFunction: scenarioNames,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().StringVarP(&f.out, "out", "o", "out/compare", "directory for compare.csv, compare.json, plots and the results of runs")
	c.Flags().IntVar(&f.workers, "workers", 0, "cores to use for each run; 0: runs go side by side, each on one")
	addSet(c, &f.sets, "override a key of all scenarios, as in cost.core_hour=0.04 (repeatable)")
	c.Flags().BoolVar(&f.json, "json", false, "print compare.json instead of the text")
	return c
}

func (f *compareFlags) run(c *cobra.Command, args []string) error {
	if f.workers < 0 {
		return &scenarios.InputError{Err: fmt.Errorf("--workers: %d: negative; 0 to choose, or a number of cores", f.workers)}
	}
	entries, err := scenarios.Enter(args, f.sets...)
	if err != nil {
		return &scenarios.InputError{Err: err}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the first signal ends the runs with partial results, a second one the program
	contest := scenarios.Contest{
		Entries: entries, Out: f.out, Workers: f.workers, Version: version(), Command: strings.Join(os.Args, " "), Terminal: os.Stderr,
	}
	comparison, code, err := contest.Run(ctx)
	if err != nil {
		return err
	}
	if f.json {
		err = comparison.WriteJSON(c.OutOrStdout())
	} else {
		err = f.print(c, comparison)
	}
	if err != nil {
		return err
	}
	if code != scenarios.ExitDone {
		return &exitError{code}
	}
	return nil
}

func (f *compareFlags) print(c *cobra.Command, comparison *results.Comparison) error {
	if err := comparison.WriteText(c.OutOrStdout(), results.Columns(os.Stdout)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "\nResults are in %s: compare.csv, compare.json and plots, listed in manifest.json; those of runs are in folders below runs.\n", f.out)
	return err
}
