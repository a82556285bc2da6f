package main

import (
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

func newParams() *cobra.Command {
	var sets []string
	c := &cobra.Command{
		Use:   "params [NAME|FILE.yaml]",
		Short: "Explain every parameter: value, default, source and meaning",
		Long: `Explain every parameter of a scenario: its value and where that comes from, its
default and the source of the default, the values it may have, and what it means.
Without a scenario, explain all parameters there are.`,
		Args:              usage(cobra.MaximumNArgs(1)),
		ValidArgsFunction: scenarioNames,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return scenarios.WriteAllParams(c.OutOrStdout())
			}
			spec, err := scenarios.Load(args[0], sets...)
			if err != nil {
				return &scenarios.InputError{Err: err}
			}
			return spec.WriteParams(c.OutOrStdout())
		},
	}
	addSet(c, &sets, "override a key of the scenario (repeatable)")
	return c
}
