package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// MPIRanks are the parameters of ranks that are processes of MPI, which go through schedules.
type MPIRanks struct {
	noFlows
	Placing       `key:",inline"`
	RanksPerHost  int `key:"ranks_per_host" default:"1" min:"1" max:"1024" doc:"ranks of each host"`
	Rails         int `key:"rails" default:"0" min:"0" max:"64" doc:"NICs of each host that are used, in the order of their ports, rank r of a host that of r*rails/ranks_per_host; 0: all"`
	MPIAlgorithms `key:",inline"`
	Channels      int         `key:"channels" default:"1" min:"1" max:"256" doc:"parts in which data of a collective goes at once"`
	Progress      int         `key:"progress_threads" default:"1" min:"1" max:"64" doc:"threads of a host at each NIC, which send and receive while ranks compute"`
	Chunk         units.Bytes `key:"chunk" default:"512KiB" min:"1KiB" max:"64MiB" doc:"most data of a message of a collective"`
	Messaging     `key:",inline"`
	Memory        units.Rate `key:"memory" default:"80Gbps" min:"1Gbps" doc:"rate at which a rank can send to others of its host, and take from them" source:"assumed: a copy through memory"`
	MemoryDelay   units.Time `key:"memory_delay" default:"500ns" max:"1s" doc:"delay of each message between ranks of a host" source:"assumed"`
	SendTime      units.Time `key:"send_time" default:"0s" max:"1s" doc:"time that a rank is busy with each message that its schedule sends: o of LogGOPS"`
	ReceiveTime   units.Time `key:"receive_time" default:"0s" max:"1s" doc:"likewise with each that it receives"`
	ByteTime      units.Time `key:"byte_time" default:"0s" max:"1us" doc:"and for each byte of it after the first, at either end: O of LogGOPS"`
	Gap           units.Time `key:"gap" default:"0s" max:"1s" doc:"least time between two messages of the schedule that a NIC sends, and between two that it receives: g of LogGOPS, where the NIC's own message rate does not say it"`
	Events        bool       `key:"events" default:"false" doc:"whether progress threads sleep until something has come and do not look for it all the time"`
	Start         units.Time `key:"start" default:"0s" doc:"when they start; they are connected by then"`
	Priority      int        `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel        `key:",inline"`
}

// ranks implements [Jobber].
func (m *MPIRanks) ranks(env Env) (*RankJob, error) {
	places, err := m.places(env, m.RanksPerHost)
	algorithms, unknown := m.Own.choose(m.Usual)
	problems := []error{err, unknown, moment("start", m.Start), duration("send_time", m.SendTime), duration("receive_time", m.ReceiveTime), duration("byte_time", m.ByteTime), duration("gap", m.Gap)}
	if err == nil && len(places) < 2 {
		problems = append(problems, units.Field("hosts", fmt.Sprint(len(places)), "one rank alone", "at least 2"))
	}
	return &RankJob{
		Places: places, PerHost: m.RanksPerHost, Rails: m.Rails, Channels: m.Channels, Proxies: m.Progress, QPs: 1, Algorithms: algorithms, Chunk: m.Chunk,
		Window: m.Credits, Local: m.Memory, LocalDelay: m.MemoryDelay, SendTime: m.SendTime, ReceiveTime: m.ReceiveTime, ByteTime: m.ByteTime, Gap: m.Gap,
		Events: m.Events, Eager: m.Eager, Credits: m.Credits, CopyRate: m.CopyRate, Overhead: m.Overhead, Start: m.Start, Priority: m.Priority,
	}, errors.Join(problems...)
}
