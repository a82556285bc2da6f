package workloads

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Messaging are the parameters of programs that pass messages.
type Messaging struct {
	Eager    units.Bytes `key:"eager" default:"8KiB" min:"0B" max:"1GiB" doc:"longest message that is sent without asking, and copied out of a buffer at both ends; before a longer one the receiver says that it is ready" source:"Open MPI and MVAPICH2 over InfiniBand: 8 to 17 KiB"`
	Credits  int         `key:"credits" default:"64" min:"2" max:"4096" doc:"messages that one end may have sent and the other not taken" source:"MVAPICH2: receives that are posted ahead"`
	CopyRate units.Rate  `key:"copy_rate" default:"106Gbps" doc:"rate at which a processor copies such a message, of 0.075 ns a byte; 0bps: it takes no time" source:"assumed: memory that is in the cache"`
	Overhead units.Time  `key:"overhead" default:"100ns" max:"1s" doc:"processor time of the library for each message, at either end, beside verbs or system calls" source:"assumed: latency by osu_latency is 0.1 to 0.3 us above that by ib_send_lat"`
}

// OSNoise are the parameters of what operating systems do on the cores of ranks that compute.
type OSNoise struct {
	Duration    units.Time  `key:"noise" default:"0s" max:"1s" doc:"for how long the operating system takes the core of a rank that computes, each time; 0s: never. What it does while a rank waits takes no time"`
	Period      units.Time  `key:"noise_period" default:"1ms" min:"1ns" max:"1000s" doc:"from one such time to the next, by a timer of each rank's host that begins at random" source:"Ferreira, Bridges and Brightwell, SC 2008: 25 us each millisecond, 250 us each 10 ms, 2.5 ms each 100 ms"`
	Probability units.Ratio `key:"noise_probability" default:"0" max:"1" doc:"in place of noise_period: probability with which computing before an operation meets it once"`
	Shape       string      `key:"noise_shape" default:"fixed" oneof:"fixed|exponential" doc:"distribution of its times, where it has a probability"`
}

// check refuses noise that leaves no time to compute.
func (n *OSNoise) check() error {
	switch {
	case n.Duration == 0:
		return nil
	case n.Probability.IsZero() && n.Duration >= n.Period:
		return units.Field("noise", n.Duration, "takes all the time of a core whose noise_period is "+n.Period.String(), "less than that")
	case n.Probability.IsZero() && n.Shape == "exponential":
		return units.Field("noise_shape", n.Shape, "of noise that comes by a timer", "fixed, or noise_probability")
	}
	return nil
}

// Ranks are the parameters of MPI programs that do one collective operation again and again.
type Ranks struct {
	noFlows
	Hosts      []string   `key:"hosts" doc:"selectors of the hosts, each with one rank; all if not given"`
	Iterations int        `key:"iterations" default:"100" min:"1" max:"1000000" doc:"operations that are measured, one after the other" source:"OSU micro-benchmarks"`
	Warmup     int        `key:"warmup" default:"10" min:"1" max:"1000000" doc:"operations before these" source:"OSU micro-benchmarks"`
	Compute    units.Time `key:"compute" default:"0s" doc:"processor time of each rank before each operation"`
	OSNoise    `key:",inline"`
	Events     bool `key:"events" default:"false" doc:"whether ranks sleep until a message has come and do not look for it all the time"`
	Messaging  `key:",inline"`
	Start      units.Time `key:"start" default:"0s" doc:"when ranks start; they are connected by then"`
	Priority   int        `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel     `key:",inline"`
}

// MPIAllreduce is ranks that sum up what each of them has.
type MPIAllreduce struct {
	Ranks      `key:",inline"`
	Size       units.Bytes `key:"size" default:"8B" min:"1B" max:"1GiB" doc:"what each rank contributes"`
	Algorithm  string      `key:"algorithm" default:"auto" oneof:"auto|recursive-doubling|ring" doc:"recursive-doubling: everything to and fro with ranks at distances 1, 2, 4 …; ring: pieces around; auto: the first below ring_from, the other from there on"`
	RingFrom   units.Bytes `key:"ring_from" default:"64KiB" min:"0B" max:"1GiB" doc:"size from which algorithm auto is the ring" source:"assumed: libraries change over between 10 KiB and 1 MiB"`
	ReduceRate units.Rate  `key:"reduce_rate" default:"0bps" doc:"rate at which a processor sums up; 0bps: it takes no time"`
}

// MPIBarrier is ranks that wait for each other.
type MPIBarrier struct {
	Ranks `key:",inline"`
}

// Collective is the program of an [MPIAllreduce] or an [MPIBarrier].
type Collective struct {
	*Ranks
	Algorithm  string // recursive-doubling, ring or dissemination
	Size       units.Bytes
	ReduceRate units.Rate
	Members    []int // indices into Env.Hosts
	Rand       func(stream string) Rand
}

// Begins implements [Task].
func (r *Ranks) Begins() units.Time { return r.Start }

// Class implements [Task].
func (r *Ranks) Class() int { return r.Priority }

// Queues implements [Task].
func (c *Collective) Queues() Queues {
	n := len(c.Members)
	pairs := n * bits.Len(uint(n-1))
	if c.Algorithm == "ring" {
		pairs = n
	}
	return Queues{Pairs: pairs, Requests: 4 * pairs, Receives: 4 * pairs * c.Credits}
}

// members finds the ranks' hosts.
func (r *Ranks) members(env Env) ([]int, error) {
	hosts, err := newDirectory(env).findOrAll("hosts", r.Hosts)
	problems := []error{err, duration("compute", r.Compute), moment("start", r.Start), r.OSNoise.check()}
	if err == nil && len(hosts) < 2 {
		problems = append(problems, units.Field("hosts", fmt.Sprint(len(hosts)), "nobody has anything to tell anybody", "at least 2 hosts"))
	}
	return hosts, errors.Join(problems...)
}

// Programs returns the program.
func (w *MPIAllreduce) Programs(env Env) ([]Program, error) {
	members, err := w.members(env)
	algorithm := w.Algorithm
	if algorithm == "auto" {
		algorithm = "recursive-doubling"
		if w.Size >= w.RingFrom {
			algorithm = "ring"
		}
	}
	if n := len(members); algorithm == "ring" && w.Size < units.Bytes(n) {
		err = errors.Join(err, units.Field("size", w.Size, fmt.Sprintf("a ring of %d ranks cuts it into as many pieces", n), fmt.Sprintf("at least %dB", n)))
	}
	if err != nil {
		return nil, err
	}
	return []Program{{Task: &Collective{Ranks: &w.Ranks, Algorithm: algorithm, Size: w.Size, ReduceRate: w.ReduceRate, Members: members, Rand: env.Rand}}}, nil
}

// Programs returns the program.
func (w *MPIBarrier) Programs(env Env) ([]Program, error) {
	members, err := w.members(env)
	if err != nil {
		return nil, err
	}
	return []Program{{Task: &Collective{Ranks: &w.Ranks, Algorithm: "dissemination", Members: members, Rand: env.Rand}}}, nil
}

// duration refuses what is not a length of time.
func duration(key string, t units.Time) error {
	if t < 0 || t == units.Never {
		return units.Field(key, t, "not a length of time", "0s or more")
	}
	return nil
}

// moment refuses what is not a time at which a run can be.
func moment(key string, t units.Time) error {
	if t < 0 || t == units.Never {
		return units.Field(key, t, "not a time at which a run can be", "0s or later")
	}
	return nil
}
