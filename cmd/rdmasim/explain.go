package main

import (
	"os"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/results/explain"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

func newExplain() *cobra.Command {
	var slowest int
	var flow int64
	c := &cobra.Command{
		Use:   "explain DIR",
		Short: "Say why a run went as it did, from the directory it has left",
		Example: `  rdmasim explain out/incast
  rdmasim explain out/incast --flow 7
  rdmasim explain params incast`,
		Args:              usage(cobra.ExactArgs(1)),
		ValidArgsFunction: directories,
		RunE: func(c *cobra.Command, args []string) error {
			run, err := explain.Load(args[0])
			if err != nil {
				return &scenarios.InputError{Err: err}
			}
			o := explain.Options{Columns: results.Columns(os.Stdout), Slowest: slowest}
			if c.Flags().Changed("flow") {
				o.Flow = &flow
			}
			if err := run.Write(c.OutOrStdout(), o); err != nil {
				return &scenarios.InputError{Err: err}
			}
			return nil
		},
	}
	c.Flags().IntVar(&slowest, "slowest", 5, "how many of the slowest flows to tell of")
	c.Flags().Int64Var(&flow, "flow", 0, "tell of this flow, and of nothing else")
	c.AddCommand(newParams())
	return c
}

// directories completes the name of a directory.
func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
