package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// SwitchOverride holds the settings of some switches.
type SwitchOverride struct {
	Switches []string `key:"switches" required:"true" doc:"the switches, by name or pattern such as spine[0-3]"`
	Switch   `key:",inline"`
}

// overrides returns the configurations of the switches that differ from the others, by node. If sound is false, the
// settings they share with the others have faults that are known already; then those of their own are not looked for.
func (s *Spec) overrides(graph *topology.Graph, flows []workloads.Flow, sound bool) (map[int]*fabric.Config, error) {
	if len(s.Overrides) == 0 {
		return nil, nil
	}
	configs := map[int]*fabric.Config{}
	var faults []error
	for i := range s.Overrides {
		key := fmt.Sprintf("switch_overrides[%d]", i)
		nodes, err := findNodes(graph, key+".switches", s.Overrides[i].Switches, "switch", graph.Switches())
		faults = append(faults, err)
		own, err := s.switchConfig(&s.Overrides[i].Switch, key, graph, flows)
		if sound {
			faults = append(faults, err)
		}
		for _, node := range nodes {
			if configs[node] != nil {
				faults = append(faults, units.Field(key+".switches", graph.Nodes[node].Name, "already has settings of its own", "each switch in one entry"))
			}
			configs[node] = &own
		}
	}
	return configs, errors.Join(faults...)
}

// neighbours returns the nodes that some patterns name.
func neighbours(graph *topology.Graph, key string, patterns []string) (map[int]bool, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	everyone := make([]int, len(graph.Nodes))
	for i := range everyone {
		everyone[i] = i
	}
	nodes, err := findNodes(graph, key, patterns, "node", everyone)
	named := map[int]bool{}
	for _, node := range nodes {
		named[node] = true
	}
	return named, err
}

// findNodes returns those of the candidates, each a noun, that some patterns name; every name must be that of one.
func findNodes(graph *topology.Graph, key string, patterns []string, noun string, candidates []int) ([]int, error) {
	var names []string
	for _, node := range candidates {
		names = append(names, graph.Nodes[node].Name)
	}
	var found []int
	var faults []error
	for i, pattern := range patterns {
		where := fmt.Sprintf("%s[%d]", key, i)
		expanded, err := hostlist.Expand(pattern)
		if err != nil {
			faults = append(faults, units.Field(where, pattern, err.Error(), "a name, a pattern such as spine[0-3], or *"))
			continue
		}
		for _, name := range expanded {
			at := slices.Index(names, name)
			switch {
			case name == "*":
				found = append(found, candidates...)
			case at < 0:
				faults = append(faults, units.Field(where, name, "no "+noun+" of this name", hostlist.DidYouMean(name, names)))
			default:
				found = append(found, candidates[at])
			}
		}
	}
	return found, errors.Join(faults...)
}
