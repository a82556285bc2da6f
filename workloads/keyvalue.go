package workloads

import (
	"errors"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/workloads/flowsize"
)

// KeyValue is clients that get values of keys from servers, and put some there.
type KeyValue struct {
	noFlows
	Servers     []string    `key:"servers" required:"true" doc:"selectors of the hosts among which keys are dealt out"`
	Clients     []string    `key:"clients" doc:"selectors of the hosts that ask them, servers left out; all others if not given"`
	Threads     int         `key:"threads" default:"1" min:"1" max:"1024" doc:"programs of each client, each with connections of its own"`
	ServerCores int         `key:"server_threads" default:"1" min:"1" max:"1024" doc:"threads of each server, among which connections are dealt out"`
	Chain       int         `key:"gets" default:"1" min:"1" max:"1000" doc:"operations of a query, each for a key that the one before has brought"`
	Queries     int         `key:"queries" default:"1000" min:"1" max:"1000000" doc:"queries of each program; in an open loop the mean of a random number, as it lasts for so many intervals"`
	Outstanding int         `key:"outstanding" default:"1" min:"1" max:"4096" doc:"queries that each program has under way, in a closed loop"`
	Interval    units.Time  `key:"interval" default:"0s" max:"1s" doc:"mean time between the beginnings of queries of a program, at random (Poisson) and whatever is under way: an open loop, in which latency counts from when a query was to begin; 0s: a closed loop"`
	Mix         string      `key:"mix" default:"get" oneof:"get|put|ycsb-a|ycsb-b|ycsb-c" doc:"what operations are: all GETs (as ycsb-c) or all PUTs; half of them each (ycsb-a); 95 GETs of 100 (ycsb-b)" source:"YCSB, SoCC 2010"`
	Keys        int         `key:"keys" default:"100000" min:"1" max:"10000000" doc:"keys of the store, dealt out among servers by a hash"`
	Zipf        units.Ratio `key:"zipf" default:"0.99" max:"5" doc:"theta of their popularity: the i-th most popular is chosen in proportion to 1/i^theta; 0: all alike" source:"YCSB, SoCC 2010"`
	Key         units.Bytes `key:"key" default:"32B" min:"8B" max:"64KiB" doc:"payload of a request: the key"`
	Value       units.Bytes `key:"value" default:"1KiB" min:"8B" max:"1GiB" doc:"payload of an answer: the value"`
	Sizes       string      `key:"value_sizes" default:"fixed" oneof:"fixed|facebook-etc|websearch|fb-hadoop|alistorage2019|solar2022|google-rpc2008" doc:"distribution of the sizes of values, each a property of its key. fixed: all as value says; facebook-etc: generalised Pareto; the others as of open-loop" source:"facebook-etc: Atikoglu et al., SIGMETRICS 2012: scale 214.476, shape 0.348238"`
	Service     units.Time  `key:"service" default:"1us" max:"1s" doc:"processor time of the server for each GET, beside that to take and send messages" source:"assumed: a look-up in a hash table in memory"`
	Think       units.Time  `key:"think" default:"0s" max:"1s" doc:"processor time of the client before each GET"`
	Via         string      `key:"via" default:"message" oneof:"message|read" doc:"how a GET is made: by a message and its answer; or by READs of the server's memory, of which its processor knows nothing"`
	PutVia      string      `key:"put_via" default:"message" oneof:"message|write-imm" doc:"how a PUT is made, which the server answers: by a message; or by a WRITE with immediate into the server's memory"`
	Reads       int         `key:"reads" default:"2" min:"1" max:"16" doc:"READs of a GET: the last for the value, those before for what says where it is" source:"hash tables that are read past their server: a bucket, then the value"`
	Bucket      units.Bytes `key:"bucket" default:"64B" min:"1B" max:"1MiB" doc:"what a READ before the last brings" source:"assumed: a line of the cache"`
	Events      bool        `key:"events" default:"false" doc:"whether programs sleep until a message has come and do not look for it all the time"`
	Messaging   `key:",inline"`
	Start       units.Time `key:"start" default:"0s" doc:"when they start; they are connected by then. For a millisecond one client measures what a GET takes in the empty network, then all begin"`
	Priority    int        `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel      `key:",inline"`
}

// ValueClients is the program of a [KeyValue].
type ValueClients struct {
	*KeyValue
	From, To []int // indices into Env.Hosts: of clients, one for each program, and of servers
	Puts     int   // of a hundred operations
	// Greatest is the size of the longest value, and Draw draws one; nil if all are as long.
	Greatest units.Bytes
	Draw     func(variate.Source) units.Bytes
	Rand     func(stream string) Rand
}

// Begins implements [Task].
func (k *KeyValue) Begins() units.Time { return k.Start }

// Class implements [Task].
func (k *KeyValue) Class() int { return k.Priority }

// Queues implements [Task].
func (k *ValueClients) Queues() Queues {
	pairs := len(k.From) * len(k.To)
	return Queues{Pairs: pairs, Requests: 2 * len(k.From) * k.Outstanding, Receives: 4 * pairs * k.Credits}
}

// Programs returns the program.
func (k *KeyValue) Programs(env Env) ([]Program, error) {
	hosts := newDirectory(env)
	to, noServers := hosts.find("servers", k.Servers)
	clients, noClients := hosts.findOrAll("clients", k.Clients)
	clients = slices.DeleteFunc(clients, func(host int) bool { return slices.Contains(to, host) })
	problems := []error{noServers, noClients, moment("start", k.Start), duration("interval", k.Interval)}
	if noServers == nil && len(to) == 0 {
		problems = append(problems, &units.FieldError{Key: "servers", Problem: "no servers", Want: "at least one host"})
	}
	if noServers == nil && noClients == nil && len(clients) == 0 {
		problems = append(problems, &units.FieldError{Key: "servers", Problem: "there is no other host to ask them", Want: "at least one client"})
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	task := &ValueClients{KeyValue: k, To: to, Puts: putsOf[k.Mix], Rand: env.Rand}
	task.Greatest, task.Draw = k.sizes()
	for _, client := range clients {
		for range k.Threads {
			task.From = append(task.From, client)
		}
	}
	return []Program{{Task: task}}, nil
}

// putsOf is how many of a hundred operations are PUTs, by the word for the mix.
var putsOf = map[string]int{"put": 100, "ycsb-a": 50, "ycsb-b": 5}

// The sizes of values in a pool of Facebook's caches, and the most that memcached keeps under one key.
const (
	etcScale, etcShape = 214.476, 0.348238
	largestItem        = units.MiB
)

// sizes is the size of the longest value, and how one is drawn if not all are as long.
func (k *KeyValue) sizes() (greatest units.Bytes, draw func(variate.Source) units.Bytes) {
	switch k.Sizes {
	case "", "fixed":
		return k.Value, nil
	case "facebook-etc":
		return largestItem, func(s variate.Source) units.Bytes {
			// The inverse of the distribution at 1-u, whose logarithm is exponential.
			grown := variate.Exp(float64(etcShape*variate.Exponential(s))) - 1
			return min(largestItem, 1+units.Bytes(float64(grown*etcScale/etcShape)))
		}
	}
	all := flowsize.Find(k.Sizes)
	return all.Size(1), func(s variate.Source) units.Bytes { return all.Size(variate.Uniform(s)) }
}
