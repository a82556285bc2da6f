package main

import (
	"fmt"

	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

func newValidate() *cobra.Command {
	var sets []string
	c := &cobra.Command{
		Use:   "validate NAME|FILE.yaml...",
		Short: "Check scenarios without running them",
		Args:  usage(cobra.MinimumNArgs(1)), ValidArgsFunction: scenarioNames,
		RunE: func(c *cobra.Command, args []string) error {
			failed := false
			for _, name := range args {
				failed = !validate(c, name, sets) || failed
			}
			if failed {
				return &exitError{scenarios.ExitBadInput}
			}
			return nil
		},
	}
	addSet(c, &sets, "override a key of the scenario, as in switch.ecn.kmin=200KB (repeatable)")
	return c
}

// validate checks one scenario, the building of its network included.
func validate(c *cobra.Command, name string, sets []string) bool {
	spec, err := scenarios.Load(name, sets...)
	var warnings []string
	if err == nil {
		warnings, err = spec.Lint()
	}
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return false
	}
	for _, w := range warnings {
		fmt.Fprintln(c.OutOrStdout(), "warning:", w)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: valid\n", name)
	return true
}

func newList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the built-in scenarios, and the kinds of topology, workload and congestion control",
		Args:  usage(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return scenarios.WriteList(c.OutOrStdout())
		},
	}
}

func newShow() *cobra.Command {
	var resolved bool
	var sets []string
	c := &cobra.Command{
		Use:   "show NAME|FILE.yaml",
		Short: "Print a scenario: as it is written, or with every default and its source",
		Args:  usage(cobra.ExactArgs(1)), ValidArgsFunction: scenarioNames,
		RunE: func(c *cobra.Command, args []string) error {
			text, err := show(args[0], resolved, sets)
			if err != nil {
				return &scenarios.InputError{Err: err}
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
	c.Flags().BoolVar(&resolved, "resolved", false, "write out every value with where it comes from")
	addSet(c, &sets, "override a key; implies --resolved (repeatable)")
	return c
}

func show(name string, resolved bool, sets []string) ([]byte, error) {
	if !resolved && len(sets) == 0 {
		return scenarios.Text(name)
	}
	spec, err := scenarios.Load(name, sets...)
	if err != nil {
		return nil, err
	}
	return spec.Resolved(), nil
}
