package main

import (
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors and other tools",
		Long: `Print the JSON Schema (draft 2020-12) of scenario files, made from the parser's own
tables. An editor that knows it completes keys and marks mistakes as you type; with
the YAML language server, put this line at the top of a scenario:

  # yaml-language-server: $schema=scenario.schema.json

The schema knows keys, types, kinds and the form of quantities. What depends on
several keys at once, and bounds of quantities, only "rdmasim validate" can tell.`,
		Example: "  rdmasim schema > scenario.schema.json",
		Args:    usage(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return scenarios.WriteSchema(c.OutOrStdout())
		},
	}
}
