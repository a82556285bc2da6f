package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Programmer is a workload that has hosts run programs, in place of flows or beside them.
type Programmer interface {
	Workload
	// Programs returns the programs for these hosts. Problems come as from Flows.
	Programs(env Env) ([]Program, error)
}

// Program is a program that a workload has hosts run.
type Program struct {
	Workload string // label of the workload it belongs to; GeneratePrograms sets it
	Task
}

// Task is what a program does: [*Perftest], [*Calls], [*ShortSessions] or [*LockClients].
type Task interface {
	// Begins is when the program starts.
	Begins() units.Time
	// Class is the class of its data, 0 to 7, or [HostPriority].
	Class() int
}

// GeneratePrograms returns the programs of all workloads, in their order. Labels and problems
// are as for [Generate].
func GeneratePrograms(workloads []Workload, labels []string, env Env) ([]Program, error) {
	var all []Program
	var problems []error
	for i, w := range workloads {
		programmer, is := w.(Programmer)
		if !is {
			continue
		}
		programs, err := programmer.Programs(env)
		if err != nil {
			problems = append(problems, prefixed(fmt.Sprintf("[%d]", i), err))
			continue
		}
		for _, p := range programs {
			p.Workload = labels[i]
			all = append(all, p)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}

// noFlows is what a workload of programs only has of flows.
type noFlows struct{}

// Flows returns none.
func (noFlows) Flows(Env) ([]Flow, error) { return nil, nil }
