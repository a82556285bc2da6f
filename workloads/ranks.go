package workloads

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Placing says on which hosts the ranks of a job are, and in which order.
type Placing struct {
	Hosts     []string `key:"hosts" doc:"selectors of the hosts, in the order of the ranks; all if not given"`
	Nodes     int      `key:"nodes" default:"0" min:"0" max:"1048576" doc:"how many of them the job has: those that placement chooses among the ones that no workload before it with nodes has; 0: all of hosts, whoever else is there"`
	Placement string   `key:"placement" default:"packed" oneof:"packed|striped|random" doc:"which ones, with nodes: packed: the first in order; striped: one of each rack in turn; random: any, by the seed"`
	RankOrder string   `key:"rank_order" default:"in-order" oneof:"in-order|random" doc:"in-order: ranks 0, 1, 2 … on the first host, the next ones on the second; random: on any, by the seed"`
}

// Allocation is which hosts jobs have to themselves.
type Allocation struct{ taken map[int]bool }

// place chooses the hosts.
func (p *Placing) place(env Env) ([]int, error) {
	hosts, err := newDirectory(env).findOrAll("hosts", p.Hosts)
	if err != nil || p.Nodes == 0 {
		return hosts, err
	}
	if env.Taken == nil {
		env.Taken = new(Allocation)
	}
	free := slices.DeleteFunc(slices.Clone(hosts), func(h int) bool { return env.Taken.taken[h] })
	if len(free) < p.Nodes {
		return nil, units.Field("nodes", p.Nodes, fmt.Sprintf("of %d hosts %d are free", len(hosts), len(free)), fmt.Sprintf("at most %d", len(free)))
	}
	switch p.Placement {
	case "striped":
		seen := map[int]int{}
		turn := make(map[int]int, len(free)) // of a host: how many of its rack are before it
		for _, h := range free {
			turn[h] = seen[env.rack(h)]
			seen[env.rack(h)]++
		}
		slices.SortStableFunc(free, func(a, b int) int { return turn[a] - turn[b] })
	case "random":
		Shuffle(env.Rand("placement"), len(free), func(i, k int) { free[i], free[k] = free[k], free[i] })
	}
	chosen := free[:p.Nodes]
	slices.SortFunc(chosen, func(a, b int) int { return slices.Index(hosts, a) - slices.Index(hosts, b) })
	if env.Taken.taken == nil {
		env.Taken.taken = map[int]bool{}
	}
	for _, h := range chosen {
		env.Taken.taken[h] = true
	}
	return chosen, nil
}

// rack is that of a host.
func (e *Env) rack(host int) int {
	if host < len(e.Racks.Of) {
		return e.Racks.Of[host]
	}
	return 0
}

// Place is where a rank is: on which host, and which of the ranks there it is.
type Place struct{ Host, Slot int }

