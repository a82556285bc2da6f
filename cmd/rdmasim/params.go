package main

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

func newParams() *cobra.Command {
	var sets []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "params [NAME|FILE.yaml] [PREFIX]",
		Short: "Explain every parameter: value, default, source, evidence and meaning",
		Long: `Explain every parameter of a scenario: its value and where that comes from, its
default and the source of the default, the values it may have, what it means, and
how good the evidence for the value is: documented by a vendor, a standard or a paper;
what the code of a driver shows; fitted to published measurements; or assumed.
Without a scenario, explain all parameters there are, with the values of every
profile. With a prefix, explain those whose keys begin with it.`,
		Example: `  rdmasim explain params incast switch.ecn
  rdmasim explain params host.nic
  rdmasim explain params incast host.nic --set host.nic.profile=connectx6 --json`,
		Args:              usage(cobra.MaximumNArgs(2)),
		ValidArgsFunction: scenarioNames,
		RunE: func(c *cobra.Command, args []string) error {
			all, err := params(args, sets)
			switch {
			case err != nil:
				return &scenarios.InputError{Err: err}
			case asJSON:
				return scenarios.WriteParamsJSON(c.OutOrStdout(), all)
			}
			return scenarios.WriteParams(c.OutOrStdout(), all)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a list in JSON instead of the text")
	addSet(c, &sets, "override a key of the scenario (repeatable)")
	return c
}

// params are those of the scenario and with the prefix that the arguments name. One argument alone is
// a prefix if any key of the language begins with it, and no scenario has that name.
func params(args, sets []string) ([]scenarios.Param, error) {
	var scenario, prefix string
	switch len(args) {
	case 2:
		scenario, prefix = args[0], args[1]
	case 1:
		if _, err := scenarios.Text(args[0]); err != nil && len(scenarios.AllParams(args[0])) > 0 {
			prefix = args[0]
		} else {
			scenario = args[0]
		}
	}
	if scenario == "" {
		if len(sets) > 0 {
			return nil, fmt.Errorf("--set %s: there is no scenario to set it in; name one before the prefix", strings.Join(sets, " --set "))
		}
		return scenarios.AllParams(prefix), nil
	}
	spec, err := scenarios.Load(scenario, sets...)
	if err != nil {
		return nil, err
	}
	all := spec.Params(prefix)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no key of the scenario begins with %q; rdmasim explain params %[1]s lists them", scenario, prefix)
	}
	return all, nil
}
