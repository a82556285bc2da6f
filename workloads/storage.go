package workloads

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Storage is initiators that read and write blocks of targets, as NVMe over Fabrics and its like do.
type Storage struct {
	noFlows
	Target     string       `key:"target" doc:"the host that has the devices; or several as targets"`
	Targets    []string     `key:"targets" doc:"selectors of several such hosts, among which operations are dealt out"`
	Initiators []string     `key:"initiators" doc:"selectors of the hosts that use them, targets and spare left out; all others if not given"`
	Jobs       int          `key:"jobs" default:"1" min:"1" max:"1024" doc:"programs of each initiator, each with a queue of its own at each target"`
	Depth      int          `key:"depth" default:"32" min:"1" max:"4096" doc:"operations that each job has under way; at the most, if they come by iops" source:"fio: what is common for iodepth"`
	Commands   int          `key:"commands" default:"2000" min:"1" max:"1000000" doc:"operations of each job"`
	IOPS       float64      `key:"iops" default:"0" min:"0" max:"1000000000" doc:"operations that each job begins in a second, whether or not those before are done (open loop); those that find depth under way wait; 0: the next begins when one is done (closed loop)"`
	Arrivals   string       `key:"arrivals" default:"poisson" oneof:"poisson|paced" doc:"of an open loop, the times between operations. poisson: exponential; paced: all equal"`
	Block      units.Bytes  `key:"block" default:"4KiB" min:"512B" max:"64MiB" doc:"data of an operation, unless there are blocks"`
	Blocks     []BlockShare `key:"blocks" doc:"several such sizes, each with its share of all operations"`
	Reads      int          `key:"reads" default:"100" min:"0" max:"100" doc:"reads of a hundred operations; the others write"`

	Copies int        `key:"copies" default:"1" min:"1" max:"16" doc:"targets that keep what is written: the first passes it on, and answers when all have it" source:"Ceph: 3 for replicated pools"`
	Chain  bool       `key:"chain" default:"false" doc:"whether each of these passes it on to the next, and not the first to all"`
	Data   int        `key:"data" default:"0" min:"0" max:"64" doc:"parts into which an operation is cut, each on a target of its own; 0: it is not"`
	Parity int        `key:"parity" default:"0" min:"0" max:"16" doc:"parts that are worked out of these and lie on further targets. A read asks for all, and is done when any so many as data have come"`
	Coding units.Rate `key:"coding" default:"80Gbps" doc:"rate at which an initiator works out parity, or data from it; 0bps: it takes no time" source:"assumed: some 10 GB/s a core with vector instructions (ISA-L)"`

	Protocol     string      `key:"protocol" default:"nvmeof" oneof:"nvmeof|iscsi|nfs|rados" doc:"messages of an operation. nvmeof: NVMe over TCP or RDMA; iscsi: over TCP, and iSER over RDMA; nfs: version 3 over TCP, and over RPC over RDMA; rados: as Ceph's messenger"`
	InCapsule    units.Bytes `key:"in_capsule" default:"4KiB" min:"0B" max:"64KiB" doc:"longest data of a write that travels with its command; other data the target fetches, but for nfs and rados over TCP" source:"Linux nvmet: inline_data_size of one page"`
	MaxData      units.Bytes `key:"max_data" default:"0B" min:"0B" max:"64MiB" doc:"most data of a write under one header over TCP (MAXH2CDATA, MaxRecvDataSegmentLength); 0B: 128 KiB for nvmeof, 256 KiB for iscsi" source:"SPDK: max_io_size; open-iscsi: MaxRecvDataSegmentLength"`
	LastAnswers  string      `key:"last_data_answers" default:"auto" oneof:"auto|always|never" doc:"whether over TCP the last data of a read stands for its answer (SUCCESS of NVMe, phase collapse of iSCSI); auto: never for nvmeof, always for iscsi" source:"Linux: nvmet answers; LIO sends the status with the last data"`
	HeaderDigest bool        `key:"header_digest" default:"false" doc:"whether headers over TCP have a digest of 4 bytes"`
	DataDigest   bool        `key:"data_digest" default:"false" doc:"whether data over TCP has one, which either end works out at digest_rate"`
	DigestRate   units.Rate  `key:"digest_rate" default:"80Gbps" doc:"rate at which a processor works out a digest; 0bps: it takes no time" source:"assumed: CRC32C with its instruction, of data that is in the cache"`
	CopyRate     units.Rate  `key:"copy_rate" default:"0bps" doc:"rate at which an initiator's processor copies data once more, between its page cache and who reads or writes; 0bps: it does not (direct I/O)"`

	Cores             int        `key:"cores" default:"4" min:"1" max:"1024" doc:"threads of each target, each on a core, among which queues are dealt out"`
	Software          string     `key:"software" default:"polled" oneof:"polled|events" doc:"the targets' software: polled: its threads look for commands and for devices that are done all the time, as SPDK does; events: they sleep until an interrupt, as the kernel's do"`
	TargetTime        units.Time `key:"target_time" default:"500ns" max:"1s" doc:"processor time of a target for each command, beside verbs or system calls and interrupts; half of it when it comes, half when the device is done" source:"assumed: 0.5 us as SPDK, which does 1 to 2 million commands a second on a core; 5 to 8 us for targets in the kernel"`
	InitiatorTime     units.Time `key:"initiator_time" default:"500ns" max:"1s" doc:"likewise of the initiator, and of a target for what it passes on" source:"assumed: as that of the target"`
	InitiatorSoftware string     `key:"initiator_software" default:"polled" oneof:"polled|events" doc:"the initiators' software, likewise"`

	DeviceChannels int         `key:"device_channels" default:"128" min:"1" max:"65536" doc:"commands that the devices of a target work on at the same time, of all together" source:"assumed: some drives of 32 to 64 dies each"`
	ReadTime       units.Time  `key:"read_time" default:"80us" max:"10s" doc:"mean time of a device for a read" source:"assumed: flash of three bits a cell reads in 60 to 90 us"`
	WriteTime      units.Time  `key:"write_time" default:"15us" max:"10s" doc:"mean time of a device for a write, into its cache" source:"assumed: 10 to 20 us"`
	DeviceTimes    string      `key:"device_times" default:"constant" oneof:"constant|exponential|log-normal" doc:"how these times differ from command to command"`
	Sigma          float64     `key:"device_sigma" default:"0.2" min:"0" max:"4" doc:"of log-normal times: standard deviation of their logarithm" source:"assumed: 0.1 to 0.3"`
	Stall          units.Time  `key:"stall" default:"1ms" max:"10s" doc:"what a command takes longer that meets a device at its garbage collection" source:"assumed"`
	StallChance    float64     `key:"stall_chance" default:"0" min:"0" max:"1" doc:"share of commands that do, to a millionth" source:"assumed: 0.001 of a drive that is full"`
	DeviceRate     units.Rate  `key:"device_rate" default:"0bps" doc:"rate at which data of all devices of a target goes to or from them; 0bps: it takes no time"`
	WriteCache     units.Bytes `key:"write_cache" default:"0B" min:"0B" max:"1TiB" doc:"what the devices' cache holds of what was written and has not reached the place where it stays, with write_rate"`
	WriteRate      units.Rate  `key:"write_rate" default:"0bps" doc:"rate at which it goes there: writes that find no room in the cache wait; 0bps: it sets no bound"`

	Spare        string      `key:"spare" doc:"host that is a target to be: its data is rebuilt from the others' while they serve initiators, of parts as many as data for each chunk; none if not given"`
	RebuildSize  units.Bytes `key:"rebuild_size" default:"0B" min:"0B" max:"1TiB" doc:"what is rebuilt; 0B: as much as there is time for until the initiators are done"`
	RebuildChunk units.Bytes `key:"rebuild_chunk" default:"1MiB" min:"512B" max:"64MiB" doc:"data of a rebuild's command" source:"assumed"`
	RebuildRate  units.Rate  `key:"rebuild_rate" default:"0bps" doc:"throttle: at most so much is begun in a time; 0bps: none"`
	RebuildDepth int         `key:"rebuild_depth" default:"8" min:"1" max:"4096" doc:"chunks that the rebuild has under way at the most" source:"assumed"`

	Start    units.Time `key:"start" default:"0s" doc:"when they start; they are connected by then. For a millisecond and 32 times what a device takes, one job measures what an operation takes when no other is under way, then all begin"`
	Priority int        `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel   `key:",inline"`
}

// BlockShare is the size of some operations of a [Storage].
type BlockShare struct {
	Size  units.Bytes `key:"size" required:"true" min:"512B" max:"64MiB" doc:"data of an operation"`
	Share int         `key:"share" default:"1" min:"1" max:"1000000" doc:"how many there are of this size, in proportion to the others"`
}

// StorageJobs is the program of a [Storage].
type StorageJobs struct {
	*Storage
	From []int // indices into Env.Hosts: of initiators, one for each job
	To   []int // targets
	New  int   // the spare; -1 without
}

// Begins implements [Task].
func (s *Storage) Begins() units.Time { return s.Start }

// Class implements [Task].
func (s *Storage) Class() int { return s.Priority }

// Queues implements [Task].
func (s *StorageJobs) Queues() Queues {
	pairs := len(s.From) * len(s.To)
	q := Queues{Pairs: pairs, Requests: 8 * pairs * s.Depth, Receives: 8 * pairs * s.Depth}
	if s.Copies > 1 {
		between := len(s.To) * (len(s.To) - 1) / 2 * s.Cores
		each := 4 * min(256, 2*s.Depth*len(s.From)+4)
		q.Pairs, q.Requests, q.Receives = q.Pairs+between, q.Requests+between*each, q.Receives+between*each
	}
	return q
}

// Sizes are the blocks of operations, each with its share.
func (s *Storage) Sizes() []BlockShare {
	if len(s.Blocks) > 0 {
		return s.Blocks
	}
	return []BlockShare{{s.Block, 1}}
}

// Programs returns the program.
func (s *Storage) Programs(env Env) ([]Program, error) {
	hosts := newDirectory(env)
	task := &StorageJobs{Storage: s, New: -1}
	var noTarget, noSpare error
	switch {
	case len(s.Targets) > 0 && s.Target != "":
		noTarget = units.Field("target", s.Target, "there are targets too", "one of both keys")
	case len(s.Targets) > 0:
		task.To, noTarget = hosts.find("targets", s.Targets)
	case s.Target == "":
		noTarget = &units.FieldError{Key: "target", Problem: "no target", Want: "the host that has the devices, or several as targets"}
	default:
		var to int
		to, noTarget = hosts.single("target", s.Target)
		task.To = []int{to}
	}
	if s.Spare != "" {
		if task.New, noSpare = hosts.single("spare", s.Spare); noSpare == nil && slices.Contains(task.To, task.New) {
			noSpare = units.Field("spare", s.Spare, "is a target", "a host that is none")
		}
	}
	from, noInitiators := hosts.findOrAll("initiators", s.Initiators)
	problems := []error{noTarget, noSpare, noInitiators, moment("start", s.Start)}
	from = slices.DeleteFunc(from, func(host int) bool {
		return noTarget == nil && slices.Contains(task.To, host) || noSpare == nil && host == task.New
	})
	if noTarget == nil {
		problems = append(problems, s.check(len(task.To)))
		if noInitiators == nil && len(from) == 0 {
			problems = append(problems, &units.FieldError{Key: s.where(), Problem: "there is no other host to use it", Want: "at least one initiator"})
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	for _, host := range from {
		for range s.Jobs {
			task.From = append(task.From, host)
		}
	}
	return []Program{{Task: task}}, nil
}

// where is the key that says which hosts are targets.
func (s *Storage) where() string {
	if len(s.Targets) > 0 {
		return "targets"
	}
	return "target"
}

// check finds what so many targets cannot do.
func (s *Storage) check(targets int) error {
	switch {
	case s.Copies > 1 && s.Data > 0:
		return units.Field("copies", s.Copies, "with data, what is written is cut into parts, of which parity saves those that are lost", "copies or data, not both")
	case s.Copies > targets:
		return units.Field("copies", s.Copies, fmt.Sprintf("there are %d targets", targets), fmt.Sprintf("at most %d", targets))
	case s.Parity > 0 && s.Data == 0:
		return units.Field("parity", s.Parity, "there are no parts that it could be of", "data as well")
	case s.Data+s.Parity > targets:
		return units.Field("data", s.Data, fmt.Sprintf("with parity %d parts on %d targets", s.Data+s.Parity, targets), fmt.Sprintf("at most %d of both", targets))
	case s.Spare != "" && s.Data > targets:
		return units.Field("spare", s.Spare, "there are too few targets to rebuild from", "as many as data")
	}
	for i, b := range s.Blocks {
		if s.Data > 0 && int(b.Size) < s.Data {
			return units.Field(fmt.Sprintf("blocks[%d].size", i), b.Size, "less than a byte for each part", "more")
		}
	}
	return nil
}