// places are those of all ranks, so many on each host.
func (p *Placing) places(env Env, perHost int) ([]Place, error) {
	hosts, err := p.place(env)
	var all []Place
	for _, h := range hosts {
		for slot := range perHost {
			all = append(all, Place{h, slot})
		}
	}
	if p.RankOrder == "random" && err == nil {
		Shuffle(env.Rand("ranks"), len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	}
	return all, err
}

// Algorithms says how collectives of GPUs are done.
type Algorithms struct {
	Usual string  `key:"algorithm" default:"ring" doc:"how collectives are done that algorithms does not name, where it can do them: ring, double-tree, hierarchical, halving-doubling … (docs/collectives.md); others are done by the first that can; auto: each by the one that takes least in theory for its size and its ranks"`
	Own   perKind `key:"algorithms" doc:"how collectives of one kind are done"`
}

// MPIAlgorithms says how collectives of processes are done.
type MPIAlgorithms struct {
	Usual string  `key:"algorithm" default:"auto" doc:"how collectives are done that algorithms does not name: auto: each by the one that takes least in theory for its size and its ranks, so that small all-reduces go by recursive doubling and large ones by halving and doubling or around a ring; or one by name, where it can do them (docs/collectives.md)" source:"MPI libraries: tables of sizes and ranks, tuned for a machine"`
	Own   perKind `key:"algorithms" doc:"how collectives of one kind are done"`
}

// auto leaves it to theory.
const auto = "auto"

// perKind is an algorithm for each kind of collective; empty for the usual one.
type perKind struct {
	AllReduce     string `key:"all_reduce" doc:"all-reduce"`
	ReduceScatter string `key:"reduce_scatter" doc:"reduce-scatter"`
	AllGather     string `key:"all_gather" doc:"all-gather"`
	Broadcast     string `key:"broadcast" doc:"broadcast"`
	Reduce        string `key:"reduce" doc:"reduce"`
	AllToAll      string `key:"all_to_all" doc:"all-to-all"`
	Barrier       string `key:"barrier" doc:"barrier"`
}

// choose finds the algorithms; none of a kind for which theory is to choose.
func (p *perKind) choose(name string) (map[collective.Kind]*collective.Algorithm, error) {
	all := map[collective.Kind]*collective.Algorithm{}
	usual, known := collective.ByName(name)
	if !known && name != auto {
		names := []string{auto}
		for i := range collective.Algorithms {
			names = append(names, collective.Algorithms[i].Name)
		}
		return nil, units.Field("algorithm", name, "no algorithm", "one of "+strings.Join(names, ", "))
	}
	var problems []error
	for i, own := range [...]string{p.AllReduce, p.ReduceScatter, p.AllGather, p.Broadcast, p.Reduce, p.AllToAll, p.Barrier} {
		kind := collective.Kind(i)
		by, known := collective.ByName(own)
		switch {
		case own == auto || own == "" && name == auto:
		case own == "" && usual.Does(kind):
			all[kind] = usual
		case own == "":
			all[kind] = collective.Default(kind)
		case known && by.Does(kind):
			all[kind] = by
		default:
			key := "algorithms." + strings.ReplaceAll(kind.String(), "-", "_")
			problems = append(problems, units.Field(key, own, "no algorithm for it", "one of "+auto+", "+strings.Join(collective.Names(kind), ", ")))
		}
	}
	return all, errors.Join(problems...)
}

// RankJob is ranks that go through a schedule: the program of a workload whose dependencies are known beforehand.
type RankJob struct {
	Kind       string // of the workload
	Schedule   *schedule.Job
	Places     []Place // of the ranks
	PerHost    int     // ranks of each host, at most
	Rails      int     // NICs of each host that are used; 0 for all
	Channels   int
	Proxies    int
	QPs        int
	Split      bool
	Algorithms map[collective.Kind]*collective.Algorithm // nil of a kind: what takes least in theory
	Chunk      units.Bytes
	Window     int
	PXN        bool
	// Local is what a rank can send to others of its host, each message with a delay of LocalDelay.
	Local      units.Rate
	LocalDelay units.Time
	Staging    units.Rate // 0: adapters reach what is sent
	AnyStaging units.Rate // likewise over TCP, where they never do
	Launch     units.Time
	// SendTime, ReceiveTime and ByteTime are what the schedule's own messages keep a rank busy.
	SendTime, ReceiveTime, ByteTime units.Time
	Gap                             units.Time                // between messages of a NIC
	InTurn                          bool                      // messages take turns with computing on their streams even if they take no time
	Checked                         bool                      // the schedule has passed its own check
	Where                           func(rank, op int) string // where the user finds an operation; nil if nobody knows
	Noise                           func(rank int) units.Time // how much longer the next thing takes that a rank computes; nil for no longer
	Events                          bool
	Eager                           units.Bytes
	Credits                         int
	CopyRate                        units.Rate
	Overhead                        units.Time
	Start                           units.Time
	Priority                        int
	Notes                           []string // what the user should know of the schedule
	Scale                           float64  // of what is simulated the whole takes so many times as long; 0 and 1: it is the whole
	Perf                            *Perf    // of a test of nccl-tests
	nics                            int      // that each host uses
}

// Begins implements [Task].
func (j *RankJob) Begins() units.Time { return j.Start }

// Class implements [Task].
func (j *RankJob) Class() int { return j.Priority }

// Jobber is a workload whose ranks go through a schedule.
type Jobber interface {
	// ranks says how many ranks a host has, and who they are.
	ranks(env Env) (*RankJob, error)
	// schedule is what so many of them do, with what is to be told of it.
	schedule(env Env, job *RankJob) (*schedule.Job, error)
}

// jobOf makes the program of a workload.
func jobOf(w Jobber, kind string, env Env) ([]Program, error) {
	job, err := w.ranks(env)
	if err != nil {
		return nil, err
	}
	job.Kind, job.nics = kind, job.Rails
	if job.nics == 0 {
		job.nics = 1
		if env.NICs != nil && len(job.Places) > 0 {
			job.nics = env.NICs(job.Places[0].Host)
		}
	}
	if job.Schedule, err = w.schedule(env, job); err != nil {
		return nil, err
	}
	if n := len(job.Schedule.Ranks); n != len(job.Places) {
		return nil, &units.FieldError{Problem: fmt.Sprintf("a schedule of %d ranks for %d places", n, len(job.Places)), Want: "as many"}
	}
	if job.Checked {
		return []Program{{Task: job}}, nil
	}
	if err := job.Schedule.Check(); err != nil {
		return nil, &units.FieldError{Problem: err.Error(), Want: "a schedule that can end"}
	}
	if err := messagesFit(job.Schedule); err != nil {
		return nil, &units.FieldError{Problem: err.Error(), Want: fmt.Sprintf("messages of at most %v", mostMessage)}
	}
	return []Program{{Task: job}}, nil
}

// mostMessage is the longest message that a queue pair carries.
const mostMessage = units.GiB

// messagesFit tells which message of a schedule is longer.
func messagesFit(s *schedule.Job) error {
	var last *schedule.Graph
	for rank, g := range s.Ranks {
		if g == last {
			continue
		}
		last = g
		for i := range g.Ops() {
			if op := g.Op(i); op.Kind == schedule.Send && op.Size > mostMessage {
				return &schedule.OpError{Rank: rank, Op: i, What: op.String(), Problem: "longer than a message can be"}
			}
		}
	}
	return nil
}

// everyRank is the group of all ranks.
func everyRank(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
