package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

// exitError carries the exit code of a command that has already said everything.
type exitError struct{ code int }

// Error names the code.
func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// execute runs a command line and returns its exit code.
func execute(args []string, stdout, stderr *os.File) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	var exit *exitError
	var input *scenarios.InputError
	switch {
	case err == nil:
		return scenarios.ExitDone
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &input):
		fmt.Fprintln(stderr, err)
		return scenarios.ExitBadInput
	}
	fmt.Fprintln(stderr, "rdmasim:", err)
	return scenarios.ExitFault
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "rdmasim",
		Short: "Simulate lossless RDMA fabrics",
		Long: `rdmasim simulates RDMA fabrics from YAML scenarios: RoCEv2 with PFC, ECN and DCQCN, and
InfiniBand with credits; flows, or programs on verbs such as the tests of perftest.

Exit codes: 0 all that the scenario asked for happened; 1 a fault of rdmasim;
2 bad input; 3 stalled, out of time, failed or interrupted; 4 an expectation or
the promise of a lossless priority was broken.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &scenarios.InputError{Err: err} })
	root.AddCommand(newRun(), newValidate(), newList(), newShow(), newExplain(), newSchema(), newVerify(), newCompare(), newBench(), newCalibrate())
	return root
}

// noSuchCommand refuses what is no command, and suggests the one that was meant.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	advice := "see " + c.CommandPath() + " --help"
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		advice = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return &scenarios.InputError{Err: fmt.Errorf("%s: there is no command %q; %s", c.CommandPath(), args[0], advice)}
}

// usage makes wrong arguments an error of the user's.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &scenarios.InputError{Err: fmt.Errorf("%s: %w; see %[1]s --help", c.CommandPath(), err)}
		}
		return nil
	}
}

// version is that of the module, with the commit it was built from if known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v += " " + s.Value[:12]
		}
	}
	return v
}
