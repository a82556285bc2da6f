package workloads

import (
	"errors"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Storage is initiators that read and write blocks of a target, as NVMe over Fabrics does.
type Storage struct {
	noFlows
	Target            string      `key:"target" required:"true" doc:"the host that has the devices"`
	Initiators        []string    `key:"initiators" doc:"selectors of the hosts that use them, the target left out; all others if not given"`
	Jobs              int         `key:"jobs" default:"1" min:"1" max:"1024" doc:"programs of each initiator, each with a queue of its own"`
	Depth             int         `key:"depth" default:"32" min:"1" max:"4096" doc:"commands that each job has under way" source:"fio: what is common for iodepth"`
	Commands          int         `key:"commands" default:"2000" min:"1" max:"1000000" doc:"commands of each job"`
	Block             units.Bytes `key:"block" default:"4KiB" min:"512B" max:"64MiB" doc:"data of a command"`
	Reads             int         `key:"reads" default:"100" min:"0" max:"100" doc:"reads of a hundred commands; the others write"`
	InCapsule         units.Bytes `key:"in_capsule" default:"4KiB" min:"0B" max:"64KiB" doc:"longest data of a write that travels with its command; other data the target fetches" source:"Linux nvmet: inline_data_size of one page"`
	Cores             int         `key:"cores" default:"4" min:"1" max:"1024" doc:"threads of the target, each on a core, among which queues are dealt out"`
	Software          string      `key:"software" default:"polled" oneof:"polled|events" doc:"the target's software: polled: its threads look for commands and for devices that are done all the time, as SPDK does; events: they sleep until an interrupt, as the kernel's do"`
	TargetTime        units.Time  `key:"target_time" default:"500ns" max:"1s" doc:"processor time of the target for each command, beside verbs or system calls and interrupts; half of it when it comes, half when the device is done" source:"assumed: 0.5 us as SPDK, which does 1 to 2 million commands a second on a core; 5 to 8 us for targets in the kernel"`
	InitiatorTime     units.Time  `key:"initiator_time" default:"500ns" max:"1s" doc:"likewise of the initiator" source:"assumed: as that of the target"`
	InitiatorSoftware string      `key:"initiator_software" default:"polled" oneof:"polled|events" doc:"the initiators' software, likewise"`
	DeviceChannels    int         `key:"device_channels" default:"128" min:"1" max:"65536" doc:"commands that the devices work on at the same time, of all together" source:"assumed: some drives of 32 to 64 dies each"`
	ReadTime          units.Time  `key:"read_time" default:"80us" max:"10s" doc:"time of a device for a read" source:"assumed: flash of three bits a cell reads in 60 to 90 us"`
	WriteTime         units.Time  `key:"write_time" default:"15us" max:"10s" doc:"time of a device for a write, into its cache" source:"assumed: 10 to 20 us"`
	DeviceRate        units.Rate  `key:"device_rate" default:"0bps" doc:"rate at which data of all devices goes to or from them; 0bps: it takes no time"`
	Start             units.Time  `key:"start" default:"0s" doc:"when they start; they are connected by then. For a millisecond one job measures what a command takes when no other is under way, then all begin"`
	Priority          int         `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel            `key:",inline"`
}

// StorageJobs is the program of a [Storage].
type StorageJobs struct {
	*Storage
	From []int // indices into Env.Hosts: of initiators, one for each job
	To   int
}

// Begins implements [Task].
func (s *Storage) Begins() units.Time { return s.Start }

// Class implements [Task].
func (s *Storage) Class() int { return s.Priority }

// Queues implements [Task].
func (s *StorageJobs) Queues() Queues {
	pairs := len(s.From)
	return Queues{Pairs: pairs, Requests: 8 * pairs * s.Depth, Receives: 8 * pairs * s.Depth}
}

// Programs returns the program.
func (s *Storage) Programs(env Env) ([]Program, error) {
	hosts := newDirectory(env)
	to, noTarget := hosts.single("target", s.Target)
	from, noInitiators := hosts.findOrAll("initiators", s.Initiators)
	problems := []error{noTarget, noInitiators, moment("start", s.Start)}
	from = slices.DeleteFunc(from, func(host int) bool { return noTarget == nil && host == to })
	if noTarget == nil && noInitiators == nil && len(from) == 0 {
		problems = append(problems, units.Field("target", s.Target, "there is no other host to use it", "at least one initiator"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	task := &StorageJobs{Storage: s, To: to}
	for _, host := range from {
		for range s.Jobs {
			task.From = append(task.From, host)
		}
	}
	return []Program{{Task: task}}, nil
}
