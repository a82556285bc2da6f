package scenarios

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/faults"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/rnic"
)

func faultKinds(registry []faults.Kind) []strictyaml.Kind {
	var kinds []strictyaml.Kind
	for _, k := range registry {
		kinds = append(kinds, strictyaml.Kind{Name: k.Name, Doc: k.Doc, New: func(string) any { return k.New() }})
	}
	return kinds
}

// faultPlan makes the plan of all faults. What is wrong has its place.
func (s *Spec) faultPlan(env *faults.Env) (host.Faults, strictyaml.Problems) {
	var plan host.Faults
	var problems strictyaml.Problems
	count := map[string]int{}
	for i, b := range s.Faults {
		err := b.Params.(faults.Fault).Plan(env, numbered(b.Kind, count), &plan)
		problems = append(problems, strictyaml.Locate(err, fmt.Sprintf("faults[%d]", i), s.origins)...)
	}
	return plan, problems
}

// checkFaults checks that what faults name is there.
func (s *Spec) checkFaults(graph *topology.Graph, flows int) strictyaml.Problems {
	_, problems := s.faultPlan(&faults.Env{Graph: graph, Flows: flows, Lossless: s.Switch.PFC.set()})
	return problems
}

// inject adds the faults to the cluster.
func (s *Spec) inject(c *host.Cluster) error {
	if len(s.Faults) == 0 {
		return nil
	}
	plan, problems := s.faultPlan(&faults.Env{
		Graph: c.Net.Graph, Flows: len(c.Flows), Lossless: s.Switch.PFC.set(), AddressesOf: c.AddressesOf,
	})
	if len(problems) > 0 {
		return problems
	}
	return c.Inject(plan)
}

// recovery is what host.recovery stands for.
func (h *Host) recovery() rnic.Recovery {
	if h.Recovery == rnic.GoBackZero.String() {
		return rnic.GoBackZero
	}
	return rnic.GoBackN
}
