package main

import (
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

// scenarioNames completes the name of a built-in scenario or of a file.
func scenarioNames(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, name := range slices.Concat(scenarios.Names(), scenarios.Verifications()) {
		if strings.HasPrefix(name, begun) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault // files are offered beside them
}

// addSet adds the flag --set with its completion.
func addSet(c *cobra.Command, sets *[]string, use string) {
	c.Flags().StringArrayVar(sets, "set", nil, use)
	if err := c.RegisterFlagCompletionFunc("set", settings); err != nil {
		panic(err) // the flag was added just now
	}
}

// settings completes the value of --set: a key of the scenario that stands on the command line, or of any, and after the
// sign the values that the key can have where there are few.
func settings(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	return scenarios.CompleteSet(name, begun), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
