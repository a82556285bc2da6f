package workloads

import (
	"errors"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// ProgramClients are the parameters of workloads in which programs of many hosts have to do with one.
type ProgramClients struct {
	noFlows
	Server   string     `key:"server" required:"true" doc:"the host that all others have to do with"`
	Clients  []string   `key:"clients" doc:"the others, the server left out; all hosts if not given"`
	Threads  int        `key:"threads" default:"1" min:"1" max:"1024" doc:"programs of each client, each with connections of its own"`
	Start    units.Time `key:"start" default:"0s" doc:"when they start"`
	Priority int        `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel   `key:",inline"`
}

// Begins implements [Task].
func (p *ProgramClients) Begins() units.Time { return p.Start }

// Class implements [Task].
func (p *ProgramClients) Class() int { return p.Priority }

// Between is between which hosts a program runs.
type Between struct {
	Clients []int // indices into Env.Hosts, one for each program
	Server  int
}

// between finds the hosts.
func (p *ProgramClients) between(env Env) (b Between, err error) {
	hosts := newDirectory(env)
	server, err := hosts.single("server", p.Server)
	if err != nil {
		return b, err
	}
	clients := hosts.others(server)
	if len(p.Clients) > 0 {
		if clients, err = hosts.find("clients", p.Clients); err != nil {
			return b, err
		}
		clients = slices.DeleteFunc(clients, func(host int) bool { return host == server })
	}
	switch {
	case len(clients) == 0:
		err = units.Field("server", p.Server, "there is no other host", "at least one client")
	case p.Start < 0 || p.Start == units.Never:
		err = units.Field("start", p.Start, "not a time at which a run can be", "0s or later")
	}
	for _, client := range clients {
		for range p.Threads {
			b.Clients = append(b.Clients, client)
		}
	}
	b.Server = server
	return b, err
}

// ShortConnections is clients that connect to a server, send it some requests and disconnect, again and again.
type ShortConnections struct {
	ProgramClients `key:",inline"`
	Sessions       int         `key:"sessions" default:"20" min:"1" max:"1000000" doc:"connections that each client opens, one after the other"`
	Requests       int         `key:"requests" default:"1" min:"1" max:"1000000" doc:"requests over each, each of which waits for the answer to the one before"`
	RequestSize    units.Bytes `key:"request_size" default:"64B" min:"1B" max:"1GiB" doc:"payload of a request, a SEND"`
	AnswerSize     units.Bytes `key:"answer_size" default:"64B" min:"1B" max:"1GiB" doc:"payload of an answer"`
	Reuse          string      `key:"reuse" default:"nothing" oneof:"nothing|queue-pairs|connections" doc:"what is used again: nothing; queue pairs that were made before, when their numbers have rested; one connection of each client for all its sessions"`
	Pool           int         `key:"pool" default:"16" min:"1" max:"65536" doc:"queue pairs that are made before for each client, at both ends; where they are used up, more are made"`
	Register       units.Bytes `key:"register" default:"0B" max:"1GiB" doc:"size of a buffer that either end registers for each connection; 0B for one that was registered before"`
	HugePages      bool        `key:"huge_pages" default:"false" doc:"whether its pages have 2 MiB and not 4 KiB"`
	Open           units.Time  `key:"open" default:"0s" doc:"time a client takes to open its device, once, before its first connection"`
	Beside         string      `key:"beside" default:"nothing" oneof:"nothing|tcp" doc:"for comparison: tcp has each client do the same over TCP when it has done, with what the kernels of host.kernel take; it fills the columns that begin with tcp_ and tell from how many requests on RDMA takes less time"`
}

// ShortSessions is the program of a [ShortConnections].
type ShortSessions struct {
	*ShortConnections
	Between
}

// Queues implements [Task].
func (s *ShortSessions) Queues() Queues {
	pairs := len(s.Between.Clients)
	if s.Reuse == "queue-pairs" {
		pairs *= s.Pool
	}
	return Queues{Pairs: pairs}
}

// Programs returns the program.
func (w *ShortConnections) Programs(env Env) ([]Program, error) {
	b, err := w.between(env)
	if w.Open < 0 || w.Open == units.Never {
		err = errors.Join(err, units.Field("open", w.Open, "not a length of time", "0s or more"))
	}
	if w.Beside == TCP && env.Transport == InfiniBand {
		err = errors.Join(err, units.Field("beside", w.Beside, "the links of this network are InfiniBand, as host.transport says, and carry nothing else", "nothing"))
	}
	if err != nil {
		return nil, err
	}
	return []Program{{Task: &ShortSessions{w, b}}}, nil
}

// DistributedLock is clients that take a lock in the memory of a server, count up a counter there and give it back.
type DistributedLock struct {
	ProgramClients `key:",inline"`
	Acquisitions   int        `key:"acquisitions" default:"100" min:"1" max:"1000000" doc:"how many times each client takes the lock"`
	Counter        string     `key:"counter" default:"read-write" oneof:"read-write|fetch-and-add" doc:"how a client that has the lock counts up: by READ and WRITE, or by an atomic"`
	Release        string     `key:"release" default:"write" oneof:"write|compare-and-swap" doc:"how it gives the lock back"`
	Hold           units.Time `key:"hold" default:"0s" doc:"for how long it computes while it has the lock"`
	Rest           units.Time `key:"rest" default:"0s" doc:"for how long it computes before it wants it again"`
	Backoff        units.Time `key:"backoff" default:"1us" doc:"time after which a client tries again that has not got the lock; doubled with each attempt"`
	MaxBackoff     units.Time `key:"max_backoff" default:"16us" doc:"the longest such time"`
	Guard          bool       `key:"guard" default:"false" doc:"whether a client that has the lock puts its name into another word, and gives up if there is one; costs two atomics"`
}

// LockClients is the program of a [DistributedLock].
type LockClients struct {
	*DistributedLock
	Between
}

// Queues implements [Task].
func (l *LockClients) Queues() Queues { return Queues{Pairs: len(l.Between.Clients)} }

// Programs returns the program.
func (w *DistributedLock) Programs(env Env) ([]Program, error) {
	b, err := w.between(env)
	for _, t := range []struct {
		key string
		t   units.Time
	}{{"hold", w.Hold}, {"rest", w.Rest}, {"backoff", w.Backoff}, {"max_backoff", w.MaxBackoff}} {
		if t.t < 0 || t.t == units.Never {
			err = errors.Join(err, units.Field(t.key, t.t, "not a length of time", "0s or more"))
		}
	}
	if w.MaxBackoff < w.Backoff {
		err = errors.Join(err, units.Field("max_backoff", w.MaxBackoff, "less than backoff", "at least "+w.Backoff.String()))
	}
	if err != nil {
		return nil, err
	}
	return []Program{{Task: &LockClients{w, b}}}, nil
}
