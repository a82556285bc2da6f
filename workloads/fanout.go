package workloads

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// FanOut is roots that ask many leaves at once, and wait for all answers or for some.
type FanOut struct {
	noFlows
	Roots       []string    `key:"roots" required:"true" doc:"selectors of the hosts that ask"`
	Leaves      []string    `key:"leaves" doc:"selectors of the hosts that are asked, roots left out; all others if not given"`
	Threads     int         `key:"threads" default:"1" min:"1" max:"1024" doc:"programs of each root, each with connections of its own"`
	LeafThreads int         `key:"leaf_threads" default:"1" min:"1" max:"1024" doc:"threads of each leaf, among which connections are dealt out"`
	Fan         int         `key:"fan" default:"0" min:"0" max:"65536" doc:"leaves that a query asks, the next ones in turn; 0: all"`
	Need        int         `key:"need" default:"0" min:"0" max:"65536" doc:"answers that end a query; 0: all of them"`
	Queries     int         `key:"queries" default:"1000" min:"1" max:"1000000" doc:"queries of each program; in an open loop the mean of a random number, as it lasts for so many intervals"`
	Outstanding int         `key:"outstanding" default:"1" min:"1" max:"4096" doc:"queries that each program has under way, in a closed loop"`
	Interval    units.Time  `key:"interval" default:"0s" max:"1s" doc:"mean time between the beginnings of queries of a program, at random (Poisson) and whatever is under way: an open loop, in which latency counts from when a query was to begin; 0s: a closed loop"`
	Request     units.Bytes `key:"request" default:"128B" min:"8B" max:"1GiB" doc:"payload of a request"`
	Reply       units.Bytes `key:"reply" default:"1KiB" min:"8B" max:"1GiB" doc:"payload of an answer"`
	Service     units.Time  `key:"service" default:"10us" max:"1s" doc:"mean processor time of a leaf for a request, beside that to take and send messages" source:"assumed: a look-up in an index in memory"`
	Shape       string      `key:"service_shape" default:"exponential" oneof:"fixed|exponential|log-normal" doc:"distribution of that time; log-normal: by sigma"`
	Sigma       units.Ratio `key:"sigma" default:"1" max:"4" doc:"of log-normal times: standard deviation of their logarithm"`
	SlowShare   units.Ratio `key:"slow_share" default:"0" max:"1" doc:"share of the requests that take slow in place of that" source:"Dean and Barroso, The Tail at Scale, CACM 2013: one in a hundred takes a second"`
	Slow        units.Time  `key:"slow" default:"1ms" max:"10s" doc:"processor time of a leaf for such a request"`
	Think       units.Time  `key:"think" default:"0s" max:"1s" doc:"processor time of the root before each query"`
	Events      bool        `key:"events" default:"false" doc:"whether programs sleep until a message has come and do not look for it all the time"`
	Messaging   `key:",inline"`
	Start       units.Time `key:"start" default:"0s" doc:"when they start; they are connected by then. For a millisecond one root measures what an answer takes in the empty network, then all begin"`
	Priority    int        `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel      `key:",inline"`
}

// FanOutQueries is the program of a [FanOut], whose Fan and Need are those of its queries.
type FanOutQueries struct {
	*FanOut
	From, To  []int // indices into Env.Hosts: of roots, one for each program, and of leaves
	Fan, Need int
	Rand      func(stream string) Rand
}

// Begins implements [Task].
func (w *FanOut) Begins() units.Time { return w.Start }

// Class implements [Task].
func (w *FanOut) Class() int { return w.Priority }

// Queues implements [Task].
func (w *FanOutQueries) Queues() Queues {
	pairs := len(w.From) * len(w.To)
	return Queues{Pairs: pairs, Requests: 2 * len(w.From) * w.Outstanding * w.Fan, Receives: 4 * pairs * w.Credits}
}

// Programs returns the program.
func (w *FanOut) Programs(env Env) ([]Program, error) {
	hosts := newDirectory(env)
	from, noRoots := hosts.find("roots", w.Roots)
	to, noLeaves := hosts.findOrAll("leaves", w.Leaves)
	to = slices.DeleteFunc(to, func(host int) bool { return slices.Contains(from, host) })
	problems := []error{noRoots, noLeaves, moment("start", w.Start), duration("interval", w.Interval)}
	task := &FanOutQueries{FanOut: w, To: to, Fan: w.Fan, Need: w.Need, Rand: env.Rand}
	if task.Fan == 0 {
		task.Fan = len(to)
	}
	if task.Need == 0 {
		task.Need = task.Fan
	}
	if noRoots == nil && noLeaves == nil {
		switch {
		case len(from) == 0:
			problems = append(problems, &units.FieldError{Key: "roots", Problem: "nobody asks", Want: "at least one host"})
		case len(to) == 0:
			problems = append(problems, &units.FieldError{Key: "roots", Problem: "there is no other host to be asked", Want: "at least one leaf"})
		case task.Fan > len(to):
			problems = append(problems, units.Field("fan", w.Fan, "more than there are leaves", fmt.Sprintf("at most %d", len(to))))
		case task.Need > task.Fan:
			problems = append(problems, units.Field("need", w.Need, "more answers than a query asks for", fmt.Sprintf("at most %d", task.Fan)))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	for _, root := range from {
		for range w.Threads {
			task.From = append(task.From, root)
		}
	}
	return []Program{{Task: task}}, nil
}
