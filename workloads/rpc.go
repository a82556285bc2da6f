package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Calls are remote procedure calls of clients to one server over reliable connections.
type Calls struct {
	Clients        []int // indices into Env.Hosts
	Server         int   // likewise, none of the clients
	Via            string
	Connections    int // of each client
	Outstanding    int // calls under way on each connection
	Count          int // calls on each connection
	Request, Reply units.Bytes
	Think          units.Time
	Threads        int
	Shared         bool
	Receives       int
	Refill         int
	MinRNR         int
	RNRRetries     int
	Events         bool
	Start          units.Time
	Priority       int
}

// Begins implements [Task].
func (c *Calls) Begins() units.Time { return c.Start }

// Class implements [Task].
func (c *Calls) Class() int { return c.Priority }

// Queues implements [Task].
func (c *Calls) Queues() Queues {
	pairs := len(c.Clients) * c.Connections
	q := Queues{Pairs: pairs, Requests: pairs * c.Outstanding, Receives: pairs * c.Outstanding}
	switch {
	case c.Via == "read":
		q.Receives = 0
	case c.Shared && c.Receives > 0:
		q.Requests *= 2
		q.Receives += c.Threads * c.Receives
	default:
		q.Requests *= 2
		q.Receives += pairs * max(c.Receives, c.Outstanding)
	}
	return q
}

// RPC is clients that call a server.
type RPC struct {
	noFlows
	Server      string      `key:"server" required:"true" doc:"the host that is called"`
	Clients     []string    `key:"clients" doc:"hosts that call it; all others if not given"`
	Via         string      `key:"via" default:"send" oneof:"send|write-imm|read" doc:"how a call is made: by SEND both ways; by WRITE with immediate both ways; by a READ of the reply from the server's memory, of which its processor knows nothing"`
	Connections int         `key:"connections" default:"1" min:"1" max:"16384" doc:"queue pairs of each client"`
	Outstanding int         `key:"outstanding" default:"1" min:"1" max:"4096" doc:"calls under way on each connection"`
	Count       int         `key:"calls" default:"1000" min:"1" max:"10000000" doc:"calls on each connection, one after the other"`
	Request     units.Bytes `key:"request" default:"64B" min:"0B" max:"1GiB" doc:"payload of a request; of a READ its length is reply"`
	Reply       units.Bytes `key:"reply" default:"64B" min:"0B" max:"1GiB" doc:"payload of a reply"`
	Think       units.Time  `key:"think" default:"0s" max:"1s" doc:"processor time of the server for each call, beside that to take and post messages"`
	Threads     int         `key:"threads" default:"1" min:"1" max:"1024" doc:"threads of the server, among which connections are dealt out"`
	Shared      bool        `key:"shared_receives" default:"false" doc:"whether the connections of a thread of the server share one receive queue (SRQ)"`
	Receives    int         `key:"receives" default:"0" min:"0" max:"65536" doc:"receive requests that the server keeps posted, on each connection or on the shared queue of a thread; 0: as many as calls can be under way there"`
	Refill      int         `key:"refill" default:"1" min:"1" max:"65536" doc:"calls after which the server posts as many receive requests again"`
	MinRNR      int         `key:"min_rnr_timer" default:"12" min:"0" max:"31" doc:"code of the time that a client is told to wait when no receive request is posted: 12 is 0.64 ms, 1 is 0.01 ms, 0 is 655.36 ms, the longest" source:"perftest"`
	RNRRetries  int         `key:"rnr_retry" default:"7" min:"0" max:"7" doc:"times a message may find no receive request; 7: without end" source:"perftest"`
	Events      bool        `key:"events" default:"false" doc:"whether programs sleep until there is a completion and do not look for it all the time"`
	Start       units.Time  `key:"start" default:"0s" doc:"when the clients start; queue pairs are connected by then"`
	Priority    int         `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel      `key:",inline"`
}

// Programs returns the calls.
func (w *RPC) Programs(env Env) ([]Program, error) {
	hosts := newDirectory(env)
	server, err := hosts.single("server", w.Server)
	if err != nil {
		return nil, err
	}
	clients := hosts.others(server)
	if len(w.Clients) > 0 {
		if clients, err = hosts.find("clients", w.Clients); err != nil {
			return nil, err
		}
	}
	var problems []error
	for _, client := range clients {
		if client == server {
			problems = append(problems, units.Field("clients", w.Server, "the server is among its clients", "other hosts"))
		}
	}
	if len(clients) == 0 {
		problems = append(problems, units.Field("server", w.Server, "there is no other host to call it", "at least one client"))
	}
	if w.Start < 0 || w.Start == units.Never {
		problems = append(problems, units.Field("start", w.Start, "not a time at which a run can be", "0s or later"))
	}
	if most := MaxConnections / max(1, len(clients)); w.Connections > most {
		problems = append(problems, units.Field("connections", w.Connections,
			fmt.Sprintf("%d clients with so many connections each are too many", len(clients)), fmt.Sprintf("at most %d", most)))
	}
	if posted := max(w.Receives, w.Outstanding); w.Refill > posted && !w.Shared || w.Receives > 0 && w.Refill > w.Receives {
		problems = append(problems, units.Field("refill", w.Refill, "the receive requests run out before any are posted again",
			"at most receives, or outstanding where that is left out"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return []Program{{Task: &Calls{
		Clients: clients, Server: server, Via: w.Via, Connections: w.Connections, Outstanding: w.Outstanding, Count: w.Count,
		Request: w.Request, Reply: w.Reply, Think: w.Think, Threads: w.Threads, Shared: w.Shared, Receives: w.Receives,
		Refill: w.Refill, MinRNR: w.MinRNR, RNRRetries: w.RNRRetries, Events: w.Events, Start: w.Start, Priority: w.Priority,
	}}}, nil
}
