package workloads

import (
	"errors"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// KeyValue is clients that get values of keys from servers.
type KeyValue struct {
	noFlows
	Servers     []string    `key:"servers" required:"true" doc:"selectors of the hosts among which keys are dealt out"`
	Clients     []string    `key:"clients" doc:"selectors of the hosts that ask them, servers left out; all others if not given"`
	Threads     int         `key:"threads" default:"1" min:"1" max:"1024" doc:"programs of each client, each with connections of its own"`
	ServerCores int         `key:"server_threads" default:"1" min:"1" max:"1024" doc:"threads of each server, among which connections are dealt out"`
	Chain       int         `key:"gets" default:"1" min:"1" max:"1000" doc:"GETs of a query, each for a key that the one before has brought"`
	Queries     int         `key:"queries" default:"1000" min:"1" max:"1000000" doc:"queries of each program"`
	Outstanding int         `key:"outstanding" default:"1" min:"1" max:"4096" doc:"queries that each program has under way"`
	Key         units.Bytes `key:"key" default:"32B" min:"8B" max:"64KiB" doc:"payload of a request: the key"`
	Value       units.Bytes `key:"value" default:"1KiB" min:"8B" max:"1GiB" doc:"payload of an answer: the value"`
	Service     units.Time  `key:"service" default:"1us" max:"1s" doc:"processor time of the server for each GET, beside that to take and send messages" source:"assumed: a look-up in a hash table in memory"`
	Think       units.Time  `key:"think" default:"0s" max:"1s" doc:"processor time of the client before each GET"`
	Via         string      `key:"via" default:"message" oneof:"message|read" doc:"how a GET is made: by a message and its answer; or by READs of the server's memory, of which its processor knows nothing"`
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
	problems := []error{noServers, noClients, moment("start", k.Start)}
	if noServers == nil && len(to) == 0 {
		problems = append(problems, &units.FieldError{Key: "servers", Problem: "no servers", Want: "at least one host"})
	}
	if noServers == nil && noClients == nil && len(clients) == 0 {
		problems = append(problems, &units.FieldError{Key: "servers", Problem: "there is no other host to ask them", Want: "at least one client"})
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	task := &ValueClients{KeyValue: k, To: to}
	for _, client := range clients {
		for range k.Threads {
			task.From = append(task.From, client)
		}
	}
	return []Program{{Task: task}}, nil
}
