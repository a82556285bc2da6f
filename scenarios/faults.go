package scenarios

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/faults"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
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

// faultEnv is what faults know of the run.
func (s *Spec) faultEnv(graph *topology.Graph, flows int) *faults.Env {
	return &faults.Env{Graph: graph, Flows: flows, Hosts: directory(graph).Find, Lossless: s.Switch.PFC.set()}
}

// checkFaults checks that what faults name is there.
func (s *Spec) checkFaults(graph *topology.Graph, flows int) strictyaml.Problems {
	_, problems := s.faultPlan(s.faultEnv(graph, flows))
	return problems
}

// inject adds the faults to the cluster.
func (s *Spec) inject(c *host.Cluster) error {
	if len(s.Faults) == 0 {
		return nil
	}
	env := s.faultEnv(c.Net.Graph, len(c.Flows))
	env.AddressesOf = c.AddressesOf
	plan, problems := s.faultPlan(env)
	if len(problems) > 0 {
		return problems
	}
	return c.Inject(plan)
}

// detourCycles warns of routes round dead links on which pauses can wait for each other,
// as they can where a packet goes down and up again.
func (s *Spec) detourCycles(c *host.Cluster) (warnings []string) {
	looked := map[*topology.Routes]bool{c.Net.Routes: true}
	for _, e := range c.Net.Epochs() {
		if looked[e.Routes] {
			continue
		}
		looked[e.Routes] = true
		possible := topology.NewDependencies(c.Net.Graph)
		possible.AddRoutes(e.Routes)
		if cycle := possible.Cycle(); cycle != nil {
			problem := fmt.Sprintf("the routes from %v on, round dead links, allow pauses to deadlock: the cables of %s could wait for each other",
				e.At, cycleText(c.Net, cycle))
			warnings = append(warnings, s.Problem("faults", problem, "").Error())
		}
	}
	return warnings
}
