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
	Workload  string // label of the workload it belongs to; GeneratePrograms sets it
	Transport string // how its messages travel: RoCEv2, InfiniBand, IWARP or TCP; GeneratePrograms sets it
	Task
}

// Task is what a program does: [*Perftest], [*Calls], [*ShortSessions], [*LockClients], [*Collective], [*ValueClients],
// [*FanOutQueries], [*MediaStreams], [*StorageJobs] or [*RankJob].
type Task interface {
	// Begins is when the program starts.
	Begins() units.Time
	// Class is the class of its data, 0 to 7, or [HostPriority].
	Class() int
	// Queues is what it keeps in memory.
	Queues() Queues
}

// Queues are what a program keeps in memory for as long as it runs: pairs of queue pairs, and the
// requests in their queues.
type Queues struct {
	Pairs    int
	Requests int // to send, of either end
	Receives int
	Fewer    string // what makes them fewer; may be empty
}

// Bounds of all programs of one scenario together, so that a slip does not fill the memory.
const (
	MaxConnections = 1 << 17
	MaxRequests    = 1 << 22
	MaxReceives    = 1 << 24
)

// add adds what a program keeps, and tells what is too much then.
func (q *Queues) add(p Queues) error {
	for _, of := range []struct {
		what string
		sum  *int
		more int
		most int
	}{
		{"connections", &q.Pairs, p.Pairs, MaxConnections},
		{"requests under way", &q.Requests, p.Requests, MaxRequests},
		{"receive requests", &q.Receives, p.Receives, MaxReceives},
	} {
		if *of.sum += of.more; *of.sum > of.most {
			want := fmt.Sprintf("at most %d", of.most)
			if p.Fewer != "" {
				want += ": " + p.Fewer
			}
			return &units.FieldError{Problem: fmt.Sprintf("too many %s in all workloads together: %d with this one", of.what, *of.sum), Want: want}
		}
	}
	return nil
}

// GeneratePrograms returns the programs of all workloads, in their order. Labels and problems
// are as for [Generate].
func GeneratePrograms(workloads []Workload, labels []string, env Env) ([]Program, error) {
	var all []Program
	var problems []error
	var queues Queues
	taken := new(Allocation)
	for i, w := range workloads {
		programmer, is := w.(Programmer)
		if !is {
			continue
		}
		own := env
		own.Taken = taken
		own.Rand = func(stream string) Rand { return env.Rand(labels[i] + "/" + stream) }
		transport, wrong := w.Over(own)
		programs, err := programmer.Programs(own)
		err = errors.Join(wrong, err)
		for k := 0; k < len(programs) && err == nil; k++ {
			err = queues.add(programs[k].Queues())
		}
		if err != nil {
			problems = append(problems, prefixed(fmt.Sprintf("[%d]", i), err))
			continue
		}
		for _, p := range programs {
			p.Workload, p.Transport = labels[i], transport
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
