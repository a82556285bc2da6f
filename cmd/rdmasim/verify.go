package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/verify"
	"github.com/spf13/cobra"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	full, json, markdown bool
	into, golden         string
}

func newVerify() *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use:   "verify [PATTERN]",
		Short: "Hold rdmasim against theory, standards, papers and other simulators",
		Long: `Run the checks whose names match, all if there is no pattern, and print for each rule
its source, what was expected, what was found, by how much that differs, and whether
it may. A pattern is a part of a name, or has * and ?.

Exit codes: 0 all rules are met; 1 a fault of rdmasim; 2 bad input; 3 nothing was judged, or a run did not end
as it was to; 4 a rule is not met.`,
		Example: `  rdmasim verify
  rdmasim verify goodput
  rdmasim verify --full --into docs/validation.md
  rdmasim verify --golden runs/hpcc-ns3 'incast*'`,
		Args: usage(cobra.MaximumNArgs(1)), ValidArgsFunction: checkNames,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, append(args, "")[0]) },
	}
	c.Flags().BoolVar(&f.full, "full", false, "also the checks that take long")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON instead of the table")
	c.Flags().BoolVar(&f.markdown, "markdown", false, "print the table in Markdown")
	c.Flags().StringVar(&f.into, "into", "", "put the table, in Markdown, between the markers of this `file`")
	c.Flags().StringVar(&f.golden, "golden", "", "compare with the runs of other simulators in the folders of this `directory`, flow by flow, and make no other checks")
	return c
}

// check refuses flags that do not go together.
func (f *verifyFlags) check(pattern string) error {
	switch {
	case f.json && f.markdown, f.into != "" && (f.json || f.markdown):
		return fmt.Errorf("--json, --markdown and --into: the table is written one way; keep one of them")
	case f.into != "" && (pattern != "" || !f.full):
		return fmt.Errorf("--into: a part of the table would replace all of it; use --full and no pattern")
	}
	return nil
}

// checkNames completes the name of a check.
func checkNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, c := range verify.All() {
		names = append(names, c.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (f *verifyFlags) run(c *cobra.Command, pattern string) error {
	if err := f.check(pattern); err != nil {
		return &scenarios.InputError{Err: err}
	}
	known, err := f.known()
	if err != nil {
		return &scenarios.InputError{Err: err}
	}
	checks := verify.From(known, pattern, f.full)
	if len(checks) == 0 {
		return &scenarios.InputError{Err: noSuchCheck(pattern, known)}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program
	all := verify.Run(ctx, checks, showChecks(len(checks)))
	if err := f.write(c, all); err != nil {
		return err
	}
	if code := verify.ExitCode(all); code != scenarios.ExitDone {
		return &exitError{code}
	}
	return nil
}

// known are the checks to choose from.
func (f *verifyFlags) known() ([]verify.Check, error) {
	if f.golden == "" {
		return verify.All(), nil
	}
	return golden(f.golden)
}

func noSuchCheck(pattern string, known []verify.Check) error {
	var names []string
	for _, c := range known {
		names = append(names, c.Name)
	}
	return fmt.Errorf("there is no check like %q; %s", pattern, scenarios.DidYouMean(pattern, names))
}

// showChecks returns a function that shows on a terminal how many checks have ended.
func showChecks(total int) func(name string) {
	if !results.IsTerminal(os.Stderr) {
		return func(string) {}
	}
	ended := 0
	return func(name string) {
		ended++
		fmt.Fprintf(os.Stderr, "\r\033[K%d of %d checks: %s", ended, total, name)
		if ended == total {
			fmt.Fprint(os.Stderr, "\r\033[K")
		}
	}
}

func (f *verifyFlags) write(c *cobra.Command, all []verify.Result) error {
	out := c.OutOrStdout()
	switch {
	case f.json:
		return verify.WriteJSON(out, all)
	case f.markdown:
		return verify.WriteMarkdown(out, all)
	case f.into != "":
		if err := f.insert(all); err != nil {
			return &scenarios.InputError{Err: fmt.Errorf("--into %s: %w", f.into, err)}
		}
	}
	return verify.WriteText(out, all, results.Columns(os.Stdout))
}

// insert puts the table into a page.
func (f *verifyFlags) insert(all []verify.Result) error {
	page, err := os.ReadFile(f.into)
	if err != nil {
		return err
	}
	place := verify.OfRules
	if f.golden != "" {
		place = verify.OfSimulators
	}
	text, err := verify.Insert(string(page), place, all)
	if err != nil {
		return err
	}
	temporary := f.into + ".tmp"
	if err := os.WriteFile(temporary, []byte(text), 0o666); err != nil {
		return err
	}
	return os.Rename(temporary, f.into)
}
